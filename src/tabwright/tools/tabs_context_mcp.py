"""tabs_context_mcp: the session's tab group and the tabs in it."""

from collections.abc import Sequence

from tabwright.model import TabInfo, Text, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.tools.list_tabs import within_bounds
from tabwright.tools.navigate import BLANK
from tabwright.tools.tabs_context import describe, structured
from tabwright.tools.tool import Desk, Params, Tool


class TabsContextMcp(Params):
    createIfEmpty: bool = False


async def run(desk: Desk, params: TabsContextMcp) -> ToolResult:
    if params.createIfEmpty and not _grouped(desk):
        await desk.adopt((await desk.browser.new_tabs.open(BLANK)).tab)
    tabs = _grouped(desk)
    if not tabs:
        said = ["This session's group has no tab yet. Call this with createIfEmpty, or tabs_create_mcp."]
    else:
        said = [f"The session's group {desk.group} has {len(tabs)} tab{'s' * (len(tabs) != 1)}:", *describe(desk, tabs)]
    return ToolResult((Text("\n".join(said)),), structured(desk, tabs))


def _grouped(desk: Desk) -> Sequence[TabInfo]:
    tabs = [desk.shown(tab) for tab in desk.held if desk.group is not None and tab.group_id == desk.group]
    return within_bounds(tabs)


TOOL = Tool(
    name="tabs_context_mcp",
    description="List the tabs in the session's group; with createIfEmpty make it.",
    params=TabsContextMcp,
    access=Access.READ,
    run=run,
    toolset=Toolset.AUTOMATION,
    own_list=True,
    works_alone=lambda params: not params.createIfEmpty,
    hints=ToolHints(read_only=False, destructive=False, open_world=False),
)
