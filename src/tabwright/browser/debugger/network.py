"""The requests a tab sends, those of its frames and workers included: recorded from the first call on.

Owns what is known of each request and the reading of bodies on demand. Leaves to others what may be shown of them:
everything here is as the page sent and got it.
"""

import contextlib
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from tabwright import jsonrpc
from tabwright.browser.debugger.children import Children
from tabwright.errors import CommandFailed, GatewayError, TimedOut
from tabwright.link.events import CdpEvent
from tabwright.model import Json, JsonObject

KEPT: Final = 500
KEPT_POST: Final = 64 * 1024
"""Characters of what a request sent; the browser is asked for more when somebody wants it."""
KEPT_URL: Final = 16 * 1024
"""Of a `data:` address, the picture it is."""
BODY_S: Final = 5.0
EARLIER_S: Final = 1.0
_EARLIER: Final = """JSON.stringify([...performance.getEntriesByType('navigation'),
...performance.getEntriesByType('resource')].slice(-200).map((e) => [e.name, e.initiatorType, e.responseStatus || 0,
Math.round(e.transferSize), Math.round(e.duration)]))"""


@dataclass(slots=True)
class Request:
    """One request; what is not known yet is empty. `sent` is in seconds since the epoch."""

    id: str
    method: str
    url: str
    kind: str
    sent: float
    began: float
    request_headers: dict[str, str] = field(default_factory=dict[str, str])
    post_data: str | None = None
    status: int | None = None
    status_text: str = ""
    mime_type: str = ""
    from_cache: bool = False
    response_headers: dict[str, str] = field(default_factory=dict[str, str])
    size: int | None = None
    seconds: float | None = None
    failure: str = ""

    @property
    def done(self) -> bool:
        return self.seconds is not None or bool(self.failure)


@dataclass(frozen=True, slots=True)
class Body:
    text: str
    binary: bool
    """Then `text` is base64."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """What the page itself remembers of a request sent before recording began."""

    url: str
    kind: str
    status: int | None
    size: int
    ms: int


class Network:
    """One tab's requests, as far as they were recorded."""

    def __init__(self, children: Children) -> None:
        self._children = children
        self._kept: OrderedDict[str, Request] = OrderedDict()
        self._wire: dict[str, str] = {}
        """From the browser's id to ours. A frame's own document begins in one session and ends in another."""
        self._sessions: dict[str, str | None] = {}
        """Which session spoke last of a request, by our id."""
        self._count = 0
        self.began: float | None = None
        self.dropped = 0
        children.listen("Network.", self._heard)
        children.greet("Network", self._catch_up)

    async def start(self) -> Sequence[Earlier]:
        """Begin to record, or make sure that recording goes on; at the beginning, what was sent before.

        Raises:
            ToolError: the page is closed to the debugger.
        """
        if self.began is not None:
            await self._children.ensure()
            return ()
        self.began = time.time()
        try:
            await self._children.enable("Network")
        except BaseException:
            self.began = None
            raise
        return await self._earlier()

    async def stop(self) -> None:
        """End the recording; what there is is forgotten."""
        if self.began is None:
            return
        self.began = None
        self.clear()
        await self._children.disable("Network")

    def requests(self) -> Sequence[Request]:
        """Oldest first."""
        return tuple(self._kept.values())

    def find(self, request_id: str) -> Request | None:
        return self._kept.get(request_id)

    async def body(self, request_id: str) -> Body | None:
        """What the server answered, while the browser keeps it; None if it does not."""
        told = await self._ask(request_id, "Network.getResponseBody")
        return None if told is None else Body(str(told.get("body", "")), told.get("base64Encoded") is True)

    async def sent_body(self, request_id: str) -> str | None:
        """What was sent along, if anything was."""
        request = self._kept[request_id]
        if request.post_data is not None:
            return request.post_data
        told = await self._ask(request_id, "Network.getRequestPostData") if request.method != "GET" else None
        return None if told is None else str(told.get("postData", ""))

    def clear(self) -> None:
        self._kept.clear()
        self._wire.clear()
        self._sessions.clear()
        self.dropped = 0

    async def _ask(self, request_id: str, method: str) -> JsonObject | None:
        wire_id = next((wire for wire, ours in self._wire.items() if ours == request_id), None)
        if wire_id is None:
            return None
        session = self._sessions.get(request_id)
        try:
            return await self._children.send(method, {"requestId": wire_id}, session=session, within_s=BODY_S)
        except (CommandFailed, TimedOut):
            return None

    async def _catch_up(self, session: str) -> None:
        """A frame may have sent requests before it could be listened to."""
        known = {request.url for request in self._kept.values() if self._sessions.get(request.id) == session}
        for each in await self._earlier(session):
            if each.url not in known and each.kind != "navigation":
                self._open(None, session, Request(
                    "", "?", each.url, each.kind, time.time(), 0.0, status=each.status, size=each.size,
                    seconds=each.ms / 1000,
                ))  # fmt: skip

    async def _earlier(self, session: str | None = None) -> Sequence[Earlier]:
        asked: JsonObject = {"expression": _EARLIER, "returnByValue": True, "timeout": EARLIER_S * 1000}
        with contextlib.suppress(GatewayError):
            told = await self._children.send("Runtime.evaluate", asked, session=session, within_s=EARLIER_S)
            result = told.get("result")
            return read_earlier(result.get("value")) if isinstance(result, dict) else ()
        return ()

    # --- what happens

    def _heard(self, event: CdpEvent) -> None:
        wire_id = event.params.get("requestId")
        if self.began is None or not isinstance(wire_id, str):
            return
        told, session = event.params, event.session_id
        match event.method:
            case "Network.requestWillBeSent":
                self._sent(wire_id, session, told)
            case "Network.webSocketCreated":
                socket = Request("", "GET", str(told.get("url", "")), "websocket", time.time(), 0.0)
                self._open(wire_id, session, socket)
            case "Network.responseReceived" if wire_id not in self._wire:
                # sent before it could be heard: how is not known
                self._open(wire_id, session, _unheard(told))
                self._update(wire_id, event)
            case "Network.loadingFinished" if wire_id not in self._wire and session is not None:
                # answered before it could be heard, too: by now the frame itself remembers it
                self._children.begin(self._catch_up(session))
            case _:
                self._update(wire_id, event)

    def _update(self, wire_id: str, event: CdpEvent) -> None:
        request = self._kept.get(self._wire.get(wire_id, ""))
        if request is not None:
            self._sessions[request.id] = event.session_id
            _update(request, event.method, event.params)

    def _sent(self, wire_id: str, session: str | None, told: JsonObject) -> None:
        before = self._kept.get(self._wire.get(wire_id, ""))
        redirect = told.get("redirectResponse")
        if before is not None and isinstance(redirect, dict):
            _answered(before, redirect)
            before.seconds = max(0.0, _number(told, "timestamp") - before.began)
        request = told.get("request")
        if not isinstance(request, dict):
            return
        posted = request.get("postData")
        self._open(wire_id, session, Request(
            "", str(request.get("method", "")), str(request.get("url", ""))[:KEPT_URL], _kind(told),
            _number(told, "wallTime"), _number(told, "timestamp"), _headers(request.get("headers")),
            posted if isinstance(posted, str) and len(posted) <= KEPT_POST else None,
        ))  # fmt: skip

    def _open(self, wire_id: str | None, session: str | None, request: Request) -> None:
        self._count += 1
        request.id = f"r{self._count}"
        if wire_id is not None:
            self._wire[wire_id] = request.id
        self._sessions[request.id] = session
        self._kept[request.id] = request
        if len(self._kept) > KEPT:
            gone, _ = self._kept.popitem(last=False)
            self._wire = {key: ours for key, ours in self._wire.items() if ours != gone}
            self._sessions.pop(gone, None)
            self.dropped += 1


def read_earlier(text: Json) -> Sequence[Earlier]:
    """The page's own list; as it comes from the page, anything odd in it is left out."""
    listed = jsonrpc.decode(text) if isinstance(text, str) else []
    found: list[Earlier] = []
    for each in listed if isinstance(listed, list) else []:
        match each:
            case [str() as url, str() as kind, int() as status, int() as size, int() as ms]:
                found.append(Earlier(url, kind, status or None, size, ms))
            case _:
                pass
    return found


def _unheard(told: JsonObject) -> Request:
    response = told.get("response")
    url = str(response.get("url", "")) if isinstance(response, dict) else ""
    return Request("", "?", url, _kind(told), time.time(), _number(told, "timestamp"))


def _kind(told: JsonObject) -> str:
    return str(told.get("type", "other")).lower()


def _update(request: Request, method: str, told: JsonObject) -> None:
    match method:
        case "Network.responseReceived" | "Network.webSocketHandshakeResponseReceived":
            response = told.get("response")
            if isinstance(response, dict):
                _answered(request, response)
        case "Network.loadingFinished":
            request.size = int(_number(told, "encodedDataLength"))
            request.seconds = max(0.0, _number(told, "timestamp") - request.began)
        case "Network.loadingFailed":
            blocked = told.get("blockedReason")
            request.failure = f"blocked: {blocked}" if blocked else str(told.get("errorText", "failed"))
            request.seconds = max(0.0, _number(told, "timestamp") - request.began)
        case "Network.requestServedFromCache":
            request.from_cache = True
        case "Network.webSocketClosed":
            request.seconds = time.time() - request.sent
        case _:
            pass


def _answered(request: Request, response: JsonObject) -> None:
    request.status = int(_number(response, "status"))
    request.status_text = str(response.get("statusText", ""))
    request.mime_type = str(response.get("mimeType", ""))
    request.from_cache = request.from_cache or response.get("fromDiskCache") is True
    request.response_headers = _headers(response.get("headers"))


def _headers(raw: Json) -> dict[str, str]:
    return {name: str(value) for name, value in raw.items()} if isinstance(raw, dict) else {}


def _number(told: JsonObject, name: str) -> float:
    value = told.get(name)
    return float(value) if isinstance(value, int | float) else 0.0
