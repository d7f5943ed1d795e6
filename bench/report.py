"""docs/benchmarks.md and its plots, written from the figures of a run: first the answer, then each area."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench import goals, latency, lists, memory, others, outline, overhead, plots, start, tables, tasks
from bench.goals import Goal
from bench.records import Outcome, Results
from bench.serving import ROOT

BUSY: Final = 0.2
"""Share of the processors in other hands from which on times are not to be trusted."""
FOUND: Final = ROOT / "bench" / "found.md"
INTRO: Final = """# Benchmarks

<!-- Written by `make bench`; what was found is kept in bench/found.md. -->

tabwright beside `@playwright/mcp`, `chrome-devtools-mcp` and `agent-browser`. One client, which speaks raw JSON-RPC
over stdio, drives all of them in turns, each after every other equally often, on the same pages in the same Chromium,
headless, with a viewport of 1280 by 900, each as it comes. Less is better unless a goal says ≥; ratios are
tabwright's figure divided by the other's of the same run. Where the host of a virtual machine takes its processors
away during a call, that call is made again, and those count from which least was taken.
"""


@dataclass(frozen=True)
class Area:
    """A section: the goals and scripts of its name, and the tables of parts."""

    name: str
    title: str
    lead: str = ""
    part: str = ""


AREAS: Final = (
    Area(
        "start",
        "Start",
        "Milliseconds from starting the process to its `tools/list` answer: median (95th percentile). *First* and "
        "*later start* are without a gateway running, which is started: the first of all, and with a list remembered.",
        start.PART,
    ),
    Area("tools/list", "Lists of tools", "Tokens (o200k) of names, descriptions and schemas.", lists.PART),
    Area(
        "outline",
        "Reading a page",
        "Tokens of each server's default reading. The last four pages are made for the bench.",
        outline.PART,
    ),
    Area(
        "recall",
        "Controls with a ref",
        "Visible controls of the browser's accessibility tree, and controls with a ref that each reading lists.",
        outline.CONTROLS,
    ),
    Area(
        "latency",
        "Latency",
        "Milliseconds: median (95th percentile). Clicks and fields are checked in the page afterwards.",
        latency.PART,
    ),
    Area(
        "overhead",
        "Gateway overhead",
        "Milliseconds of one call, from the client's request to its answer, and of the command that it sends on the "
        "link to the browser: median (95th percentile). Added is the difference, call by call. The pipe is that of "
        "another browser, to which the same command goes without tabwright, in turns.",
        overhead.PART,
    ),
    Area(
        "tasks",
        "Whole errands",
        "Tokens of all calls and answers, without the list of tools / calls / seconds, by scripts of bench/scripts.",
        tasks.PART,
    ),
    Area(
        "memory",
        "Memory",
        "Megabytes that the server's processes hold, without the browser; tabwright's are gateway and pump.",
        memory.PART,
    ),
    Area("page tools", "Page tools"),
    Area("find", "Find"),
    Area("recovery", "Recovery"),
    Area("growth", "Growth"),
    Area("proxy", "The hosted proxy"),
    Area("cluster", "Several proxies"),
)
BARS: Final[dict[str, tuple[str, str, Callable[[str], bool]]]] = {
    latency.PART: ("Latency, median", "ms", lambda row: row != latency.FIRST),
    outline.PART: ("Reading a page", "tokens", lambda row: True),
    tasks.PART: ("Whole errands", "tokens", lambda row: row.endswith(tasks.TOKENS)),
    memory.PART: ("Memory", "MB", lambda row: not row.endswith(memory.SHARES)),
    start.PART: ("Start", "ms", lambda row: True),
}


def write(docs: Path, results: Results) -> None:
    (docs / "images").mkdir(parents=True, exist_ok=True)
    for name, plot in _plots(results).items():
        (docs / "images" / f"{name}.svg").write_text(plot)
    (docs / "benchmarks.md").write_text("\n".join(_page(results)).rstrip() + "\n")


def _page(results: Results) -> Iterable[str]:
    judged = goals.judged(results)
    yield INTRO
    yield from _answer(judged)
    yield from _warning(results)
    for area in AREAS:
        yield from _section(results, area)
    if FOUND.exists():
        yield from ("", FOUND.read_text().strip())
    yield from ("", "## All goals", "", *_goals(judged))
    yield from ("", "## What it was measured on", "", *(f"- {name}: {told}" for name, told in results.about.items()))
    yield from ("", *_runs(results))


def _answer(judged: list[Goal]) -> Iterable[str]:
    """A line for each area, with the goal that comes closest to its limit, or is missed by most."""
    reached = sum(goal.reached for goal in judged)
    yield f"**{reached} of {len(judged)} goals are reached.** Of each area the table shows the tightest one:"
    yield ""
    body: list[tuple[str, ...]] = []
    for area in AREAS:
        if own := [goal for goal in judged if goal.area == area.name]:
            tight = max(own, key=lambda goal: (not goal.reached, goal.share))
            count = f"{sum(goal.reached for goal in own)} of {len(own)}"
            body.append((f"[{area.title}](#{_anchor(area.title)})", tight.what, *_judged(tight), count))
    yield from tables.rows(("area", "tightest goal", "figure", "goal", "", "reached"), body, words=2)
    if missed := [goal for goal in judged if not goal.reached]:
        yield from ("", "Missed:", "")
        yield from (f"- {goal.area}: {goal.what}: {goal.figure} (goal {goal.limit})" for goal in missed)


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


def _judged(goal: Goal) -> tuple[str, str, str]:
    return goal.figure, goal.limit, "✓" if goal.reached else "✗"


def _warning(results: Results) -> Iterable[str]:
    if busy := [part for part, run in results.runs.items() if run.busy > BUSY]:
        words = f"The machine had other work to do just before {', '.join(busy)}: there times may be long, and 95th "
        yield from ("", f"**{words}percentiles a matter of chance.** Tokens and calls do not depend on it.")


def _section(results: Results, area: Area) -> Iterable[str]:
    scripts = [
        each for each in results.outcomes if each.name in others.SCRIPTS and others.SCRIPTS[each.name].area == area.name
    ]
    measured = bool(area.part and results.rows(area.part))
    if not measured and not scripts:
        return
    yield from ("", f"## {area.title}")
    if measured:
        yield from ("", area.lead, "", *tables.of_part(results, area.part))
        if area.part in BARS:
            yield from ("", f"![{area.title}](images/bench-{area.part}.svg)")
    for outcome in scripts:
        yield from _script(outcome)


def _script(outcome: Outcome) -> Iterable[str]:
    script = others.SCRIPTS[outcome.name]
    yield from ("", f"### {script.title}", "", f"{script.lead} (`bench.{outcome.name}`)", "")
    yield from ("```text", outcome.printed, "```")
    for plot in outcome.plots:
        yield from ("", f"![{plot.title}](images/{plot.name}.svg)")


def _goals(judged: list[Goal]) -> list[str]:
    return tables.rows(
        ("area", "what", "figure", "goal", ""), [(goal.area, goal.what, *_judged(goal)) for goal in judged], words=2
    )


def _runs(results: Results) -> list[str]:
    body = [
        (
            *(part, run.when, "–" if run.rounds is None else f"{run.rounds}"),
            *(f"{run.seconds:.0f} s", f"{run.busy:.0%}", f"{run.stolen:.0%}"),
        )
        for part, run in results.runs.items()
    ]
    head = (
        "part",
        "when (UTC)",
        "rounds",
        "took",
        "other work just before, of all cores",
        "taken by the host meanwhile",
    )
    return tables.rows(head, body, words=2)


def _plots(results: Results) -> dict[str, str]:
    made: dict[str, str] = {}
    for part, (title, unit, shows) in BARS.items():
        groups = {row: _group(results, part, row) for row in results.rows(part) if shows(row)}
        if groups:
            made[f"bench-{part}"] = plots.bars(title, unit, groups)
    for outcome in results.outcomes:
        for plot in outcome.plots:
            made[plot.name] = plots.lines(plot.title, plot.unit, plot.axis, plot.lines, wide=plot.wide)
    return made


def _group(results: Results, part: str, row: str) -> dict[str, float]:
    found = ((server, goals.value(results, part, row, server)) for server in results.servers(part))
    return {server: value for server, value in found if value is not None}
