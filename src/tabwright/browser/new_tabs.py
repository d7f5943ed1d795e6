"""Tabs that are opened for agents: in the background, and each given a moment to load."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from tabwright.browser.journeys import LOAD_S
from tabwright.browser.link import Link
from tabwright.browser.numbers import TabNumbers
from tabwright.errors import CommandFailed, TabNotFound, ToolError
from tabwright.model import BrowserId, JsonObject, TabId, TabInfo

OPENED_S: Final = 3.0
"""How long opening may take until its page is waited for no longer."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A new tab, and why its page did not load, if it did not."""

    tab: TabInfo
    problem: str | None = None


class NewTabs:
    """One browser's. `tabs` is the browser's own mirror; `loaded` waits for a tab's page, within bounds."""

    def __init__(
        self,
        link: Link,
        numbers: TabNumbers,
        browser_id: BrowserId,
        tabs: dict[TabId, TabInfo],
        loaded: Callable[[TabId, float], Awaitable[None]],
    ) -> None:
        self._link = link
        self._numbers = numbers
        self._browser_id = browser_id
        self._tabs = tabs
        self._loaded = loaded

    async def open(self, url: str, *, focus: bool = False) -> Opened:
        """Open a tab in the background and wait until its page commits, within bounds. A foreign extension is told
        whether to `focus` it.
        """
        params: JsonObject = {"url": url, "active": False}
        if "callTool" in self._link.commands:
            params["focus"] = focus
        began = asyncio.get_running_loop().time()
        try:
            result = await self._link.request("createTab", params)
        except CommandFailed as exc:
            if exc.word != TabNotFound.word:
                raise
            raise CommandFailed("The new tab closed itself at once: the address may have started a download.") from None
        raw = result.get("tabId")
        if not isinstance(raw, int):
            raise CommandFailed("The browser opened a tab but did not say which.")
        tab_id = self._numbers.shown(self._browser_id, raw)
        await self._settled(tab_id, raw, began)
        # gone already, or the answer has overtaken the browser's own report of the new tab
        tab = self._tabs.get(tab_id) or TabInfo(tab_id, "Loading...", str(result.get("url") or url))
        problem = result.get("error")
        return Opened(tab, problem if isinstance(problem, str) else None)

    async def _settled(self, tab_id: TabId, raw: int, began: float) -> None:
        left = began + OPENED_S - asyncio.get_running_loop().time()
        try:
            await self._loaded(tab_id, min(LOAD_S, max(0.0, left)))
        except asyncio.CancelledError:
            # whoever gave it up is told of no tab: there is to be none
            with contextlib.suppress(ToolError):
                await self._link.request("closeTab", {"tabId": raw})
            raise
