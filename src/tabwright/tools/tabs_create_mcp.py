"""tabs_create_mcp: a new tab in the session's group."""

from pydantic import Field

from tabwright.model import Text, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.tools.navigate import BLANK
from tabwright.tools.tabs_create import create
from tabwright.tools.tool import Desk, Params, Tool


class TabsCreateMcp(Params):
    url: str = Field(default=BLANK)


async def run(desk: Desk, params: TabsCreateMcp) -> ToolResult:
    return ToolResult((Text(await create(desk, params.url, grouped=True)),))


TOOL = Tool(
    name="tabs_create_mcp",
    description="Open a background tab in the session's group.",
    params=TabsCreateMcp,
    access=Access.READ,
    run=run,
    toolset=Toolset.AUTOMATION,
    own_list=True,
    destination=lambda params: params.url,
    hints=ToolHints(read_only=False, destructive=False),
)
