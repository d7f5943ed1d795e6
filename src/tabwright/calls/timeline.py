"""The latest calls, for people who look on: kept in memory, told to listeners as they end."""

import itertools
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tabwright.calls.audit import Entry, Event

KEPT: Final = 2_500
"""A megabyte; the record on disk has the others."""
FINE: Final = frozenset({"ok", "asking", "cancelled", "stopped"})
"""Outcomes that are no failure: what the client or the person ended is none either."""


@dataclass(frozen=True, slots=True)
class PastCall:
    """A call that has ended: its number in this gateway's life, when it ended (Unix time), and what the audit holds."""

    number: int
    ended: float
    entry: Entry


@dataclass(frozen=True, slots=True)
class Total:
    """All calls of a session so far, those included that are not kept any more."""

    calls: int = 0
    failed: int = 0
    characters: int = 0

    def plus(self, entry: Entry) -> "Total":
        return Total(
            self.calls + 1, self.failed + (entry.outcome not in FINE), self.characters + max(0, entry.characters)
        )


class Timeline:
    """An audit that remembers."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._numbers = itertools.count(1)
        self._calls: deque[PastCall] = deque(maxlen=KEPT)
        self._totals: dict[str, Total] = {}
        self._listeners: list[Callable[[PastCall], None]] = []

    @property
    def calls(self) -> tuple[PastCall, ...]:
        """Oldest first."""
        return tuple(self._calls)

    @property
    def last(self) -> int:
        """The number of the newest call; 0 before the first."""
        return self._calls[-1].number if self._calls else 0

    def after(self, number: int, most: int) -> Sequence[PastCall]:
        """The newest calls after that one, at most so many, oldest first."""
        found = itertools.takewhile(lambda call: call.number > number, reversed(self._calls))
        return tuple(itertools.islice(found, most))[::-1]

    def before(self, number: int, most: int) -> Sequence[PastCall]:
        """Those just before that one, at most so many, oldest first."""
        found = itertools.dropwhile(lambda call: call.number >= number, reversed(self._calls))
        return tuple(itertools.islice(found, most))[::-1]

    def total(self, session: str) -> Total:
        return self._totals.get(session, Total())

    def record(self, entry: Entry | Event) -> None:
        if isinstance(entry, Event):
            if entry.kind == "session" and entry.told.get("what") == "closed":
                self._totals.pop(entry.session, None)
            return
        call = PastCall(next(self._numbers), self._clock(), entry)
        self._calls.append(call)
        self._totals[entry.session] = self.total(entry.session).plus(entry)
        for listener in tuple(self._listeners):
            listener(call)

    def listen(self, listener: Callable[[PastCall], None]) -> Callable[[], None]:
        """Tell of each call that ends, until what is returned is called."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)
