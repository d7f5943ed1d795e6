"""docs/benchmarks.md and its plots, written from the figures of a run."""

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from bench import goals, latency, lists, memory, others, outline, overhead, plots, start, tasks
from bench.errands import EVERY
from bench.records import Record, Results
from bench.serving import ROOT

BUSY: Final = 1.5
"""A load from which on times are not to be trusted."""
RATIOS: Final = (start.PART, outline.PART, latency.PART, memory.PART)
FOUND: Final = ROOT / "bench" / "found.md"
INTRO: Final = """# Benchmarks

<!-- Written by `make bench`; what was found is kept in bench/found.md. -->

tabwright beside `@playwright/mcp`, `chrome-devtools-mcp` and `agent-browser`: one client, which speaks raw
JSON-RPC over stdio, drives all of them in turns, on the same pages in the same Chromium, headless, with a viewport of
1280 by 900, each as it comes. Tokens are those of o200k. Ratios are tabwright's figure divided
by the other, both of one run of that part; the parts may be of different runs, listed below.
"""
LEADS: Final = {
    start.PART: (
        "Start",
        "Milliseconds from starting the process to its `tools/list` answer: median (95th percentile).",
    ),
    lists.PART: ("The list of tools", "Tokens of names, descriptions and schemas."),
    outline.PART: (
        "Reading a page",
        "Tokens of each server's default reading. The last four pages are made for the bench.",
    ),
    outline.CONTROLS: (
        "What a reading offers",
        "Visible controls of the browser's accessibility tree, and controls with a ref that each reading lists.",
    ),
    latency.PART: (
        "Latency",
        "Milliseconds: median (95th percentile). Clicks and fields are checked in the page afterwards.",
    ),
    overhead.PART: (
        "Overhead",
        "Milliseconds of one call, from the client's request to its answer, and of the command that it sends "
        "on the link to the browser: median (95th percentile). Added is the difference, call by call.",
    ),
    memory.PART: (
        "Memory",
        "Megabytes that the server's processes hold, without the browser; tabwright's are gateway and pump.",
    ),
}


def write(docs: Path, results: Results) -> None:
    (docs / "images").mkdir(parents=True, exist_ok=True)
    for name, plot in _plots(results).items():
        (docs / "images" / f"{name}.svg").write_text(plot)
    (docs / "benchmarks.md").write_text("\n".join(_page(results)).rstrip() + "\n")


def _page(results: Results) -> Iterable[str]:
    yield INTRO
    yield from (f"- {name}: {value}" for name, value in results.about.items())
    yield from _warning(results)
    yield from ("", "## Goals", "", *_goals(results))
    for part, (title, lead) in LEADS.items():
        if results.rows(part):
            yield from ("", f"## {title}", "", lead, "", *_table(results, part))
            yield from _image(part, title, results)
    yield from _errands(results)
    yield from _outcomes(results)
    if FOUND.exists():
        yield from ("", FOUND.read_text().strip())


def _warning(results: Results) -> Iterable[str]:
    yield from ("", *(f"- {part} measured {run}" for part, run in results.runs.items()))
    if any(float(found) > BUSY for run in results.runs.values() for found in re.findall(r"load ([\d.]+)", run)):
        words = "The machine was busy with other work: times are long, and 95th percentiles a matter of chance."
        yield from ("", f"**{words}** Tokens and calls do not depend on it.")


def _goals(results: Results) -> list[str]:
    judged = goals.judged(results)
    reached = sum(goal.reached for goal in judged)
    rows = [(goal.area, goal.what, goal.figure, goal.limit, "✓" if goal.reached else "✗") for goal in judged]
    head = ("area", "what", "figure", "goal", "")
    return [f"{reached} of {len(judged)} are reached.", "", *_lines(head, rows, words=2)]


def _table(results: Results, part: str) -> list[str]:
    servers, peers = results.servers(part), set(goals.PEERS)
    rows: list[Sequence[str]] = []
    for row in results.rows(part):
        cells = [results.value(part, row, server) for server in servers]
        own = goals.value(results, part, row, goals.OURS)
        others_ = [each.value for each in cells if each and each.server in peers]
        ratio = f"{own / min(others_):.2f}" if own is not None and others_ and min(others_) else ""
        rows.append((row, *(_cell(each) for each in cells), *([ratio] if part in RATIOS else [])))
    return _lines(("", *servers, *(["to the best peer"] if part in RATIOS else [])), rows)


def _cell(record: Record | None) -> str:
    if record is None:
        return "–"
    if record.unit == "share":
        return f"{record.value:.2f}"
    worst = f" ({_figure(record.p95)})" if record.p95 is not None else ""
    return _figure(record.value) + worst


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.1f}"


def _errands(results: Results) -> Iterable[str]:
    if not results.rows(tasks.PART):
        return
    lead = (
        "Tokens of all calls and answers, without the list of tools / calls / seconds, by the scripts in bench/scripts."
    )
    yield from ("", "## Whole errands", "", lead, "")
    servers = results.servers(tasks.PART)
    yield from _lines(("", *servers), [(name, *(_errand(results, name, each) for each in servers)) for name in EVERY])
    yield from _image(tasks.PART, "Whole errands", results)


def _errand(results: Results, name: str, server: str) -> str:
    units = (tasks.TOKENS, tasks.CALLS, tasks.SECONDS, tasks.DONE)
    tokens, calls, seconds, done = (goals.value(results, tasks.PART, f"{name}, {unit}", server) or 0 for unit in units)
    missed = "" if done == 1 else f", done {done:.0%}"
    return f"{tokens:,.0f} / {calls:.0f} / {seconds:.1f}{missed}"


def _outcomes(results: Results) -> Iterable[str]:
    for outcome in results.outcomes:
        mark = "✓" if outcome.reached else "✗"
        yield from ("", f"## {others.TITLES.get(outcome.name, outcome.name)} {mark}", "", "```", outcome.printed, "```")


def _image(part: str, title: str, results: Results) -> list[str]:
    return ["", f"![{title}](images/bench-{part}.svg)"] if f"bench-{part}" in _plots(results) else []


def _plots(results: Results) -> dict[str, str]:
    wanted: dict[str, tuple[str, str, Callable[[str], bool]]] = {
        latency.PART: ("Latency, median", "ms", lambda row: row != latency.FIRST),
        outline.PART: ("Reading a page", "tokens", lambda row: True),
        tasks.PART: ("Whole errands", "tokens", lambda row: row.endswith(tasks.TOKENS)),
        memory.PART: ("Memory", "MB", lambda row: True),
        start.PART: ("Start", "ms", lambda row: True),
    }
    made: dict[str, str] = {}
    for part, (title, unit, shows) in wanted.items():
        groups = {row: _group(results, part, row) for row in results.rows(part) if shows(row)}
        if groups:
            made[f"bench-{part}"] = plots.bars(title, unit, groups)
    return made


def _group(results: Results, part: str, row: str) -> dict[str, float]:
    found = ((server, goals.value(results, part, row, server)) for server in results.servers(part))
    return {server: value for server, value in found if value is not None}


def _lines(head: Sequence[str], rows: Sequence[Sequence[str]], words: int = 1) -> list[str]:
    """A table whose first columns hold words, the others figures."""
    rule = ["---"] * words + ["---:"] * (len(head) - words)
    return [f"| {' | '.join(each)} |" for each in (head, rule, *rows)]
