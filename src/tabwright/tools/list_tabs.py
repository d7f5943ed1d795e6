"""list_tabs: all open tabs, without loading their tools."""

from tabwright.model import Json, TabInfo, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.policy.text import MAX_TITLE, clean
from tabwright.tools.tool import Desk, Params, Tool


class ListTabs(Params):
    pass


async def run(desk: Desk, params: ListTabs) -> ToolResult:
    await desk.browser.pages.survey()
    tabs: list[Json] = [
        {
            **describe(desk.shown(tab)), "focused": tab.id == desk.focused, "toolCount": desk.count_tools(tab.id),
            **_held_up(desk, tab),
        }
        for tab in desk.browser.tabs.values()
    ]  # fmt: skip
    return ToolResult.of_json({"tabs": tabs, "focusedTabId": desk.focused})


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
