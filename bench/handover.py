"""What a script of its own hands over to `make bench` besides the lines it prints: goals with their figures, plots.

By itself a script only prints, and its status says whether all goals were reached. `make bench` names a file in
`BENCH_HANDOVER`, reads it when the script has ended, and makes the goals and plots a part of the page.
"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

FILE: Final = "BENCH_HANDOVER"


@dataclass(frozen=True)
class Check:
    """A figure, and the most (or the least) that it may be."""

    what: str
    figure: float
    limit: float
    unit: str = ""
    at_least: bool = False

    @property
    def reached(self) -> bool:
        return self.figure >= self.limit if self.at_least else self.figure <= self.limit


@dataclass(frozen=True)
class Plot:
    """Lines over a common axis: by name, points as (x, y). A wide axis has steps of equal ratio."""

    name: str
    title: str
    unit: str
    axis: str
    lines: Mapping[str, Sequence[tuple[float, float]]]
    wide: bool = False


@dataclass
class Handover:
    checks: list[Check] = field(default_factory=list[Check])
    plots: list[Plot] = field(default_factory=list[Plot])

    def most(self, what: str, figure: float, limit: float, unit: str = "") -> bool:
        self.checks.append(Check(what, figure, limit, unit))
        return self.checks[-1].reached

    def least(self, what: str, figure: float, limit: float, unit: str = "") -> bool:
        self.checks.append(Check(what, figure, limit, unit, at_least=True))
        return self.checks[-1].reached

    def status(self) -> int:
        """Hand over, if anybody asked for it; 0 if every goal was reached, else 1."""
        if path := os.environ.get(FILE):
            Path(path).write_text(json.dumps(asdict(self)))
        return 0 if all(check.reached for check in self.checks) else 1


def read(path: Path) -> Handover:
    """What was handed over: nothing, if the script ended before."""
    return parsed(json.loads(path.read_text())) if path.exists() else Handover()


def parsed(told: Mapping[str, Any]) -> Handover:
    return Handover([Check(**each) for each in told["checks"]], [Plot(**each) for each in told["plots"]])
