"""The numbers of tabs in hub names: counted per browser in order of first registration, never given twice."""

from collections.abc import Iterable
from typing import Final

from tabwright.hub.memory import HubMemory

MAX_LEFT: Final = 1_000


class Numbers:
    """One browser's. A tab is the browser's own number for it, which outlives the gateway."""

    def __init__(self, profile: str, memory: HubMemory) -> None:
        self._profile = profile
        self._memory = memory
        kept, self._next = memory.numbers(profile)
        self._numbers = dict(kept)
        self._left: dict[int, int] = {}
        """Of tabs that seemed gone, until the browser tells which are there."""

    def of(self, tab: int, now: float) -> int:
        number = self._numbers.get(tab)
        if number is None:
            number = self._numbers[tab] = self._next
            self._next += 1
            self._left.pop(tab, None)
            self._memory.number(self._profile, tab, number, now)
        return number

    def gone(self, tab: int) -> None:
        number = self._numbers.pop(tab, None)
        if number is not None:
            if len(self._left) >= MAX_LEFT:
                self._left.clear()
            self._left[tab] = number
            self._memory.forget_tabs(self._profile, [tab])

    def only(self, tabs: Iterable[int], now: float) -> None:
        """These are all the tabs there are; one that only seemed gone, as its link was down, has its number back."""
        there = set(tabs)
        for tab in there & self._left.keys() - self._numbers.keys():
            self._numbers[tab] = self._left[tab]
            self._memory.number(self._profile, tab, self._left[tab], now)
        self._left.clear()
        past = self._numbers.keys() - there
        for tab in past:
            del self._numbers[tab]
        if past:
            self._memory.forget_tabs(self._profile, past)
