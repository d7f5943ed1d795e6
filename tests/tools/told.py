"""What a tool told: the text of a call that worked, or of one that was refused."""

import re

import mcp_types as types

from tests.clients import Agent


async def told(agent: Agent, name: str, /, **arguments: object) -> str:
    result = await agent.result(name, **arguments)
    assert isinstance(result.content[0], types.TextContent)
    assert not result.is_error, result.content[0].text
    return result.content[0].text


async def refused(agent: Agent, name: str, /, **arguments: object) -> str:
    result = await agent.result(name, **arguments)
    assert isinstance(result.content[0], types.TextContent)
    assert result.is_error, result.content[0].text
    return result.content[0].text


def tab_of(text: str) -> int:
    """The tab an answer names."""
    found = re.search(r"tab (\d+)", text)
    assert found is not None, text
    return int(found[1])
