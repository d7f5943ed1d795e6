"""How long a page is waited for: as long as it goes on, and no longer once a dialog or a script of its own holds it up.

Owns when a silent page is looked at and given up. Leaves to others: asking whether it lives, and the debugger's look.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final, Protocol, TypeVar

from tabwright.browser.debugger.dialogs import Dialogs
from tabwright.browser.debugger.interruption import Interruptible
from tabwright.errors import BrowserNotConnected, PageBusy, TimedOut, ToolError, UnwatchedDialog

PATIENCE_S: Final = 0.9
"""A page that has not answered for so long is looked at: it may be held up."""
PROBE_S: Final = 0.3
BUSY_S: Final = 4.0
"""How long a page may be busy with a script of its own before it is given up."""
IsAlive = Callable[[], Awaitable[bool]]
"""Whether the page answers."""
T = TypeVar("T")


class Watcher(Protocol):
    """The debugger, as far as it finds out what a page does."""

    @property
    def attached(self) -> bool: ...

    async def look(self) -> None:
        """Raises:
        DialogOpen: one holds the page up that nobody told of.
        """
        ...

    async def probe(self) -> bool:
        """Whether it was the way to the browser that took long, and not the page.

        Raises:
            TimedOut: the page waits for a person; one in the midst of a script answers.
            BrowserNotConnected: the browser itself does not answer.
        """
        ...


class Patience:
    """One tab's."""

    def __init__(self, watcher: Watcher, dialogs: Dialogs) -> None:
        self._watcher = watcher
        self._dialogs = dialogs

    async def given(self, work: Coroutine[Any, Any, T], is_alive: IsAlive) -> T:
        """What `work` gives, which is not begun while a dialog stands open that nobody told of.

        Raises:
            ToolError: as `watch`.
        """
        try:
            await self._check_unwatched(is_alive)
        except BaseException:
            work.close()
            raise
        with Interruptible() as working:
            working.watch_after(PATIENCE_S, lambda: self.watch(is_alive, BUSY_S))
            return await work

    async def watch(self, is_alive: IsAlive, within_s: float) -> None:
        """Look after something that the page has not done within our patience. It may take however long, as long as the
        page itself goes on.

        Raises:
            DialogOpen: a dialog holds it up that nobody told of.
            PageBusy: a script does.
        """
        loop = asyncio.get_running_loop()
        patience_s, heard = PATIENCE_S, loop.time() - PATIENCE_S
        # again and again: what takes long may be held up late
        while True:
            if self._dialogs.current is not None or await is_alive():
                heard = loop.time()
            elif (elsewhere := self._dialogs.elsewhere()) is not None:
                raise elsewhere
            else:
                if not self._watcher.attached:
                    await self._watcher.look()
                    # a script keeps it busy: every look shows the browser's bar for a moment
                    patience_s *= 1.5
                if loop.time() - heard >= within_s:
                    if (why := await self._why_silent()) is not None:
                        raise why
                    heard = loop.time()
            await asyncio.sleep(patience_s)

    async def _why_silent(self) -> ToolError | None:
        """None: nothing is known to be wrong with the page."""
        try:
            if await self._watcher.probe():
                return None
        except TimedOut:
            return UnwatchedDialog()
        except BrowserNotConnected as exc:
            return exc
        except ToolError:
            pass
        return PageBusy()

    async def _check_unwatched(self, is_alive: IsAlive) -> None:
        """Where a dialog stood open unheard, nothing is given to the page before that is over: it would be refused
        here, and done all the same as soon as the person answers.
        """
        if not self._dialogs.unwatched:
            return
        if not self._watcher.attached and not await is_alive():
            await self._watcher.look()
        self._dialogs.unwatched = False
