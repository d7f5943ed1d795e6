"""The routes of HTTP+SSE, byte for byte as its specification prints them: `GET /sse`, `POST /message`."""

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Final

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tabwright.edges.http.guard import PEER
from tabwright.edges.http.limits import Rate
from tabwright.edges.http.replies import error, receive_until, too_many
from tabwright.edges.http.sse import PING_S, SessionNotFound, SseSession, SseSessions, StreamServer, TooMany
from tabwright.edges.mcp.exchange import STOPPING, BadMessage
from tabwright.errors import INVALID_PARAMS, INVALID_REQUEST
from tabwright.settings import Settings, SettingsError

MAX_BODY: Final = 4 * 1024 * 1024
ACCEPTED: Final = b'{"status": "accepted"}'
RETRY_S: Final = 1


def sse_options(request: Request) -> Mapping[str, str]:
    """What a client of `/sse` asks for: these clients expect all automation tools at once."""
    return {"toolsets": "automation", **request.query_params}


class SseRoute:
    """`GET /sse`."""

    def __init__(
        self,
        server: StreamServer,
        sessions: SseSessions,
        settings: Settings,
        stopping: asyncio.Event,
        rate: Rate,
        *,
        ping_s: float = PING_S,
    ) -> None:
        self._server = server
        self._sessions = sessions
        self._settings = settings
        self._stopping = stopping
        self._rate = rate
        self._ping_s = ping_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        if request.method != "GET":
            await error(405, INVALID_REQUEST, "Method Not Allowed", Allow="GET")(scope, receive, send)
            return
        asked = sse_options(request)

        async def write(data: bytes) -> None:
            await send({"type": "http.response.body", "body": data, "more_body": True})

        try:
            self._settings.for_session(asked)
            # a client that comes back says what it agreed on before
            version = request.headers.get("mcp-protocol-version")
            session = self._sessions.open(scope["state"][PEER], asked, write, version)
        except SettingsError as exc:
            await error(400, INVALID_PARAMS, str(exc))(scope, receive, send)
            return
        except TooMany as exc:
            await too_many(RETRY_S, str(exc))(scope, receive, send)
            return
        try:
            await self._stream(session, receive, send)
        finally:
            self._sessions.close(session)
            await self._rate.forget(session.id)

    async def _stream(self, session: SseSession, receive: Receive, send: Send) -> None:
        headers = [
            (b"Content-Type", b"text/event-stream"),
            (b"Cache-Control", b"no-cache"),
            (b"Connection", b"keep-alive"),
            (b"X-Session-Id", session.id.encode()),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        async with asyncio.TaskGroup() as tasks:
            watching = tasks.create_task(self._watch(session, receive))
            try:
                await session.run(self._server, self._ping_s)
            finally:
                watching.cancel()
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _watch(self, session: SseSession, receive: Receive) -> None:
        """End the session when the client has left or the gateway stops."""
        told = ""
        while told != "http.disconnect":
            told = (await receive_until(self._stopping, receive))["type"]
        if self._stopping.is_set():
            await session.fail(-32000, STOPPING)
        session.end()


class MessageRoute:
    """`POST /message`."""

    def __init__(self, sessions: SseSessions, rate: Rate) -> None:
        self._sessions = sessions
        self._rate = rate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # a client that left while it was still sending wants no answer
        with contextlib.suppress(ClientDisconnect):
            await (await self._answer(Request(scope, receive)))(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        ids = request.query_params.getlist("sessionId")
        if len(ids) != 1 or not ids[0]:
            return error(400, INVALID_REQUEST, "Invalid Request: sessionId is missing")
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return error(415, INVALID_REQUEST, "Invalid Request: Content-Type is application/json")
        try:
            session = self._sessions.find(ids[0], request.scope["state"][PEER])
            wait_s = await self._rate.excess(session.id)
            if wait_s is not None:
                return too_many(wait_s)
            body = await _body(request)
            if body is None:
                return error(413, INVALID_REQUEST, f"A message is at most {MAX_BODY} bytes.")
            await session.deliver(body)
        except BadMessage as exc:
            return error(400, exc.code, exc.message)
        except SessionNotFound as exc:
            return error(404, exc.code, exc.message)
        except TooMany as exc:
            return too_many(RETRY_S, str(exc))
        return Response(ACCEPTED, 202, media_type="application/json")


async def _body(request: Request) -> bytes | None:
    """The body, or None if there is more of it than we take."""
    if int(request.headers.get("content-length", "0")) > MAX_BODY:
        return None
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            return None
    return bytes(body)
