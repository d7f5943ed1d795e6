"""What the pages of one tab offer: tools their frames registered, and tools found by looking at the page.

Registered tools come first, the top frame's before those of its frames; a tool found by looking never hides a
registered one of the same name. Tools found in a document that has left go when its successor has loaded, not sooner:
the successor's own are usually there by then, and a list that empties and fills is told once instead of twice.
"""

from dataclasses import replace
from typing import Final

from tabwright.link.wire import parse_tools
from tabwright.model import NO_TOOLS, DocumentId, JsonObject, PageTool, TabInfo

_REGISTERING: Final = frozenset({"browser/registerTools", "browser/updateTools"})


class Offers:
    """One tab's tools, by where they come from."""

    def __init__(self) -> None:
        self._registered: dict[tuple[int, DocumentId], tuple[PageTool, ...]] = {}
        self._found: tuple[PageTool, ...] = NO_TOOLS
        self._found_in: DocumentId | None = None

    def tools(self, tab: TabInfo) -> tuple[PageTool, ...]:
        """All of them, as the tab is now."""
        registered = [tool for _, tools in sorted(self._registered.items(), key=_frame) for tool in tools]
        current = tab.loading or self._found_in in (None, tab.document_id)
        names = {tool.name for tool in registered}
        return (*registered, *(tool for tool in self._found if current and tool.name not in names))

    def told(self, frame_id: int, document_id: DocumentId, origin: str, message: JsonObject) -> bool:
        """A frame's word in the hub protocol; False for what says nothing of tools.

        Raises:
            InvalidRequest: it speaks of tools, but its tools are no array.
        """
        params = message.get("params")
        if message.get("method") not in _REGISTERING or not isinstance(params, dict):
            return False
        tools = tuple(
            replace(tool, origin=origin, frame_id=frame_id, document_id=document_id)
            for tool in parse_tools(params.get("tools"))
        )
        # a frame shows one document at a time: what another one offered there is past
        self._registered = {key: kept for key, kept in self._registered.items() if key[0] != frame_id}
        if tools:
            self._registered[frame_id, document_id] = tools
        return True

    def frame_gone(self, frame_id: int, document_id: DocumentId) -> None:
        self._registered.pop((frame_id, document_id), None)

    def found(self, tools: tuple[PageTool, ...], document_id: DocumentId | None) -> None:
        """What looking at the page has found; it replaces what was found before."""
        self._found, self._found_in = tools, document_id


def _frame(entry: tuple[tuple[int, DocumentId], tuple[PageTool, ...]]) -> int:
    return entry[0][0]
