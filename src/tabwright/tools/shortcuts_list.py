"""shortcuts_list: the saved sequences of calls, with what each needs."""

from tabwright.model import Json, Text, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.tools.shortcut import Shortcut
from tabwright.tools.tool import Desk, Params, Tool


class ShortcutsList(Params):
    pass


async def run(desk: Desk, params: ShortcutsList) -> ToolResult:
    saved = desk.shortcuts.shortcuts()
    told: list[Json] = [_described(shortcut) for shortcut in saved]
    lines = "\n".join(map(_line, saved)) or "No shortcuts are saved. The person adds them: `tabwright shortcuts add`."
    return ToolResult((Text(lines),), {"shortcuts": told})


def _line(shortcut: Shortcut) -> str:
    needs = f" ({', '.join(shortcut.parameters)})" if shortcut.parameters else ""
    return f"{shortcut.command}{needs}: {shortcut.description or f'{len(shortcut.steps)} steps'} [{shortcut.id}]"


def _described(shortcut: Shortcut) -> Json:
    return {
        "id": shortcut.id,
        "command": shortcut.command,
        "description": shortcut.description,
        "parameters": list[Json](shortcut.parameters),
    }


TOOL = Tool(
    name="shortcuts_list",
    description="Saved shortcuts: id, command, description, parameters.",
    params=ShortcutsList,
    access=Access.READ,
    run=run,
    toolset=Toolset.AUTOMATION,
    works_alone=lambda _: True,
    hints=ToolHints(read_only=True, open_world=False),
)
