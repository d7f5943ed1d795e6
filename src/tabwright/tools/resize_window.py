"""resize_window: the size of the window a tab is in."""

from typing import Final

from tabwright.browser.sizes import Size
from tabwright.errors import InvalidArguments
from tabwright.model import Text, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.tools.tool import Desk, Hold, Params, TabNumber, Tool

LEAST: Final = 100
MOST: Final = 10_000


class ResizeWindow(Params):
    width: int
    height: int
    tabId: TabNumber | None = None


async def run(desk: Desk, params: ResizeWindow) -> ToolResult:
    asked = (params.width, params.height)
    if any(not LEAST <= side <= MOST for side in asked):
        raise InvalidArguments(f"A window is {LEAST} to {MOST} pixels wide and high.", "Give another size.")
    reached = await desk.browser.windows.resize(desk.target, *asked)
    kept = "" if reached.window == asked else f" (not {_text(asked)}: the screen or the system set limits)"
    return ToolResult((Text(f"The window is {_text(reached.window)}{kept}, its page {_text(reached.page)}."),))


def _text(size: Size) -> str:
    return f"{size[0]}×{size[1]}"


TOOL = Tool(
    name="resize_window",
    description="Resize the tab's window, in pixels.",
    params=ResizeWindow,
    access=Access.ACT,
    run=run,
    toolset=Toolset.AUTOMATION,
    hold=Hold.HELD,
    while_dialog=True,
    hints=ToolHints(read_only=False, destructive=False, open_world=False),
)
