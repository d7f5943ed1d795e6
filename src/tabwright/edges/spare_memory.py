"""Memory that calls have used and nobody needs any more, handed back to the system while nobody calls.

A picture or a long page passes through in pieces of a few hundred kilobytes. When they are freed, C's allocator keeps
the holes, as it must while calls follow each other: asking for memory anew costs time. Once a gateway rests they are
only its weight.
"""

import asyncio
import gc
import logging
import sys
from collections.abc import Callable
from typing import Final

from tabwright.calls.audit import Entry, Event

log = logging.getLogger(__name__)

QUIET_S: Final = 1.0
"""Without a call for so long. It takes a few milliseconds, and the next call a fraction of one."""


class SpareMemory:
    """Hears of every call, as an audit does."""

    def __init__(self, hand_back: Callable[[], None] | None = None, quiet_s: float = QUIET_S) -> None:
        self._hand_back = hand_back or _hand_back
        self._quiet_s = quiet_s
        self._used_at = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def record(self, entry: Entry | Event) -> None:
        loop = asyncio.get_running_loop()
        self._used_at = loop.time()
        if self._timer is None:
            self._timer = loop.call_later(self._quiet_s, self._look)

    def _look(self) -> None:
        loop = asyncio.get_running_loop()
        quiet_at = self._used_at + self._quiet_s
        if loop.time() < quiet_at:
            self._timer = loop.call_at(quiet_at, self._look)
            return
        self._timer = None
        try:
            self._hand_back()
        except Exception:
            log.exception("spare memory could not be handed back")


def _hand_back() -> None:
    gc.collect()
    if sys.platform != "linux":
        return
    import ctypes

    # glibc alone has it
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
