"""The keyboard actions of `computer`: typing text, pressing keys."""

import contextlib
from typing import Final

from tabwright.browser import spots
from tabwright.browser.debugger import input as keyboard
from tabwright.browser.debugger import keys
from tabwright.browser.frames import closed_there
from tabwright.browser.spots import Caret
from tabwright.browser.tab import Outcome, Tab
from tabwright.errors import CommandFailed, InvalidArguments, ToolError
from tabwright.model import ToolResult
from tabwright.tools.computer_params import Computer
from tabwright.tools.computer_pointer import answer, spot_at
from tabwright.tools.tool import Desk

MOST_TEXT: Final = 50_000
_SHOWN: Final = 60


async def write(desk: Desk, params: Computer) -> ToolResult:
    tab, text = desk.tab, params.text or ""
    if len(text) > MOST_TEXT:
        raise InvalidArguments(f"At most {MOST_TEXT} characters at once.", "Type it in several calls.")
    said: list[str] = []
    carets: list[Caret] = []

    async def gesture() -> None:
        await tab.cdp.prepare()
        await _place(desk, params)
        carets.append(await _caret(tab))
        await keyboard.write(tab, text, _between(tab, carets[0]))

    outcome = await tab.act(gesture(), wait_ms=params.waitMs)
    if carets:
        said.append(_typed(text, carets[0], outcome))
    if carets and not outcome.navigated:
        after = await spots.caret(tab)
        _check_kept(text, carets[0], after, outcome)
        said += _holds_now(text, carets[0], after)
    return answer(said, outcome, quiet=True)


async def press(desk: Desk, params: Computer) -> ToolResult:
    tab, presses = desk.tab, keys.sequence(params.text or "") * (params.repeat or 1)
    if len(presses) > keys.MOST_PRESSES:
        raise InvalidArguments(f"At most {keys.MOST_PRESSES} presses in one call.", "Split it into several calls.")
    said: list[str] = []
    carets: list[Caret] = []
    written = keys.written(presses)

    async def gesture() -> None:
        await tab.cdp.prepare()
        await _place(desk, params)
        before = await _caret(tab)
        if written:
            carets.append(before)
        await chooser.shut()
        await keyboard.press(tab, presses, _between(tab, before))
        times = f" {params.repeat} times" if (params.repeat or 1) > 1 else ""
        said.append(f"Pressed {params.text}{times}.")

    async with keyboard.without_chooser(tab) as chooser:
        outcome = await tab.act(gesture(), wait_ms=params.waitMs)
    if chooser.wanted:
        said.append(chooser.told("the ref of the field or button"))
    elif not outcome.navigated:
        after = await spots.caret(tab)
        if carets:
            _check_kept(written, carets[0], after, outcome)
        said += _holds(after)
    return answer(said, outcome, quiet=len(said) > 1)


async def _place(desk: Desk, params: Computer) -> None:
    """Put the caret where the call says; if it does not and nothing has it, back into the field filled in last."""
    if params.ref is None and params.coordinate is None:
        await _return(desk.tab)
        return
    if params.ref is not None:
        took, _ = await spots.focus(desk.tab, params.ref, None)
        if took:
            return
    if params.ref is not None or params.coordinate is not None:
        spot = await spot_at(desk, params.ref, params.coordinate)
        await keyboard.reach(desk.tab, spot)
        await keyboard.click(desk.tab, spot.point, "left", 1)


async def _caret(tab: Tab) -> Caret:
    """Where keys would go.

    Raises:
        Denied: into a frame that is closed to agents.
    """
    found = await spots.caret(tab)
    if found.closed:
        raise closed_there()
    return found


def _between(tab: Tab, caret: Caret) -> keyboard.Wait | None:
    """What to wait for between keys: editors with a model of their own learn of the caret, and draw, with a frame."""
    at = caret.drawn_at
    return None if at is None else lambda: spots.drawn(tab, at)


async def _return(tab: Tab) -> None:
    if tab.last_filled is None or (await spots.caret(tab)).thing.role:
        return
    # gone with its page, perhaps: then the keys go where they would without it
    with contextlib.suppress(ToolError):
        await spots.focus(tab, tab.last_filled, None)


def _typed(text: str, caret: Caret, outcome: Outcome) -> str:
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    what = f"{len(text)} characters" if caret.secret else f'"{shown}"'
    if caret.editable:
        return f"Typed {what} into {caret.thing.words}."
    if outcome.telling:
        # grids begin to edit the cell that is chosen when keys come
        return f"Typed {what}; no field had the caret, but the page took notice."
    return f"Typed {what}, but nothing that takes text has the caret: click a field first, or pass its ref."


def _check_kept(text: str, before: Caret, after: Caret, outcome: Outcome) -> None:
    """Raises:
    CommandFailed: the field holds what it held before: the page, or the field itself, did not take the text.
    """
    same = before.thing == after.thing and before.editable and not after.secret
    if not same or after.value is None or after.value != before.value:
        return
    # what ends with Enter may have been sent, and what the page answers shows that it was taken
    if not text.strip() or {"\n", "\r"} & set(text) or text in after.value or outcome.telling:
        return
    raise CommandFailed(
        f"{_typed(text, before, outcome)} It did not stick: {_holds(after)[0]} "
        "The page took it back, or the field takes other text; look at what it accepts."
    )


def _holds_now(text: str, before: Caret, after: Caret) -> list[str]:
    """The same, where the field has just been named and the text told."""
    if before.thing != after.thing or not after.thing.role:
        return _holds(after)
    if after.value == text and not after.secret and len(text) <= _SHOWN:
        return ["It holds just that."]
    return [f"It{line.removeprefix(after.thing.words)}" for line in _holds(after)]


def _holds(caret: Caret) -> list[str]:
    if caret.value is None or caret.secret or not (caret.value or caret.editable):
        return []
    value = caret.value if len(caret.value) <= _SHOWN * 2 else f"…{caret.value[-_SHOWN * 2 :]}"
    return [f'{caret.thing.words} holds "{value}".']
