"""The pointer actions of `computer`: clicks, hovering, dragging, scrolling."""

from collections.abc import Sequence
from typing import Final

from tabwright.browser import pictures, spots
from tabwright.browser.debugger import input as pointer
from tabwright.browser.debugger import keys
from tabwright.browser.pictures import Point
from tabwright.browser.spots import Spot
from tabwright.browser.tab import Outcome
from tabwright.errors import CommandFailed, InvalidArguments
from tabwright.model import Text, ToolResult
from tabwright.policy.text import clean_block
from tabwright.tools.computer_params import Computer
from tabwright.tools.tool import Desk

_CLICKS: Final[dict[str, tuple[pointer.Button, int, str]]] = {
    "left_click": ("left", 1, "Clicked"),
    "right_click": ("right", 1, "Right-clicked"),
    "middle_click": ("middle", 1, "Middle-clicked"),
    "double_click": ("left", 2, "Double-clicked"),
    "triple_click": ("left", 3, "Triple-clicked"),
}
_DRAWN_OUTSIDE: Final = {
    "select": "Choose with form_input, or with the keys Down and Up.",
    "color": "Set it with form_input.",
}
"""What opens a list or a picker that is no part of the page, and what to do instead."""
_TICK_PX: Final = 100
_WAYS: Final = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_COVERED: Final = "covered"
_AGAIN: Final = "again"
_SECOND: Final = "The press alone had moved it away, so it was clicked once more."
_MISSED: Final = {
    _AGAIN: "was not clicked: each press moved it away, and the click went elsewhere",
    "moved": "was pressed, but that moved it away, and the click went elsewhere",
    "astray": "was not clicked: it moved just then, and something else was in its place",
}
"""Why there was no click."""


async def click(desk: Desk, params: Computer) -> ToolResult:
    said, what, outcome = await _click(desk, params)
    if outcome.missed == _AGAIN and params.action == "left_click":
        said, what, second = await _click(desk, params)
        said[1:1] = [] if second.missed else [_SECOND]
        outcome = second.after(outcome)
    if outcome.missed == _COVERED:
        said[:1] = [f"Pressed {what}: something came over it before it was let go, and took the click."]
    elif outcome.missed:
        raise CommandFailed(clean_block(_unclicked(what, outcome)), word="missed")
    return answer(said, outcome)


async def _click(desk: Desk, params: Computer) -> tuple[list[str], str, Outcome]:
    """What was done, to what, and what came of it."""
    tab, (button, count, verb) = desk.tab, _CLICKS[params.action]
    held = keys.modifiers(params.modifiers or "")
    said: list[str] = []
    found: list[Spot] = []

    async def aim() -> None:
        found.append(await spot_at(desk, params.ref, params.coordinate, begin=params.ref is not None))
        _refuse(found[0])
        await chooser.shut()

    async def gesture() -> None:
        spot = found[0]
        if button == "left" and spot.thing.kind in _DRAWN_OUTSIDE:
            said.append(await _choose(desk, params, spot))
            return
        await pointer.reach(tab, spot)
        await pointer.click(tab, spot.point, button, count, held)
        said.append(f"{verb} {_where(spot, params.coordinate)}.")

    async def at_once(ref: str) -> None:
        spot, clicked = await pointer.click_element(tab, ref, button, count)
        _refuse(spot)
        found.append(spot)
        if clicked:
            said.append(f"{verb} {spot.thing.words}.")
            return
        await chooser.shut()
        await gesture()

    plain = params.ref if params.ref is not None and not held and spots.is_in_page(tab, params.ref) else None
    async with pointer.without_chooser(tab, at_once=plain is None) as chooser:
        if plain is not None:
            # a dialog that is open already is not the gesture's
            tab.cdp.dialogs.check()
            attached = None if tab.cdp.attached else tab.cdp.prepare()
            outcome = await tab.act(at_once(plain), aim=attached, wait_ms=params.waitMs, begins=True)
        else:
            outcome = await tab.act(gesture(), aim=aim(), wait_ms=params.waitMs, begins=params.ref is not None)
    if chooser.wanted:
        said.append(chooser.told("this ref"))
    thing = found[0].thing
    return said, thing.words, outcome.of(thing.role, thing.name)


async def hover(desk: Desk, params: Computer) -> ToolResult:
    tab, held = desk.tab, keys.modifiers(params.modifiers or "")
    said: list[str] = []

    async def gesture() -> None:
        await tab.cdp.prepare()
        spot = await spot_at(desk, params.ref, params.coordinate)
        await pointer.reach(tab, spot)
        await pointer.move(tab, spot.point, held)
        said.append(f"The pointer is over {_where(spot, params.coordinate)}.")

    return answer(said, await tab.act(gesture(), wait_ms=params.waitMs, hovers=True))


async def drag(desk: Desk, params: Computer) -> ToolResult:
    tab, held = desk.tab, keys.modifiers(params.modifiers or "")
    said: list[str] = []

    async def gesture() -> None:
        await tab.cdp.prepare()
        start = await spot_at(desk, params.start_ref, params.start_coordinate)
        end = await spot_at(desk, params.ref, params.coordinate)
        if params.start_ref is not None and params.ref is not None:
            # bringing the end into view may have moved the start
            start = await spots.locate(tab, params.start_ref, scroll=False)
        await pointer.reach(tab, start)
        await pointer.drag(tab, start.point, end.point, held)
        said.append(f"Dragged {_where(start, params.start_coordinate)} to {_where(end, params.coordinate)}.")

    return answer(said, await tab.act(gesture(), wait_ms=params.waitMs))


async def scroll(desk: Desk, params: Computer) -> ToolResult:
    tab, held = desk.tab, keys.modifiers(params.modifiers or "")
    assert params.scroll_direction is not None
    right, down = _WAYS[params.scroll_direction]
    distance = _TICK_PX * (params.scroll_amount or 3)
    moves: list[tuple[spots.Scrolled, spots.Scrolled, bool]] = []

    async def gesture() -> None:
        await tab.cdp.prepare()
        point = await _point(desk, params)
        way = right + down
        before = await spots.scrolled(tab, point, across=right != 0, way=way)
        await pointer.wheel(tab, point, right * distance, down * distance, held)
        # at its end nothing will move, and nothing has to be waited for
        since = before if before.can_go(way) else None
        after = await spots.scrolled(tab, point, across=right != 0, way=way, since=since)
        moves.append((before, after, since is None))

    outcome = await tab.act(gesture(), wait_ms=params.waitMs)
    said = [_scrolled(params.scroll_direction, *move, telling=outcome.telling) for move in moves]
    return answer(said, outcome, quiet=True)


async def scroll_to(desk: Desk, params: Computer) -> ToolResult:
    assert params.ref is not None
    try:
        thing = (await spots.locate(desk.tab, params.ref)).thing
    except CommandFailed as exc:
        if exc.word != _COVERED:
            raise
        return ToolResult((Text(clean_block(f"Scrolled there, but {exc.message}")),))
    return ToolResult((Text(clean_block(f"Scrolled to {thing.words}.")),))


async def spot_at(desk: Desk, ref: str | None, coordinate: Sequence[float] | None, *, begin: bool = False) -> Spot:
    """The point a call means, once the tab is attached to and has the size it keeps."""
    tab = desk.tab
    await tab.cdp.prepare()
    tab.cdp.waken()
    if ref is not None:
        return await spots.locate(tab, ref, begin=begin)
    assert coordinate is not None
    point = await mapped(desk, coordinate)
    return Spot(point, await spots.hit(tab, point))


async def mapped(desk: Desk, coordinate: Sequence[float]) -> Point:
    x, y = coordinate
    return pictures.map_point(desk.album, desk.tab, await pictures.measure(desk.tab), x, y)


def answer(said: Sequence[str], outcome: Outcome, *, quiet: bool = False) -> ToolResult:
    """What was done and what came of it; `quiet`: that nothing changed goes without saying."""
    happened = "" if quiet and not outcome.changed and not outcome.opened else outcome.text
    return ToolResult((Text(clean_block("\n".join(each for each in (*said, happened) if each))),))


async def _point(desk: Desk, params: Computer) -> Point:
    if params.ref is not None:
        return (await spots.locate(desk.tab, params.ref)).point
    if params.coordinate is not None:
        return await mapped(desk, params.coordinate)
    width, height = (await pictures.measure(desk.tab)).shown
    return Point(width / 2, height / 2)


def _refuse(spot: Spot) -> None:
    if spot.thing.kind == "file":
        raise InvalidArguments(
            f"{spot.thing.words} opens a window of the system, which cannot be used from here.",
            "Use file_upload with its ref and the paths.",
        )
    if spot.disabled:
        raise CommandFailed(f"{spot.thing.words} is disabled: a click would do nothing. Look at what it waits for.")


def _unclicked(what: str, outcome: Outcome) -> str:
    happened = f" {' '.join(outcome.lines)}" if outcome.telling else ""
    return (
        f"{what} {_MISSED.get(outcome.missed, _MISSED['moved'])}.{happened} Look at the page before you click it again."
    )


async def _choose(desk: Desk, params: Computer, spot: Spot) -> str:
    """What is drawn outside of the page is not opened: what to do instead; the caret is put where keys choose."""
    point = None if params.ref is not None else spot.point
    _, thing = await spots.focus(desk.tab, params.ref, point)
    listed = ", ".join(thing.options)
    options = f" Options: {listed}." if listed else ""
    opens = f"{thing.words} is focused, not opened: what it opens is drawn outside of the page."
    return f"{opens}{options} {_DRAWN_OUTSIDE[spot.thing.kind]}"


def _where(spot: Spot, coordinate: Sequence[float] | None) -> str:
    if coordinate is None:
        return spot.thing.words
    at = f"({coordinate[0]:g}, {coordinate[1]:g})"
    return f"{spot.thing.words} at {at}" if spot.thing.role else at


def _scrolled(way: str, before: spots.Scrolled, after: spots.Scrolled, ends: bool, *, telling: bool) -> str:
    what = after.what or "the page"
    moved = abs(after.position - before.position)
    if moved == 0 and telling:
        # lists that draw few of their rows hear the wheel themselves
        return f"Turned the wheel {way}: no scroll bar moved, but the page answered."
    if moved == 0:
        return f"Nothing scrolled {way}: {what} is at its end." if ends else f"Nothing scrolled {way}."
    left = after.most - after.position
    rest = "its end is reached" if left <= 1 or after.position <= 0 else f"{after.position} of {after.most} px"
    return f"Scrolled {what} {way} by {moved} px ({rest})."
