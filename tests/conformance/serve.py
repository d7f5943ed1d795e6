"""Serve an MCP endpoint with the conformance fixtures on a free port of 127.0.0.1.

Run as `python -m tests.conformance.serve`: prints the endpoint's address on one line and serves until stdin closes.
The suite talks to it like any client of the same user: `Host: 127.0.0.1:PORT`, no token, and no `Origin` except in
its DNS rebinding scenario, where `http://127.0.0.1:PORT` must be served and `http://evil.example.com` refused.
"""

import asyncio
import socket
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types
import uvicorn
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions

from tests.conformance.fixture import Context
from tests.conformance.fixtures import install


class BareServer(Server[Any]):
    """A server without tools of its own."""

    def __init__(self) -> None:
        super().__init__(
            "conformance",
            version="1",
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            get_tool_input_schema=lambda _name: None,
        )

    def create_initialization_options(self, *_args: Any, **_options: Any) -> InitializationOptions:
        return super().create_initialization_options(NotificationOptions(tools_changed=True))

    async def _list_tools(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[])

    async def _call_tool(self, _context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        return types.CallToolResult(content=[types.TextContent(text=f"No tool {params.name}")], is_error=True)


@asynccontextmanager
async def endpoint() -> AsyncGenerator[str]:
    """Serve what is under test; the only place here that knows what that is."""
    listener = socket.create_server(("127.0.0.1", 0))
    mcp_server = BareServer()
    install(mcp_server)
    # httptools would keep trailing spaces of header values, which the suite checks.
    server = uvicorn.Server(
        uvicorn.Config(mcp_server.streamable_http_app(), http="h11", log_level="warning", timeout_graceful_shutdown=1)
    )
    serving = asyncio.create_task(server.serve([listener]))
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
    server.should_exit = True
    await serving


async def serve_until_stdin_closes() -> None:
    async with endpoint() as address:
        sys.stdout.write(address + "\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(serve_until_stdin_closes())
