"""tabs_close_mcp: close one of the session's tabs."""

from tabwright.model import Text, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.tools.tool import Desk, Hold, Params, TabNumber, Tool


class TabsCloseMcp(Params):
    tabId: TabNumber


async def run(desk: Desk, params: TabsCloseMcp) -> ToolResult:
    tab_id = desk.target
    await desk.browser.close_tab(tab_id)
    left = ", ".join(str(tab.id) for tab in desk.held) or "none"
    return ToolResult((Text(f"Closed tab {tab_id}. Tabs left: {left}."),))


TOOL = Tool(
    name="tabs_close_mcp",
    description="Close one of the session's tabs.",
    params=TabsCloseMcp,
    access=Access.ACT,
    run=run,
    toolset=Toolset.AUTOMATION,
    hold=Hold.HELD,
    while_dialog=True,
    own_list=True,
    hints=ToolHints(read_only=False, destructive=True, open_world=False),
)
