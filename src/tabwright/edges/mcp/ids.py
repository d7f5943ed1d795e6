"""Ids on `/mcp`: an answer reaches the request that it answers, whatever else has borne the same id.

The SDK's transport finds the stream for an answer by the text of its id. So it takes `5` and `"5"` for one, and when a
client has given up a call, the call's answer would be that of the next request with its id; clients that number every
request 1 do both. Where an earlier request of a session may still be answered, a later one that looks the same bears
an id of ours for as long as it takes.
"""

import secrets
from collections import OrderedDict
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tabwright import jsonrpc
from tabwright.edges.http.replies import after
from tabwright.errors import GatewayError
from tabwright.model import Json, JsonObject

MAX_OPEN: Final = 4_096
"""How many requests are known at most that are under way, or that their clients gave up."""

Key = tuple[str, str]


class OwnIds:
    """ASGI: an application that tells the requests of a session apart by the text of their ids."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._open: OrderedDict[Key, None] = OrderedDict()
        self._renamed: dict[Key, str] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        session = Headers(scope=scope).get("mcp-session-id")
        if session is None or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        opening = await receive()
        message = _read(opening)
        match message:
            case {"method": str(), "id": int() | str() as request_id}:
                key = (session, str(request_id))
                if key in self._open:
                    await self._under_another(key, message, scope, receive, send)
                else:
                    await self._under_its_own(key, scope, after(opening, receive), send)
            case {"method": "notifications/cancelled", "params": dict() as params}:
                # of two that look the same, the later one
                own = self._renamed.get((session, str(params.get("requestId"))))
                if own is not None:
                    opening = _posted({**message, "params": {**params, "requestId": own}})
                await self._app(_sized(scope, opening), after(opening, receive), send)
            case _:
                await self._app(scope, after(opening, receive), send)

    async def _under_its_own(self, key: Key, scope: Scope, receive: Receive, send: Send) -> None:
        self._open[key] = None
        while len(self._open) > MAX_OPEN:
            self._open.popitem(last=False)

        async def noting(message: Message) -> None:
            if message["type"] == "http.response.body" and not message.get("more_body", False):
                # answered; else its client has left, and the answer is still to come
                self._open.pop(key, None)
            await send(message)

        await self._app(scope, receive, noting)

    async def _under_another(self, key: Key, message: JsonObject, scope: Scope, receive: Receive, send: Send) -> None:
        own = self._renamed[key] = secrets.token_hex(16)
        ours, theirs = jsonrpc.encode(own).encode(), jsonrpc.encode(message["id"]).encode()

        async def restoring(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [pair for pair in message["headers"] if pair[0].lower() != b"content-length"]
                await send({**message, "headers": headers})
            else:
                # an event comes in one piece, and nobody else knows this id
                await send({**message, "body": message.get("body", b"").replace(ours, theirs)})

        opening = _posted({**message, "id": own})
        try:
            await self._app(_sized(scope, opening), after(opening, receive), restoring)
        finally:
            if self._renamed.get(key) == own:
                del self._renamed[key]


def _posted(message: JsonObject) -> Message:
    return {"type": "http.request", "body": jsonrpc.encode(message).encode(), "more_body": False}


def _sized(scope: Scope, opening: Message) -> Scope:
    """As it would be if this had been posted."""
    sized = {**scope, "headers": list(scope["headers"])}
    MutableHeaders(scope=sized)["content-length"] = str(len(opening["body"]))
    return sized


def _read(opening: Message) -> Json:
    """What was posted; None where that is for the transport to refuse."""
    if opening.get("more_body", False):
        return None
    try:
        return jsonrpc.decode(opening.get("body", b""))
    except GatewayError:
        return None
