"""tabs_context: the session's tabs, and what they have downloaded lately."""

from collections.abc import Sequence
from typing import Final

from tabwright.model import Json, JsonObject, TabInfo, Text, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.policy.text import MAX_TITLE, clean, quotable
from tabwright.tools.list_tabs import within_bounds
from tabwright.tools.tool import Desk, Params, Tool

MAX_DOWNLOADS: Final = 5
_NONE: Final = "This session has no tab. Call navigate with a url, or tabs_create_mcp."


class TabsContext(Params):
    pass


async def run(desk: Desk, params: TabsContext) -> ToolResult:
    tabs = within_bounds([desk.shown(tab) for tab in desk.held])
    lines = [f"{len(tabs)} tab{'s' * (len(tabs) != 1)} of this session:", *describe(desk, tabs)] if tabs else [_NONE]
    return ToolResult((Text("\n".join([*lines, *_downloads(desk)])),), structured(desk, tabs))


def describe(desk: Desk, tabs: Sequence[TabInfo]) -> list[str]:
    """A line for each tab."""
    return [f'{tab.id} "{quotable(tab.title, MAX_TITLE)}" {tab.url}{_state(desk, tab)}' for tab in tabs]


def structured(desk: Desk, tabs: Sequence[TabInfo]) -> JsonObject:
    listed: list[Json] = [
        {
            "id": tab.id, "title": clean(tab.title, MAX_TITLE), "url": tab.url, "active": tab.active,
            "inGroup": _grouped(desk, tab),
        }
        for tab in tabs
    ]  # fmt: skip
    return {"tabs": listed, "groupId": desk.group}


def _state(desk: Desk, tab: TabInfo) -> str:
    dialog = desk.browser.dialog_in(tab.id)
    words = {
        "in front": tab.active,
        "outside the group": not _grouped(desk, tab),
        "loading": tab.loading,
        "crashed: navigate with reload first": tab.crashed,
        f"held up by a dialog, {dialog}: handle_dialog": dialog is not None,
        "unloaded to save memory: navigate with reload first": tab.discarded,
    }
    said = [word for word, applies in words.items() if applies]
    return f" ({', '.join(said)})" if said else ""


def _grouped(desk: Desk, tab: TabInfo) -> bool:
    return desk.group is not None and tab.group_id == desk.group


def _downloads(desk: Desk) -> list[str]:
    return [each.text for tab in desk.held for each in desk.browser.downloads.of(tab.id)][-MAX_DOWNLOADS:]


TOOL = Tool(
    name="tabs_context",
    description="List this session's tabs.",
    params=TabsContext,
    access=Access.READ,
    run=run,
    toolset=Toolset.AUTOMATION,
    works_alone=lambda _: True,
    hints=ToolHints(read_only=True, open_world=False),
)
