"""list_tabs: all open tabs, without loading their tools."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tabwright.model import Json, TabInfo, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.policy.text import MAX_TITLE, clean, cut_together
from tabwright.tools.tool import Desk, Params, Tool

MAX_ADDRESSES: Final = 30_000
"""Characters of all addresses together."""


class ListTabs(Params):
    pass


async def run(desk: Desk, params: ListTabs) -> ToolResult:
    await desk.browser.pages.survey()
    tabs: list[Json] = [
        {
            **describe(tab), "focused": tab.id == desk.focused, "toolCount": desk.count_tools(tab.id),
            **_held_up(desk, tab),
        }
        for tab in within_bounds([desk.shown(tab) for tab in desk.browser.tabs.values()])
    ]  # fmt: skip
    return ToolResult.of_json({"tabs": tabs, "focusedTabId": desk.focused})


def within_bounds(tabs: Sequence[TabInfo]) -> list[TabInfo]:
    """Tabs as a list shows them: an address may have thousands of characters, and there may be hundreds of tabs."""
    addresses = cut_together([tab.url for tab in tabs], MAX_ADDRESSES)
    return [replace(tab, url=address) for tab, address in zip(tabs, addresses, strict=True)]


def describe(tab: TabInfo) -> dict[str, Json]:
    """A tab as every tool shows it. The title is the page's own text."""
    return {"id": tab.id, "title": clean(tab.title, MAX_TITLE), "url": tab.url}


def _held_up(desk: Desk, tab: TabInfo) -> dict[str, Json]:
    """That a dialog stands open, but not what it says: that is for whoever holds the tab."""
    kind = desk.browser.dialog_in(tab.id)
    return {} if kind is None else {"heldUpBy": f"a dialog ({kind}); focus_tab tells what to do"}


TOOL = Tool(
    name="list_tabs",
    description="List open tabs: id, title, URL, number of page tools.",
    params=ListTabs,
    access=Access.READ,
    run=run,
    toolset=Toolset.FOCUS,
    hints=ToolHints(read_only=True, open_world=False),
)
