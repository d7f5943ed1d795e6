"""Real MCP clients of the official SDK: stdio, /mcp and /sse, legacy and modern era, as one kind of thing."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Literal, TypeVar
from urllib.parse import urlencode

import mcp_types as types
from mcp.client.client import Client
from mcp.client.session import ElicitationFnT
from mcp.client.sse import sse_client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests.gateway import TABWRIGHT, GatewayProcess

Transport = Literal["stdio", "http", "sse"]
Era = Literal["legacy", "modern"]
T = TypeVar("T")


def unfenced(text: str) -> str:
    """A page's words without the marks around them."""
    found = re.fullmatch(r"\[page content (\w+) from [^\n]*\]\n(.*)\n\[end \1\]", text, re.DOTALL)
    return text if found is None else found[2]


class Agent:
    """A connected client that counts what it is told."""

    def __init__(self) -> None:
        self.changes = 0
        self._told = asyncio.Event()
        self.client: Client | None = None

    async def names(self) -> list[str]:
        return [tool.name for tool in await self.tools()]

    async def tools(self) -> list[types.Tool]:
        assert self.client is not None
        return (await self.client.list_tools()).tools

    async def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """The structured answer of a call that worked."""
        result = await self.result(name, **arguments)
        assert not result.is_error, result.content
        assert isinstance(result.content[0], types.TextContent)
        assert result.structured_content == json.loads(result.content[0].text)
        return result.structured_content or {}

    async def refused(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """The error of a call that did not work."""
        result = await self.result(name, **arguments)
        assert result.is_error, result.content
        assert result.structured_content is not None
        return result.structured_content["error"]

    async def result(self, name: str, /, **arguments: Any) -> types.CallToolResult:
        assert self.client is not None
        result = await self.client.call_tool(name, arguments)
        assert isinstance(result, types.CallToolResult)
        return result

    async def told_of(self, count: int, seconds: float = 5) -> None:
        """Wait until this many list changes have been announced, in all."""
        async with asyncio.timeout(seconds):
            while self.changes < count:
                self._told.clear()
                await self._told.wait()

    async def offered(self, *names: str, seconds: float = 30) -> None:
        """Wait until the list holds these: a page on a busy machine tells its tools later."""
        await self.once(self.names, lambda listed: set(names) <= set(listed), seconds)

    async def once(self, look: Callable[[], Awaitable[T]], holds: Callable[[T], object], seconds: float = 10) -> T:
        """What is seen as soon as this holds of it; looked at again whenever a change of the list is announced."""
        async with asyncio.timeout(seconds):
            while True:
                # what is announced while the list is on its way may be newer than the list
                changes = self.changes
                if holds(seen := await look()):
                    return seen
                await self.told_of(changes + 1, seconds)

    async def hear(self, message: object) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self.changes += 1
            self._told.set()


@asynccontextmanager
async def connect(
    gateway: GatewayProcess,
    transport: Transport = "stdio",
    era: Era = "legacy",
    person: ElicitationFnT | None = None,
    **options: str,
) -> AsyncGenerator[Agent]:
    """A client at work. `options` are session options: `toolsets`, `list`; `person` answers what the client asks."""
    agent = Agent()
    if transport == "stdio":
        flags = [part for name, value in options.items() for part in (f"--{name.replace('_', '-')}", value)]
        source = stdio_client(StdioServerParameters(command=TABWRIGHT, args=["stdio", *flags], env=gateway.env))
    elif transport == "sse":
        # the tools of the other transports: its own default is another
        query = urlencode({"toolsets": "focus,automation", **options})
        source = sse_client(f"{gateway.sse_url}?{query}")
    else:
        query = urlencode(options)
        source = streamable_http_client(f"{gateway.url}?{query}" if query else gateway.url)
    mode = "legacy" if era == "legacy" else "2026-07-28"
    async with Client(source, mode=mode, message_handler=agent.hear, elicitation_callback=person) as client:
        agent.client = client
        yield agent
