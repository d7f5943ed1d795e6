"""The latest calls, for people who look on: kept in memory, told to listeners as they end."""

import itertools
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tabwright.calls.audit import Entry, Event

KEPT: Final = 500


@dataclass(frozen=True, slots=True)
class PastCall:
    """A call that has ended: its number in this gateway's life, when it ended (Unix time), and what the audit holds."""

    number: int
    ended: float
    entry: Entry


class Timeline:
    """An audit that remembers."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._numbers = itertools.count(1)
        self._calls: deque[PastCall] = deque(maxlen=KEPT)
        self._listeners: list[Callable[[PastCall], None]] = []

    @property
    def calls(self) -> tuple[PastCall, ...]:
        """Oldest first."""
        return tuple(self._calls)

    def record(self, entry: Entry | Event) -> None:
        if isinstance(entry, Event):
            return
        call = PastCall(next(self._numbers), self._clock(), entry)
        self._calls.append(call)
        for listener in tuple(self._listeners):
            listener(call)

    def listen(self, listener: Callable[[PastCall], None]) -> Callable[[], None]:
        """Tell of each call that ends, until what is returned is called."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)
