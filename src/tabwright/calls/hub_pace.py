"""How much of the gateway's time a tab may take with what its pages register: a burst, and after it a small part.

Lifecycle of a registration: taken at once while its tab has time left -> else it waits, and whatever its frame says
meanwhile takes its place, for each tells all tools of its frame -> taken when the tab has time again, or dropped with
its document.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from tabwright.hub.places import Place
from tabwright.model import BrowserId, DocumentId, JsonObject, TabId

log = logging.getLogger(__name__)

BURST_S: Final = 0.25
"""So much of the processor's time at once: a hundred times what a usual page needs."""
SHARE: Final = 0.05
LONGEST_S: Final = 5.0
"""Nobody waits longer: the next page in the tab may be another site's."""
MAX_WAITING: Final = 64
"""Frames of one tab whose words wait."""

Take = Callable[[Place, JsonObject], None]


@dataclass(eq=False, slots=True)
class _Tab:
    spent: float
    """Seconds, as of `at`."""
    at: float
    waiting: dict[int, tuple[Place, JsonObject]] = field(default_factory=dict[int, tuple[Place, JsonObject]])
    """By frame."""
    timer: asyncio.TimerHandle | None = None

    def charge(self, seconds: float, now: float) -> None:
        self._relieve(now)
        self.spent = min(self.spent + seconds, BURST_S + LONGEST_S * SHARE)

    def wait_s(self, now: float) -> float:
        """How long until it has time again; 0 if it has."""
        self._relieve(now)
        return max(0.0, (self.spent - BURST_S) / SHARE)

    def _relieve(self, now: float) -> None:
        self.spent, self.at = max(0.0, self.spent - (now - self.at) * SHARE), now


class HubPace:
    """Of all tabs. `take` is what costs."""

    def __init__(
        self,
        take: Take,
        cost: Callable[[], float] = time.thread_time,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._take = take
        self._cost = cost
        self._clock = clock
        self._tabs: dict[tuple[BrowserId, TabId], _Tab] = {}

    def hear(self, place: Place, message: JsonObject) -> None:
        """Take it now, or when its tab has time."""
        key = (place.browser, place.tab_id)
        tab = self._tabs.setdefault(key, _Tab(0.0, self._clock()))
        tab.waiting.pop(place.frame_id, None)
        wait_s = tab.wait_s(self._clock())
        if wait_s == 0:
            self._run(tab, place, message)
        elif len(tab.waiting) < MAX_WAITING:
            if tab.timer is None:
                log.warning("hub: tab %s registers too much; it waits %.1f s", place.tab_id, wait_s)
            tab.waiting[place.frame_id] = place, message
            self._arm(key, tab, wait_s)
        else:
            log.warning("hub: too many frames of tab %s register too much; ignored", place.tab_id)

    def frame_gone(self, browser: BrowserId, tab_id: TabId, frame_id: int, document: DocumentId) -> None:
        tab = self._tabs.get((browser, tab_id))
        if tab is not None and frame_id in tab.waiting and tab.waiting[frame_id][0].document_id == document:
            del tab.waiting[frame_id]

    def tab_shows(self, browser: BrowserId, tab_id: TabId, origin: str) -> None:
        """A page of this origin; if another's word waits, that is past, and its frames with it."""
        tab = self._tabs.get((browser, tab_id))
        if tab is not None and 0 in tab.waiting and origin not in ("", tab.waiting[0][0].origin):
            tab.waiting.clear()

    def tab_gone(self, browser: BrowserId, tab_id: TabId) -> None:
        tab = self._tabs.pop((browser, tab_id), None)
        if tab is not None and tab.timer is not None:
            tab.timer.cancel()

    def browser_gone(self, browser: BrowserId) -> None:
        for key in [key for key in self._tabs if key[0] == browser]:
            self.tab_gone(*key)

    def _run(self, tab: _Tab, place: Place, message: JsonObject) -> None:
        began = self._cost()
        try:
            self._take(place, message)
        finally:
            tab.charge(self._cost() - began, self._clock())

    def _arm(self, key: tuple[BrowserId, TabId], tab: _Tab, wait_s: float) -> None:
        if tab.timer is None:
            tab.timer = asyncio.get_running_loop().call_later(wait_s, self._due, key, tab)

    def _due(self, key: tuple[BrowserId, TabId], tab: _Tab) -> None:
        tab.timer = None
        while tab.waiting:
            wait_s = tab.wait_s(self._clock())
            if wait_s > 0:
                self._arm(key, tab, wait_s)
                return
            place, message = tab.waiting.pop(next(iter(tab.waiting)))
            self._run(tab, place, message)
