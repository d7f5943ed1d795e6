"""Where on the screen an element is, and what is under a point: asked of the page agents, frame by frame.

An element is located in its own document first, then each document around is asked where that point of its frame lies,
up to the page itself. Points given back are view points, as `pictures` has them.
"""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tabwright.browser.frames import CLOSED, TOP, FrameAnswer, closed_there
from tabwright.browser.pictures import Point
from tabwright.browser.refs import Target
from tabwright.browser.tab import Tab
from tabwright.errors import CommandFailed, PageBusy, StaleRef, TimedOut, ToolError
from tabwright.model import DocumentId, Json, JsonObject

STALE: Final = frozenset({"stale_ref", "stale_target"})
DEEPEST: Final = 20
LOCATE_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class Thing:
    """An element as words tell it. `kind`: `select`, `color` and `file` open what no pointer of ours can reach."""

    role: str
    name: str
    kind: str = ""
    options: tuple[str, ...] = ()
    ref: str = ""

    @property
    def words(self) -> str:
        """Like `button "Save" (e12)`."""
        name = f' "{self.name}"' if self.name else ""
        said = f"{self.role or 'element'}{name}"
        return f"{said} ({self.ref})" if self.ref else said


@dataclass(frozen=True, slots=True)
class Spot:
    """A point, and what is there."""

    point: Point
    thing: Thing
    disabled: bool = False
    inner: "Inner | None" = None


@dataclass(frozen=True, slots=True)
class Inner:
    """The same point as the frame within the page counts that it is in."""

    frame_id: int
    document_id: DocumentId
    point: Point


@dataclass(frozen=True, slots=True)
class Caret:
    """Where typed text would go. `value` is unknown for secrets."""

    thing: Thing
    editable: bool
    value: str | None = None
    secret: bool = False
    closed: bool = False
    """It is in a frame that is closed to agents."""
    drawn_at: tuple[int, DocumentId] | None = None
    """The document of a text that is edited in place: its editor may take notice of a key only when it draws."""


async def locate(tab: Tab, ref: str, *, scroll: bool = True, begin: bool = False) -> Spot:
    """Scroll an element into view and find a point of it that is not covered. `begin`: a gesture begins with it.

    Raises:
        StaleRef: it is gone.
        CommandFailed: it cannot be reached, and why.
    """
    target = tab.refs.find(ref)
    params: JsonObject = {"target": target.wire, "scroll": scroll}
    told = await _ask(tab, ref, target.frame_id, target.document_id, "locate", params, begin=begin)
    here = _spot(told, ref)
    if target.frame_id == TOP:
        return here
    inner = Inner(target.frame_id, target.document_id, here.point)
    point = await _outwards(tab, ref, target, here.thing, here.point, scroll)
    return replace(here, point=point, inner=inner)


def is_in_page(tab: Tab, ref: str) -> bool:
    """Whether an element is in the page itself, in none of its frames.

    Raises:
        StaleRef: it is gone.
    """
    return tab.refs.find(ref).frame_id == TOP


async def press(tab: Tab, ref: str, how: JsonObject) -> tuple[Spot, bool]:
    """Locate an element of the page itself and click it with the same request; whether it was clicked. It is not where
    there is anything to be thought about first: what it is, that it is disabled. A gesture begins with it.

    Raises:
        StaleRef, CommandFailed: as `locate`, and nothing was clicked; or `outcome_unknown`.
    """
    target = tab.refs.find(ref)
    assert target.frame_id == TOP
    asked: JsonObject = {"target": target.wire, "scroll": True}
    try:
        told, done = await tab.frames.press(target.document_id, asked, how, within_s=LOCATE_S)
    except CommandFailed as exc:
        if exc.word in STALE:
            raise StaleRef(ref) from None
        raise
    return _spot(_object(told), ref), done


async def pointed(tab: Tab, inner: Inner) -> bool:
    """Whether the pointer has arrived at a point within a frame."""
    asked: JsonObject = {"x": inner.point.x, "y": inner.point.y}
    told = await tab.frames.ask(inner.frame_id, inner.document_id, "pointed", asked, within_s=2.0)
    return _object(told).get("held") is True


async def hit(tab: Tab, point: Point) -> Thing:
    """What a click at a point would meet, in whatever frame; nothing where no agent can tell.

    Raises:
        Denied: a frame that is closed to agents.
    """
    _, _, told = await _under(tab, point)
    return Thing(_text(told, "role"), _text(told, "name"), _text(told, "kind"), _options(told))


async def focus(tab: Tab, ref: str | None, point: Point | None) -> tuple[bool, Thing]:
    """Put the caret into an element without clicking it; whether it took it, and what it is.

    Raises:
        StaleRef: it is gone.
    """
    if ref is not None:
        target = tab.refs.find(ref)
        told = await _ask(tab, ref, target.frame_id, target.document_id, "focus", {"target": target.wire})
    else:
        assert point is not None
        here, at, _ = await _under(tab, point)
        asked: JsonObject = {"x": at.x, "y": at.y}
        told = {} if here is None else _object(await tab.frames.ask(here.frame_id, here.document_id, "focus", asked))
    thing = Thing(_text(told, "role"), _text(told, "name"), "", _options(told), ref or "")
    return told.get("focused") is True, thing


async def caret(tab: Tab) -> Caret:
    """Where the caret is now, in whatever frame.

    Raises:
        PageBusy: the page does not answer.
    """
    try:
        frames = await tab.frames.ask_all("focused", within_s=3.0)
    except TimedOut:
        raise PageBusy from None
    if not frames:
        return Caret(Thing("", ""), editable=False)
    here, told = frames[0], _object(frames[0].value)
    for _ in range(DEEPEST):
        child = next((each for each in frames if _is_child(each, here, told.get("frame"))), None)
        if child is None:
            break
        if child.problem == CLOSED:
            return Caret(Thing("", ""), editable=False, closed=True)
        here, told = child, _object(child.value)
    value = told.get("value")
    return Caret(
        Thing(_text(told, "role"), _text(told, "name")),
        editable=told.get("editable") is True,
        value=value if isinstance(value, str) else None,
        secret=told.get("secret") is True,
        drawn_at=(here.frame_id, here.document_id) if told.get("rich") is True else None,
    )


async def drawn(tab: Tab, at: tuple[int, DocumentId]) -> None:
    """Returns once a document has drawn what was done to it, or cannot tell."""
    with contextlib.suppress(ToolError, TimedOut):
        await tab.frames.ask(*at, "drawn", {}, within_s=1.0)


@dataclass(frozen=True, slots=True)
class Scrolled:
    """How far something is scrolled, from its left or upper end. `what` is empty for the page itself."""

    position: int
    most: int
    what: str = ""

    def can_go(self, way: int) -> bool:
        """Whether there is more that way, which is 1 or -1."""
        return self.position < self.most - 1 if way > 0 else self.position > 0


async def scrolled(tab: Tab, point: Point, *, across: bool, way: int, since: Scrolled | None = None) -> Scrolled:
    """What the wheel moves at a point, that way; `since`: once it has moved from there and come to rest."""
    here, at, _ = await _under(tab, point)
    if here is None:
        return Scrolled(0, 0)
    asked: JsonObject = {"x": at.x, "y": at.y, "across": across, "way": way}
    if since is not None:
        asked["from"] = since.position
    told = _object(await tab.frames.ask(here.frame_id, here.document_id, "scrollAt", asked, within_s=3.0))
    return Scrolled(int(_number(told, "position")), int(_number(told, "most")), _text(told, "what"))


async def _under(tab: Tab, point: Point) -> tuple[FrameAnswer | None, Point, JsonObject]:
    """The inmost frame under a point, the point within it, and what is there."""
    frames = await tab.frames.ask_all("hit", {"x": point.x, "y": point.y}, within_s=3.0)
    if not frames:
        return None, point, {}
    here, told = frames[0], _object(frames[0].value)
    for _ in range(DEEPEST):
        inner = _object(told.get("frame"))
        child = _child(frames, here, inner)
        if child is None:
            break
        if child.problem == CLOSED:
            raise closed_there()
        point = Point(_number(inner, "x"), _number(inner, "y"))
        asked: JsonObject = {"x": point.x, "y": point.y}
        here, told = child, _object(await tab.frames.ask(child.frame_id, child.document_id, "hit", asked))
    return here, point, told


async def _outwards(tab: Tab, ref: str, target: Target, thing: Thing, point: Point, scroll: bool) -> Point:
    """The point in the page itself, over all frames between."""
    frames = {frame.frame_id: frame for frame in await tab.frames.ask_all("ping")}
    here = _known(frames, target.frame_id, ref)
    while here.frame_id != TOP:
        around = _known(frames, here.parent_id, ref)
        asked: JsonObject = {"place": here.place, "x": point.x, "y": point.y, "scroll": scroll}
        told = await _ask(tab, ref, around.frame_id, around.document_id, "frameBox", asked)
        point, here = _point(told, thing), around
    return point


async def _ask(
    tab: Tab,
    ref: str,
    frame_id: int,
    document: DocumentId,
    service: str,
    params: JsonObject,
    *,
    begin: bool = False,
) -> JsonObject:
    try:
        return _object(await tab.frames.ask(frame_id, document, service, params, within_s=LOCATE_S, begin=begin))
    except CommandFailed as exc:
        if exc.word in STALE:
            raise StaleRef(ref) from None
        raise


def _spot(told: JsonObject, ref: str) -> Spot:
    thing = Thing(_text(told, "role"), _text(told, "name"), _text(told, "kind"), ref=ref)
    return Spot(_point(told, thing), thing, told.get("disabled") is True)


def _point(told: JsonObject, thing: Thing) -> Point:
    problem = told.get("problem")
    if problem is None:
        return Point(_number(told, "x"), _number(told, "y"))
    cover = told.get("cover")
    raise CommandFailed(_why(thing, str(problem), _object(cover)), word=str(problem))


def _why(thing: Thing, problem: str, cover: JsonObject) -> str:
    name, role = _text(cover, "name"), _text(cover, "role")
    match problem:
        case "covered":
            by = f'{role} "{name}"' if name else role or "something else"
            return f"{thing.words} is covered by {by}. Close or move that first, or act on it."
        case "outside":
            return f"{thing.words} is outside of what the page shows, and cannot be scrolled to."
        case _:
            return f"{thing.words} is hidden or has no size. Make the page show it first."


def _known(frames: Mapping[int, FrameAnswer], frame_id: int, ref: str) -> FrameAnswer:
    if frame_id not in frames:
        raise StaleRef(ref)
    return frames[frame_id]


def _child(frames: Sequence[FrameAnswer], here: FrameAnswer, inner: JsonObject) -> FrameAnswer | None:
    return next((each for each in frames if _is_child(each, here, inner.get("place"))), None)


def _is_child(each: FrameAnswer, here: FrameAnswer, place: Json) -> bool:
    return each.parent_id == here.frame_id and each.frame_id != here.frame_id and each.place == place


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _options(told: JsonObject) -> tuple[str, ...]:
    options = told.get("options")
    return tuple(str(each) for each in options) if isinstance(options, list) else ()


def _text(told: JsonObject, name: str) -> str:
    value = told.get(name)
    return value if isinstance(value, str) else ""


def _number(told: JsonObject, name: str) -> float:
    value = told.get(name)
    return float(value) if isinstance(value, int | float) else 0.0
