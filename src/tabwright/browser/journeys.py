"""Tabs on their way to other pages: sending them, and waiting for where they are bound.

A tab has one journey at a time, which the extension keeps: a newer one takes over, and one that nobody waits for any
more is stopped. Here a journey is begun so that nothing holds it up unheard: dialogs are told of, and a page that a
script keeps busy, and that could not be left therefore, is freed.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Literal

from tabwright.browser.debugger.cdp import DETACHED
from tabwright.browser.link import Link
from tabwright.browser.navigation import Arrival, read_arrival
from tabwright.browser.tab import Tab
from tabwright.errors import CommandFailed, PageBusy, TimedOut, ToolError, UnreachablePage, UnwatchedDialog
from tabwright.model import JsonObject, TabId, TabInfo

LOAD_S: Final = 1.0
"""How long opening a tab waits for a page that has committed to finish loading."""
ARRIVE_S: Final = 2.0
"""How long a call waits for the page that its tab is on the way to, before it is told to come back."""
ENDED_S: Final = 2.0
LEAVE: Final = "leave"
PAGE_BUSY: Final = "page_busy"
Asks = Literal["debugger", "page"]


class Journeys:
    """One browser's. `news` returns when something happened in it."""

    def __init__(
        self,
        link: Link,
        tabs: Mapping[TabId, TabInfo],
        at: Callable[[TabId], Tab],
        news: Callable[[], Awaitable[None]],
        *,
        launched: bool,
    ) -> None:
        self._link = link
        self._tabs = tabs
        self._at = at
        self._news = news
        self._launched = launched

    async def go(self, tab_id: TabId, to: str) -> Arrival:
        """Send a tab to an address, `back`, `forward` or `reload`, and wait until its page settles, within bounds.

        Raises:
            DialogOpen: a page asks whether to leave it, or the new one shows a dialog.
            ToolError: there is no such tab, or no page in that direction.
        """
        tab = self._at(tab_id)
        try:
            return await self._travel(tab, to, await self.hears(tab))
        except PageBusy:
            await self._end_page(tab_id)
        return await self._travel(self._at(tab_id), to)

    async def leave(self, tab_id: TabId) -> Arrival:
        """The page asks whether to leave it: do so, and wait for where that leads.

        Raises:
            ToolError: as `go`; the tab may have closed.
        """
        tab = self._at(tab_id)
        tab.cdp.answered()
        return await self._travel(tab, LEAVE)

    async def arrived(self, tab_id: TabId, within_s: float = ARRIVE_S) -> None:
        """Wait, within bounds, until the tab is not on its way to another page: meanwhile nothing can be done there.

        Raises:
            UnreachablePage: that page's server does not answer.
        """
        await self._until(tab_id, lambda tab: not tab.pending_url, within_s)
        if (tab := self._tabs.get(tab_id)) is not None and tab.pending_url:
            raise UnreachablePage(
                f"Tab {tab_id} is being loaded: {site_of(tab.pending_url)} has not answered yet.",
                "Wait and try again, or navigate elsewhere.",
            )

    async def loaded(self, tab_id: TabId, within_s: float = LOAD_S) -> None:
        """Give a new page a moment to load, so that what is told of it is complete."""
        await self._until(tab_id, lambda tab: not tab.loading, within_s)

    async def hears(self, tab: Tab) -> Asks | None:
        """By what a page can be asked whether it may be left, if at all. In a launched browser its dialogs are told of
        from now on: nobody else is there to answer one that asks the person.

        Raises:
            PageBusy: a script keeps the page.
        """
        info = self._tabs.get(tab.id)
        # on its way already it was asked before, and the debugger would not answer
        if info is None or info.discarded or info.pending_url:
            return None
        if not self._launched:
            return "page"
        try:
            await tab.cdp.hear()
        except (TimedOut, PageBusy):
            raise PageBusy from None
        except (CommandFailed, UnwatchedDialog, UnreachablePage):
            return None
        return "debugger"

    async def _travel(self, tab: Tab, to: str, asks: Asks | None = None) -> Arrival:
        """Raises:
        PageBusy: a script keeps the page that is left, as it was asked first.
        """
        try:
            arrival = await self._ask(tab, to, asks)
        except CommandFailed as exc:
            if exc.word == PAGE_BUSY:
                raise PageBusy from None
            if exc.word != DETACHED or asks is None:
                raise
            # the attachment had ended unheard; nothing was done
            tab.cdp.attachment.lost()
            await self.hears(tab)
            arrival = await self._ask(tab, to)
        if arrival.silent:
            await tab.cdp.look()
        return arrival

    async def _ask(self, tab: Tab, to: str, asks: Asks | None = None) -> Arrival:
        first: JsonObject = {} if asks is None else {"asks": asks}
        asked = self._link.request("travel", {"tabId": tab.raw, "to": to, **first})
        with tab.cdp.requests.acting():
            return read_arrival(await tab.cdp.dialogs.unless_open_asking(asked))

    async def _end_page(self, tab_id: TabId) -> None:
        """A script that never ends would keep its page for ever: the page goes, the tab stays, as after a crash."""
        with contextlib.suppress(ToolError):
            await self._link.request("endPage", {"tabId": self._at(tab_id).raw}, ENDED_S)
        await self._until(tab_id, lambda _: False, ENDED_S)

    async def _until(self, tab_id: TabId, holds: Callable[[TabInfo], bool], within_s: float) -> None:
        def waits() -> bool:
            return (tab := self._tabs.get(tab_id)) is not None and not holds(tab)

        if not waits():
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                while waits():
                    await self._news()


def site_of(url: str) -> str:
    """Scheme, host and port, near enough to tell that they changed."""
    return "/".join(url.split("/", 3)[:3])
