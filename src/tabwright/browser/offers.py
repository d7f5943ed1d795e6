"""What the pages of one tab offer: tools their frames registered, and tools found by looking at the page.

The page's own come before those of its frames, and within a frame what is registered before what was found by looking;
a tool found by looking never hides a registered one of the same frame and name. Tools found in a document that has left
go when its successor has loaded, not sooner: the successor's own are usually there by then, and a list that empties and
fills is told once instead of twice.
"""

from dataclasses import replace

from tabwright.link.hub_wire import Registering, parse_hub_message
from tabwright.link.wire import parse_tools
from tabwright.model import NO_TOOLS, DocumentId, JsonObject, PageTool, TabInfo


class Offers:
    """One tab's tools, by where they come from."""

    def __init__(self) -> None:
        self._registered: dict[tuple[int, DocumentId], tuple[PageTool, ...]] = {}
        self._found: tuple[PageTool, ...] = NO_TOOLS
        self.found_in: DocumentId | None = None
        """The document in which the latest look found what it found."""

    def tools(self, tab: TabInfo) -> tuple[PageTool, ...]:
        """All of them, as the tab is now."""
        current = tab.loading or self.found_in in (None, tab.document_id)
        found = self._found if current else NO_TOOLS
        registered = [tool for tools in self._registered.values() for tool in tools]
        names = {(tool.frame_id, tool.name) for tool in registered}
        shown = [tool for tool in found if (tool.frame_id, tool.name) not in names and _is_wanted(tool)]
        # sorting is stable: within a frame what is registered comes first, and the page comes before its frames
        return tuple(sorted((*registered, *shown), key=lambda tool: tool.frame_id))

    def told(self, frame_id: int, document_id: DocumentId, origin: str, message: JsonObject) -> bool:
        """A frame's word in the hub protocol; False for what says nothing of tools.

        Raises:
            InvalidRequest: it speaks of tools, but its tools are no array.
        """
        registering = parse_hub_message(message)
        if not isinstance(registering, Registering):
            return False
        tools = tuple(
            # the agent in a page speaks for servers in its frames too, and says whose they are
            replace(tool, origin=tool.origin or origin, frame_id=frame_id, document_id=document_id)
            for tool in parse_tools(registering.tools)
        )
        # a frame shows one document at a time: what another one offered there is past
        self._registered = {key: kept for key, kept in self._registered.items() if key[0] != frame_id}
        if tools:
            *others, last = tools
            self._registered[frame_id, document_id] = (*others, replace(last, omitted=registering.omitted))
        return True

    def frame_gone(self, frame_id: int, document_id: DocumentId) -> None:
        self._registered.pop((frame_id, document_id), None)

    def found(self, tools: tuple[PageTool, ...], document_id: DocumentId | None) -> None:
        """What looking at the page has found; it replaces what was found before."""
        self._found, self.found_in = tools, document_id


def _is_wanted(tool: PageTool) -> bool:
    """What works on any page is offered once, for the page itself."""
    return not tool.generic or tool.frame_id == 0
