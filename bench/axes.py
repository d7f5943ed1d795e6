"""Where a value lies on an axis of a plot, and which values are marked there."""

import math
from collections.abc import Sequence
from typing import Final

STEPS: Final = (1.0, 2.0, 2.5, 5.0, 10.0)
MARKS: Final = 5


class Axis:
    """From `start` to `end` in pixels; a wide one has steps of equal ratio, with all its values marked."""

    def __init__(self, values: Sequence[float], start: float, end: float, *, wide: bool = False) -> None:
        self._wide = wide
        self._start, self._end = start, end
        if wide:
            self.marks = sorted(set(values))
        else:
            self.marks = _even(min(values), max(values))
        self._low, self._high = (self._scaled(each) for each in (self.marks[0], self.marks[-1]))

    def at(self, value: float) -> float:
        span = self._high - self._low
        return self._start + (self._end - self._start) * ((self._scaled(value) - self._low) / span if span else 0.5)

    def _scaled(self, value: float) -> float:
        return math.log10(value) if self._wide else value


def _even(low: float, high: float) -> list[float]:
    """Round values that hold all; whole ones, if all are few and whole."""
    span = high - low or high or 1.0
    size = 10 ** math.floor(math.log10(span / MARKS))
    step = next(size * each for each in STEPS if size * each * MARKS >= span)
    if low == int(low) and high == int(high):
        step = max(1.0, step)
    first = math.floor(low / step)
    return [round(step * number, 9) for number in range(first, math.ceil(high / step) + 1)]
