"""handle_dialog: answer the alert, confirm, prompt or beforeunload that holds a page up."""

from pydantic import Field

from tabwright.errors import NoDialog
from tabwright.model import Text, ToolHints, ToolResult, Toolset
from tabwright.policy.decide import Access
from tabwright.policy.text import clean_block
from tabwright.tools.tool import Desk, Hold, Params, TabNumber, Tool


class HandleDialog(Params):
    accept: bool = Field(default=True, description="OK (leave, for beforeunload) or Cancel")
    text: str | None = Field(default=None, description="Answer to a prompt")
    tabId: TabNumber | None = Field(default=None, description="Tab; defaults to the current one")


async def run(desk: Desk, params: HandleDialog) -> ToolResult:
    tab = desk.tab
    dialog = tab.cdp.dialog
    if dialog is None:
        # one that nobody told of shows only in that the page stands still
        await tab.cdp.look()
        raise NoDialog
    await tab.cdp.close_dialog(accept=params.accept, text=params.text)
    outcome = await tab.settle()
    verb = "Accepted" if params.accept else "Dismissed"
    said = f'{verb} the {dialog.kind} "{dialog.message[:200]}".'
    return ToolResult((Text(clean_block("\n".join(part for part in (said, outcome.text) if part))),))


TOOL = Tool(
    name="handle_dialog",
    description="Answer the dialog (alert, confirm, prompt, beforeunload) that holds a page up.",
    params=HandleDialog,
    access=Access.ACT,
    run=run,
    toolset=Toolset.AUTOMATION,
    hold=Hold.HELD,
    while_dialog=True,
    hints=ToolHints(read_only=False, destructive=True),
)
