"""handle_dialog: answer the alert, confirm, prompt or beforeunload that holds a page up."""

import asyncio
import secrets
from typing import Final

from pydantic import Field

from tabwright.browser.navigation import Ending
from tabwright.browser.tab import Tab
from tabwright.errors import LEAVING, CommandFailed, DialogOpen, NoDialog, TabNotFound, ToolError
from tabwright.model import Json, Text, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.policy.text import attributed, clean_block, quotable
from tabwright.policy.urls import origin_of
from tabwright.tools.navigate import led
from tabwright.tools.tool import Desk, Hold, Params, TabNumber, Tool

FINISH_S: Final = 6.0
MOST_CHARS: Final = 2_000
MAX_MESSAGE: Final = 200


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
    verb = "Accepted" if params.accept else "Dismissed"
    message = f' "{quotable(dialog.message, MAX_MESSAGE)}"' if dialog.message else ""
    said = f"{verb} the {dialog.kind}{message}."
    if dialog.kind != LEAVING:
        await tab.cdp.close_dialog(accept=params.accept, text=params.text)
        followed = await _followed(tab, origin_of(desk.browser.tab(desk.target).url))
    else:
        followed = await (_left(desk) if params.accept else _stayed(desk))
    return ToolResult((Text(clean_block("\n".join(part for part in (said, followed) if part))),))


async def _followed(tab: Tab, origin: str) -> str:
    """What came of the gesture that the dialog held up, or what the page's tool answers that it did."""
    running, tab.unfinished = tab.unfinished, None
    if running is None or not running.begun:
        return (await tab.settle()).text
    try:
        async with asyncio.timeout(FINISH_S):
            answer = _words(await tab.cdp.dialogs.unless_open(running.result()))
            return f"The page's tool answered: {attributed(answer, origin, secrets.token_hex(4))}"
    except DialogOpen:
        tab.unfinished = running
        raise
    except TimeoutError:
        return "The page's tool has not finished yet."
    except ToolError as exc:
        return f"The page's tool failed: {exc.message}"


def _words(result: Json) -> str:
    """Those of a tool's answer, without what a person does not see."""
    parts = result.get("content") if isinstance(result, dict) else None
    if not isinstance(parts, list):
        return clean_block(str(result))[:MOST_CHARS]
    texts = [str(part.get("text", "")) for part in parts if isinstance(part, dict)]
    return clean_block(" ".join(texts))[:MOST_CHARS]


async def _left(desk: Desk) -> str:
    """Leave the page that asks whether to, and say where that led: to another page, or to the end of the tab."""
    before = desk.browser.downloads.mark
    try:
        arrival = await desk.browser.journeys.leave(desk.target)
    except (TabNotFound, CommandFailed) as exc:
        if exc.word != TabNotFound.word:
            raise
        return f"Tab {desk.target} is closed."
    if arrival.ending is Ending.HELD_UP:
        return f"Tab {desk.target} still shows {arrival.url}: nothing has led to another page yet."
    return await led(desk, arrival, arrival.url, before)


async def _stayed(desk: Desk) -> str:
    await desk.tab.cdp.close_dialog(accept=False)
    await desk.tab.drop_action()
    return f"Tab {desk.target} stays at {desk.browser.tab(desk.target).url}."


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
