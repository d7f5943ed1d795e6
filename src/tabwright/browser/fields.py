"""Filling in one field of a page, and what it holds once the page has settled."""

from dataclasses import dataclass
from typing import Final, TypeAlias, cast

from tabwright.browser.refs import Target
from tabwright.browser.tab import Outcome, Tab
from tabwright.errors import CommandFailed, InvalidArguments, StaleRef
from tabwright.model import Json, JsonObject

Value: TypeAlias = str | int | float | bool | list[str | int | float | bool]

STALE: Final = frozenset({"stale_ref", "stale_target"})
PARTLY: Final = "partly_filled"
FILL_S: Final = 15.0
"""Lists that load what they offer may take a moment, each wait in the page being bounded itself."""


@dataclass(frozen=True, slots=True)
class Held:
    """What a field holds. A secret one says only whether it is empty."""

    label: str
    value: Json
    secret: bool
    filled: bool
    invalid: str
    """Why the browser would not send it."""
    note: str = ""


async def fill(tab: Tab, ref: str, value: Value) -> tuple[Held, Outcome]:
    """Set a field by ref; what stuck after the page reacted, and what else came of it.

    Raises:
        StaleRef: the element is gone.
        ToolError: it cannot be filled in, or not with this value.
    """
    target = tab.refs.find(ref)
    answers: list[JsonObject] = []

    async def gesture() -> None:
        answers.append(await _tell(tab, ref, target, value))

    outcome = await tab.act(gesture(), begins=True)
    filled = answers[0]
    tab.last_filled = ref
    # None where the page went on or drew the field anew
    return _held(outcome.held or filled, filled), outcome


async def _tell(tab: Tab, ref: str, target: Target, value: Value) -> JsonObject:
    params: JsonObject = {"target": target.wire, "value": cast(Json, value)}
    try:
        told = await tab.frames.tell(target.frame_id, target.document_id, "fill", params, within_s=FILL_S, begin=True)
    except CommandFailed as exc:
        if exc.word in STALE:
            raise StaleRef(ref) from None
        if exc.word == PARTLY:
            raise CommandFailed(
                f"{ref} was filled in only in part: {exc.message}", exc.code, InvalidArguments.word
            ) from None
        raise CommandFailed(f"{ref} was not filled in: {exc.message}", exc.code, exc.word) from None
    return told if isinstance(told, dict) else {}


def _held(now: JsonObject, filled: JsonObject) -> Held:
    chosen = filled.get("chosen")
    value = now.get("value")
    return Held(
        label=str(filled.get("label") or ""),
        # a list drawn by hand may show its choice anywhere
        value=chosen if value in ("", None) and isinstance(chosen, str) and _is_picked(filled) else value,
        secret=filled.get("secret") is True or now.get("secret") is True,
        filled=now.get("filled") is True,
        invalid=str(now.get("invalid") or ""),
        note=str(filled.get("note") or ""),
    )


def _is_picked(filled: JsonObject) -> bool:
    """Whether the control never showed its value in a way that can be read back."""
    return filled.get("value") in ("", None)
