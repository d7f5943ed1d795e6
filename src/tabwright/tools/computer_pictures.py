"""The actions of `computer` that only look: screenshots, zooming in, waiting."""

import asyncio
from typing import Final

from tabwright.browser import pictures, spots
from tabwright.browser.pictures import Picture
from tabwright.browser.sizes import Region
from tabwright.errors import InvalidArguments
from tabwright.model import Image, Text, ToolResult
from tabwright.tools.computer_params import Computer
from tabwright.tools.computer_pointer import mapped
from tabwright.tools.tool import Desk

_SMALLEST: Final = 4.0
_AROUND: Final = 120.0
"""How much around an element a picture of it shows."""


async def screenshot(desk: Desk, params: Computer) -> ToolResult:
    return _shown(desk, await pictures.take(desk.tab), "Screenshot")


async def zoom(desk: Desk, params: Computer) -> ToolResult:
    tab = desk.tab
    await tab.cdp.prepare()
    region = await (_around(desk, params.ref) if params.ref is not None else _region(desk, params.region or []))
    return _shown(desk, await pictures.take(tab, region), "Zoomed in")


async def wait(desk: Desk, params: Computer) -> ToolResult:
    seconds = params.duration or 1.0
    await desk.tab.cdp.dialogs.unless_open(_wait(desk, seconds))
    return ToolResult((Text(f"Waited {seconds:g} s."),))


async def _wait(desk: Desk, seconds: float) -> None:
    loop = asyncio.get_running_loop()
    ends = loop.time() + seconds
    while (left := ends - loop.time()) > 0:
        await desk.progress(seconds - left, seconds, "waiting")
        await asyncio.sleep(min(1.0, left))


async def _region(desk: Desk, corners: list[float]) -> Region:
    one, other = await mapped(desk, corners[:2]), await mapped(desk, corners[2:])
    left, right = sorted((one.x, other.x))
    top, bottom = sorted((one.y, other.y))
    if right - left < _SMALLEST or bottom - top < _SMALLEST:
        raise InvalidArguments("That region is empty.", "Pass [x0, y0, x1, y1], two corners of what to look at.")
    return Region(left, top, right - left, bottom - top)


async def _around(desk: Desk, ref: str) -> Region:
    point = (await spots.locate(desk.tab, ref)).point
    width, height = (await pictures.measure(desk.tab)).shown
    left, top = max(0.0, point.x - 2 * _AROUND), max(0.0, point.y - _AROUND)
    return Region(left, top, min(width, point.x + 2 * _AROUND) - left, min(height, point.y + _AROUND) - top)


def _shown(desk: Desk, picture: Picture, what: str) -> ToolResult:
    image_id = desk.album.add(picture)
    told = f"{what}: {picture.width} x {picture.height} pixels, imageId {image_id}."
    if picture.blanked:
        told += " What is grey are frames of sites that are closed to agents."
    return ToolResult((Image(picture.data, picture.mime_type), Text(told)))
