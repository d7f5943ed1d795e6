"""A client on one page, which it works through `page_tools` and `call_page_tool`."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from mcp_types import TextContent

from tests.clients import Agent, connect, unfenced
from tests.conftest import Site, cdp_of
from tests.gateway import GatewayProcess


class Page:
    """An agent on a page."""

    def __init__(self, agent: Agent, gateway: GatewayProcess, path: str) -> None:
        self._agent = agent
        self._gateway = gateway
        self._path = path

    async def tools(self) -> dict[str, dict[str, Any]]:
        return {tool["name"]: tool for tool in (await self._agent.call("page_tools"))["tools"]}

    async def run(self, name: str, **arguments: Any) -> str:
        result = await self._agent.result("call_page_tool", name=name, arguments=arguments)
        assert isinstance(result.content[0], TextContent)
        assert not result.is_error, result.content[0].text
        return unfenced(result.content[0].text)

    async def fails(self, name: str, **arguments: Any) -> str:
        result = await self._agent.result("call_page_tool", name=name, arguments=arguments)
        assert isinstance(result.content[0], TextContent)
        assert result.is_error, result.content[0].text
        return result.content[0].text

    def evaluate(self, expression: str) -> Any:
        with cdp_of(self._gateway) as cdp:
            return cdp.in_page(self._path, expression)


@asynccontextmanager
async def opened(gateway: GatewayProcess, site: Site, path: str, html: str) -> AsyncGenerator[Page]:
    site.pages[path] = html
    async with connect(gateway, list="stable", toolsets="focus") as agent:
        await agent.call("connect_browser", launch=True)
        await agent.call("open_tab", url=site.url + path)
        yield Page(agent, gateway, path)
        await agent.call("close_tab")
