"""The HTTP face on :3456: `/mcp` (Streamable HTTP, both eras) and `/health`, behind the guard."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager
from socket import socket as Socket
from typing import Final

import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from tabwright import __version__
from tabwright.edges.guard import PASSED, Auth, Guard
from tabwright.edges.mcp_server import McpServer
from tabwright.errors import INVALID_PARAMS, INVALID_REQUEST, GatewayError
from tabwright.settings import Settings

log = logging.getLogger(__name__)

GRACE_S: Final = 2


class McpRoute:
    """`/mcp`: the SDK's transport, after what a client asks for in the query has been checked."""

    def __init__(self, manager: StreamableHTTPSessionManager, settings: Settings, stopping: asyncio.Event) -> None:
        self._manager = manager
        self._settings = settings
        self._stopping = stopping

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        try:
            wanted = self._settings.for_session(dict(request.query_params))
        except GatewayError as exc:
            await _error(400, INVALID_PARAMS, str(exc))(scope, receive, send)
            return
        if wanted.list == "dynamic" and request.headers.get("mcp-protocol-version") in MODERN_PROTOCOL_VERSIONS:
            # refused as an old server would, so that the client falls back to the handshake
            message = "This server speaks 2025-11-25 and older here (list=dynamic)."
            await _error(400, INVALID_REQUEST, message)(scope, receive, send)
            return
        await self._manager.asgi_app(scope, lambda: self._receive(receive), send)

    async def _receive(self, receive: Receive) -> Message:
        """What the client sends, or, when the gateway stops, its goodbye: open streams must not hold that up."""
        receiving = asyncio.ensure_future(receive())
        stopping = asyncio.ensure_future(self._stopping.wait())
        try:
            await asyncio.wait({receiving, stopping}, return_when=asyncio.FIRST_COMPLETED)
            return receiving.result() if receiving.done() else {"type": "http.disconnect"}
        finally:
            receiving.cancel()
            stopping.cancel()


def build_app(
    mcp: McpServer,
    settings: Settings,
    *,
    port: int,
    auth: Auth,
    token: str,
    sessions: Callable[[], int],
    stopping: asyncio.Event,
) -> Guard:
    """The whole HTTP face as one ASGI application."""
    manager = StreamableHTTPSessionManager(app=mcp.server)

    async def health(request: Request) -> Response:
        told: dict[str, object] = {"status": "ok"}
        if request.scope["state"][PASSED]:
            told |= {"version": __version__, "activeSessions": sessions()}
        return JSONResponse(told)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        async with manager.run():
            yield

    app = Starlette(
        routes=[Route("/mcp", McpRoute(manager, settings, stopping)), Route("/health", health, methods=["GET"])],
        lifespan=lifespan,
    )
    return Guard(app, port=port, auth=auth, token=token, origins=frozenset(settings.cors_origins))


class HttpServer(uvicorn.Server):
    """uvicorn inside our own event loop: signals are the gateway's affair."""

    def __init__(self, app: Guard) -> None:
        config = uvicorn.Config(
            app,
            # httptools keeps trailing white space in header values, which the MCP header rules refuse
            http="h11",
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=GRACE_S,
            h11_max_incomplete_event_size=64 * 1024,
        )
        super().__init__(config)

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield

    async def start(self, listener: Socket) -> "asyncio.Task[None]":
        """Serve in the background; returns once requests are answered."""
        serving = asyncio.create_task(self.serve(sockets=[listener]))
        while not self.started and not serving.done():  # noqa: ASYNC110 - uvicorn tells its start by a flag alone
            await asyncio.sleep(0.005)
        if serving.done():
            serving.result()
            raise GatewayError("The HTTP server did not start.", "See the log.")
        return serving


def _error(status: int, code: int, message: str) -> JSONResponse:
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message}}, status)
