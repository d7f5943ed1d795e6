"""What an MCP client sees and does of the hub."""

import asyncio
import json
from typing import Any

import mcp_types as types

from tests.clients import Agent


async def all_tools(agent: Agent) -> dict[str, types.Tool]:
    """Every tool of the list, page by page."""
    assert agent.client is not None
    found: dict[str, types.Tool] = {}
    cursor: str | None = None
    while True:
        page = await agent.client.list_tools(cursor=cursor)
        found.update({tool.name: tool for tool in page.tools})
        cursor = page.next_cursor
        if cursor is None:
            return found


async def hub_tools(agent: Agent) -> set[str]:
    return {name for name in await all_tools(agent) if name.startswith("website_tool_")}


async def listed(agent: Agent, *names: str, without: str = "-") -> None:
    """Wait until all of these are listed, and that one is not."""
    async with asyncio.timeout(5):
        while True:
            # what is announced while the list is on its way may be newer than the list
            told = agent.changes
            there = await hub_tools(agent)
            if set(names) <= there and without not in there:
                return
            await agent.told_of(told + 1)


async def ran(agent: Agent, name: str, **arguments: Any) -> dict[str, Any]:
    """Where a call of an echoing tool ran."""
    result = await agent.result(name, **arguments)
    assert not result.is_error, result.content
    assert isinstance(result.content[0], types.TextContent)
    return json.loads(result.content[0].text)
