"""The foreign dialect: an extension that speaks only tabs.md's typed messages, which carry no ids.

So answers are matched by what they say: the next `tabCreated` answers the one `openTab` that is out (the others wait
their turn), `tabClosed` and `tabFocused` answer by tab, `toolResult` by `callId`, `connected` answers `connect`.
"""

import re
from collections import deque
from dataclasses import replace
from typing import Final

from tabwright import jsonrpc
from tabwright.errors import GatewayError
from tabwright.link.dialect import SILENCE_S, Answered, Incoming, Refused, Reply, Told
from tabwright.link.events import Connected, LinkEvent, TabActivated, TabClosed, TabCreated, TabMessage, ToolsReported
from tabwright.link.local import PONG
from tabwright.link.wire import parse_event
from tabwright.model import Json, JsonObject

MAX_ABANDONED: Final = 16
_CLOSED_MEANWHILE: Final = "The tab closed while its tool was running; it may or may not have done its work."
_CALL_ID: Final = re.compile("[0-9]{1,18}")
_COMMANDS: Final = frozenset({"connect", "createTab", "focusTab", "closeTab", "callTool", "tabMessage"})
# what such a peer says of itself in the hub protocol, it also answers in: JSON-RPC with our ids


class ForeignDialect:
    """Remembers which call waits for which message; nothing else."""

    def __init__(self) -> None:
        self._opening: int | None = None
        self._to_open: deque[tuple[int, str, str]] = deque()
        self._opening_url = ""
        self._abandoned: deque[str] = deque(maxlen=MAX_ABANDONED)
        self._by_tab: dict[tuple[str, int], list[int]] = {}
        self._connecting: list[int] = []

    @property
    def commands(self) -> frozenset[str]:
        return _COMMANDS

    @property
    def silence_s(self) -> float:
        return SILENCE_S

    def encode(self, call_id: int, command: str, params: JsonObject) -> list[str]:
        match command:
            case "connect":
                self._connecting.append(call_id)
                return [jsonrpc.encode({"type": "connect", "launch": False})]
            case "createTab":
                url = str(params.get("url", ""))
                frame = jsonrpc.encode({"type": "openTab", "url": url, "focus": params.get("focus") is True})
                self._to_open.append((call_id, url, frame))
                return self._open_next()
            case "focusTab" | "closeTab":
                tab_id = params.get("tabId")
                assert isinstance(tab_id, int)
                self._by_tab.setdefault((command, tab_id), []).append(call_id)
                return [jsonrpc.encode({"type": command, "tabId": tab_id})]
            case "tabMessage":
                return [jsonrpc.encode(jsonrpc.request(call_id, command, params))]
            case _:
                assert command == "callTool", command
                tab_id = params.get("tabId")
                assert isinstance(tab_id, int)
                self._by_tab.setdefault((command, tab_id), []).append(call_id)
                return [jsonrpc.encode({"type": "callTool", "callId": str(call_id), **params})]

    def decode(self, text: str | bytes) -> list[Incoming]:
        try:
            message = jsonrpc.decode_object(text)
            event = parse_event(message)
        except GatewayError as exc:
            return [Reply(jsonrpc.encode({"type": "error", "message": exc.message}))]
        if event is not None:
            # the event first: whoever is answered finds the tab already known
            switched = self._switched(message)
            return [Told(_unclaimed(event)), *self._answers(event), *switched]
        match message:
            case {"type": "ping"}:
                return [Reply(PONG)]
            case {"jsonrpc": "2.0", "id": bool()}:
                # an int to Python
                return []
            case {"jsonrpc": "2.0", "id": int(call_id), "result": dict(result)}:
                return [Answered(call_id, result)]
            case {"jsonrpc": "2.0", "id": int(call_id), "error": dict(error)}:
                return [_refused(call_id, error)]
            case {"type": "toolResult", "callId": str(call_id)} if _CALL_ID.fullmatch(call_id):
                self._forget(int(call_id))
                return [_tool_result(int(call_id), message)]
            case _:
                return []

    def waiting(self, call_id: int) -> bool:
        return any(entry[0] == call_id for entry in self._to_open)

    def abandon(self, call_id: int) -> list[str]:
        self._forget(call_id)
        self._to_open = deque(entry for entry in self._to_open if entry[0] != call_id)
        if self._opening != call_id:
            return []
        # its tab may still come, and must not pass for the next one's
        self._abandoned.append(self._opening_url)
        self._opening = None
        return self._open_next()

    def _forget(self, call_id: int) -> None:
        for waiting in (self._connecting, *self._by_tab.values()):
            if call_id in waiting:
                waiting.remove(call_id)
        self._by_tab = {key: waiting for key, waiting in self._by_tab.items() if waiting}

    def _is_late(self, url: str) -> bool:
        """A tab for an open that nobody waits for any more, and not the one that is out."""
        return url in self._abandoned and (self._opening is None or url != self._opening_url)

    def _open_next(self) -> list[str]:
        if self._opening is not None or not self._to_open:
            return []
        self._opening, self._opening_url, frame = self._to_open.popleft()
        return [frame]

    def _switched(self, message: JsonObject) -> list[Incoming]:
        """`tabFocused` that nobody asked for: the person switched tabs."""
        tab_id = message.get("tabId")
        if message.get("type") != "tabFocused" or not isinstance(tab_id, int) or self._opening is not None:
            return []
        return [] if self._by_tab.get(("focusTab", tab_id)) else [Told(TabActivated(tab_id))]

    def _answers(self, event: LinkEvent) -> list[Incoming]:
        match event:
            case Connected():
                waiting, self._connecting = self._connecting, []
                return [Answered(call_id, {}) for call_id in waiting]
            case TabCreated(tab=tab) if self._is_late(tab.url):
                self._abandoned.remove(tab.url)
                return []
            case TabCreated(tab=tab) if self._opening is not None:
                call_id, self._opening = self._opening, None
                answer = Answered(call_id, {"tabId": tab.id, "url": tab.url})
                return [answer, *(Reply(frame) for frame in self._open_next())]
            case TabClosed(tab_id=tab_id):
                closed = self._by_tab.pop(("closeTab", tab_id), [])
                missed = self._by_tab.pop(("focusTab", tab_id), [])
                running = self._by_tab.pop(("callTool", tab_id), [])
                return [
                    *(Refused(call_id, -32011, _CLOSED_MEANWHILE, "outcome_unknown") for call_id in running),
                    *(Answered(call_id, {"tabId": tab_id}) for call_id in closed),
                    *(Refused(call_id, -32001, f"No tab {tab_id}.", "tab_not_found") for call_id in missed),
                ]
            case ToolsReported(tab_id=tab_id):
                return [Answered(call_id, {}) for call_id in self._by_tab.pop(("focusTab", tab_id), [])]
            case _:
                return []


def _unclaimed(event: LinkEvent) -> LinkEvent:
    """The event, no tool of which says whose it is: tabs.md and hub.md have no word for that, so a page has said it."""
    match event:
        case ToolsReported(tools=tools):
            return replace(event, tools=tuple(replace(tool, origin="") for tool in tools))
        case TabMessage(message={"params": dict(params), **message}):
            return replace(event, message={**message, "params": _without_origins(params)})
        case TabMessage(message=message):
            return replace(event, message=_without_origins(message))
        case _:
            return event


def _without_origins(told: JsonObject) -> JsonObject:
    tools = told.get("tools")
    if not isinstance(tools, list):
        return told
    kept: list[Json] = [
        {key: value for key, value in tool.items() if key != "origin"} if isinstance(tool, dict) else tool
        for tool in tools
    ]
    return {**told, "tools": kept}


def _refused(call_id: int, error: JsonObject) -> Refused:
    code, data = error.get("code"), error.get("data")
    word = data.get("code") if isinstance(data, dict) else None
    return Refused(
        call_id,
        code if isinstance(code, int) else -32000,
        str(error.get("message", "The browser reported an error without a message.")),
        word if isinstance(word, str) else "failed",
    )


def _tool_result(call_id: int, message: JsonObject) -> Incoming:
    error = message.get("error")
    if error:
        return Refused(call_id, -32000, error if isinstance(error, str) else jsonrpc.encode(error), "page_error")
    return Answered(call_id, {"result": message.get("result")})
