"""connect_browser: attach to a paired browser, or launch one."""

from pydantic import Field

from tabwright import first_words
from tabwright.errors import NoBrowserInstalled
from tabwright.model import Json, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.tools.tool import Desk, Params, Tool

NOT_FOUND: dict[str, Json] = {
    "connected": False,
    "error": "No browser found",
    "instructions": "Please open Chrome with the Browser Tools extension enabled, or call with launch=true",
}
LINK_DOWN: dict[str, Json] = {
    "connected": False,
    "error": "The link to the browser is down",
    "instructions": "It comes back by itself once the browser and its extension run: call again in some seconds",
}


class ConnectBrowser(Params):
    launch: bool = Field(default=False, description=first_words.LAUNCH)


async def run(desk: Desk, params: ConnectBrowser) -> ToolResult:
    try:
        browser = await desk.connect(launch=params.launch)
    except NoBrowserInstalled as exc:
        return ToolResult.of_json({**NOT_FOUND, "next": str(exc)})
    if browser is None:
        return ToolResult.of_json(_explained(NOT_FOUND, desk.trouble))
    if not browser.reachable:
        return ToolResult.of_json(_explained(LINK_DOWN, desk.trouble if browser.remote else ""))
    told: Json = {"name": browser.name, "version": browser.version}
    return ToolResult.of_json({"connected": True, "browser": told, "tabCount": len(browser.tabs)})


def _explained(told: dict[str, Json], trouble: str) -> dict[str, Json]:
    """With what keeps browsers away, where that is known."""
    return {**told, "instructions": trouble} if trouble else told


TOOL = Tool(
    name="connect_browser",
    description=first_words.CONNECT_BROWSER,
    params=ConnectBrowser,
    access=Access.READ,
    run=run,
    toolset=Toolset.FOCUS,
    own_list=True,
    hints=ToolHints(read_only=False, destructive=False, open_world=False),
)
