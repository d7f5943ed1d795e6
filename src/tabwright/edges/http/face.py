"""The HTTP face on :3456, behind the guard: `/mcp` (Streamable HTTP, both eras), HTTP+SSE, `/tools` and `/health`."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final

import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tabwright import __version__
from tabwright.edges.dashboard.routes import Dashboard
from tabwright.edges.http.connection import HttpConnection
from tabwright.edges.http.guard import PEER, Auth, Guard
from tabwright.edges.http.limits import Rate
from tabwright.edges.http.replies import error, receive_until, rpc_error, too_many
from tabwright.edges.http.sse import SseSessions, on_one_line
from tabwright.edges.http.sse_routes import MessageRoute, SseRoute, sse_options
from tabwright.edges.mcp.batches import Batches
from tabwright.edges.mcp.ids import OwnIds
from tabwright.edges.mcp.last_words import LastWords
from tabwright.edges.mcp.server import McpServer
from tabwright.edges.mcp.sessions import BoundedSessions
from tabwright.errors import INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, GatewayError
from tabwright.settings import Settings, SettingsError

log = logging.getLogger(__name__)

GRACE_S: Final = 2
KEPT_S: Final = 120
"""How long a connection may rest between two requests: longer than HTTP libraries keep theirs (4 to 90 s), for a call
that is sent just as its connection is closed fails.
"""
_TYPES: Final = (b"accept", b"content-type")


@dataclass(frozen=True, slots=True)
class HttpParts:
    """What the composition root introduces to the HTTP face."""

    mcp: McpServer
    sse: SseSessions
    settings: Settings
    sessions: Callable[[], int]
    """How many sessions there are, over whatever transport."""
    stopping: asyncio.Event
    dashboard: Dashboard | None = None


class McpRoute:
    """`/mcp`: the SDK's transport, after the client's rate and what it asks for in the query have been checked."""

    def __init__(self, transport: ASGIApp, settings: Settings, stopping: asyncio.Event) -> None:
        self._transport = Batches(OwnIds(LastWords(transport, stopping)))
        self._settings = settings
        self._stopping = stopping
        self._rate = Rate(settings.mcp_rate)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = await self._refuse(Request(scope))
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        reading = partial(receive_until, self._stopping, receive)
        await self._transport(_read_once(scope), reading, _in_whole_lines(send))

    async def _refuse(self, request: Request) -> Response | None:
        wait_s = await self._rate.excess(request.scope["state"][PEER])
        if wait_s is not None:
            return too_many(wait_s)
        try:
            wanted = self._settings.for_session(dict(request.query_params))
        except GatewayError as exc:
            return rpc_error(400, INVALID_PARAMS, str(exc))
        if wanted.list == "dynamic" and request.headers.get("mcp-protocol-version") in MODERN_PROTOCOL_VERSIONS:
            # refused as an old server would, so that the client falls back to the handshake
            return rpc_error(400, INVALID_REQUEST, "This server speaks 2025-11-25 and older here (list=dynamic).")
        return None


def _read_once(scope: Scope) -> Scope:
    """The headers as the SDK reads them, which looks at one line of a name, and at its case. Without where a broken
    stream ended: nothing is kept to be told again, and it would give no answer.
    """
    headers = [pair for pair in scope["headers"] if pair[0] not in (*_TYPES, b"last-event-id")]
    for name in _TYPES:
        lines = [value for key, value in scope["headers"] if key == name]
        headers += [(name, b", ".join(lines).lower())] if lines else []
    return {**scope, "headers": headers}


def _in_whole_lines(send: Send) -> Send:
    """Events whose data no reader takes for several lines."""
    is_stream = False

    async def sending(message: Message) -> None:
        nonlocal is_stream
        if message["type"] == "http.response.start":
            is_stream = Headers(raw=message["headers"]).get("content-type", "").startswith("text/event-stream")
        elif is_stream:
            message = {**message, "body": on_one_line(message.get("body", b""))}
        await send(message)

    return sending


def build_app(parts: HttpParts, *, port: int, auth: Auth, token: str) -> Guard:
    """The whole HTTP face as one ASGI application."""
    settings = parts.settings
    manager = StreamableHTTPSessionManager(app=parts.mcp.handlers.as_server)
    sessions = BoundedSessions(manager.asgi_app, parts.mcp.clients.holds_tabs)

    async def health(request: Request) -> Response:
        told: dict[str, object] = {"status": "ok"}
        if request.scope["state"][PEER] is not None:
            told |= {"version": __version__, "activeSessions": parts.sessions()}
        return JSONResponse(told)

    async def tools(request: Request) -> Response:
        try:
            return JSONResponse({"tools": parts.mcp.tools(sse_options(request))})
        except SettingsError as exc:
            return error(400, INVALID_PARAMS, str(exc))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        async with manager.run():
            yield

    rate = Rate(settings.message_rate)
    routes = [
        Route("/mcp", McpRoute(sessions, settings, parts.stopping)),
        Route("/sse", SseRoute(parts.mcp, parts.sse, settings, parts.stopping, rate), methods=["GET"]),
        Route("/message", MessageRoute(parts.sse, rate), methods=["POST"]),
        Route("/tools", tools, methods=["GET"]),
        *([] if parts.dashboard is None else parts.dashboard.routes),
    ]
    app = Starlette(
        routes=[Route("/health", health, methods=["GET"]), *(routes if settings.http else ())],
        exception_handlers={HTTPException: _http_error, Exception: _internal_error},
        lifespan=lifespan,
    )
    return Guard(
        app,
        port=port,
        auth=auth,
        token=token,
        origins=frozenset(settings.cors_origins),
        door=None if parts.dashboard is None else parts.dashboard.door,
    )


class HttpServer(uvicorn.Server):
    """uvicorn inside our own event loop: signals are the gateway's affair."""

    def __init__(self, app: Guard) -> None:
        config = uvicorn.Config(
            app,
            # h11: httptools keeps trailing white space in header values, which the MCP header rules refuse
            http=HttpConnection,
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=KEPT_S,
            timeout_graceful_shutdown=GRACE_S,
            h11_max_incomplete_event_size=64 * 1024,
        )
        super().__init__(config)

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


async def _http_error(request: Request, exc: Exception) -> Response:
    assert isinstance(exc, HTTPException)
    return error(exc.status_code, INVALID_REQUEST, exc.detail, **dict(exc.headers or {}))


async def _internal_error(request: Request, exc: Exception) -> Response:
    # the server logs it with its traceback; the client learns no details
    return error(500, INTERNAL_ERROR, "Internal error")
