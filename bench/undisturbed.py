"""What was measured while the host of a virtual machine left it its processors.

A call during which the host gave them to others took its time for a reason that no server has. So whatever is timed is
done, within bounds, until there are enough calls from which little was taken, and those count from which least was.
"""

import os
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from bench.machine import processor_ticks

MOST: Final = 2
"""So many times as often as wanted is done at most what the host disturbs."""
LITTLE: Final = 0.05
"""Share of a call's time that may be taken from it: longer ones are never free of that."""
_STOLEN: Final = 7
_TICK_S: Final = 1 / os.sysconf("SC_CLK_TCK")

T = TypeVar("T")


def stolen_s() -> float:
    """What the host has taken so far, of all processors. Without a host it is nothing."""
    return processor_ticks()[_STOLEN] * _TICK_S


@dataclass
class Undisturbed(Generic[T]):
    """As many as `wanted`, those from which least was taken."""

    wanted: int
    _found: list[tuple[float, T]] = field(default_factory=list[tuple[float, T]])

    def add(self, value: T, seconds: float, stolen: float) -> None:
        """It took so many `seconds`, of which so many were `stolen`."""
        self._found.append((stolen / seconds, value))

    @property
    def are_enough(self) -> bool:
        return sum(share <= LITTLE for share, _ in self._found) >= self.wanted

    @property
    def kept(self) -> list[T]:
        return [value for _, value in sorted(self._found, key=lambda each: each[0])[: self.wanted]]
