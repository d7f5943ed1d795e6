"""Work that no answer waits for, done when the answer has arrived.

At the event loop's next turn would be too soon: the answer has left by then, but whoever passes it on is often woken on
our processor, and gets it when we rest.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from typing import Final, Generic, TypeVar

log = logging.getLogger(__name__)

AFTER_S: Final = 0.005
T = TypeVar("T")


class Leisure(Generic[T]):
    """What is left to do, in order. `do` takes one piece."""

    def __init__(self, do: Callable[[T], None]) -> None:
        self._do = do
        self._left: deque[T] = deque()
        self._timer: asyncio.TimerHandle | None = None

    def add(self, piece: T) -> None:
        self._left.append(piece)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(AFTER_S, self.catch_up)

    def catch_up(self) -> None:
        """Do all of it now: somebody asks, or there will be no later."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._left:
            try:
                self._do(self._left.popleft())
            except Exception:
                # the next one may not pay for it
                log.exception("what an answer left to do could not be done")
