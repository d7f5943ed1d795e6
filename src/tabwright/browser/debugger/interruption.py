"""Work that somebody else may end with an error of theirs, in the very task of whoever waits for it.

A task of its own for such work would cost two turns of the event loop, on the way in and out of every call. It is for
requests: work that has to clean up after itself needs a task, since whoever waits may be cancelled again and again.
"""

import asyncio
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Self


class Interruptible:
    """`with Interruptible() as work`: what is awaited inside is ended by `work.end`, or by one that watches it."""

    def __init__(self) -> None:
        task = asyncio.current_task()
        assert task is not None, "only what a task awaits can be ended"
        self._task = task
        self._cancelling = task.cancelling()
        self._why: Callable[[], BaseException] | None = None
        self._is_over = self._is_cancelled = False
        self._timers: list[asyncio.TimerHandle] = []
        self._watchers: list[asyncio.Task[None]] = []

    def end(self, why: Callable[[], BaseException]) -> None:
        """Cancel it, unless it is done in this very turn; whoever waits for it gets this error."""
        if self._why is None:
            self._why = why
            self._task.get_loop().call_soon(self._cancel)

    def watch_after(self, seconds: float, watch: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Begin to watch it, if it is not done by then: should the watcher fail, it ends with that error."""
        self._timers.append(self._task.get_loop().call_later(seconds, self._begin, watch))

    def _cancel(self) -> None:
        if not self._is_over:
            self._is_cancelled = True
            self._task.cancel()

    def _begin(self, watch: Callable[[], Coroutine[Any, Any, None]]) -> None:
        watcher = self._task.get_loop().create_task(watch())
        watcher.add_done_callback(self._watched)
        self._watchers.append(watcher)

    def _watched(self, watcher: asyncio.Task[None]) -> None:
        if not watcher.cancelled() and (why := watcher.exception()) is not None:
            self.end(lambda: why)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over = True
        for each in (*self._timers, *self._watchers):
            each.cancel()
        if not self._is_cancelled or self._why is None:
            return
        # who else cancelled it meanwhile is heard too, and before us
        if self._task.uncancel() <= self._cancelling and kind is asyncio.CancelledError:
            raise self._why() from None
