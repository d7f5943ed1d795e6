"""shortcuts_execute: run a saved sequence of calls, step by step, up to the first failure."""

from typing import Any, cast

from pydantic import Field

from tabwright.errors import InvalidArguments
from tabwright.model import JsonObject, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.tools.shortcut import Shortcut
from tabwright.tools.steps import run_steps
from tabwright.tools.tool import Desk, Hold, Params, TabNumber, Tool


class ShortcutsExecute(Params):
    shortcutId: str | None = None
    command: str | None = None
    arguments: dict[str, Any] = Field(default={}, description="Values of its parameters")
    tabId: TabNumber | None = None


async def run(desk: Desk, params: ShortcutsExecute) -> ToolResult:
    shortcut = _meant(desk, params)
    steps = shortcut.filled(cast(JsonObject, params.arguments))
    return await run_steps(desk, steps, None if params.tabId is None else desk.target)


def _meant(desk: Desk, params: ShortcutsExecute) -> Shortcut:
    saved = desk.shortcuts.shortcuts()
    command = None if params.command is None else params.command.strip().removeprefix("/").lower()
    if (params.shortcutId is None) == (command is None):
        raise InvalidArguments("Name one shortcut.", "Pass shortcutId or command, from shortcuts_list.")
    for shortcut in saved:
        if params.shortcutId == shortcut.id or command == shortcut.command:
            return shortcut
    known = ", ".join(shortcut.command for shortcut in saved)
    next_step = f"There are: {known}." if known else "None is saved yet; do it step by step."
    raise InvalidArguments(f"There is no shortcut {params.shortcutId or params.command!r}.", next_step)


TOOL = Tool(
    name="shortcuts_execute",
    description="Run a saved shortcut; stops at the first failure and says where.",
    params=ShortcutsExecute,
    access=Access.READ,
    run=run,
    toolset=Toolset.AUTOMATION,
    hold=Hold.HELD,
    opens_tab=True,
    # its steps have one launched if they need it
    works_alone=lambda params: params.tabId is None,
    while_dialog=True,
    hints=ToolHints(read_only=False, destructive=True),
)
