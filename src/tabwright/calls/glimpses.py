"""Thumbnails beside the calls, for people who look on: how a tab looked after an action.

Lifecycle of one: a call ends in a tab while somebody looks -> the picture its session was given is made small, or a
small one is taken where that costs little -> kept until newer ones need its place. Never of a page that is closed to
agents, never more than one every two seconds of a tab, and never while a call waits for it.
"""

import asyncio
import contextlib
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Generator
from typing import Any, Final

from tabwright.browser.tab import Tab
from tabwright.browser.thumbnails import glimpse, shrunk
from tabwright.calls.session import Session
from tabwright.calls.sessions import Sessions
from tabwright.calls.timeline import PastCall, Timeline
from tabwright.errors import ToolError
from tabwright.model import TabId, TabInfo
from tabwright.policy.urls import origin_of, scheme_of

EVERY_S: Final = 2.0
WITHIN_S: Final = 3.0
KEPT: Final = 200
KEPT_BYTES: Final = 8_000_000
_LEAVING: Final = frozenset({"close_tab", "tabs_close_mcp"})


class Glimpses:
    """Thumbnails by the number of the call they were taken after, the oldest forgotten first."""

    def __init__(
        self,
        timeline: Timeline,
        sessions: Sessions,
        clock: Callable[[], float] = time.monotonic,
        kept: int = KEPT,
    ) -> None:
        self._sessions = sessions
        self._kept = kept
        self._clock = clock
        self._watchers = 0
        self._pictures: OrderedDict[int, bytes] = OrderedDict()
        self._tabs: dict[TabId, int] = {}
        """The latest of each tab, by its call."""
        self._taken: dict[TabId, float] = {}
        self._used: dict[TabId, int] = {}
        """Which of the pictures that sessions were given is known already."""
        self._listeners: list[Callable[[], None]] = []
        timeline.listen(self._ended)

    @contextlib.contextmanager
    def watching(self) -> Generator[None]:
        """Thumbnails are taken while this lasts; when nobody looks any more they are forgotten."""
        self._watchers += 1
        try:
            yield
        finally:
            self._watchers -= 1
            if not self._watchers:
                self._forget()

    def listen(self, listener: Callable[[], None]) -> None:
        """Tell of each new one."""
        self._listeners.append(listener)

    def find(self, number: int) -> bytes | None:
        return self._pictures.get(number)

    def latest(self, tab_id: TabId) -> int | None:
        """The call after which the tab was pictured last."""
        return self._tabs.get(tab_id)

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(self._pictures)

    def _ended(self, call: PastCall) -> None:
        tab_id, now = call.entry.tab_id, self._clock()
        if not self._watchers or tab_id is None or call.entry.outcome != "ok" or call.entry.tool in _LEAVING:
            return
        session = self._sessions.find(call.entry.session)
        if session is None or now - self._taken.get(tab_id, -EVERY_S) < EVERY_S:
            return
        self._taken = {tab: moment for tab, moment in self._taken.items() if now - moment < EVERY_S} | {tab_id: now}
        session.context.spawn(self._keep(call.number, tab_id, session))

    async def _keep(self, number: int, tab_id: TabId, session: Session) -> None:
        before = _readable(session, tab_id)
        work = None if before is None else self._work(session, tab_id)
        if before is None or work is None:
            return
        try:
            async with asyncio.timeout(WITHIN_S):
                data = await work
        except (ToolError, TimeoutError, ValueError, OSError):
            return
        after = _readable(session, tab_id)
        # what was drawn while the tab went elsewhere may be of either page
        if after is None or after.document_id != before.document_id or not self._watchers:
            return
        self._add(number, tab_id, data)

    def _work(self, session: Session, tab_id: TabId) -> Coroutine[Any, Any, bytes] | None:
        """Whichever way is cheap now; None if none is."""
        given = session.album.last(tab_id)
        if given is not None and given.data and hash(given.data) != self._used.get(tab_id):
            self._used[tab_id] = hash(given.data)
            return asyncio.to_thread(shrunk, given)
        browser = session.browser
        tab = None if browser is None else browser.acted_on(tab_id)
        if browser is None or tab is None or not _is_cheap(tab, launched=browser.launched):
            return None
        return glimpse(tab)

    def _add(self, number: int, tab_id: TabId, data: bytes) -> None:
        self._pictures[number] = data
        self._tabs[tab_id] = number
        while len(self._pictures) > self._kept or sum(map(len, self._pictures.values())) > KEPT_BYTES:
            gone, _ = self._pictures.popitem(last=False)
            self._tabs = {tab: kept for tab, kept in self._tabs.items() if kept != gone}
        for listener in tuple(self._listeners):
            listener()

    def _forget(self) -> None:
        for table in (self._pictures, self._tabs, self._taken, self._used):
            table.clear()


def _readable(session: Session, tab_id: TabId) -> TabInfo | None:
    """The tab, if its session may read what it shows."""
    browser = session.browser
    tab = None if browser is None else browser.tabs.get(tab_id)
    if tab is None or session.context.permissions.is_closed(session, origin_of(tab.url), scheme_of(tab.url)):
        return None
    return tab


def _is_cheap(tab: Tab, *, launched: bool) -> bool:
    """Nobody sees a debugger attached, or it is anyway; and no dialog is in the way."""
    return (launched or tab.cdp.attached) and tab.cdp.dialog is None
