"""list_connected_browsers: the choices, while there is more than one."""

from tabwright.model import Json, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.tools.tool import Desk, Params, Tool


class ListConnectedBrowsers(Params):
    pass


async def run(desk: Desk, params: ListConnectedBrowsers) -> ToolResult:
    chosen = desk.chosen
    browsers: list[Json] = [
        {
            "id": browser.id,
            "name": browser.name,
            "version": browser.version,
            "profile": "launched" if browser.launched else "own",
            "tabCount": len(browser.tabs),
            "selected": browser.id == chosen,
        }
        for browser in desk.browsers
    ]
    return ToolResult.of_json({"browsers": browsers})


TOOL = Tool(
    name="list_connected_browsers",
    description="List the linked browsers.",
    params=ListConnectedBrowsers,
    access=Access.READ,
    run=run,
    toolset=Toolset.AUTOMATION,
    chooses_browser=True,
    hints=ToolHints(read_only=True, open_world=False),
)
