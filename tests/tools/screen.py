"""A client at one page of its own: refs by name, actions of `computer`, and what the page itself says of it."""

import itertools
import json
import re
from typing import Any

import mcp_types as types

from tests.clients import Agent
from tests.tools.told import told
from tests.tools.web import Web

_paths = itertools.count(1)


class Screen:
    """A page on the screen of an agent."""

    def __init__(self, agent: Agent, web: Web) -> None:
        self.agent = agent
        self.web = web

    async def show(self, html: str) -> None:
        """Load a page made of this."""
        path = f"/screen{next(_paths)}"
        self.web.answers[path] = f"<!doctype html><title>screen</title><body style='margin:0'>{html}"
        await told(self.agent, "navigate", url=f"{self.web.url}{path}")

    async def ref(self, name: str, *, role: str = "") -> str:
        """The ref of the only element called so."""
        outline = await told(self.agent, "read_page", filter="all")
        pattern = rf'{role}[^"\n]*"{re.escape(name)}"[^"\n]*?(e\d+)'
        found = re.search(pattern, outline)
        assert found is not None, outline
        return found[1]

    async def do(self, action: str, **arguments: Any) -> str:
        """An action that works, and what it tells."""
        return await told(self.agent, "computer", action=action, **arguments)

    async def on(self, name: str, action: str, **arguments: Any) -> str:
        return await self.do(action, ref=await self.ref(name), **arguments)

    async def refused(self, action: str, **arguments: Any) -> dict[str, Any]:
        return await self.agent.refused("computer", action=action, **arguments)

    async def js(self, script: str) -> Any:
        """A value of the page as it is now."""
        text = await told(self.agent, "javascript_tool", text=f"JSON.stringify({script})")
        return None if text == "undefined" else json.loads(text)

    async def picture(self, action: str = "screenshot", **arguments: Any) -> tuple[types.ImageContent, str]:
        result = await self.agent.result("computer", action=action, **arguments)
        image, text = result.content
        assert isinstance(image, types.ImageContent), result.content
        assert isinstance(text, types.TextContent)
        return image, text.text
