"""Trusted input through the debugger: pointer, wheel, keyboard. It reaches tabs nobody looks at and raises none.

Events are sent without waiting for each other, as Chrome keeps their order and a press whose answer waits (a dialog
opened) must not hold the release back. What is pressed is released whatever happens to the call that pressed it.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from tabwright.browser import spots
from tabwright.browser.debugger.keys import Insert, Key, Modifier, Press, strokes
from tabwright.browser.pictures import Point
from tabwright.browser.spots import Spot, pointed
from tabwright.browser.tab import Tab
from tabwright.errors import CommandFailed, ToolError
from tabwright.link.events import CdpEvent
from tabwright.model import JsonObject

Button = Literal["left", "right", "middle"]
Sending = Coroutine[Any, Any, None]
Wait = Callable[[], Awaitable[None]]

MOUSE: Final = "Input.dispatchMouseEvent"
EVENT_S: Final = 10.0
"""How long a page may be busy with one event."""
BUTTONS: Final[dict[Button, int]] = {"left": 1, "right": 2, "middle": 4}
RELEASE_S: Final = 1.0
_LEFT: Final[JsonObject] = {"button": "left", "buttons": 1}
STEPS: Final = 12
HALTS: Final = 3
HALT_S: Final = 0.045
"""Lists that make room for what is dragged take no notice of the pointer for a moment after each change."""
TRIES: Final = 8
AT_ONCE: Final = 10
_HELD: Final = (
    (Modifier.CTRL, Key("Control", "ControlLeft", 17, location=1)),
    (Modifier.SHIFT, Key("Shift", "ShiftLeft", 16, location=1)),
    (Modifier.ALT, Key("Alt", "AltLeft", 18, location=1)),
    (Modifier.META, Key("Meta", "MetaLeft", 91, location=1)),
)


async def move(tab: Tab, point: Point, held: Modifier = Modifier.NONE) -> None:
    """Bring the pointer there."""
    async with holding(tab, held):
        await _mouse(tab, "mouseMoved", point, held)


async def reach(tab: Tab, spot: Spot) -> None:
    """Bring the pointer into the frame a spot is in, and make sure that it is there.

    Raises:
        CommandFailed: something else takes its events.
    """
    if spot.inner is None:
        return
    for number in range(TRIES):
        # a pointer that does not move tells nobody where it is
        await _mouse(tab, "mouseMoved", Point(spot.point.x + number % 2, spot.point.y), Modifier.NONE)
        if await pointed(tab, spot.inner):
            return
    raise CommandFailed(f"The pointer does not reach {spot.thing.words}: something around its frame takes it.")


async def click(tab: Tab, point: Point, button: Button, count: int, held: Modifier = Modifier.NONE) -> None:
    """Click as often as `count` says, in one go."""
    async with holding(tab, held):
        await asyncio.gather(*(_dispatch(tab, event) for event in _clicking(point, button, count, held)))


async def click_element(tab: Tab, ref: str, button: Button, count: int) -> tuple[Spot, bool]:
    """Find an element of the page itself and click it, with one request; whether it was clicked, see `spots.press`. No
    window to choose a file opens from then on, as with `Chooser.shut`.

    Raises:
        StaleRef, CommandFailed: it cannot be clicked.
    """
    await tab.cdp.hear()
    tab.cdp.waken()
    how: JsonObject = {"button": button, "buttons": BUTTONS[button], "count": count}
    spot, clicked = await spots.press(tab, ref, how)
    for event in _clicking(spot.point, button, count, Modifier.NONE) if clicked else ():
        tab.cdp.sends(MOUSE, event)
    return spot, clicked


async def wheel(tab: Tab, point: Point, right: float, down: float, held: Modifier = Modifier.NONE) -> None:
    """Turn the wheel over a point."""
    async with holding(tab, held):
        await _mouse(tab, "mouseWheel", point, held, {"deltaX": right, "deltaY": down})


async def drag(tab: Tab, start: Point, end: Point, held: Modifier = Modifier.NONE) -> bool:
    """Press, move in steps, release. True if the page made it a drag of its own (HTML drag and drop)."""
    async with holding(tab, held), _intercepted(tab) as taken:
        await _mouse(tab, "mouseMoved", start, held)
        try:
            await _mouse(tab, "mousePressed", start, held, {**_LEFT, "clickCount": 1})
            await _drag_along(tab, taken, _path(start, end), held)
            await _linger(tab, taken, end, held)
            if taken.data is not None:
                await _drop(tab, taken, end, held)
        except BaseException:
            await _afterwards(tab, _give_up(tab, taken, start, held))
            raise
        await asyncio.shield(asyncio.ensure_future(_release(tab, end, held)))
        return taken.data is not None


async def press(tab: Tab, presses: Sequence[Press], between: Wait | None = None) -> None:
    """One key after the other; what each does to the page comes before the next. `between`: what is waited for then."""
    for number, each in enumerate(presses):
        if number and between is not None:
            await between()
        async with holding(tab, each.modifiers):
            await asyncio.gather(*_stroke(tab, each))


async def write(tab: Tab, text: str, between: Wait | None = None) -> None:
    """Text as a keyboard writes it. `between`: what is waited for after the end of each line."""
    for number, now in enumerate(_runs(list(strokes(text)), by_line=between is not None)):
        if number and between is not None:
            await between()
        # a key goes down and up in one go
        for begin in range(0, len(now), AT_ONCE):
            together = now[begin : begin + AT_ONCE]
            await asyncio.gather(*(event for stroke in together for event in _written(tab, stroke)))


def _runs(keys: list[Press | Insert], *, by_line: bool) -> list[list[Press | Insert]]:
    if not by_line:
        return [keys]
    runs: list[list[Press | Insert]] = [[]]
    for each in keys:
        runs[-1].append(each)
        if isinstance(each, Press) and each.key.key == "Enter":
            runs.append([])
    return [run for run in runs if run]


@contextlib.asynccontextmanager
async def holding(tab: Tab, held: Modifier) -> AsyncGenerator[None]:
    """Modifier keys are down while this lasts; pages see them go down and up."""
    pressed: list[tuple[Modifier, Key]] = []
    try:
        for flag, key in _HELD:
            if held & flag:
                pressed.append((flag, key))
                await _key(tab, "rawKeyDown", key, _together(pressed))
        yield
    finally:
        if pressed:
            await _afterwards(tab, _let_up(tab, pressed))


class Chooser:
    """The window of the system to choose a file, which does not open; what would have opened it is listed."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self._shutting: asyncio.Task[JsonObject] | None = None
        self.wanted: list[CdpEvent] = []

    def told(self, ref: str) -> str:
        """What is said of it, with which ref files can be given; nobody can give any to what is no file input."""
        if any("backendNodeId" in event.params for event in self.wanted):
            return f"It asked for a file; no window was opened. Use file_upload with {ref}."
        return "It opened a file picker that only a person can answer: no window was opened, and the page was told so."

    def begin(self) -> asyncio.Task[JsonObject]:
        """Shut it without waiting for that."""
        if self._shutting is None:
            on = self._tab.cdp.send("Page.setInterceptFileChooserDialog", {"enabled": True}, within_s=EVENT_S)
            self._shutting = asyncio.ensure_future(on)
            # where nobody asks, something else had failed before
            self._shutting.add_done_callback(lambda task: task.cancelled() or task.exception())
        return self._shutting

    def end(self) -> None:
        if self._shutting is not None:
            self._shutting.cancel()

    async def shut(self) -> None:
        """Returns once it cannot open any more: nothing that might open it may be done before.

        Raises:
            ToolError: the browser refused.
        """
        await asyncio.shield(self.begin())


@contextlib.asynccontextmanager
async def without_chooser(tab: Tab, *, at_once: bool = True) -> AsyncGenerator[Chooser]:
    """While this lasts no window of the system opens to choose a file, as soon as it is shut, which begins `at_once` or
    when somebody asks for it.
    """
    chooser = Chooser(tab)
    if at_once:
        chooser.begin()
    unlisten = tab.cdp.listen("Page.fileChooserOpened", chooser.wanted.append)
    try:
        yield chooser
    finally:
        unlisten()
        chooser.end()
        if tab.cdp.attached and tab.cdp.dialog is None:
            tab.cdp.requests.in_passing("Page.setInterceptFileChooserDialog", {"enabled": False})


@dataclass(slots=True)
class _Taken:
    """What the page put on the pointer, once it made the movement a drag."""

    data: JsonObject | None = None
    entered: bool = False


@contextlib.asynccontextmanager
async def _intercepted(tab: Tab) -> AsyncGenerator[_Taken]:
    """Drags of the page come to us instead of the system, which would put them on the person's own pointer."""
    taken = _Taken()

    def heard(event: CdpEvent) -> None:
        data = event.params.get("data")
        taken.data = data if isinstance(data, dict) else None

    unlisten = tab.cdp.listen("Input.dragIntercepted", heard)
    await tab.cdp.send("Input.setInterceptDrags", {"enabled": True}, within_s=EVENT_S)
    try:
        yield taken
    finally:
        unlisten()
        if tab.cdp.attached and tab.cdp.dialog is None:
            await _afterwards(tab, tab.cdp.send("Input.setInterceptDrags", {"enabled": False}, within_s=1.0))


async def _afterwards(tab: Tab, work: Coroutine[Any, Any, object]) -> None:
    """What has to be done however a gesture ends. A page held up by a dialog takes it later: nobody waits for that."""
    await asyncio.wait({tab.cdp.requests.aside(work)}, timeout=RELEASE_S)


async def _drag_along(tab: Tab, taken: _Taken, path: Sequence[Point], held: Modifier) -> None:
    for point in path:
        if taken.data is None:
            await _mouse(tab, "mouseMoved", point, held, _LEFT)
        else:
            await _carry(tab, taken, point, held)


async def _linger(tab: Tab, taken: _Taken, end: Point, held: Modifier) -> None:
    """Hold still over the end like a hand does; a pointer that does not move at all tells nobody where it is."""
    for number in reversed(range(HALTS)):
        await asyncio.sleep(HALT_S)
        await _drag_along(tab, taken, [Point(end.x + number % 2, end.y)], held)


async def _give_up(tab: Tab, taken: _Taken, start: Point, held: Modifier) -> None:
    """What was dragged stays where it was."""
    if taken.entered:
        with contextlib.suppress(ToolError):
            await _dragged(tab, "dragCancel", taken, start, held)
    await _release(tab, start, held)


async def _release(tab: Tab, point: Point, held: Modifier) -> None:
    await _mouse(tab, "mouseReleased", point, held, {"button": "left", "buttons": 0, "clickCount": 1})


async def _let_up(tab: Tab, pressed: Sequence[tuple[Modifier, Key]]) -> None:
    for number in reversed(range(len(pressed))):
        with contextlib.suppress(ToolError):
            await _key(tab, "keyUp", pressed[number][1], _together(pressed[:number]))


def _together(pressed: Sequence[tuple[Modifier, Key]]) -> Modifier:
    held = Modifier.NONE
    for flag, _ in pressed:
        held |= flag
    return held


async def _carry(tab: Tab, taken: _Taken, point: Point, held: Modifier) -> None:
    if not taken.entered:
        taken.entered = True
        await _dragged(tab, "dragEnter", taken, point, held)
    await _dragged(tab, "dragOver", taken, point, held)


async def _drop(tab: Tab, taken: _Taken, end: Point, held: Modifier) -> None:
    # what is entered under the pointer says only with the next move whether it takes the drop
    for _ in range(2):
        await _carry(tab, taken, end, held)
    await _dragged(tab, "drop", taken, end, held)


async def _dragged(tab: Tab, kind: str, taken: _Taken, point: Point, held: Modifier) -> None:
    assert taken.data is not None
    event: JsonObject = {"type": kind, "x": point.x, "y": point.y, "data": taken.data, "modifiers": int(held)}
    await tab.cdp.send("Input.dispatchDragEvent", event, within_s=EVENT_S)


def _path(start: Point, end: Point) -> list[Point]:
    """Small first steps, so that the page sees where a drag begins; then straight on."""
    across, down = end.x - start.x, end.y - start.y
    parts = [0.02, 0.05, *(step / STEPS for step in range(1, STEPS + 1)), 1.0]
    return [Point(start.x + across * part, start.y + down * part) for part in parts]


def _clicking(point: Point, button: Button, count: int, held: Modifier) -> list[JsonObject]:
    events = [_event("mouseMoved", point, held)]
    for number in range(1, count + 1):
        pressed: JsonObject = {"button": button, "clickCount": number}
        events.append(_event("mousePressed", point, held, {**pressed, "buttons": BUTTONS[button]}))
        events.append(_event("mouseReleased", point, held, {**pressed, "buttons": 0}))
    return events


def _event(kind: str, point: Point, held: Modifier, more: JsonObject | None = None) -> JsonObject:
    return {"type": kind, "x": point.x, "y": point.y, "modifiers": int(held), **(more or {})}


async def _mouse(tab: Tab, kind: str, point: Point, held: Modifier, more: JsonObject | None = None) -> None:
    await _dispatch(tab, _event(kind, point, held, more))


async def _dispatch(tab: Tab, event: JsonObject) -> None:
    await tab.cdp.send(MOUSE, event, within_s=EVENT_S)


def _written(tab: Tab, stroke: Press | Insert) -> list[Sending]:
    if isinstance(stroke, Insert):
        return [_insert(tab, stroke.text)]
    return _stroke(tab, stroke)


def _stroke(tab: Tab, each: Press) -> list[Sending]:
    key, held = each.key, each.modifiers
    if not key.code and key.text:
        return [_insert(tab, key.text)]
    writes = key.text and not held & ~Modifier.SHIFT
    more: JsonObject = {"text": key.text, "unmodifiedText": key.text} if writes else {}
    if each.commands:
        more["commands"] = list(each.commands)
    return [_key(tab, "keyDown" if writes else "rawKeyDown", key, held, more), _key(tab, "keyUp", key, held)]


async def _insert(tab: Tab, text: str) -> None:
    await tab.cdp.send("Input.insertText", {"text": text}, within_s=EVENT_S)


async def _key(tab: Tab, kind: str, key: Key, held: Modifier, more: JsonObject | None = None) -> None:
    event: JsonObject = {
        "type": kind,
        "key": key.key,
        "code": key.code,
        "windowsVirtualKeyCode": key.virtual,
        "location": key.location,
        "modifiers": int(held),
        **(more or {}),
    }
    await tab.cdp.send("Input.dispatchKeyEvent", event, within_s=EVENT_S)
