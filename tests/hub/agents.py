"""What an MCP client sees and does of the hub."""

import json
from collections.abc import Callable
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
    await hub_once(agent, lambda there: set(names) <= there and without not in there)


async def hub_once(agent: Agent, holds: Callable[[set[str]], object], seconds: float = 30) -> set[str]:
    """The names of the hub's tools as soon as this holds of them.

    A thousand of them take the gateway a seventh of a second of processor time to take in and to list: whoever waits
    longer than a second waits for a processor that others have.
    """
    return await agent.once(lambda: hub_tools(agent), holds, seconds)


async def ran(agent: Agent, name: str, **arguments: Any) -> dict[str, Any]:
    """Where a call of an echoing tool ran."""
    result = await agent.result(name, **arguments)
    assert not result.is_error, result.content
    assert isinstance(result.content[0], types.TextContent)
    return json.loads(result.content[0].text)
