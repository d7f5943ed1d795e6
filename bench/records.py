"""What was measured: flat records, kept as JSON between the measuring and the telling."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from bench.handover import Check, Plot, parsed


@dataclass(frozen=True)
class Record:
    """One figure of one server: `part` names the table, `row` the line."""

    part: str
    row: str
    server: str
    value: float
    unit: str
    p95: float | None = None


@dataclass(frozen=True)
class Outcome:
    """A script of its own: what it printed and handed over, and whether its goals were reached, if it could run."""

    name: str
    reached: bool | None
    printed: str
    checks: tuple[Check, ...] = ()
    plots: tuple[Plot, ...] = ()


def timed(part: str, row: str, server: str, seconds: Sequence[float]) -> Record:
    """Milliseconds."""
    worst = sorted(seconds)[max(0, round(len(seconds) * 0.95) - 1)]
    return Record(part, row, server, median(seconds) * 1000, "ms", worst * 1000)


@dataclass(frozen=True)
class Run:
    """When a part was measured, how long that took, what share of the processors others had before and meanwhile."""

    when: str
    seconds: float
    busy: float
    rounds: int | None = None
    stolen: float = 0.0
    """By the host of this machine, where it is a virtual one."""


@dataclass(frozen=True)
class Results:
    """About the machine, the figures, the scripts."""

    about: dict[str, str]
    records: tuple[Record, ...]
    outcomes: tuple[Outcome, ...]
    runs: dict[str, Run] = field(default_factory=dict[str, Run])
    """By part: they need not be of one run."""

    def value(self, part: str, row: str, server: str) -> Record | None:
        return next((each for each in self.records if (each.part, each.row, each.server) == (part, row, server)), None)

    def rows(self, part: str) -> list[str]:
        return list(dict.fromkeys(each.row for each in self.records if each.part == part))

    def servers(self, part: str) -> list[str]:
        return list(dict.fromkeys(each.server for each in self.records if each.part == part))


def merged(old: Results | None, new: Results) -> Results:
    """New figures in the place of those of the same parts; others stay, so that one part can be measured alone."""
    if old is None:
        return new
    parts, names = {each.part for each in new.records}, {each.name for each in new.outcomes}
    kept = tuple(each for each in old.records if each.part not in parts)
    return Results(
        new.about,
        kept + new.records,
        tuple(each for each in old.outcomes if each.name not in names) + new.outcomes,
        {**old.runs, **new.runs},
    )


def save(path: Path, results: Results) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(asdict(results), indent=1, ensure_ascii=False) + "\n")


def load(path: Path) -> Results | None:
    if not path.exists():
        return None
    told = json.loads(path.read_text())
    try:
        records = tuple(Record(**each) for each in told["records"])
        return Results(told["about"], records, tuple(map(_outcome, told["outcomes"])), _runs(told["runs"]))
    except (KeyError, TypeError):
        # kept by another version of the bench
        return None


def _runs(told: dict[str, dict[str, Any]]) -> dict[str, Run]:
    return {part: Run(**each) for part, each in told.items()}


def _outcome(told: dict[str, Any]) -> Outcome:
    given = parsed({"checks": told.get("checks", ()), "plots": told.get("plots", ())})
    return Outcome(told["name"], told["reached"], told["printed"], tuple(given.checks), tuple(given.plots))
