"""An agent at work on an application's page, by the tools that its list shows."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types

from tests.clients import Agent, connect, unfenced
from tests.gateway import WAIT_S, GatewayProcess


class Page:
    """The focused page and what it offers at the moment."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    async def open(self, url: str) -> None:
        await self._agent.call("open_tab", url=url)

    async def tools(self) -> dict[str, types.Tool]:
        """What is listed now, by name."""
        return {tool.name: tool for tool in await self._agent.tools()}

    async def offered(self, *names: str, seconds: float = WAIT_S) -> types.Tool:
        """The first of these tools that is listed; waits for the page to offer one."""
        listed: list[str] = []
        try:
            async with asyncio.timeout(seconds):
                while True:
                    heard = self._agent.changes
                    tools = await self.tools()
                    listed = list(tools)
                    for name in names:
                        if name in tools:
                            return tools[name]
                    await self._agent.told_of(heard + 1, seconds)
        except TimeoutError:
            raise AssertionError(f"none of {names} is listed: {listed}") from None

    async def run(self, name: str, /, **arguments: Any) -> str:
        """What a call that worked answers."""
        failed, text = await self.answer(name, **arguments)
        assert not failed, text
        return unfenced(text)

    async def fails(self, name: str, /, **arguments: Any) -> str:
        """What a call that did not work answers."""
        failed, text = await self.answer(name, **arguments)
        assert failed, text
        return text

    async def shows(self, *texts: str) -> str:
        """The page's content once it holds all of these; a slow answer may come after the call that asked for it."""
        read = ""
        try:
            async with asyncio.timeout(WAIT_S):
                while not all(text in read for text in texts):
                    read = await self.run("get_page_content")
        except TimeoutError:
            raise AssertionError(f"the page does not show {texts}: {read}") from None
        return read

    async def answer(self, name: str, /, **arguments: Any) -> tuple[bool, str]:
        """Whether a call failed, and its text."""
        await self.offered(name)
        result = await self._agent.result(name, **arguments)
        assert isinstance(result.content[0], types.TextContent)
        return result.is_error is True, result.content[0].text


@asynccontextmanager
async def visiting(gateway: GatewayProcess, url: str, toolsets: str = "focus,automation") -> AsyncGenerator[Page]:
    async with connect(gateway, toolsets=toolsets) as agent:
        await agent.call("connect_browser", launch=True)
        page = Page(agent)
        await page.open(url)
        yield page
        await agent.call("close_tab")
