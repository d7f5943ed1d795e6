"""One linked browser: its tabs as last reported, what their pages offer, and what can be done with them.

Owns the mirror of the browser's tabs, fed by link events in order. Leaves to others: who may act (sessions), and how
bytes travel (the Link).
"""

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from tabwright.browser import changes
from tabwright.browser.changes import Change
from tabwright.browser.downloads import Downloads
from tabwright.browser.journeys import Journeys, site_of
from tabwright.browser.link import Link
from tabwright.browser.new_tabs import NewTabs
from tabwright.browser.numbers import TabNumbers
from tabwright.browser.pages import Pages
from tabwright.browser.person import PersonSide
from tabwright.browser.popups import Popups
from tabwright.browser.tab import Tab
from tabwright.browser.windows import Windows
from tabwright.errors import (
    BrowserNotConnected,
    PageBusy,
    PageCrashed,
    TabNotFound,
    TimedOut,
)
from tabwright.link import events
from tabwright.link.events import LinkEvent
from tabwright.model import BrowserId, DocumentId, JsonObject, SessionId, TabId, TabInfo

SETTLE_S: Final = 3.0
"""How long focusing a tab may wait for its page's tools, and connecting for the browser's word."""
RETURN_S: Final = 3.0
"""How long a call waits until it is known whether a browser whose link broke is still there."""
UNKNOWN: Final = "unknown"
"""What dialog nobody was told of."""


class Browser:
    """What tools act on. Ids going in and out are the ones clients see."""

    def __init__(
        self,
        browser_id: BrowserId,
        link: Link,
        numbers: TabNumbers,
        listener: Callable[["Browser", Change], None],
        *,
        launched: bool = False,
        far: bool = False,
    ) -> None:
        self.id = browser_id
        self.name = "Browser"
        self.version = ""
        self.extension = ""
        self.launched = launched
        self.far = far
        """Whether it is on another machine, for all we know."""
        self.seen = True
        """Whether it has windows that a person may look at, as far as it says itself."""
        self._link = link
        self._numbers = numbers
        self._listener = listener
        self._tabs: dict[TabId, TabInfo] = {}
        self.pages = Pages(link, numbers, browser_id, self._tabs, self._tools_changed, self.at, launched=launched)
        self.person = PersonSide(link, numbers, self._tabs)
        self.downloads = Downloads(lambda download_id: self._tell(changes.DownloadTold(download_id)))
        self._at: dict[TabId, Tab] = {}
        self._suspended = False
        self._crashed: dict[TabId, TabInfo] = {}
        self._popups = Popups(self._at, self._tabs, self.at)
        self._resuming = False
        self._acted_in: set[TabId] = set()
        """Tabs in which a call of ours was under way when the link broke."""
        self._linked = asyncio.Event()
        self._news = asyncio.Event()
        self.journeys = Journeys(link, self._tabs, self.at, self._next_news, launched=launched)
        self.windows = Windows(link, numbers, self.at)
        self.new_tabs = NewTabs(link, numbers, browser_id, self._tabs, self.journeys.loaded)

    @property
    def linked(self) -> bool:
        """Whether it has told its tabs."""
        return self._linked.is_set()

    @property
    def tabs(self) -> Mapping[TabId, TabInfo]:
        return self._tabs

    @property
    def foreign(self) -> bool:
        """Whether the extension speaks only tabs.md and runs page tools itself."""
        return "callTool" in self._link.commands

    @property
    def crashed(self) -> Mapping[TabId, TabInfo]:
        """Tabs without a page, as they were: not listed, but there for whoever holds them."""
        return self._crashed

    @property
    def reachable(self) -> bool:
        """Whether it hears us now; while it does not, its tabs are as they were last told."""
        return not self._suspended

    @property
    def remote(self) -> bool:
        """Whether it runs on another machine."""
        return self._link.remote

    def tab(self, tab_id: int, *, or_crashed: bool = False) -> TabInfo:
        """Raises:
        TabNotFound: there is no such tab in this browser.
        PageCrashed: it has no page any more, which only loading and closing it do without.
        """
        shown = TabId(tab_id)
        if shown in self._tabs:
            return self._tabs[shown]
        if shown not in self._crashed:
            raise TabNotFound(tab_id)
        if not or_crashed:
            raise PageCrashed(tab_id)
        return self._crashed[shown]

    def at(self, tab_id: TabId) -> Tab:
        """The tab as tools act on it; the same object while the tab lives.

        Raises:
            TabNotFound: there is no such tab in this browser.
        """
        self.tab(tab_id, or_crashed=True)
        if tab_id not in self._at:
            made = Tab(self._link, tab_id, self._numbers.raw(tab_id), self.downloads, self._arrivals)
            made.frames.may_attach = self.launched
            made.cdp.requests.ready = lambda: self.journeys.arrived(tab_id)
            made.cdp.dialogs.elsewhere = lambda: self._popups.dialog_of(made)
            self._at[tab_id] = made
        return self._at[tab_id]

    def acted_on(self, tab_id: TabId) -> Tab | None:
        """The tab as tools act on it, if any has."""
        return self._at.get(tab_id)

    def dialog_in(self, tab_id: TabId) -> str | None:
        """The kind of dialog that stands open in a tab, as far as is known."""
        tab = self._at.get(tab_id)
        if tab is None:
            return None
        if tab.cdp.dialog is not None:
            return tab.cdp.dialog.kind
        return UNKNOWN if tab.cdp.dialogs.unwatched else None

    # --- what can be done

    async def introduce(self) -> None:
        """Have the browser tell itself and its tabs; some do so only when asked.

        Raises:
            TimedOut: it said nothing in time, and never had.
        """
        if "connect" in self._link.commands:
            try:
                await self._link.request("connect", {})
            except TimedOut:
                if not self.linked:
                    raise
            return
        try:
            async with asyncio.timeout(SETTLE_S):
                await self._linked.wait()
        except TimeoutError:
            raise TimedOut("connect", SETTLE_S) from None

    async def present(self, within_s: float = RETURN_S) -> None:
        """Where the link broke, wait until it is back or the browser is known to be gone, within bounds."""
        if not self._suspended:
            # a deadline costs more than all the rest of what every call asks here
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                while self._suspended:
                    await self._next_news()

    async def status(self) -> JsonObject:
        """The extension's own state."""
        return await self._link.request("getStatus", {})

    async def reload_extension(self) -> None:
        """Have the extension load itself anew; the link breaks and comes back."""
        await self._link.request("reload", {})

    def shown_tab(self, raw: int) -> TabId | None:
        """The number clients see for one of the browser's own."""
        return self._numbers.known(self.id, raw)

    async def close_tab(self, tab_id: TabId) -> None:
        """Close it.

        Raises:
            DialogOpen: its page asks whether to leave it; the tab closes with the answer, or stays.
        """
        tab = self._at.get(tab_id)
        asked: JsonObject = {"tabId": self._numbers.raw(tab_id)}
        if tab is None or tab.cdp.dialog is not None:
            await self._link.request("closeTab", asked)
        else:
            with contextlib.suppress(PageBusy):
                await self.journeys.hears(tab)
            with contextlib.suppress(TabNotFound):
                await tab.cdp.dialogs.unless_open(self._link.request("closeTab", asked))
        self._forget(tab_id)

    async def activate_tab(self, tab_id: TabId) -> None:
        """Bring the tab to the front of its window: only where the person asked for that."""
        if "activateTab" in self._link.commands:
            await self._link.request("activateTab", {"tabId": self._numbers.raw(tab_id)})

    async def judge_download(self, download_id: int, verdict: str) -> None:
        """`hold` a file that is being saved, `keep` it, or `drop` it with all that is there of it.

        Raises:
            ToolError: the browser could not.
        """
        await self._link.request("judgeDownload", {"downloadId": download_id, "verdict": verdict})

    async def tab_message(
        self, tab_id: TabId, frame_id: int, document: DocumentId, message: JsonObject, timeout_s: float
    ) -> JsonObject:
        """A message of the hub to one document, and its answer."""
        where: JsonObject = {"tabId": self._numbers.raw(tab_id), "frameId": frame_id, "documentId": document}
        return await self._link.request("tabMessage", {**where, "message": message}, timeout_s)

    def raw_tab_id(self, tab_id: TabId) -> int:
        return self._numbers.raw(tab_id)

    async def _next_news(self) -> None:
        self._news.clear()
        await self._news.wait()

    async def _arrivals(self, opened: Sequence[TabId]) -> Sequence[TabInfo]:
        for tab_id in opened:
            await self.journeys.loaded(tab_id)
        return [self._tabs[tab_id] for tab_id in opened if tab_id in self._tabs]

    # --- what happens

    def apply(self, event: LinkEvent) -> None:
        """Take over what the link reports; listeners hear of it in the same order."""
        match event:
            case events.Connected():
                self._synchronise(event)
            case events.TabCreated(tab=tab) | events.TabUpdated(tab=tab):
                self._upsert(self._shown(tab))
            case events.TabClosed(tab_id=raw, crashed=crashed):
                gone = self._numbers.shown(self.id, raw)
                if crashed and not self.foreign:
                    self._crash(gone)
                else:
                    self._forget(gone)
            case events.ToolsReported():
                self.pages.apply(event)
            case events.TabMessage(tab_id=raw, frame_id=frame, document_id=document, origin=origin, message=message):
                self.pages.apply(event)
                shown = self._numbers.shown(self.id, raw)
                self._tell(changes.PageSpoke(shown, frame, document, origin, message, event.path))
            case events.FrameGone(tab_id=raw, frame_id=frame, document_id=document):
                self.pages.apply(event)
                self._tell(changes.FrameGone(self._numbers.shown(self.id, raw), frame, document))
            case events.PopupOpened(tab_id=raw, opener_tab_id=opener):
                popup, opened_by = self._numbers.shown(self.id, raw), self._numbers.shown(self.id, opener)
                self._popups.opened(popup, opened_by)
                self._tell(changes.PopupOpened(popup, opened_by))
                self._popups.catch_up(popup)
            case events.TabActivated(tab_id=raw):
                self._activated(self._numbers.shown(self.id, raw))
            case events.SessionStopped(session=session, stopped=stopped):
                self._tell(changes.AgentStopped(SessionId(session), stopped))
            case events.TabReleased(tab_id=raw):
                self._tell(changes.TakenBack(self._numbers.shown(self.id, raw)))
            case events.LookedAt() | events.GrantRevoked() | events.DashboardWanted():
                self._tell(event)
            case events.DownloadReported(tab_id=source):
                self.downloads.apply(event, None if source is None else self._numbers.known(self.id, source))
            case events.Resumed():
                self._resuming = True
            case events.Ended(reason=reason):
                self._end(reason)
            case events.CdpEvent(tab_id=raw):
                self._popups.debugged(self._numbers.shown(self.id, raw), event)
            case events.Suspended():
                self._suspended = True
                self._acted_in |= {tab_id for tab_id, tab in self._at.items() if tab.cdp.requests.is_acting}

    def _synchronise(self, told: events.Connected) -> None:
        self._suspended = False
        self._news.set()
        self.name, self.version, self.extension = told.name, told.version, told.extension
        reported = {tab.id: tab for tab in told.tabs}
        resuming, self._resuming = self._resuming, False
        acted_in, self._acted_in = self._acted_in, set()
        for tab_id in tuple(self._crashed):
            # nobody tells of those that closed meanwhile
            self._forget(tab_id)
        for tab_id, known in list(self._tabs.items()):
            now = reported.get(TabId(self._numbers.raw(tab_id)))
            # unseen, another page may have taken the tab: whoever worked in it must not act on that one,
            # unless a call of theirs was under way that may have brought it
            taken = resuming and tab_id not in acted_in
            if now is None or (taken and now.document_id != known.document_id):
                self._forget(tab_id)
        for acted_on in self._at.values():
            # what the debugger told meanwhile is lost: what it was switched to is set up anew
            acted_on.cdp.attachment.resume()
        first = not self.linked
        self._linked.set()
        for tab in told.tabs:
            self._upsert(self._shown(tab))
        if first:
            self._tell(changes.Linked())
        elif resuming:
            self._tell(changes.Resynchronised())

    def _upsert(self, tab: TabInfo) -> None:
        known = self._tabs.get(tab.id)
        self._tabs[tab.id] = tab
        self._crashed.pop(tab.id, None)
        if known is not None and self.foreign and site_of(known.url) != site_of(tab.url):
            # tabs.md tells no documents: what another site's page offered must not pass for this one's
            self.pages.forget(tab.id)
        if known is None:
            self._tell(changes.TabOpened(tab))
        elif known != tab:
            self._tell(changes.TabChanged(tab, activated=tab.active and not known.active))

    def _activated(self, tab_id: TabId) -> None:
        if tab_id in self._tabs:
            self._tell(changes.TabChanged(self._tabs[tab_id], activated=True))

    def _crash(self, tab_id: TabId) -> None:
        """Its page is gone; the tab is not."""
        self.pages.forget(tab_id)
        if (left := self._at.pop(tab_id, None)) is not None:
            left.cdp.over(PageCrashed(tab_id))
        if (known := self._tabs.pop(tab_id, None)) is not None:
            self._crashed[tab_id] = replace(known, crashed=True, loading=False, pending_url="")
            self._tell(changes.TabGone(tab_id, crashed=True))

    def _forget(self, tab_id: TabId) -> None:
        self.pages.forget(tab_id)
        self.downloads.forget(tab_id)
        if (left := self._at.pop(tab_id, None)) is not None:
            left.cdp.over(TabNotFound(tab_id, closed=True))
        known, crashed = self._tabs.pop(tab_id, None), self._crashed.pop(tab_id, None)
        if known is not None or crashed is not None:
            self._tell(changes.TabGone(tab_id))
        self._numbers.forget(tab_id)

    def _end(self, reason: str) -> None:
        self._suspended = False
        self._acted_in.clear()
        self._linked.clear()
        self._numbers.forget_all(self.id)
        self._tabs.clear()
        for left in self._at.values():
            left.cdp.over(BrowserNotConnected(f"The browser is gone: {reason}."))
        self._at.clear()
        self._crashed.clear()
        self.downloads.forget_all()
        self.pages.forget_all()
        self._tell(changes.Lost(reason))

    def _shown(self, tab: TabInfo) -> TabInfo:
        opener = tab.opener_tab_id
        return replace(
            tab,
            id=self._numbers.shown(self.id, tab.id),
            opener_tab_id=None if opener is None else self._numbers.known(self.id, opener),
        )

    def _tools_changed(self, tab_id: TabId) -> None:
        self._tell(changes.ToolsChanged(tab_id))

    def _tell(self, change: Change) -> None:
        self._news.set()
        self._listener(self, change)
