"""close_tab: close a tab of the session's own."""

from pydantic import Field

from tabwright.model import ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.tools.tool import Desk, Hold, Params, TabNumber, Tool


class CloseTab(Params):
    tabId: TabNumber | None = Field(default=None, description="ID of tab to close. Defaults to focused tab.")


async def run(desk: Desk, params: CloseTab) -> ToolResult:
    tab_id = desk.target
    await desk.browser.close_tab(tab_id)
    return ToolResult.of_json({"closed": True, "tabId": tab_id})


TOOL = Tool(
    name="close_tab",
    description="Close a tab this session opened or focused.",
    params=CloseTab,
    access=Access.ACT,
    run=run,
    toolset=Toolset.FOCUS,
    hold=Hold.HELD,
    while_dialog=True,
    own_list=True,
    hints=ToolHints(read_only=False, destructive=True, open_world=False),
)
