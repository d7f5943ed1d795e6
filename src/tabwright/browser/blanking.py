"""Blanks in pictures: the frames of sites that are closed to agents, in a page that is open to them.

The browser says with each picture whose frames were in it, so that a page is asked where its frames are only if some
are closed: then the picture is taken anew, between two such questions. One in whose midst a closed document came into
a frame, or a closed frame was moved, is of no use, as nobody knows where that was drawn. Pages that had closed frames
are asked, too: while they pass from one view to another, they may show what was there before.
A closed frame within another takes that one with it: only the page itself says exactly where its frames are drawn.
"""

import base64
import io
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tabwright.browser.frames import CLOSED, TOP, FrameAnswer
from tabwright.browser.sizes import Region
from tabwright.browser.tab import Tab
from tabwright.errors import CommandFailed, PageBusy, TimedOut, UnreachablePage
from tabwright.model import Json, JsonObject

WITHIN_S: Final = 8.0
GREY: Final = (128, 128, 128)
EVERYWHERE: Final = Region(-1e6, -1e6, 2e6, 2e6)
"""Where it is not known which part of the view a closed frame takes."""
TRIES: Final = 4
"""How often a picture is taken of a page in which closed frames come or move all the time, before all is blanked."""


@dataclass(frozen=True, slots=True)
class Shot:
    """What the browser gave for a picture, and the parts of the view in it that must not be seen."""

    told: JsonObject
    closed: Sequence[Region] = ()


async def capture(tab: Tab, asked: JsonObject, within_s: float, clock: Callable[[], float] = time.monotonic) -> Shot:
    """A picture, with the parts of closed frames, which were the same before and after it.

    The last try begins before the time is up, so that a page of which all is slow is waited for once, not four times.

    Raises:
        ToolError: no picture could be taken, or the page does not answer.
    """
    told: JsonObject = {}
    deadline = clock() + within_s
    for number in range(TRIES):
        if number and clock() > deadline:
            break
        known = tab.shows_closed
        before = await closed_parts(tab) if known else []
        told = await tab.cdp.capture(asked, within_s)
        there, came, past = _sites(told)
        tab.shows_closed = there is None or past is None or _any_closed(tab, {*there, *came, *past})
        if not tab.shows_closed:
            return Shot(told)
        if known and not _any_closed(tab, came) and _stayed(before, after := await closed_parts(tab)):
            return Shot(told, after or _vanished(tab, there or ()))
    return Shot(told, [EVERYWHERE])


async def closed_parts(tab: Tab) -> list[Region]:
    """The parts of the view that show frames of closed sites, now.

    Raises:
        ToolError: the page does not answer.
    """
    try:
        frames = await tab.frames.ask_all("frameBoxes", within_s=WITHIN_S)
    except TimedOut:
        raise PageBusy from None
    except (CommandFailed, UnreachablePage):
        # a page without agents, as a PDF, has no frames that we would know of
        return []
    if any(frame.value is None and not frame.problem for frame in frames):
        # one of them draws what its frames show, or have shown, elsewhere
        return [EVERYWHERE]
    closed = [frame for frame in frames if frame.problem == CLOSED]
    if not closed:
        return []
    known = {frame.frame_id: frame for frame in frames}
    # a page without an agent, in which frames have some, says of none where it is
    boxes = _boxes(known[TOP].value) if TOP in known else {}
    return [boxes.get(_outermost(frame, known), EVERYWHERE) for frame in closed]


def blank(data: str, quality: int, shown: Region, parts: Sequence[Region]) -> str:
    """A JPEG in base64 that shows a part of the view, with some parts of that painted over."""
    # large, and few pages have closed frames
    from PIL import Image, ImageDraw

    with Image.open(io.BytesIO(base64.b64decode(data))) as picture:
        drawing = ImageDraw.Draw(picture)
        across, down = picture.width / shown.width, picture.height / shown.height
        for part in parts:
            left, top = (part.x - shown.x) * across - 1, (part.y - shown.y) * down - 1
            drawing.rectangle((left, top, left + part.width * across + 2, top + part.height * down + 2), fill=GREY)
        out = io.BytesIO()
        picture.save(out, "JPEG", quality=quality)
    return base64.b64encode(out.getvalue()).decode("ascii")


def _stayed(before: Sequence[Region], after: Sequence[Region]) -> bool:
    """A pixel more or less is painted over anyway."""
    pairs = zip(before, after, strict=False)
    return len(before) == len(after) and all(
        max(abs(was.x - now.x), abs(was.y - now.y), abs(was.width - now.width), abs(was.height - now.height)) <= 1
        for was, now in pairs
    )


def _vanished(tab: Tab, there: Iterable[str]) -> list[Region]:
    """A closed site was in the picture, and the page tells of it neither before nor after. What the browser itself
    draws with, as its viewer of PDFs, has no agent to tell.
    """
    return [EVERYWHERE] if _any_closed(tab, (site for site in there if site.startswith("http"))) else []


def _any_closed(tab: Tab, sites: Iterable[str]) -> bool:
    return any(map(tab.frames.is_closed, sites))


def _sites(told: JsonObject) -> tuple[Sequence[str] | None, Sequence[str], Sequence[str] | None]:
    """Whose frames were there when it began, whose came meanwhile, whose were there before; None: nobody says."""
    match told.get("sites"):
        case {"there": list() as there, "came": list() as came, **others}:
            past = others.get("past")
            return [*map(str, there)], [*map(str, came)], [*map(str, past)] if isinstance(past, list) else None
        case _:
            return None, (), None


def _outermost(frame: FrameAnswer, known: dict[int, FrameAnswer]) -> int:
    """The place in the page itself of the frame that this one is, or is in."""
    for _ in known:
        if frame.parent_id == TOP:
            return frame.place
        around = known.get(frame.parent_id)
        if around is None:
            break
        frame = around
    return -1


def _boxes(told: Json) -> dict[int, Region]:
    found: dict[int, Region] = {}
    for row in told if isinstance(told, list) else []:
        match row:
            case [
                int(place),
                int() | float() as x,
                int() | float() as y,
                int() | float() as wide,
                int() | float() as high,
            ]:
                found[place] = Region(x, y, wide, high)
            case _:
                pass
    return found
