"""select_browser: work with this one of several linked browsers."""

from pydantic import Field

from tabwright.errors import InvalidArguments
from tabwright.model import ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.tools.tool import Desk, Params, Tool


class SelectBrowser(Params):
    browserId: str = Field(description="Id from list_connected_browsers")


async def run(desk: Desk, params: SelectBrowser) -> ToolResult:
    browser = next((browser for browser in desk.browsers if browser.id == params.browserId), None)
    if browser is None:
        raise InvalidArguments(
            f"No browser {params.browserId!r} is linked.", "Call list_connected_browsers to see them."
        )
    await browser.introduce()
    desk.select(browser)
    return ToolResult.of_json(
        {"selected": browser.id, "name": browser.name, "version": browser.version, "tabCount": len(browser.tabs)}
    )


TOOL = Tool(
    name="select_browser",
    description="Work with one of the linked browsers.",
    params=SelectBrowser,
    access=Access.READ,
    run=run,
    toolset=Toolset.AUTOMATION,
    chooses_browser=True,
    own_list=True,
    hints=ToolHints(read_only=False, destructive=False, open_world=False),
)
