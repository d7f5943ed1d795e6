"""javascript_tool: run a script in the page."""

import secrets
from typing import Literal

from pydantic import Field

from tabwright.browser.debugger.evaluation import evaluate
from tabwright.errors import InvalidArguments
from tabwright.model import Text, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.policy.text import attributed, clean_block
from tabwright.policy.urls import origin_of
from tabwright.tools.tool import Desk, Hold, Params, TabNumber, Tool


class JavaScript(Params):
    action: Literal["javascript_exec"] = Field(default="javascript_exec", description="Always this")
    text: str = Field(description="Script; its last expression, awaited, is the result")
    tabId: TabNumber | None = Field(default=None, description="Tab; defaults to the current one")


async def run(desk: Desk, params: JavaScript) -> ToolResult:
    if not params.text.strip():
        raise InvalidArguments("The script is empty.", "Pass it as text.")
    tab = desk.tab
    opened = tab.opened
    value = await evaluate(tab, params.text)
    # the answer as a whole is cleaned by whoever called us; this, so that nothing unseen decides how it is told
    said = [
        _told(clean_block(value.text), origin_of(desk.browser.tab(desk.target).url)),
        *([value.note] if value.note else []),
        *(f"A new tab opened: {each}. Pass its tabId to work there." for each in tab.opened[len(opened) :]),
    ]
    return ToolResult((Text("\n".join(said)),))


def _told(value: str, origin: str) -> str:
    return attributed(value, origin, secrets.token_hex(4))


TOOL = Tool(
    name="javascript_tool",
    description="Run JavaScript in the page; await works at top level. Cancelling does not end it; loops end in 4 s.",
    params=JavaScript,
    access=Access.SCRIPT,
    run=run,
    toolset=Toolset.AUTOMATION,
    hold=Hold.HELD,
    hints=ToolHints(read_only=False, destructive=True),
)
