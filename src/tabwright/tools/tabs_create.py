"""tabs_create: a new tab of the session's own, outside its group."""

from pydantic import Field

from tabwright.errors import NavigationFailed
from tabwright.model import Text, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.policy.urls import read_address
from tabwright.tools.navigate import BLANK, go
from tabwright.tools.tool import Desk, Params, Tool


class TabsCreate(Params):
    url: str = Field(default=BLANK)


async def run(desk: Desk, params: TabsCreate) -> ToolResult:
    return ToolResult((Text(await create(desk, params.url, grouped=False)),))


async def create(desk: Desk, url: str, *, grouped: bool) -> str:
    """Open a tab, take it, send it there, and say what came of it.

    Raises:
        NavigationFailed: the tab is open, but its page did not load.
    """
    address = read_address(url).href
    opened = await desk.browser.new_tabs.open(BLANK)
    await desk.adopt(opened.tab, grouped=grouped)
    if address == BLANK:
        return f"Opened tab {desk.target}, which is empty. Call navigate with its tabId."
    try:
        return f"Opened tab {desk.target}. {await go(desk, address)}"
    except NavigationFailed as exc:
        raise NavigationFailed(f"Opened tab {desk.target}, but {exc.message}", exc.next_step) from None


TOOL = Tool(
    name="tabs_create",
    description="Open a background tab outside the session's group.",
    params=TabsCreate,
    access=Access.READ,
    run=run,
    toolset=Toolset.AUTOMATION,
    own_list=True,
    destination=lambda params: params.url,
    hints=ToolHints(read_only=False, destructive=False),
)
