"""Pictures of a tab: taking them, what they show, and the album of those a session was given.

A picture knows which part of the viewport its pixels show, so that a point in it can be found in the page again. The
points of this module are *view points*: CSS pixels from the top left corner of what the tab shows, whatever its zoom,
its pixel ratio or a pinch; the debugger's input events count in just these.
"""

import asyncio
import itertools
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Final

from tabwright import jsonrpc
from tabwright.browser.blanking import Shot, blank, capture
from tabwright.browser.sizes import Region
from tabwright.browser.tab import Tab
from tabwright.errors import CommandFailed, InvalidArguments, StaleScreenshot
from tabwright.model import JsonObject, TabId

LONG_SIDE: Final = 1568
"""Models see nothing of what is larger."""
SHARPEST: Final = 4.0
"""How much larger than on the screen a part is drawn at most."""
QUALITY: Final = 70
"""Small text looks as at 80, in a sixth less bytes; at 60 letters of 8 pixels on coloured ground run together."""
KEPT: Final = 8
KEPT_CHARS: Final = 1_500_000
SHOT_S: Final = 8.0

_MEASURE: Final = """JSON.stringify([innerWidth, innerHeight, devicePixelRatio, visualViewport.scale,
visualViewport.offsetLeft, visualViewport.offsetTop, visualViewport.pageLeft, visualViewport.pageTop])"""


@dataclass(frozen=True, slots=True)
class Point:
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Viewport:
    """What a tab shows: its size in CSS pixels, and how they are drawn."""

    width: float
    height: float
    ratio: float
    """Device pixels in a CSS pixel, page zoom included."""
    pinch: float
    offset: Point
    """Where a pinched view begins in the layout's viewport."""

    @property
    def shown(self) -> tuple[float, float]:
        """The size of what is in sight."""
        return self.width / self.pinch, self.height / self.pinch


@dataclass(frozen=True, slots=True)
class Picture:
    """An image and the part of the view it shows."""

    tab_id: TabId
    data: str
    """Base64."""
    mime_type: str
    width: int
    height: int
    region: Region
    viewport: Viewport
    blanked: bool = False
    """Frames of closed sites are painted over."""

    def point(self, x: float, y: float) -> Point:
        """The view point under a pixel.

        Raises:
            InvalidArguments: it is not in the image.
        """
        if not (0 <= x <= self.width and 0 <= y <= self.height):
            raise InvalidArguments(
                f"({x:g}, {y:g}) is outside of the last image, which is {self.width} x {self.height} pixels.",
                "Use pixels of that image, or a ref.",
            )
        region = self.region
        return Point(region.x + x * region.width / self.width, region.y + y * region.height / self.height)


class Album:
    """The pictures a session was given, the newest of them by tab. The oldest are forgotten first: of the last one of a
    tab only what its pixels mean is kept then.
    """

    def __init__(self) -> None:
        self._pictures: OrderedDict[str, Picture] = OrderedDict()
        self._last: dict[TabId, Picture] = {}
        self._ids = itertools.count(1)

    def add(self, picture: Picture) -> str:
        """Its `imageId`."""
        image_id = f"image_{next(self._ids)}"
        self._pictures[image_id] = picture
        self._last[picture.tab_id] = picture
        while len(self._pictures) > KEPT or sum(len(kept.data) for kept in self._pictures.values()) > KEPT_CHARS:
            self._let_go(self._pictures.popitem(last=False)[1])
        return image_id

    def _let_go(self, picture: Picture) -> None:
        if self._last.get(picture.tab_id) is picture:
            self._last[picture.tab_id] = replace(picture, data="")

    def find(self, image_id: str) -> Picture:
        """Raises:
        InvalidArguments: there is no such picture, or not any more.
        """
        found = self._pictures.get(image_id)
        if found is None:
            known = ", ".join(list(self._pictures)[-5:]) or "none"
            raise InvalidArguments(f"No image {image_id!r}; kept are: {known}.", "Take a screenshot again.")
        return found

    def last(self, tab_id: TabId) -> Picture | None:
        """The last picture given of a tab."""
        return self._last.get(tab_id)

    def forget(self, tab_id: TabId) -> None:
        """The tab is gone: nobody can mean its pixels any more."""
        self._last.pop(tab_id, None)


async def measure(tab: Tab) -> Viewport:
    """What the tab shows now."""
    told = await tab.cdp.read("Runtime.evaluate", {"expression": _MEASURE, "returnByValue": True}, within_s=SHOT_S)
    width, height, ratio, pinch, left, top, _, _ = _numbers(told)
    return Viewport(width, height, ratio, pinch, Point(left, top))


async def take(
    tab: Tab, region: Region | None = None, *, long_side: int = LONG_SIDE, quality: int = QUALITY
) -> Picture:
    """A picture of the whole view, or of a part of it drawn larger.

    Raises:
        DialogOpen: a dialog holds the page up.
        ToolError: no picture could be taken.
    """
    return await tab.cdp.dialogs.unless_open_asking(_take(tab, region, long_side, quality))


def map_point(album: Album, tab: Tab, now: Viewport, x: float, y: float) -> Point:
    """The view point a client means: a pixel of the last image it was given of the tab, else a CSS pixel.

    Raises:
        StaleScreenshot: the view has another size or zoom than it had then.
        InvalidArguments: the point is outside.
    """
    picture = album.last(tab.id)
    if picture is None:
        width, height = now.shown
        if not (0 <= x <= width and 0 <= y <= height):
            raise InvalidArguments(
                f"({x:g}, {y:g}) is outside of the viewport, {width:g} x {height:g}.",
                "Take a screenshot, or use a ref.",
            )
        return Point(x, y)
    if _differs(picture.viewport, now):
        was, shows = picture.viewport, now
        raise StaleScreenshot(f"the viewport was {_said(was)} and is now {_said(shows)}.")
    return picture.point(x, y)


async def _take(tab: Tab, region: Region | None, long_side: int, quality: int) -> Picture:
    asked: JsonObject = {"format": "jpeg", "quality": quality}
    usual = region is None and long_side == LONG_SIDE
    if usual and not tab.shrunk:
        # asked together: what is drawn is not larger than what is kept, as a rule
        shot, viewport = await _captured_and_measured(tab, asked)
        whole = Region(0, 0, *viewport.shown)
        if _scale(whole, viewport, long_side) >= 1:
            return await _picture(tab, shot, whole, viewport)
    viewport = await measure(tab)
    shown = Region(0, 0, *viewport.shown) if region is None else region
    scale = _scale(shown, viewport, long_side)
    if usual:
        tab.shrunk = scale < 1
    if region is not None or scale < 1:
        asked["clip"] = await _clip(tab, shown, min(SHARPEST, scale), viewport)
    return await _picture(tab, await capture(tab, asked, SHOT_S), shown, viewport)


async def _captured_and_measured(tab: Tab, asked: JsonObject) -> tuple[Shot, Viewport]:
    """The picture is asked for first, and awaited in this very task: it takes longer."""
    measuring = asyncio.ensure_future(measure(tab))
    try:
        return await capture(tab, asked, SHOT_S), await measuring
    finally:
        measuring.cancel()
        if measuring.done() and not measuring.cancelled():
            # where there is no picture, it is no news that the page said nothing
            measuring.exception()


def _scale(shown: Region, viewport: Viewport, long_side: int) -> float:
    """How much larger than on the screen a part may be drawn."""
    return long_side / (max(shown.width, shown.height) * viewport.ratio * viewport.pinch)


async def _picture(tab: Tab, shot: Shot, shown: Region, viewport: Viewport) -> Picture:
    data, width, height = (shot.told.get(name) for name in ("data", "width", "height"))
    if not isinstance(data, str) or not isinstance(width, int) or not isinstance(height, int) or width * height == 0:
        raise CommandFailed("The browser gave no picture. Try again.")
    if shot.closed:
        data = await asyncio.to_thread(blank, data, QUALITY, shown, shot.closed)
    return Picture(tab.id, data, "image/jpeg", width, height, shown, viewport, blanked=bool(shot.closed))


async def _clip(tab: Tab, shown: Region, scale: float, viewport: Viewport) -> JsonObject:
    """The part in the debugger's terms: pixels of the whole document, page zoom included, device pixels not."""
    told = await tab.cdp.read("Page.getLayoutMetrics", {}, within_s=SHOT_S)
    view = told.get("cssVisualViewport")
    assert isinstance(view, dict)
    zoom, left, top = (float(str(view.get(name) or 0)) for name in ("zoom", "pageX", "pageY"))
    zoom = zoom or 1.0
    return {
        "x": (left + shown.x) * zoom,
        "y": (top + shown.y) * zoom,
        "width": shown.width * zoom,
        "height": shown.height * zoom,
        # drawn as large as on the screen, then scaled
        "scale": viewport.pinch * scale,
    }


def _numbers(told: JsonObject) -> list[float]:
    result = told.get("result")
    text = result.get("value") if isinstance(result, dict) else None
    numbers = jsonrpc.decode(text) if isinstance(text, str) else None
    if not isinstance(numbers, list) or len(numbers) != 8:
        raise CommandFailed("The page does not say how large it is. Reload it and try again.")
    return [float(each) if isinstance(each, int | float) else 0.0 for each in numbers]


def _differs(was: Viewport, now: Viewport) -> bool:
    pairs = (
        (was.width, now.width), (was.height, now.height), (was.pinch, now.pinch),
        (was.offset.x, now.offset.x), (was.offset.y, now.offset.y),
    )  # fmt: skip
    return any(abs(one - other) > 1 for one, other in pairs) or abs(was.ratio - now.ratio) > 0.01


def _said(viewport: Viewport) -> str:
    zoom = "" if viewport.pinch == 1 and viewport.ratio == 1 else f" at {viewport.ratio * viewport.pinch:g}"
    return f"{viewport.width:g} x {viewport.height:g}{zoom}"
