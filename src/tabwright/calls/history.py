"""A session's latest calls, kept in memory so that they can be saved as a shortcut. Never a secret.

A ref means an element of one document only, so what is kept is how to find such an element again. What was typed into
a secret field is not kept, nor what an address or a script has under a secret name: a parameter stands in its place.
"""

import asyncio
import re
from collections import deque
from typing import Final

from tabwright.browser.spots import caret
from tabwright.browser.tab import Tab
from tabwright.calls.leisure import Leisure
from tabwright.errors import ToolError
from tabwright.model import Json, JsonObject
from tabwright.policy.secrets import MASK, mask_script, mask_url
from tabwright.tools.shortcut import NESTING, SavedStep
from tabwright.tools.steps import REF_FIELDS

MAX_CALLS: Final = 50
MAX_CHARS: Final = 20_000
SECRET: Final = "{{secret}}"
ASK_S: Final = 1.0
_LOOKS: Final = frozenset(
    {
        "find", "read_page", "tabs_context", "tabs_context_mcp", "read_console_messages", "read_network_requests",
        "shortcuts_list", "gif_creator", "dev_utils", "permissions_check", "update_plan", "turn_answer_start",
        "turn_answer_complete", "tabs_close_mcp",
    }
)  # fmt: skip
"""Calls an agent makes for itself; a sequence that is run again needs none of them."""
_QUOTES: Final = re.compile(r"[\"“”]")


class History:
    """The calls that worked, oldest first."""

    def __init__(self) -> None:
        self._calls: deque[SavedStep] = deque(maxlen=MAX_CALLS)
        self._unread = Leisure[tuple[str, JsonObject]](self._read)

    async def read(self, tool: str, arguments: JsonObject, tab: Tab | None) -> SavedStep | None:
        """A call about to run, as it could be run again; None for one that is not worth it."""
        if not _is_worth_it(tool, arguments):
            return None
        kept = {**arguments}
        for field in REF_FIELDS:
            if isinstance(ref := kept.get(field), str):
                kept[field] = _found_again(ref, tab)
        field = _typed(tool, arguments)
        if field is not None and await _is_secret(tool, arguments, tab):
            kept[field] = SECRET
        return _step(tool, kept)

    def worked(self, tool: str, arguments: JsonObject) -> None:
        """A call worked that `is_read_alone`."""
        if _is_worth_it(tool, arguments):
            self._unread.add((tool, arguments))

    def worked_beside(self, tool: str, arguments: JsonObject) -> None:
        """A call worked that is no automation: a page that it opened is opened by one."""
        if tool == "open_tab":
            self._unread.add(("navigate", {"url": arguments["url"]}))

    def _read(self, worked: tuple[str, JsonObject]) -> None:
        if (call := _step(*worked)) is not None:
            self._calls.append(call)

    def keep(self, call: SavedStep) -> None:
        """It worked."""
        self._unread.catch_up()
        self._calls.append(call)

    def steps(self, last: int | None = None) -> tuple[SavedStep, ...]:
        """The latest of them."""
        self._unread.catch_up()
        calls = tuple(self._calls)
        return calls if last is None else calls[-last:]


def is_read_alone(tool: str, arguments: JsonObject) -> bool:
    """Whether a call says all that is kept of it by itself, so that it may be read when it is answered."""
    return _typed(tool, arguments) is None and not any(field in arguments for field in REF_FIELDS)


def is_read_beside(tool: str) -> bool:
    """Whether a call need not wait until it is read. A field is as secret once it is filled in as it was before, and is
    asked about first; where keys go is known before they are pressed only.
    """
    return tool == "form_input"


def _is_worth_it(tool: str, arguments: JsonObject) -> bool:
    return tool not in _LOOKS and tool not in NESTING and not _is_look(tool, arguments)


def _step(tool: str, arguments: JsonObject) -> SavedStep | None:
    kept: JsonObject = {
        name: value if name in REF_FIELDS else _without_secrets(tool, value)
        for name, value in arguments.items()
        if name != "tabId"
    }
    return SavedStep(tool, kept) if len(str(kept)) <= MAX_CHARS else None


def _is_look(tool: str, arguments: JsonObject) -> bool:
    return tool == "computer" and arguments.get("action") in ("screenshot", "zoom")


def _typed(tool: str, arguments: JsonObject) -> str | None:
    """Which argument may be a secret."""
    if tool == "form_input":
        return "value"
    return "text" if tool == "computer" and arguments.get("action") in ("type", "key") else None


def _without_secrets(tool: str, value: Json) -> Json:
    match value:
        case str() if value != SECRET:
            masked = mask_script(value) if tool == "javascript_tool" else mask_url(value)
            return value if masked == value else masked.replace(MASK, SECRET)
        case list():
            return [_without_secrets(tool, each) for each in value]
        case dict():
            return {name: _without_secrets(tool, each) for name, each in value.items()}
        case _:
            return value


def _found_again(ref: str, tab: Tab | None) -> Json:
    """Words that find the element in another document."""
    try:
        target = None if tab is None else tab.refs.find(ref)
    except ToolError:
        target = None
    if target is None:
        return ref
    name = _QUOTES.sub("", target.name).strip()
    return f'find:{target.role} "{name}"' if name else f"find:{target.role}"


async def _is_secret(tool: str, arguments: JsonObject, tab: Tab | None) -> bool:
    """Whether the text goes into a secret field; if that cannot be told, it does."""
    if tab is None:
        return True
    try:
        async with asyncio.timeout(ASK_S):
            return await (
                _field_is_secret(tab, arguments) if tool == "form_input" else _keys_are_secret(tab, arguments)
            )
    except (ToolError, TimeoutError):
        return True


async def _field_is_secret(tab: Tab, arguments: JsonObject) -> bool:
    target = tab.refs.find(str(arguments.get("ref")))
    told = await tab.frames.ask(target.frame_id, target.document_id, "held", {"target": target.wire})
    return not (isinstance(told, dict) and told.get("secret") is False)


async def _keys_are_secret(tab: Tab, arguments: JsonObject) -> bool:
    """Whether the keys go into a secret field: the one named, the one with the caret, or the one filled in last."""
    ref = arguments.get("ref")
    if isinstance(ref, str):
        return await _named_is_secret(tab, ref)
    if arguments.get("coordinate") is not None:
        # whatever is there; but no secret is made of named keys
        return arguments.get("action") == "type" or any(len(key) == 1 for key in str(arguments.get("text")).split())
    here = await caret(tab)
    if here.thing.role or tab.last_filled is None:
        return here.secret
    return await _named_is_secret(tab, tab.last_filled)


async def _named_is_secret(tab: Tab, ref: str) -> bool:
    target = tab.refs.find(ref)
    told = await tab.frames.ask(target.frame_id, target.document_id, "secret", {"target": target.wire})
    return not (isinstance(told, dict) and told.get("secret") is False)
