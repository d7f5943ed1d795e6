"""The sizes of one browser's windows, and of the pages in them."""

from collections.abc import Callable

from tabwright.browser.link import Link
from tabwright.browser.numbers import TabNumbers
from tabwright.browser.sizes import Resized, Size, read_size
from tabwright.browser.tab import Tab
from tabwright.errors import CommandFailed
from tabwright.model import JsonObject, TabId


class Windows:
    """`at` gives a tab as tools act on it."""

    def __init__(self, link: Link, numbers: TabNumbers, at: Callable[[TabId], Tab]) -> None:
        self._link = link
        self._numbers = numbers
        self._at = at

    async def resize(self, tab_id: TabId, width: int, height: int) -> Resized:
        """Give the tab's window a size; which one it has then, and its page.

        A page in the background would follow its window only when it is shown: it is made to.
        """
        size: JsonObject = {"width": width, "height": height}
        told = await self._link.request("resizeWindow", {"tabId": self._numbers.raw(tab_id), **size})
        window, shown, page = read_size(told), read_size(told.get("shown")), read_size(told.get("viewport"))
        if page != shown:
            page = await self._emulate(tab_id, shown, page)
        elif (cdp := self._at(tab_id).cdp).attached:
            # one in front follows its window, unless it was made to follow it before
            await cdp.send("Emulation.clearDeviceMetricsOverride")
        return Resized(window, page)

    async def _emulate(self, tab_id: TabId, wanted: Size, otherwise: Size) -> Size:
        metrics: JsonObject = {"width": wanted[0], "height": wanted[1], "deviceScaleFactor": 0, "mobile": False}
        try:
            await self._at(tab_id).cdp.send("Emulation.setDeviceMetricsOverride", metrics)
        except CommandFailed:
            return otherwise
        return wanted
