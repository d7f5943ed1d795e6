"""The hub's transport in memory: pages are functions, and news is whatever a test says."""

import asyncio
from collections.abc import Callable

from tabwright.errors import ToolError
from tabwright.hub.places import Place
from tabwright.hub.transport import BrowserSeen, News, TabGone, TabSeen
from tabwright.model import BrowserId, DocumentId, Json, JsonObject, TabId, TabInfo

CHROME = BrowserId("chrome")


class MemoryTransport:
    """A TabHubTransport that needs no browser."""

    def __init__(self) -> None:
        self.sent: list[tuple[Place, JsonObject]] = []
        self.answers: list[Json | ToolError] = []
        """What the next requests get, in order; when there is none left they wait for ever."""
        self.asked = asyncio.Event()
        self.disconnected: list[TabId] = []
        self._tell: Callable[[News], None] = lambda news: None
        self._hear: Callable[[Place, JsonObject], None] = lambda place, message: None

    async def send_request(self, place: Place, message: JsonObject, timeout_s: float) -> JsonObject:
        self.sent.append((place, message))
        self.asked.set()
        if not self.answers:
            await asyncio.Event().wait()
        answer = self.answers.pop(0)
        if isinstance(answer, ToolError):
            raise answer
        return {"jsonrpc": "2.0", "id": message.get("id"), "result": {"success": True, "payload": answer}}

    def on_message(self, callback: Callable[[Place, JsonObject], None]) -> None:
        self._hear = callback

    def on_news(self, callback: Callable[[News], None]) -> None:
        self._tell = callback

    def disconnect(self, browser: BrowserId, tab_id: TabId) -> None:
        self.disconnected.append(tab_id)
        self._tell(TabGone(browser, tab_id))

    # --- a test's side

    def happen(self, *news: News) -> None:
        for each in news:
            self._tell(each)

    def say(self, place: Place, message: JsonObject) -> None:
        self._hear(place, message)

    def browser(self, *tabs: int, origin: str = "https://shop.example") -> None:
        """A browser with these tabs."""
        self.happen(BrowserSeen(CHROME, "profile"))
        self.happen(*(TabSeen(CHROME, TabInfo(TabId(tab), "", f"{origin}/"), tab) for tab in tabs))


def at(tab: int, frame: int = 0, document: str = "d", origin: str = "https://shop.example") -> Place:
    return Place(CHROME, TabId(tab), frame, DocumentId(document), origin)
