"""Tables of docs/benchmarks.md: Markdown rows from figures."""

from collections.abc import Sequence
from typing import Final

from bench import goals, latency, lists, memory, outline, start, tasks
from bench.errands import EVERY
from bench.records import Record, Results

RATIOS: Final = (start.PART, outline.PART, latency.PART, memory.PART)
"""Parts whose rows compare servers: the last column is the ratio to the best of the others."""


def rows(head: Sequence[str], body: Sequence[Sequence[str]], words: int = 1) -> list[str]:
    """A table whose first columns hold words, the others figures."""
    rule = ["---"] * words + ["---:"] * (len(head) - words)
    return [f"| {' | '.join(each)} |" for each in (head, rule, *body)]


def of_part(results: Results, part: str) -> list[str]:
    if part == tasks.PART:
        return _errands(results)
    return _lists(results) if part == lists.PART else _compared(results, part)


def _compared(results: Results, part: str) -> list[str]:
    servers, peers = results.servers(part), set(goals.PEERS)
    body: list[Sequence[str]] = []
    for row in results.rows(part):
        cells = [results.value(part, row, server) for server in servers]
        own = goals.value(results, part, row, goals.OURS)
        others = [each.value for each in cells if each and each.server in peers]
        ratio = f"{own / min(others):.2f}" if own is not None and others and min(others) else ""
        body.append((row, *(_cell(each) for each in cells), *([ratio] if part in RATIOS else [])))
    return rows(("", *servers, *(["to the best peer"] if part in RATIOS else [])), body)


def _lists(results: Results) -> list[str]:
    """A row for each list, as no server has all of them."""
    found = [each for each in results.records if each.part == lists.PART and each.unit == "tokens"]
    body: list[Sequence[str]] = []
    for each in found:
        number = results.value(lists.PART, f"{lists.COUNT}, {each.row}", each.server)
        body.append((f"{each.server}, {each.row}", _cell(number), _cell(each)))
    return rows(("", "tools", "tokens"), body)


def _errands(results: Results) -> list[str]:
    servers = results.servers(tasks.PART)
    return rows(("", *servers), [(name, *(_errand(results, name, each) for each in servers)) for name in EVERY])


def _errand(results: Results, name: str, server: str) -> str:
    units = (tasks.TOKENS, tasks.CALLS, tasks.SECONDS, tasks.DONE)
    tokens, calls, seconds, done = (goals.value(results, tasks.PART, f"{name}, {unit}", server) or 0 for unit in units)
    missed = "" if done == 1 else f", done {done:.0%}"
    return f"{tokens:,.0f} / {calls:.0f} / {seconds:.1f}{missed}"


def _cell(record: Record | None) -> str:
    if record is None:
        return "–"
    if record.unit == "share":
        return f"{record.value:.2f}"
    worst = f" ({_figure(record.p95)})" if record.p95 is not None else ""
    return _figure(record.value) + worst


def _figure(value: float) -> str:
    if value >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"
