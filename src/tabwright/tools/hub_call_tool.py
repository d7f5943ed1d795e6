"""hub_call_tool: run a tool that a page of any tab registered, for clients whose list does not hold it."""

from typing import Any, cast

from pydantic import Field

from tabwright.model import JsonObject, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.tools.tool import Desk, Params, Tool


class HubCallTool(Params):
    name: str = Field(description="Name from hub_list_tools")
    arguments: dict[str, Any] = Field(default={}, description="Its arguments")


async def run(desk: Desk, params: HubCallTool) -> ToolResult:
    return await desk.call_hub_tool(params.name, cast(JsonObject, params.arguments))


TOOL = Tool(
    name="hub_call_tool",
    description="Run a tool of hub_list_tools.",
    params=HubCallTool,
    access=Access.READ,
    run=run,
    toolset=Toolset.HUB,
    hints=ToolHints(read_only=False, destructive=True),
)
