"""The figures to reach, and whether a run did. Ratios are of one run; parts that were not measured are left out."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from bench import latency, lists, memory, others, outline, overhead, start, tasks
from bench.errands import EVERY
from bench.handover import Check
from bench.pages import REAL
from bench.records import Results
from bench.servers import ADAPTERS, NODE

OURS: Final = "tabwright"
PEERS: Final = tuple(adapter.name for adapter in ADAPTERS[1:])
PAGE_TOKENS: Final = {"Python docs, functions": 6_000, "Django admin, 200 rows": 8_000}
ADDED_MS: Final = 1.0
"""What the gateway may add to a command of the debugger."""


@dataclass(frozen=True)
class Goal:
    area: str
    what: str
    figure: str
    limit: str
    reached: bool
    share: float
    """Of what is allowed: 1 is just reached."""


def judged(results: Results) -> list[Goal]:
    each = (_start, _lists, _outline, _recall, _latency, _overhead, _tasks, _memory, _scripts)
    return [goal for judge in each for goal in judge(results)]


def value(results: Results, part: str, row: str, server: str) -> float | None:
    found = results.value(part, row, server)
    return None if found is None else found.value


def _ratio(area: str, what: str, ours: float | None, theirs: float | None, most: float) -> Iterator[Goal]:
    if ours is not None and theirs:
        ratio = ours / theirs
        yield Goal(area, what, f"{ratio:.2f}", f"≤ {most:.2f}", ratio <= most, ratio / most)


def _least(area: str, what: str, ours: float | None, theirs: list[float], *, or_same: bool = False) -> Iterator[Goal]:
    """Less than the best of the others."""
    if ours is not None and theirs:
        best = min(theirs)
        reached = ours < best or (or_same and ours == best)
        yield Goal(area, what, f"{ours / best:.2f}", "≤ 1.00" if or_same else "< 1.00", reached, ours / best)


def _peers(results: Results, part: str, row: str, names: tuple[str, ...] = PEERS) -> list[float]:
    return [found for name in names if (found := value(results, part, row, name)) is not None]


def _start(results: Results) -> Iterator[Goal]:
    own, bare = (value(results, start.PART, start.ROW, name) for name in (OURS, start.BARE))
    yield from _ratio("start", "gateway running, to bare Python", own, bare, 1.6)
    if node := _peers(results, start.PART, start.ROW, NODE):
        yield from _ratio("start", "gateway running, to the fastest Node peer", own, min(node), 0.2)
    if peers := _peers(results, start.PART, start.ROW):
        first = value(results, start.PART, start.ROW, start.FIRST)
        yield from _ratio("start", "first start, to the slowest peer", first, max(peers), 1.0)


def _lists(results: Results) -> Iterator[Goal]:
    for row, most in ((lists.BEFORE, 300), (lists.ALL, 5_000)):
        if (own := value(results, lists.PART, row, OURS)) is not None:
            yield Goal("tools/list", f"tokens, {row}", f"{own:,.0f}", f"≤ {most:,}", own <= most, own / most)


def _outline(results: Results) -> Iterator[Goal]:
    for page in results.rows(outline.PART):
        own = value(results, outline.PART, page, OURS)
        if page in REAL:
            interactive = _peers(results, outline.PART, page, ("agent-browser",))
            yield from _least("outline", f"{page}: tokens to agent-browser", own, interactive)
            whole = value(results, outline.PART, page, "playwright")
            yield from _ratio("outline", f"{page}: tokens to Playwright", own, whole, 0.5)
        if own is not None and (most := PAGE_TOKENS.get(page)):
            yield Goal("outline", f"{page}: tokens", f"{own:,.0f}", f"≤ {most:,}", own <= most, own / most)


def _recall(results: Results) -> Iterator[Goal]:
    for page in results.rows(outline.RECALL):
        if (share := value(results, outline.RECALL, page, OURS)) is not None:
            what = f"{page}: visible controls with a ref"
            yield Goal("recall", what, f"{share:.2f}", "1.00", share == 1, 1 / max(share, 0.01))


def _latency(results: Results) -> Iterator[Goal]:
    for row in results.rows(latency.PART):
        if row == latency.FIRST:
            continue
        every = [results.value(latency.PART, row, name) for name in (OURS, *PEERS)]
        ours, *theirs = every
        if ours is None:
            continue
        yield from _least("latency", f"{row}, median to the fastest peer", ours.value, [e.value for e in theirs if e])
        worst = [each.p95 for each in theirs if each and each.p95 is not None]
        yield from _least("latency", f"{row}, p95 to the fastest peer", ours.p95, worst)


def _overhead(results: Results) -> Iterator[Goal]:
    if (added := value(results, overhead.PART, overhead.ADDED, OURS)) is not None:
        what = "gateway, over the same command on the link, median ms"
        yield Goal("overhead", what, f"{added:.2f}", f"≤ {ADDED_MS:.2f}", added <= ADDED_MS, added / ADDED_MS)


def _tasks(results: Results) -> Iterator[Goal]:
    for name in EVERY:
        for unit in (tasks.TOKENS, tasks.CALLS):
            row = f"{name}, {unit}"
            own = value(results, tasks.PART, row, OURS)
            yield from _least(
                "tasks", f"{row} to the least of the peers", own, _peers(results, tasks.PART, row), or_same=True
            )
        if (done := value(results, tasks.PART, f"{name}, {tasks.DONE}", OURS)) is not None:
            yield Goal("tasks", f"{name}, done", f"{done:.2f}", "1.00", done == 1, 1 / max(done, 0.01))


def _memory(results: Results) -> Iterator[Goal]:
    own = value(results, memory.PART, memory.AFTER, OURS)
    if node := _peers(results, memory.PART, memory.AFTER, NODE):
        yield from _ratio("memory", "after work, to the lighter Node peer", own, min(node), 0.5)


def _scripts(results: Results) -> Iterator[Goal]:
    """Of a script that ended before it handed over its goals one is missed: that it runs."""
    for outcome in results.outcomes:
        area = others.SCRIPTS[outcome.name].area if outcome.name in others.SCRIPTS else "scripts"
        yield from (_check(area, check) for check in outcome.checks)
        if outcome.reached is False and all(check.reached for check in outcome.checks):
            yield Goal(area, f"`bench.{outcome.name}` runs to its end", "no", "yes", reached=False, share=2.0)


def _check(area: str, check: Check) -> Goal:
    unit = "" if check.unit in ("", "times") else f" {check.unit}"
    sign, share = ("≥", check.limit / max(check.figure, 1e-9)) if check.at_least else ("≤", check.figure / check.limit)
    figure = f"{check.figure:.2f}" if check.figure < 10 else f"{check.figure:,.1f}"
    return Goal(area, check.what, f"{figure}{unit}", f"{sign} {check.limit:g}{unit}", check.reached, share)
