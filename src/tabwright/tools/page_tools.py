"""page_tools: what a tab's page offers, for clients whose list does not follow the focus."""

from typing import Final

from pydantic import Field

from tabwright.model import Json, TabId, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.policy.urls import origin_of
from tabwright.tools.tool import STABLE_ONLY, Desk, Hold, Params, TabNumber, Tool

HINTS: Final = frozenset({"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint", "consequentialHint"})


class PageTools(Params):
    tabId: TabNumber | None = Field(default=None, description="Tab; defaults to the focused one")


async def run(desk: Desk, params: PageTools) -> ToolResult:
    browser, tab_id = desk.browser, desk.target
    # only the focused page is watched; any other is looked at once
    await (browser.pages.look_at(tab_id) if tab_id == desk.focused else browser.pages.glance(tab_id))
    tab = browser.tab(tab_id)
    return ToolResult.of_json(
        {"tabId": tab_id, "document": tab.document_id, "origin": origin_of(tab.url), "tools": show(desk, tab_id)}
    )


def show(desk: Desk, tab_id: TabId) -> list[Json]:
    """A tab's tools with their schemas."""
    return [
        {
            "name": spec.name,
            "description": spec.description,
            "inputSchema": spec.input_schema,
            "annotations": {key: value for key, value in tool.annotations.items() if value is True and key in HINTS},
            "source": tool.source,
        }
        for spec, tool in desk.listed(tab_id)
    ]


TOOL = Tool(
    name="page_tools",
    description="List the tools a tab's page offers, with schemas.",
    params=PageTools,
    access=Access.READ,
    run=run,
    toolset=Toolset.FOCUS,
    hold=Hold.FREE,
    faces=STABLE_ONLY,
    hints=ToolHints(read_only=True),
)
