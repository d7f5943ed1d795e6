"""All linked browsers, by profile. Any number at once; who uses which is the sessions' affair."""

import asyncio
import contextlib
from collections.abc import Callable

from tabwright.browser.browser import Browser
from tabwright.browser.changes import Change, Linked, Lost
from tabwright.browser.link import Link
from tabwright.browser.numbers import TabNumbers
from tabwright.errors import InvalidArguments, ToolError
from tabwright.model import BrowserId


class Browsers:
    """The register of browsers. A browser is in it from its first link until it is lost."""

    def __init__(self) -> None:
        self._numbers = TabNumbers()
        self._browsers: dict[BrowserId, Browser] = {}
        self._listeners: list[Callable[[Browser, Change], None]] = []
        self._arrival = asyncio.Event()
        self.trouble = ""
        """What keeps browsers away and what the person can do about it, where whoever brings them knows."""

    def listen(self, listener: Callable[[Browser, Change], None]) -> None:
        self._listeners.append(listener)

    def add(self, browser_id: BrowserId, link: Link, *, launched: bool = False, far: bool = False) -> Browser:
        """A link speaks for a browser that is not in the register."""
        browser = Browser(browser_id, link, self._numbers, self._changed, launched=launched, far=far)
        self._browsers[browser_id] = browser
        self._announce_arrival()
        return browser

    def all(self) -> tuple[Browser, ...]:
        """Every browser that has told its tabs. A peer that has said nothing yet is no choice for anybody."""
        return tuple(browser for browser in self._browsers.values() if browser.linked)

    def get(self, browser_id: str) -> Browser:
        """Raises:
        InvalidArguments: no browser with that id is linked.
        """
        try:
            return self._browsers[BrowserId(browser_id)]
        except KeyError:
            raise InvalidArguments(
                f"No browser {browser_id!r} is linked.", "Call list_connected_browsers to see them."
            ) from None

    @property
    def silent(self) -> bool:
        """Whether somebody is there that has not told its tabs, and may want to be asked."""
        return any(not browser.linked for browser in self._browsers.values())

    async def wait_for_any(self, timeout_s: float) -> bool:
        """Wait, within bounds, until some browser is linked; those that wait to be asked are asked."""
        asked: dict[BrowserId, asyncio.Task[None]] = {}
        try:
            async with asyncio.timeout(timeout_s):
                while not self.all():
                    for browser in self._browsers.values():
                        if browser.id not in asked:
                            asked[browser.id] = asyncio.create_task(_introduce(browser))
                    await self._arrival.wait()
        except TimeoutError:
            return False
        finally:
            for asking in asked.values():
                asking.cancel()
        return True

    def _changed(self, browser: Browser, change: Change) -> None:
        if isinstance(change, Lost) and self._browsers.get(browser.id) is browser:
            del self._browsers[browser.id]
        if isinstance(change, Linked):
            self._announce_arrival()
        for listener in self._listeners:
            listener(browser, change)

    def _announce_arrival(self) -> None:
        self._arrival.set()
        self._arrival.clear()


async def _introduce(browser: Browser) -> None:
    with contextlib.suppress(ToolError):
        await browser.introduce()
