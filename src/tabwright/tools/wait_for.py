"""wait_for: until the page shows something, or no longer does."""

import asyncio
from typing import Final

from pydantic import Field

from tabwright.browser.frames import TOP, unread
from tabwright.browser.tab import Tab
from tabwright.errors import CommandFailed, DialogOpen, InvalidArguments, PageCrashed, TabNotFound, ToolError
from tabwright.model import Json, JsonObject, Text, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.policy.text import clean_block
from tabwright.tools.tool import Desk, Hold, Params, TabNumber, Tool

DEFAULT_MS: Final = 10_000
MOST_MS: Final = 30_000
_ROUND_S: Final = 0.05


class WaitFor(Params):
    text: str | None = Field(default=None, min_length=1, description="Until this text is shown")
    textGone: str | None = Field(default=None, min_length=1, description="Until it is not")
    ref: str | None = Field(default=None, description="Until this element is visible")
    url: str | None = Field(default=None, min_length=1, description="Until the address contains this")
    ms: int | None = Field(default=None, ge=1, le=MOST_MS, description="Longest wait; alone: just wait")
    tabId: TabNumber | None = Field(default=None, description="Tab; defaults to the current one")


async def run(desk: Desk, params: WaitFor) -> ToolResult:
    wishes = [name for name in ("text", "textGone", "ref", "url") if getattr(params, name) is not None]
    if not wishes and params.ms is None:
        raise InvalidArguments("Nothing to wait for was named.", "Pass text, textGone, ref, url or ms.")
    seconds = (params.ms or DEFAULT_MS) / 1000
    began = asyncio.get_running_loop().time()
    held = await desk.tab.cdp.dialogs.unless_open(_until(desk, params, began + seconds, bool(wishes)))
    took = asyncio.get_running_loop().time() - began
    if held or not wishes:
        return ToolResult((Text(clean_block(f"{_said(params) if wishes else 'Waited'} after {took:.1f} s.")),))
    if params.url is None and not desk.tab.cdp.attached and (url := desk.browser.tab(desk.target).url) == "about:blank":
        raise unread(url)
    raise CommandFailed(
        f"Not within {seconds:g} s: {_wish(params)}. Look at the page, or wait longer with ms.", word="timeout"
    )


async def _until(desk: Desk, params: WaitFor, ends: float, wishes: bool) -> bool:
    loop = asyncio.get_running_loop()
    began = told = loop.time()
    while True:
        left = ends - loop.time()
        if wishes and await _holds(desk, params, max(0.0, left)):
            return True
        if left <= 0:
            return False
        if not wishes:
            await asyncio.sleep(min(left, 1.0))
        elif params.url is not None:
            await asyncio.sleep(min(left, _ROUND_S))
        if loop.time() - told >= 1.0:
            told = loop.time()
            await desk.progress(told - began, ends - began, "waiting")


async def _holds(desk: Desk, params: WaitFor, left: float) -> bool:
    """One look, of at most a second, at the page as it is; a page that is just changing does not hold yet."""
    url = desk.browser.tab(desk.target).url
    if params.url is not None and params.url not in url:
        return False
    if params.text is None and params.textGone is None and params.ref is None:
        return True
    try:
        return await _asked(desk.tab, params, int(left * 1000))
    except (DialogOpen, TabNotFound, PageCrashed, InvalidArguments):
        raise
    except ToolError:
        await asyncio.sleep(_ROUND_S)
        return False


async def _asked(tab: Tab, params: WaitFor, ms: int) -> bool:
    """Text may be in any frame, and must be gone from all of them."""
    if params.ref is not None:
        target = tab.refs.find(params.ref)
        wish: JsonObject = {"target": target.wire, "ms": ms}
        return _held(await tab.frames.ask(target.frame_id, target.document_id, "waitFor", wish, within_s=3.0))
    name, text = ("text", params.text) if params.text is not None else ("textGone", params.textGone)
    # frames are asked one round each: whoever answers first must not wait for the slowest
    answers = await tab.frames.ask_all("waitFor", {name: text, "ms": min(ms, 200)}, within_s=3.0)
    if params.text is not None and params.textGone is not None and any(_held(each.value) for each in answers):
        gone = await tab.frames.ask_all("waitFor", {"textGone": params.textGone, "ms": 0}, within_s=3.0)
        return all(_held(each.value) for each in gone)
    if name == "text":
        return any(_held(each.value) for each in answers)
    return bool(answers) and all(_held(each.value) for each in answers if not each.problem or each.frame_id == TOP)


def _held(value: Json) -> bool:
    return isinstance(value, dict) and value.get("held") is True


def _wish(params: WaitFor) -> str:
    wishes = (
        (params.text, 'text "{}"'), (params.textGone, 'text "{}" gone'),
        (params.ref, "{} visible"), (params.url, "address with {}"),
    )  # fmt: skip
    return ", ".join(words.format(value) for value, words in wishes if value is not None)


def _said(params: WaitFor) -> str:
    return f"It holds ({_wish(params)})"


TOOL = Tool(
    name="wait_for",
    description="Wait until a text appears or goes, an element is visible or the URL fits.",
    params=WaitFor,
    access=Access.READ,
    run=run,
    toolset=Toolset.AUTOMATION,
    hold=Hold.HELD,
    hints=ToolHints(read_only=True),
)
