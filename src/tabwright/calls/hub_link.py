"""The hub's messages over the links of browsers: the extension's TabHubTransport."""

from collections.abc import Callable
from typing import Final

from tabwright.browser import changes
from tabwright.browser.browser import Browser
from tabwright.browser.browsers import Browsers
from tabwright.browser.changes import Change
from tabwright.errors import StaleTarget
from tabwright.hub.places import Place
from tabwright.hub.transport import BrowserGone, BrowserSeen, FrameGone, News, TabGone, TabSeen
from tabwright.model import BrowserId, JsonObject, TabId

FOREIGN_PROFILE: Final = "tabs"
"""Peers that speak plain tabs.md tell nobody who they are: what they may keep, they keep together."""


class LinkTransport:
    """Every linked browser, its tabs and their frames."""

    def __init__(self, browsers: Browsers) -> None:
        self._browsers = browsers
        self._seen: set[BrowserId] = set()
        self._deaf: set[tuple[BrowserId, TabId]] = set()
        self._tell: Callable[[News], None] = lambda news: None
        self._hear: Callable[[Place, JsonObject], None] = lambda place, message: None
        browsers.listen(self._changed)

    async def send_request(self, place: Place, message: JsonObject, timeout_s: float) -> JsonObject:
        browser = self._browsers.get(place.browser)
        if place.tab_id not in browser.tabs:
            raise StaleTarget("The tool", "its tab is gone.")
        return await browser.tab_message(place.tab_id, place.frame_id, place.document_id, message, timeout_s)

    def on_message(self, callback: Callable[[Place, JsonObject], None]) -> None:
        self._hear = callback

    def on_news(self, callback: Callable[[News], None]) -> None:
        self._tell = callback

    def disconnect(self, browser: BrowserId, tab_id: TabId) -> None:
        self._deaf.add((browser, tab_id))
        self._tell(TabGone(browser, tab_id))

    def _changed(self, browser: Browser, change: Change) -> None:
        match change:
            case changes.TabOpened(tab=tab):
                self._meet(browser)
                self._tell(TabSeen(browser.id, tab, browser.raw_tab_id(tab.id)))
            case changes.TabChanged(tab=tab, activated=activated):
                self._tell(TabSeen(browser.id, tab, browser.raw_tab_id(tab.id), activated))
            case changes.TabGone(tab_id=tab_id):
                self._deaf.discard((browser.id, tab_id))
                self._tell(TabGone(browser.id, tab_id))
            case changes.PageSpoke(tab_id=tab_id, frame_id=frame, document_id=document, origin=origin):
                if (browser.id, tab_id) not in self._deaf:
                    self._hear(Place(browser.id, tab_id, frame, document, origin, change.path), change.message)
            case changes.FrameGone(tab_id=tab_id, frame_id=frame, document_id=document):
                self._tell(FrameGone(browser.id, tab_id, frame, document))
            case changes.Linked() | changes.Resynchronised():
                self._meet(browser)
                raws = frozenset(browser.raw_tab_id(tab_id) for tab_id in browser.tabs)
                self._tell(BrowserSeen(browser.id, self._profile(browser), raws, recognised=not browser.foreign))
            case changes.Lost():
                self._seen.discard(browser.id)
                self._deaf = {known for known in self._deaf if known[0] != browser.id}
                self._tell(BrowserGone(browser.id))
            case _:
                pass

    def _meet(self, browser: Browser) -> None:
        """A browser is known from its first tab, before it has told all of them."""
        if browser.id not in self._seen:
            self._seen.add(browser.id)
            self._tell(BrowserSeen(browser.id, self._profile(browser), recognised=not browser.foreign))

    @staticmethod
    def _profile(browser: Browser) -> str:
        return FOREIGN_PROFILE if browser.foreign else browser.id
