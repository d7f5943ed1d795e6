"""open_tab: a new tab of the session's own, in its group, focused unless asked otherwise."""

import time
from typing import Final

from pydantic import Field

from tabwright.model import Json, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.policy.urls import read_address
from tabwright.tools.list_tabs import describe
from tabwright.tools.tool import Desk, Params, Tool

ANSWER_S: Final = 3.0
"""Opening answers after commit and a first look at the page, within this time in all."""
LEAST_LOOK_S: Final = 0.3


class OpenTab(Params):
    url: str = Field(description="URL to open")
    focus: bool = Field(default=True, description="Focus the new tab after opening")


async def run(desk: Desk, params: OpenTab) -> ToolResult:
    browser, began = desk.browser, time.monotonic()
    opened = await browser.new_tabs.open(read_address(params.url).href, focus=params.focus)
    tab_id = opened.tab.id
    await desk.adopt(opened.tab)
    if params.focus:
        await desk.focus(tab_id, fresh=False, within_s=max(LEAST_LOOK_S, ANSWER_S - (time.monotonic() - began)))
    available: list[Json] = [spec.name for spec, _ in desk.listed(tab_id)] if params.focus else []
    told: dict[str, Json] = {
        "tab": describe(desk.shown(browser.tabs.get(tab_id, opened.tab))),
        "focused": params.focus,
        "toolsAvailable": available,
    }
    if opened.problem is not None:
        told["error"] = f"The page did not load: {opened.problem}"
    return ToolResult.of_json(told)


TOOL = Tool(
    name="open_tab",
    description="Open a URL in a new background tab, focused for this session by default.",
    params=OpenTab,
    access=Access.READ,
    run=run,
    toolset=Toolset.FOCUS,
    own_list=True,
    destination=lambda params: params.url,
    hints=ToolHints(read_only=False, destructive=False),
)
