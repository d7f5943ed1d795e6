"""Running a script in a page and putting its value into words.

The script is evaluated as a console does: the value of the last expression counts, `await` works at top level, and
declarations may be repeated. A script that returns is wrapped in a function. What comes back is described in the page,
short and bounded, because most values are not JSON.
"""

import asyncio
import re
from dataclasses import dataclass, replace
from typing import Final

from tabwright.browser.debugger.description import DESCRIBE
from tabwright.browser.tab import Tab
from tabwright.errors import CommandFailed, TimedOut
from tabwright.model import JsonObject

LOOP_MS: Final = 4_000
"""A script that has not come to an end or an `await` by then is taken for endless, and stopped."""
AWAIT_S: Final = 15.0
CALL_S: Final = 10.0
MOST_CHARS: Final = 50_000
_ABANDONED: Final = (
    "The script of the call that was cancelled before was not stopped: what it awaits may still happen in the page."
)
_GROUP: Final = "tabwright"
_RETURNS: Final = "Illegal return statement"
_LEFT: Final = re.compile("navigated or closed|Cannot find context|context was destroyed", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Value:
    """What a script gave, in words."""

    text: str
    navigated: bool = False
    note: str = ""


class ScriptFailed(CommandFailed):
    """The script threw."""

    def __init__(self, message: str) -> None:
        super().__init__(message, word="script_error")


async def evaluate(tab: Tab, script: str) -> Value:
    """Run a script in the page itself and describe what it gives. Whoever stops waiting does not stop the script.

    Raises:
        ScriptFailed: it threw, or is none.
        DialogOpen: it opened a dialog.
        ToolError: it did not end in time, or the page is gone.
    """
    try:
        value = await tab.cdp.requests.once(tab.cdp.dialogs.unless_open_asking(_evaluate(tab, script)))
    except asyncio.CancelledError:
        # extensions are refused the command that ends a script
        tab.script_abandoned = True
        raise
    # looked for now: a call that was cancelled right before this one may not have ended yet when this one began
    abandoned, tab.script_abandoned = tab.script_abandoned, False
    return replace(value, note=_ABANDONED) if abandoned else value


async def _evaluate(tab: Tab, script: str) -> Value:
    try:
        told = await _run(tab, script)
        if _thrown(told).startswith(f"SyntaxError: {_RETURNS}"):
            told = await _run(tab, f"(async () => {{{script}\n}})()")
        result = _result(told)
        if result.get("subtype") == "promise":
            result = _result(await _awaited(tab, result))
        text = await _described(tab, result)
        if "objectId" in result:
            await tab.cdp.send("Runtime.releaseObjectGroup", {"objectGroup": _GROUP}, within_s=CALL_S)
        return Value(text)
    except CommandFailed as exc:
        if _LEFT.search(exc.message):
            return Value("The page went on to another address before the script had ended.", navigated=True)
        raise


async def _run(tab: Tab, script: str) -> JsonObject:
    asked: JsonObject = {
        "expression": script, "objectGroup": _GROUP, "replMode": True, "awaitPromise": True, "userGesture": True,
        "timeout": LOOP_MS, "generatePreview": False,
    }  # fmt: skip
    loop = asyncio.get_running_loop()
    began = loop.time()
    try:
        return await tab.cdp.send("Runtime.evaluate", asked, within_s=AWAIT_S)
    except TimedOut:
        raise _late(AWAIT_S) from None
    except CommandFailed as exc:
        # Chrome says no more than this of a script that it stopped
        if exc.message == "Internal error" and loop.time() - began >= LOOP_MS / 1000 * 0.9:
            raise _endless() from None
        raise


async def _awaited(tab: Tab, result: JsonObject) -> JsonObject:
    asked: JsonObject = {"promiseObjectId": result.get("objectId"), "returnByValue": False}
    try:
        return await tab.cdp.send("Runtime.awaitPromise", asked, within_s=AWAIT_S)
    except TimedOut:
        raise _late(AWAIT_S) from None


async def _described(tab: Tab, result: JsonObject) -> str:
    match result:
        case {"type": "undefined"}:
            return "undefined"
        case {"unserializableValue": str(text)}:
            return text
        case {"objectId": str(object_id)}:
            asked: JsonObject = {
                "objectId": object_id,
                "functionDeclaration": DESCRIBE,
                "arguments": [{"value": MOST_CHARS}],
                "returnByValue": True,
            }
            told = await tab.cdp.send("Runtime.callFunctionOn", asked, within_s=CALL_S)
            return str(_result(told).get("value", ""))
        case {"value": str(text)}:
            return text if len(text) <= MOST_CHARS else f"{text[:MOST_CHARS]}… [cut: {len(text) - MOST_CHARS} more]"
        case {"value": None}:
            return "null"
        case {"value": bool(flag)}:
            return str(flag).lower()
        case {"description": str(text)}:
            return text
        case _:
            return str(result.get("value", ""))


def _result(told: JsonObject) -> JsonObject:
    """Raises:
    ScriptFailed: with message and line.
    """
    if "exceptionDetails" in told:
        raise ScriptFailed(f"{_thrown(told)} ({_line(told)})")
    result = told.get("result")
    return result if isinstance(result, dict) else {}


def _thrown(told: JsonObject) -> str:
    match told.get("exceptionDetails"):
        case {"exception": {"description": str(text)}}:
            return text.split("\n    at ")[0][:1000]
        case {"exception": {"value": value}}:
            return f"Uncaught {value!r}"[:1000]
        case {"text": str(text)}:
            return text
        case _:
            return ""


def _line(told: JsonObject) -> str:
    """Where it was thrown; the first frame of the script itself tells best."""
    match told.get("exceptionDetails"):
        case {"exception": {"description": str(text)}} if found := re.search(r"<anonymous>:(\d+):(\d+)", text):
            return f"line {found[1]}, column {found[2]}"
        case {"lineNumber": int(line), "columnNumber": int(column)}:
            return f"line {line + 1}, column {column + 1}"
        case _:
            return "line unknown"


def _endless() -> CommandFailed:
    return CommandFailed(
        f"The script ran for {LOOP_MS / 1000:g} s without an end and was stopped. Make it end, or await something.",
        word="timeout",
    )


def _late(seconds: float) -> CommandFailed:
    return CommandFailed(
        f"The script awaited something for {seconds:g} s and got nothing; it may go on in the page. "
        "Return sooner and look again.",
        word="timeout",
    )
