"""An agent's loop with the MCP SDK: list the tools, decide, call, look at the answer, and again.

What decides is a function from what was seen so far to the next call. Here it is a few lines that buy the cheapest
green tea; in an agent of yours it is a model that is given the same list of tools and the same answers.

    python examples/agent_loop.py http://127.0.0.1:8099/
"""

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters, stdio_client
from mcp_types import ToolListChangedNotification

WAIT = "wait until the list of tools changes"


@dataclass
class Seen:
    """What the one who decides is given: the tools there are now, and the last answer."""

    tools: list[str] = field(default_factory=list[str])
    answer: str = ""


def buy_green_tea(shop: str, seen: Seen) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields one call after the other; reads what came of each in `seen`."""
    yield "connect_browser", {"launch": True}
    yield "open_tab", {"url": shop}
    # the focused page's own tools join the list under their own names: at once, or as soon as the page has loaded
    while "search_products" not in seen.tools:
        yield WAIT, {}
    yield "search_products", {"kind": "green"}
    cheapest = min(json.loads(seen.answer), key=lambda tea: tea["price"])
    yield "add_to_cart", {"productId": cheapest["id"], "count": 2}


def server() -> StdioServerParameters:
    """The command beside this Python, or the one on PATH."""
    beside = Path(sys.executable).with_name("tabwright")
    command = str(beside) if beside.exists() else shutil.which("tabwright") or "tabwright"
    arguments = ["stdio", "--toolsets", "focus", "--list", "dynamic"]
    # clients pass on little of their environment unless told to; TABWRIGHT_HOME should be the same for all
    return StdioServerParameters(command=command, args=arguments, env=dict(os.environ))


async def main(shop: str) -> str | None:
    """Nothing, or what went wrong."""
    changed = asyncio.Event()

    async def hear(message: object) -> None:
        if isinstance(message, ToolListChangedNotification):
            changed.set()

    async with Client(stdio_client(server()), message_handler=hear) as client:
        seen = Seen([tool.name for tool in (await client.list_tools()).tools])
        for name, arguments in buy_green_tea(shop, seen):
            if name == WAIT:
                try:
                    await asyncio.wait_for(changed.wait(), 30)
                except TimeoutError:
                    return f"The shop offers no search_products, only {seen.tools}."
            else:
                result = await client.call_tool(name, arguments)
                seen.answer = "\n".join(part.text for part in result.content if part.type == "text")
                print(f"{name}({json.dumps(arguments)})\n  {seen.answer[:200]}")
                if result.is_error:
                    return f"{name} failed."
            changed.clear()
            seen.tools = [tool.name for tool in (await client.list_tools()).tools]
    return None


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*sys.argv[1:2] or ["http://127.0.0.1:8099/"])))
