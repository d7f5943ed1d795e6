"""Requests on `/mcp` that are open when the gateway stops: each is told that, as on every other transport.

To the SDK's transport the end of the gateway is that of the client: it ends the call and says nothing. The client would
see its stream end without an answer, and wait for one for as long as it waits for any.
"""

import asyncio
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tabwright import jsonrpc
from tabwright.edges.mcp.exchange import OPEN_ENDED, STOPPING, Interrupted
from tabwright.errors import GatewayError

_HEADERS: Final = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-cache, no-transform")]


class LastWords:
    """ASGI: an application whose unanswered requests are answered once it gives them up because the gateway stops."""

    def __init__(self, app: ASGIApp, stopping: asyncio.Event) -> None:
        self._app = app
        self._stopping = stopping

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        body = b""
        started = answered = False

        async def reading() -> Message:
            nonlocal body
            message = await receive()
            # whatever is answered was read before, in one piece
            body = body or message.get("body", b"")
            return message

        async def noting(message: Message) -> None:
            nonlocal started, answered
            started = True
            answered = message["type"] == "http.response.body" and not message.get("more_body", False)
            await send(message)

        await self._app(scope, reading, noting)
        if answered or not self._stopping.is_set():
            return
        if not started:
            await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        await send({"type": "http.response.body", "body": _last_event(body), "more_body": False})


def _last_event(body: bytes) -> bytes:
    try:
        message = jsonrpc.decode(body)
    except GatewayError:
        return b""
    match message:
        case {"id": int() | str() as request_id, "method": str() as method} if method not in OPEN_ENDED:
            return f"event: message\ndata: {Interrupted(STOPPING).answer_to(request_id)}\n\n".encode()
        case _:
            return b""
