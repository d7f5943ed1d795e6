"""A page in a tab of its own, and the tools that a client is offered of it."""

import contextlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types

from tabwright.tools import TOOLS
from tests.clients import Agent, connect
from tests.conftest import Site
from tests.gateway import WAIT_S, GatewayProcess

OWN = {tool.name for tool in TOOLS}


class Visit:
    """A page in a tab of its own and what it offers."""

    def __init__(self, agent: Agent, site: Site) -> None:
        self._agent, self._site = agent, site

    async def open(self, body: str) -> dict[str, types.Tool]:
        path = f"/form-{abs(hash(body))}"
        self._site.pages[path] = f"<!doctype html><meta charset=utf-8>{body}"
        await self._agent.call("open_tab", url=self._site.url + path)
        # A busy browser may answer before it has looked; then it tells later.
        with contextlib.suppress(TimeoutError):
            await self._agent.once(self.tools, bool, WAIT_S)
        return await self.tools()

    async def tools(self) -> dict[str, types.Tool]:
        return {tool.name: tool for tool in await self._agent.tools() if tool.name not in OWN}

    async def call(self, name: str, /, **arguments: Any) -> str:
        result = await self._agent.result(name, **arguments)
        assert not result.is_error, result.content
        return _text(result)

    async def refused(self, name: str, /, **arguments: Any) -> str:
        result = await self._agent.result(name, **arguments)
        assert result.is_error, result.content
        return _text(result)


def _text(result: types.CallToolResult) -> str:
    assert isinstance(result.content[0], types.TextContent)
    return result.content[0].text


@asynccontextmanager
async def visiting(gateway: GatewayProcess, site: Site, toolsets: str = "focus,automation") -> AsyncGenerator[Visit]:
    async with connect(gateway, toolsets=toolsets) as agent:
        await agent.call("connect_browser", launch=True)
        yield Visit(agent, site)


def properties(tool: types.Tool) -> dict[str, Any]:
    return tool.input_schema["properties"]
