"""Several calls in one: run in order, refs of earlier finds put in, stopped at the first failure, told as one answer.

Owns what a sequence may mean by a ref and how its results are told. Leaves to the desk: everything a call goes through.
"""

import re
from collections.abc import Sequence
from typing import Final

from tabwright.errors import DialogOpen, GatewayError, InvalidArguments, ToolError, UnknownTool
from tabwright.model import Audio, Content, Image, Json, JsonObject, Resource, TabId, Text, ToolResult
from tabwright.tools.shortcut import NESTING, SavedStep
from tabwright.tools.tool import Desk

MAX_CHARS: Final = 60_000
"""Of all answers together: below the 25,000 tokens that any answer may have."""
MAX_IMAGES: Final = 8
REF_FIELDS: Final = ("ref", "start_ref")
_EARLIER: Final = re.compile(r"\$(\d+)(?:\.(\d+))?")
_FIND: Final = "find:"


async def run_steps(desk: Desk, steps: Sequence[SavedStep], tab_id: TabId | None = None) -> ToolResult:
    """Run them all, or up to the first that fails. `tab_id` is the tab of those that name none.

    Raises:
        InvalidArguments: one of them makes no sense; none was run.
    """
    _check(steps)
    told, done = _Told(), list[ToolResult]()
    for number, step in enumerate(steps, 1):
        await desk.progress(number - 1, len(steps), f"{number}. {step.tool}")
        try:
            result = await _run(desk, step, done, tab_id)
        except (ToolError, UnknownTool) as exc:
            if not _is_expected(exc, steps[number : number + 1]):
                return told.failed(number, len(steps), step.tool, exc)
            result = ToolResult((Text(exc.message),))
        told.add(number, step.tool, result)
        if result.is_error:
            return told.stopped(number, len(steps), result)
        done.append(result)
    await desk.progress(len(steps), len(steps))
    return told.result()


def _is_expected(exc: GatewayError, following: Sequence[SavedStep]) -> bool:
    """A dialog that a step opened is no failure if the next step answers it."""
    return isinstance(exc, DialogOpen) and exc.caused and [step.tool for step in following] == ["handle_dialog"]


def _check(steps: Sequence[SavedStep]) -> None:
    for number, step in enumerate(steps, 1):
        if step.tool in NESTING:
            raise InvalidArguments(f"Step {number} is {step.tool}, which has steps itself.", "Write those here.")
        for field in REF_FIELDS:
            earlier = _EARLIER.fullmatch(str(step.arguments.get(field, "")))
            source = int(earlier[1]) if earlier else None
            if source is not None and not (0 < source < number and steps[source - 1].tool == "find"):
                raise InvalidArguments(
                    f"Step {number}: {field} {step.arguments[field]!r} names no find before it.",
                    'Steps count from 1: "$1.0" is the first hit of step 1.',
                )


async def _run(desk: Desk, step: SavedStep, done: Sequence[ToolResult], tab_id: TabId | None) -> ToolResult:
    arguments = dict(step.arguments)
    for field in REF_FIELDS:
        meant = arguments.get(field)
        if isinstance(meant, str):
            arguments[field] = await _ref(desk, meant, arguments.get("tabId"), done, tab_id)
    return await desk.call(step.tool, arguments, tab_id=tab_id)


async def _ref(desk: Desk, meant: str, tab: Json, done: Sequence[ToolResult], tab_id: TabId | None) -> str:
    """The ref a step means: itself, a hit of an earlier find, or the best hit of a find of its own."""
    if (earlier := _EARLIER.fullmatch(meant)) is not None:
        return _hit(done[int(earlier[1]) - 1], int(earlier[2] or 0), f"step {earlier[1]}")
    if not meant.lower().startswith(_FIND):
        return meant
    query = meant[len(_FIND) :].strip()
    asked: JsonObject = {"query": query} if tab is None else {"query": query, "tabId": tab}
    return _hit(await desk.call("find", asked, tab_id=tab_id), 0, f'find "{query}"')


def _hit(found: ToolResult, place: int, where: str) -> str:
    match (found.structured or {}).get("matches"):
        case list() as matches if place < len(matches):
            match matches[place]:
                case {"ref": str(ref)}:
                    return ref
                case _:
                    pass
        case _:
            pass
    said = next((part.text for part in found.content if isinstance(part, Text)), "")
    raise InvalidArguments(
        f"There is no hit {place} of {where}: {said[:300]}", "Look with read_page, or ask otherwise."
    )


class _Told:
    """The answers so far, numbered: texts joined, images in their place, all within bounds."""

    def __init__(self) -> None:
        self._parts: list[Content] = []
        self._left = MAX_CHARS
        self._heavy = MAX_IMAGES
        """How many more parts of base64 it may hold."""

    def add(self, number: int, tool: str, result: ToolResult) -> None:
        said = "\n".join(result.texts).strip() or "done"
        self._say(f"{number}. {tool}:{chr(10) if chr(10) in said else ' '}{said}")
        for part in result.content:
            if isinstance(part, Text) or (isinstance(part, Resource) and part.text is not None):
                continue
            heavy = isinstance(part, Image | Audio | Resource)
            if heavy and self._heavy == 0:
                what = type(part).__name__.lower()
                self._say(f"[{what} left out: {MAX_IMAGES} are enough for one answer; take it by itself]")
                continue
            self._heavy -= heavy
            self._parts.append(part)

    def failed(self, number: int, total: int, tool: str, error: GatewayError) -> ToolResult:
        self._left = max(self._left, len(str(error)) + 200)
        self._say(f"{number}. {tool} failed: {error}")
        told: JsonObject = {"code": error.word, "message": error.message, "next": error.next_step}
        return self._ended(number, total, {"error": told, "failedStep": number})

    def stopped(self, number: int, total: int, result: ToolResult) -> ToolResult:
        said = next((part.text for part in result.content if isinstance(part, Text)), "It failed.")
        told = (result.structured or {}).get("error") or {"code": "failed", "message": said, "next": ""}
        return self._ended(number, total, {"error": told, "failedStep": number})

    def result(self) -> ToolResult:
        return ToolResult(tuple(self._parts))

    def _ended(self, number: int, total: int, structured: JsonObject) -> ToolResult:
        done = "nothing before it" if number == 1 else f"{_steps(1, number - 1)} done"
        rest = "it was the last" if number == total else f"{_steps(number + 1, total)} not run"
        self._left = max(self._left, 100)
        self._say(f"Stopped at step {number} of {total}: {done}, {rest}.")
        return ToolResult(tuple(self._parts), structured, is_error=True)

    def _say(self, text: str) -> None:
        if len(text) > self._left:
            cut = len(text) - self._left
            text = f"{text[: self._left]}\n[cut: {cut} characters; call the tool by itself for all]"
        self._left = max(0, self._left - len(text))
        match self._parts:
            case [*before, Text(text=said)]:
                self._parts = [*before, Text(f"{said}\n{text}")]
            case _:
                self._parts.append(Text(text))


def _steps(first: int, last: int) -> str:
    return f"step {first}" if first == last else f"steps {first}–{last}"
