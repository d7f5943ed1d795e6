"""One client's list and the notices that it has become another: the clock and the sending around `Announcer`."""

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Any, Final

from tabwright.calls.shown_tools import ShownTools
from tabwright.model import Face, ToolSpec
from tabwright.session.announcements import Announcer, Verdict
from tabwright.session.listing import Listing

Notify = Callable[[], Coroutine[Any, Any, None]]
Spawn = Callable[[Coroutine[Any, Any, None]], object]


class Notices:
    """Tells a client of changes of its list, at once for what its own calls did, in bounds for the rest."""

    def __init__(self, tools: ShownTools, face: Face, notify: Notify, spawn: Spawn) -> None:
        self._tools: Final = tools
        self._face: Final = face
        self._notify = notify
        self._spawn = spawn
        listing = tools.now()
        self._announcer: Final = Announcer(listing.fingerprint, listing.minor)
        self._timer: asyncio.TimerHandle | None = None
        self._due = 0.0
        """When that is. It need not know itself: uvloop gives another handle for what is due at once."""

    def list(self) -> Listing:
        """What `tools/list` answers; the client knows this list from now on."""
        listing = self._tools.fetch()
        self._announcer.fetched(listing.fingerprint, listing.minor)
        return listing

    def page(self, cursor: str | None) -> tuple[tuple[ToolSpec, ...], str | None]:
        """One page of `tools/list`, and where the next begins; later pages are of the list the first one was of.

        Raises:
            InvalidArguments: the cursor is none of ours.
        """
        # a client may come back with a cursor when its session has long been forgotten
        begins = cursor is None or not self._tools.fetched.own
        return (self.list() if begins else self._tools.fetched).page(cursor)

    def reconsider(self) -> None:
        """Something happened in the browser: tell the client if its list is another now."""
        listing = self._tools.now()
        verdict = self._announcer.changed(listing.fingerprint, time.monotonic(), listing.minor)
        if verdict is Verdict.NOW:
            self._spawn(self._notify())
        if verdict is Verdict.LATER:
            self._wait(max(0.0, self._announcer.due_at - time.monotonic()))

    @contextlib.asynccontextmanager
    async def after(self, moved: Callable[[], bool]) -> AsyncGenerator[None]:
        """Around a call of the client's own: what it did to the list is told when it ends.

        `moved`: whether the focus went to another tab, which is told in any case.
        """
        self._announcer.call_began()
        try:
            yield
        finally:
            await self._call_ended(moved())

    async def announce(self, *, moved: bool = False) -> None:
        """Tell of a changed list now, however lately another notice was sent; a moved focus is told in any case."""
        self._announcer.call_began()
        await self._call_ended(moved)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    async def _call_ended(self, moved: bool) -> None:
        # only the dynamic list follows the focus
        moved = moved and self._face is Face.DYNAMIC
        listing = self._tools.now()
        verdict = self._announcer.call_ended(listing.fingerprint, time.monotonic(), moved=moved, minor=listing.minor)
        if verdict is Verdict.NOW:
            # before the result: a client that lists on the notice sees what the call did
            await self._notify()

    def _wait(self, delay: float) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time() + delay
        if self._timer is not None and self._due > due:
            # what is due later may wait for less than that
            self._timer.cancel()
            self._timer = None
        if self._timer is None:
            self._due, self._timer = due, loop.call_later(delay, self._waited)

    def _waited(self) -> None:
        self._timer = None
        self.reconsider()
