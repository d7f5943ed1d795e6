"""call_page_tool: run a tool of a tab's page, for clients whose list does not follow the focus."""

from typing import Any, cast

from pydantic import Field

from tabwright.model import JsonObject, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.tools.tool import STABLE_ONLY, Desk, Hold, Params, TabNumber, Tool


class CallPageTool(Params):
    name: str = Field(description="Name from page_tools")
    arguments: dict[str, Any] = Field(default={}, description="Its arguments")
    tabId: TabNumber | None = Field(default=None, description="Tab; defaults to the focused one")


async def run(desk: Desk, params: CallPageTool) -> ToolResult:
    return await desk.call_page_tool(desk.target, params.name, cast(JsonObject, params.arguments))


TOOL = Tool(
    name="call_page_tool",
    description="Run a tool that a tab's page offers.",
    params=CallPageTool,
    access=Access.READ,
    run=run,
    toolset=Toolset.FOCUS,
    hold=Hold.HELD,
    faces=STABLE_ONLY,
    hints=ToolHints(read_only=False, destructive=True),
)
