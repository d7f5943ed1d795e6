"""What is posted to `/mcp`, read as strictly as on every other transport before the SDK's own has it.

Batches, which only 2025-03-26 has, are taken apart: that transport knows single messages. Each message of a batch
becomes a request of its own, and their answers one event stream. What refuses the first of them (no such session, the
wrong `Accept`) refuses the batch, so the others are sent on only after that. Anybody else's array is refused in a
sentence.
"""

import asyncio
from typing import Final

import mcp_types as types
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tabwright import jsonrpc
from tabwright.edges.http.replies import after, rpc_error
from tabwright.edges.mcp.exchange import BAD_ID, BadMessage, Parcel, read, read_one
from tabwright.errors import INVALID_REQUEST, GatewayError

MAX_BODY: Final = 4 * 1024 * 1024
# the header came with the version that did away with batches
_VERSIONS: Final = (None, "2025-03-26")


class Batches:
    """ASGI: an application for single messages, with batches taken apart in front of it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST" or int(Headers(scope=scope).get("content-length", "0")) > MAX_BODY:
            # nothing to look at, or more than anybody wants to look at
            await self._app(scope, receive, send)
            return
        sent = await _whole(receive)
        try:
            read_as = _check(Headers(scope=scope), sent) if _is_batch(sent) else _readable(sent)
        except BadMessage as exc:
            await rpc_error(400, exc.code, exc.message, exc.request_id)(scope, receive, send)
            return
        if isinstance(read_as, Parcel):
            await self._serve(read_as, scope, receive, send)
        else:
            await self._app(scope, after(read_as, receive), send)

    async def _serve(self, parcel: Parcel, scope: Scope, receive: Receive, send: Send) -> None:
        stream = _Stream(send)
        parts = [_Part(message, stream) for message in parcel.messages]
        async with asyncio.TaskGroup() as tasks:
            running = [tasks.create_task(part.run(self._app, scope, receive)) for part in parts[:1]]
            for first in parts[:1]:
                await first.begun.wait()
                if first.is_refused:
                    await asyncio.wait(running)
                    await first.response(scope, receive, send)
                    return
            running += [tasks.create_task(part.run(self._app, scope, receive)) for part in parts[1:]]
            for wrong in parcel.refused:
                await stream.tell(wrong.answer)
        for request_id, status in ((part.id, part.status) for part in parts[1:] if part.is_refused):
            await stream.tell(jsonrpc.encode(jsonrpc.failure(request_id, INVALID_REQUEST, f"Refused: HTTP {status}.")))
        if parcel.requests or parcel.refused:
            await stream.end()
        else:
            await Response(status_code=202)(scope, receive, send)


class _Stream:
    """The one answer to a batch."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._opening = asyncio.Lock()
        self._is_open = False

    async def write(self, events: bytes) -> None:
        async with self._opening:
            if not self._is_open:
                self._is_open = True
                headers = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-cache, no-transform")]
                await self._send({"type": "http.response.start", "status": 200, "headers": headers})
        await self._send({"type": "http.response.body", "body": events, "more_body": True})

    async def tell(self, message: str) -> None:
        await self.write(f"event: message\ndata: {message}\n\n".encode())

    async def end(self) -> None:
        await self.write(b"")
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})


class _Part:
    """One message of a batch, and the response to it."""

    def __init__(self, message: types.JSONRPCMessage, stream: _Stream) -> None:
        self.id = message.id if isinstance(message, types.JSONRPCRequest) else None
        self.status = 0
        self.begun = asyncio.Event()
        self._text = message.model_dump_json(by_alias=True, exclude_unset=True).encode()
        self._stream = stream
        self._headers = Headers()
        self._body = b""

    @property
    def is_refused(self) -> bool:
        return self.status not in (200, 202)

    @property
    def response(self) -> Response:
        return Response(self._body, self.status or 500, dict(self._headers))

    async def run(self, app: ASGIApp, scope: Scope, receive: Receive) -> None:
        own: Scope = {**scope, "headers": list(scope["headers"])}
        MutableHeaders(scope=own)["content-length"] = str(len(self._text))
        opening: Message = {"type": "http.request", "body": self._text, "more_body": False}
        try:
            await app(own, after(opening, receive), self._take)
        finally:
            self.begun.set()

    async def _take(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status, self._headers = message["status"], Headers(raw=message["headers"])
            self.begun.set()
        elif self._headers.get("content-type", "").startswith("text/event-stream"):
            await self._stream.write(message.get("body", b""))
        else:
            self._body += message.get("body", b"")


def _is_batch(sent: Message) -> bool:
    return sent["body"].lstrip().startswith(b"[")


def _readable(sent: Message) -> Message:
    """A single message, without what the SDK's transport stumbles over.

    Raises:
        BadMessage: it is no message, or it would be taken for a notification, which nobody answers.
    """
    if sent["more_body"]:
        return sent
    body: bytes = sent["body"]
    try:
        message = jsonrpc.decode_unambiguous(body)
    except GatewayError as exc:
        raise BadMessage(exc.code, exc.message) from exc
    match message:
        case {"method": _, "id": told} if isinstance(told, bool) or not isinstance(told, int | str):
            raise BadMessage(INVALID_REQUEST, BAD_ID)
        case {"jsonrpc": "2.0", "method": str(), "params": dict()}:
            pass
        case _:
            read_one(message)
    mended = jsonrpc.without_lone_surrogates(body) if b"\\u" in body else None
    return sent if mended is None else {**sent, "body": mended.encode()}


def _check(headers: Headers, sent: Message) -> Parcel:
    """Raises:
    BadMessage: it is no batch, or one that may not be.
    """
    if headers.get("mcp-protocol-version") not in _VERSIONS or "mcp-session-id" not in headers:
        raise BadMessage(INVALID_REQUEST, "Only sessions of 2025-03-26 take batches; send one message a request.")
    if sent["more_body"]:
        raise BadMessage(INVALID_REQUEST, f"A batch is at most {MAX_BODY} bytes.")
    parcel = read(sent["body"])
    ids = [request.id for request in parcel.requests]
    if len(set(ids)) < len(ids):
        raise BadMessage(INVALID_REQUEST, "Each request of a batch has an id of its own.")
    if any(request.method == "initialize" for request in parcel.requests):
        raise BadMessage(INVALID_REQUEST, "initialize may not be part of a batch.")
    return parcel


async def _whole(receive: Receive) -> Message:
    """The body as one piece. There is more of it only if it is more than we take."""
    body, more = bytearray(), True
    while more and len(body) <= MAX_BODY:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return {"type": "http.request", "body": bytes(body), "more_body": more}
