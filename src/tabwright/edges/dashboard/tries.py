"""Trying a page's tools by hand, from the dashboard: a session of the person's own, through the life of every call."""

import asyncio
import contextlib
from typing import Final

from tabwright.browser.browser import Browser
from tabwright.browser.browsers import Browsers
from tabwright.calls.session import Session
from tabwright.calls.sessions import Sessions
from tabwright.edges.dashboard.view import described_tool
from tabwright.errors import TabNotFound, ToolError
from tabwright.model import Face, Image, Json, JsonObject, TabId, Text, ToolResult, Toolset
from tabwright.session.workspace import Options

NAME: Final = "dashboard"
MAX_PICTURES: Final = 4
MAX_PICTURE: Final = 4_000_000
SHOWN: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_OPTIONS = Options(frozenset({Toolset.FOCUS}), Face.STABLE)


class Tries:
    """Looks at a tab's tools, and runs one of them at a time."""

    def __init__(self, browsers: Browsers, sessions: Sessions) -> None:
        self._browsers = browsers
        self._sessions = sessions
        self._one_at_a_time = asyncio.Lock()

    async def tools(self, tab_id: TabId) -> list[JsonObject]:
        """What the tab's page offers now, to a client that has no automation tools."""
        browser = self._browser(tab_id)
        if browser is None:
            return []
        with contextlib.suppress(ToolError):
            await browser.pages.glance(tab_id)
        return [described_tool(tool.name, tool) for tool in browser.pages.tools(tab_id)]

    async def call(self, tab_id: TabId, name: str, arguments: JsonObject) -> JsonObject:
        """Call a tool as an agent would; the tab is held only meanwhile."""
        browser = self._browser(tab_id)
        if browser is None:
            return {"isError": True, "text": str(TabNotFound(tab_id))}
        async with self._one_at_a_time:
            session = self._sessions.open(_OPTIONS, _nobody_listens, client=NAME, principal="person")
            try:
                return _told(await self._run(session, browser, tab_id, name, arguments))
            finally:
                self._sessions.close(session)

    async def _run(
        self, session: Session, browser: Browser, tab_id: TabId, name: str, arguments: JsonObject
    ) -> ToolResult:
        session.workspace.connected(browser.id, browser.tabs)
        focused = await session.call("focus_tab", {"tabId": tab_id})
        if focused.is_error:
            return focused
        await session.call("page_tools", {"tabId": tab_id})
        return await session.call("call_page_tool", {"tabId": tab_id, "name": name, "arguments": arguments})

    def _browser(self, tab_id: TabId) -> Browser | None:
        return next((browser for browser in self._browsers.all() if tab_id in browser.tabs), None)


def _told(result: ToolResult) -> JsonObject:
    """The answer as an agent would read it, with its first pictures."""
    text = "\n".join(
        part.text if isinstance(part, Text) else part.in_words for part in result.content if not isinstance(part, Image)
    )
    pictures = [part for part in result.content if isinstance(part, Image)]
    shown: list[Json] = [
        {"data": part.data, "mimeType": part.mime_type}
        for part in pictures[:MAX_PICTURES]
        if part.mime_type in SHOWN and len(part.data) <= MAX_PICTURE
    ]
    return {"isError": result.is_error, "text": text, "pictures": shown, "hidden": len(pictures) - len(shown)}


async def _nobody_listens() -> None:
    """Its list is asked for anew each time."""
