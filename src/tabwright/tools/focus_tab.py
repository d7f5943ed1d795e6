"""focus_tab: make a tab the session's own and load its tools."""

from pydantic import Field

from tabwright.model import Face, Json, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.tools.list_tabs import describe
from tabwright.tools.page_tools import show
from tabwright.tools.tool import Desk, Hold, Params, TabNumber, Tool


class FocusTab(Params):
    tabId: TabNumber = Field(description="ID of the tab to focus")


async def run(desk: Desk, params: FocusTab) -> ToolResult:
    tab_id = desk.target
    # one that crashed has nothing to focus
    desk.browser.tab(tab_id)
    await desk.focus(tab_id)
    names: list[Json] = [spec.name for spec, _ in desk.listed(tab_id)]
    told: dict[str, Json] = {
        "success": True,
        "tab": describe(desk.shown(desk.browser.tab(tab_id))),
        "toolsAvailable": names,
    }
    if desk.face is Face.STABLE:
        # where the list does not follow the focus, the tools come with the answer
        told["tools"] = show(desk, tab_id)
    return ToolResult.of_json(told)


TOOL = Tool(
    name="focus_tab",
    description="Make a tab this session's own and load its page tools.",
    params=FocusTab,
    access=Access.READ,
    run=run,
    toolset=Toolset.FOCUS,
    hold=Hold.FREE,
    # only whoever holds a tab may answer its dialog
    while_dialog=True,
    own_list=True,
    hints=ToolHints(read_only=False, destructive=False, open_world=False),
)
