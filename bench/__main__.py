"""`python -m bench`: measure all parts, or those named, and write docs/benchmarks.md. Status 1 if a goal is missed."""

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from bench import goals, latency, lists, machine, memory, others, outline, pages, report, start, tasks
from bench.records import Outcome, Record, Results, load, merged, save
from bench.serving import ROOT

RESULTS: Final = ROOT / "build" / "bench.json"
OF_PAGES: Final = ("latency", "outline", "tasks", "memory")
PARTS: Final = ("start", "lists", *OF_PAGES, *others.SCRIPTS)
INSTALLED_DOCS: Final = "python3*/html"

T = TypeVar("T")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--rounds", type=int, default=latency.ROUNDS, help="of each deed (default %(default)s)")
    parser.add_argument("--docs", type=Path, help="HTML documentation of Python; else what is installed, if any")
    parser.add_argument("--report", action="store_true", help="measure nothing, write the page from the last figures")
    asked = parser.parse_args()
    if unknown := set(asked.parts) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    last = load(RESULTS)
    if not asked.report:
        last = merged(last, _measured(asked.parts or list(PARTS), asked.rounds, asked.docs or _installed_docs()))
        save(RESULTS, last)
    if last is None:
        raise SystemExit("Nothing was measured yet.")
    report.write(ROOT / "docs", last)
    return _verdict(last)


def _measured(parts: list[str], rounds: int, docs: Path | None) -> Results:
    _many_files()
    about = machine.about()
    records: list[Record] = []
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory(prefix="tabwright-bench-") as name:
        folder = Path(name)
        if "start" in parts:
            records += _told("start", lambda: start.measure(folder, rounds // 2))
        if "lists" in parts:
            records += _told("lists", lambda: lists.measure(folder))
        if any(part in parts for part in OF_PAGES):
            records += _on_pages(parts, folder, rounds, docs)
        for part in parts:
            if part in others.SCRIPTS:
                outcomes += _told(part, lambda part=part: [others.run(part)])
    return Results(about, tuple(records), tuple(outcomes))


def _on_pages(parts: list[str], folder: Path, rounds: int, docs: Path | None) -> list[Record]:
    home = folder / "site"
    home.mkdir()
    measures: dict[str, Callable[[pages.Site], list[Record]]] = {
        "latency": lambda site: latency.measure(site, folder, rounds),
        "outline": lambda site: outline.measure(site, folder),
        "tasks": lambda site: tasks.measure(site, home, folder),
        "memory": lambda site: memory.measure(site, folder),
    }
    with pages.served(home, docs) as site:
        return [
            each for part in OF_PAGES if part in parts for each in _told(part, lambda part=part: measures[part](site))
        ]


def _told(part: str, measure: Callable[[], list[T]]) -> list[T]:
    """Say what is being measured; some of it takes minutes."""
    sys.stderr.write(f"{part} ...\n")
    began = time.monotonic()
    measured = measure()
    sys.stderr.write(f"{part}: {time.monotonic() - began:.0f} s\n")
    return measured


def _installed_docs() -> Path | None:
    return next(iter(sorted(Path("/usr/share/doc").glob(INSTALLED_DOCS))), None)


def _many_files() -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _verdict(results: Results) -> int:
    missed = [goal for goal in goals.judged(results) if not goal.reached]
    for goal in missed:
        sys.stdout.write(f"missed: {goal.what}: {goal.figure} (goal {goal.limit})\n")
    sys.stdout.write(
        f"docs/benchmarks.md is written; {len(missed)} goals are missed.\n" if missed else "All goals are reached.\n"
    )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
