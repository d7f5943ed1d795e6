"""form_input: put a value into a field, whatever the field is made of."""

import contextlib
import json
from typing import Annotated, Final

from pydantic import Field, StrictBool, WithJsonSchema

from tabwright.browser.fields import Held, fill
from tabwright.errors import CommandFailed
from tabwright.model import JsonObject, Text, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.policy.text import clean, clean_block
from tabwright.tools.tool import Desk, Hold, Params, TabNumber, Tool

TOLD_MOST: Final = 300
_LABELS: Final[JsonObject] = {"type": "array", "items": {"type": "string"}}
Value = Annotated[
    StrictBool | int | float | str | list[StrictBool | int | float | str],
    # each kind with one type: a list of types, though shorter, makes some clients drop all tools
    WithJsonSchema({"anyOf": [*({"type": kind} for kind in ("string", "number", "boolean")), _LABELS]}),
]


class FormInput(Params):
    ref: str = Field(description="Ref of the field, like e12")
    value: Value = Field(
        description="Label of an option, array for several or both ends of a range, true/false for boxes, ISO dates"
    )
    tabId: TabNumber | None = None


async def run(desk: Desk, params: FormInput) -> ToolResult:
    if desk.browser.launched:
        # nobody else is there to answer a dialog that the page opens on this
        with contextlib.suppress(CommandFailed):
            await desk.tab.cdp.hear()
    held, outcome = await fill(desk.tab, params.ref, params.value)
    lines = [_said(params.ref, held, params.value)]
    if held.note:
        lines.append(clean(f"Note: {held.note}.", TOLD_MOST))
    if held.invalid:
        lines.append(clean(f"The browser finds it invalid: {held.invalid}", TOLD_MOST))
    if isinstance(held.value, bool):
        outcome = outcome.without(held.label)
    if outcome.telling or outcome.errors:
        lines.append(clean_block(outcome.text))
    return ToolResult((Text("\n".join(line for line in lines if line)),))


def _said(ref: str, held: Held, wanted: object) -> str:
    """One line: the field and what it holds now."""
    label = clean(held.label, 80)
    field = f'"{label}" ({ref})' if label else ref
    if held.secret:
        return f"{field} is {'filled (hidden)' if held.filled else 'empty'}."
    if isinstance(held.value, bool):
        return f"{field} is now {'on' if held.value else 'off'}."
    if held.value == "" and wanted == []:
        return f"{field} is now empty."
    if held.value == "" and wanted != "":
        return f"{field} took the value but is empty now: the page may have used it up, or taken it away."
    if isinstance(held.value, list):
        return f"{field} is now {', '.join(_quoted(str(each)) for each in held.value) or 'empty'}."
    return f"{field} is now {held.value if isinstance(held.value, int | float) else _quoted(str(held.value))}."


def _quoted(text: str) -> str:
    return json.dumps(clean(text, TOLD_MOST), ensure_ascii=False)


TOOL = Tool(
    name="form_input",
    description="Set the value of any form field or editor by ref. Answers the value that stuck.",
    params=FormInput,
    access=Access.ACT,
    run=run,
    toolset=Toolset.AUTOMATION,
    hold=Hold.HELD,
    hints=ToolHints(read_only=False, destructive=False),
)
