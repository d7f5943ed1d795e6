"""Recordings of one session: frames of a tab, taken around each of its actions there.

What the mouse did is heard from the debugger's own commands, so every tool that uses the mouse leaves its mark without
knowing of recordings. Bounded in frames and bytes; dropped with the session.
"""

import asyncio
import base64
import binascii
import contextlib
import logging
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tabwright.browser.frames import TOP
from tabwright.browser.pictures import take
from tabwright.browser.recording.model import MAX_FRAMES, Box, Click, Drag, Frame, Mark, Point, scaled
from tabwright.browser.spots import locate
from tabwright.browser.tab import Tab
from tabwright.calls.labels import action_label
from tabwright.errors import DialogOpen, InvalidArguments, ToolError
from tabwright.model import Json, JsonObject, TabId

log = logging.getLogger(__name__)

MAX_BYTES: Final = 24_000_000
"""Of all recordings of a session together."""
PICTURE_S: Final = 3.0
QUALITY: Final = 80
"""More than a model needs to read a picture: a GIF makes few colours of it, and what was lost before shows."""
_MOVED: Final = 6.0
"""A press and a release further apart than this are a drag."""


@dataclass(slots=True)
class Recording:
    """The frames of one tab. `on` while more are taken."""

    frames: list[Frame] = field(default_factory=list[Frame])
    missed: int = 0
    on: bool = True

    @property
    def size(self) -> int:
        return sum(len(frame.data) for frame in self.frames)


@dataclass(slots=True)
class _Mouse:
    """What the mouse did during one action, in the viewport's own pixels."""

    marks: list[Mark] = field(default_factory=list[Mark])
    _last: Point | None = None
    _path: list[Point] | None = None

    @property
    def pointer(self) -> tuple[Mark, ...]:
        """Where it rests, if it did nothing but move."""
        return () if self._last is None else (Click(self._last, 0),)

    def heard(self, method: str, params: JsonObject) -> None:
        x, y = params.get("x"), params.get("y")
        if method != "Input.dispatchMouseEvent" or not isinstance(x, int | float) or not isinstance(y, int | float):
            return
        self._last = at = float(x), float(y)
        match params.get("type"):
            case "mousePressed":
                self._path = [at]
            case "mouseMoved" if self._path is not None:
                self._path.append(at)
            case "mouseReleased" if self._path is not None:
                self._released([*self._path, at], params.get("clickCount"))
            case _:
                pass

    def _released(self, path: list[Point], count: object) -> None:
        self._path = None
        (left, top), (x, y) = path[0], path[-1]
        if abs(x - left) + abs(y - top) > _MOVED:
            self.marks.append(Drag(tuple(path)))
            return
        # a double click is two clicks at one place
        self.marks = [mark for mark in self.marks if not isinstance(mark, Click) or mark.at != (x, y)]
        self.marks.append(Click((x, y), count if isinstance(count, int) else 1))


@dataclass(frozen=True, slots=True)
class _Picture:
    data: bytes
    scale: float
    """Its pixels for each one of the viewport."""


@dataclass(slots=True)
class _Action:
    """One action: what it is called, what it names, and how the page looked before."""

    label: str
    named: tuple[Mark, ...]
    before: _Picture | None
    mouse: _Mouse = field(default_factory=_Mouse)

    @property
    def frame(self) -> Frame | None:
        """The page as it was, with what was done there; None if there is nothing to mark."""
        marks = tuple(self.mouse.marks) or self.mouse.pointer or self.named
        if self.before is None or not marks:
            return None
        return Frame(self.before.data, self.label, tuple(scaled(mark, self.before.scale) for mark in marks))


class Recordings:
    """One session's recordings, one a tab."""

    def __init__(self) -> None:
        self._tabs: dict[TabId, Recording] = {}

    async def start(self, tab: Tab) -> int:
        recording = self._tabs.setdefault(tab.id, Recording())
        recording.on = True
        picture = await _picture(tab)
        if picture is None:
            if not recording.frames:
                del self._tabs[tab.id]
            raise InvalidArguments("No picture of the tab can be taken now.", "Take a screenshot to see why.")
        self._add(recording, Frame(picture.data))
        return len(recording.frames)

    async def stop(self, tab: Tab) -> int:
        recording = self._tabs.get(tab.id)
        if recording is None:
            return 0
        if recording.on and (picture := await _picture(tab)) is not None:
            self._add(recording, Frame(picture.data))
        recording.on = False
        return len(recording.frames)

    def frames(self, tab_id: TabId) -> Sequence[Frame]:
        recording = self._tabs.get(tab_id)
        return () if recording is None else tuple(recording.frames)

    def missed(self, tab_id: TabId) -> int:
        recording = self._tabs.get(tab_id)
        return 0 if recording is None else recording.missed

    def recording(self, tab_id: TabId) -> bool:
        return tab_id in self._tabs and self._tabs[tab_id].on

    def clear(self, tab_id: TabId) -> int:
        recording = self._tabs.pop(tab_id, None)
        return 0 if recording is None else len(recording.frames)

    @property
    def kept(self) -> dict[TabId, Recording]:
        """All of them, by tab."""
        return dict(self._tabs)

    def stop_all(self) -> int:
        going = [recording for recording in self._tabs.values() if recording.on]
        for recording in going:
            recording.on = False
        return len(going)

    def drop(self) -> None:
        """The session is over."""
        self._tabs.clear()

    @contextlib.asynccontextmanager
    async def around(self, tab: Tab | None, tool: str, arguments: JsonObject) -> AsyncGenerator[None]:
        """Take frames before and after an action in a tab that is recorded, if it is one to be seen."""
        recording = None if tab is None else self._tabs.get(tab.id)
        label = None if recording is None or not recording.on else action_label(tool, arguments, tab)
        if tab is None or recording is None or label is None:
            yield
            return
        action = _Action(label, await _whereabouts(tab, arguments), await _picture(tab))
        unwatch = tab.cdp.watch(action.mouse.heard)
        try:
            yield
        except DialogOpen:
            # it was done, and the page cannot be drawn now
            self._add(recording, action.frame)
            raise
        finally:
            unwatch()
        self._add(recording, action.frame)
        if (after := await _picture(tab)) is not None:
            self._add(recording, Frame(after.data, "" if action.frame else label))

    def _add(self, recording: Recording, frame: Frame | None) -> None:
        if frame is None:
            return
        total = sum(each.size for each in self._tabs.values()) + len(frame.data)
        if len(recording.frames) >= MAX_FRAMES or total > MAX_BYTES:
            recording.missed += 1
            return
        if not recording.frames or frame != replace(recording.frames[-1], label=""):
            recording.frames.append(frame)


async def _picture(tab: Tab) -> _Picture | None:
    """The tab as it looks now; a recording is no reason to fail or hold up the action it records."""
    if tab.cdp.dialog is not None:
        return None
    try:
        async with asyncio.timeout(PICTURE_S):
            taken = await take(tab, quality=QUALITY)
        return _Picture(base64.b64decode(taken.data, validate=True), taken.width / taken.region.width)
    except (ToolError, binascii.Error, TimeoutError) as exc:
        log.info("no frame of tab %s: %s", tab.id, exc)
        return None


async def _whereabouts(tab: Tab, arguments: JsonObject) -> tuple[Mark, ...]:
    """Where the element that the action names is shown, once it is scrolled to where the action will have it."""
    ref = arguments.get("ref") or arguments.get("start_ref")
    if not isinstance(ref, str):
        return ()
    try:
        async with asyncio.timeout(PICTURE_S):
            spot, target = await locate(tab, ref), tab.refs.find(ref)
            if target.frame_id != TOP:
                return (Click((spot.point.x, spot.point.y), 0),)
            asked: JsonObject = {"target": target.wire}
            return _box(await tab.frames.ask(target.frame_id, target.document_id, "showingAt", asked))
    except (ToolError, TimeoutError):
        return ()


def _box(told: Json) -> tuple[Mark, ...]:
    match told:
        case {"left": int() | float() as left, "top": int() | float() as top, "width": int() | float() as width,
              "height": int() | float() as height}:  # fmt: skip
            return (Box(left, top, left + width, top + height),)
        case _:
            return ()
