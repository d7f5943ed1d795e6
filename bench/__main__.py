"""`python -m bench`: measure all parts, or those named, and write docs/benchmarks.md. Status 1 if a goal is missed."""

import argparse
import contextlib
import functools
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from bench import goals, latency, lists, machine, memory, others, outline, overhead, pages, report, start, tasks
from bench.records import Outcome, Record, Results, Run, load, merged, save
from bench.serving import ROOT
from bench.undisturbed import stolen_s

RESULTS: Final = ROOT / "build" / "bench.json"
PARTS: Final = ("start", "lists", "latency", "overhead", "outline", "tasks", "memory", *others.SCRIPTS)
INSTALLED_DOCS: Final = Path("/usr/share/doc")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--rounds", type=int, default=latency.ROUNDS, help="of each deed (default %(default)s)")
    parser.add_argument("--docs", type=Path, help="HTML documentation of Python; else what is installed, if any")
    parser.add_argument("--report", action="store_true", help="measure nothing, write the page from the last figures")
    asked = parser.parse_args()
    if asked.docs is not None and not _documents(asked.docs):
        parser.error(f"there is no {asked.docs / pages.DOCUMENTED}")
    if unknown := set(asked.parts) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    # as if by the keyboard, so that servers and browsers are ended too
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if not asked.report:
        _measure([part for part in PARTS if part in (asked.parts or PARTS)], asked.rounds, asked.docs)
    last = load(RESULTS)
    if last is None:
        raise SystemExit("Nothing was measured yet.")
    report.write(ROOT / "docs", last)
    return _verdict(last)


def _measure(parts: Sequence[str], rounds: int, docs: Path | None) -> None:
    """Each part's figures are kept as soon as they are there."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    about = machine.about()
    with tempfile.TemporaryDirectory(prefix="tabwright-bench-") as name, Bench(Path(name), rounds, docs) as bench:
        for part in parts:
            # some take minutes
            sys.stderr.write(f"{part} ...\n")
            others_, when, before = machine.busy(), time.strftime("%Y-%m-%d %H:%M", time.gmtime()), stolen_s()
            began = time.monotonic()
            records, outcomes = bench.measured(part)
            took = time.monotonic() - began
            stolen = (stolen_s() - before) / took / (os.cpu_count() or 1)
            run = Run(when, took, others_, None if part in others.SCRIPTS else rounds, stolen)
            save(RESULTS, merged(load(RESULTS), Results(about, tuple(records), tuple(outcomes), {part: run})))
            sys.stderr.write(f"{part}: {took:.0f} s\n")


def _documents(docs: Path) -> bool:
    return (docs / pages.DOCUMENTED).is_file()


class Bench:
    """One run: its folder, and the sites, which are served once a part needs them."""

    def __init__(self, folder: Path, rounds: int, docs: Path | None) -> None:
        self._folder = folder
        self._rounds = rounds
        self._docs = docs or next(
            (each for each in sorted(INSTALLED_DOCS.glob("python3*/html")) if _documents(each)), None
        )
        self._open = contextlib.ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def measured(self, part: str) -> tuple[list[Record], list[Outcome]]:
        if part in others.SCRIPTS:
            return [], [others.run(part)]
        folder, home = self._folder, self._folder / "site"
        measures: dict[str, Callable[[], list[Record]]] = {
            "start": lambda: start.measure(folder, max(1, self._rounds // 2)),
            "lists": lambda: lists.measure(folder),
            "latency": lambda: latency.measure(self._site, folder, self._rounds),
            "overhead": lambda: overhead.measure(folder, self._rounds * 5),
            "outline": lambda: outline.measure(self._site, folder),
            "tasks": lambda: tasks.measure(self._site, home, folder, max(1, self._rounds // 20)),
            "memory": lambda: memory.measure(self._site, folder, max(1, self._rounds // 2)),
        }
        return measures[part](), []

    @functools.cached_property
    def _site(self) -> pages.Site:
        home = self._folder / "site"
        home.mkdir()
        return self._open.enter_context(pages.served(home, self._docs))


def _verdict(results: Results) -> int:
    judged = goals.judged(results)
    missed = [goal for goal in judged if not goal.reached]
    for goal in missed:
        sys.stdout.write(f"missed: {goal.what}: {goal.figure} (goal {goal.limit})\n")
    count = f"{len(missed)} of {len(judged)} goals missed" if missed else f"all {len(judged)} goals reached"
    sys.stdout.write(f"docs/benchmarks.md is written; {count}.\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
