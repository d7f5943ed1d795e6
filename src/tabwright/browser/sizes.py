"""Sizes in CSS pixels, of windows and of the pages in them."""

from dataclasses import dataclass
from typing import TypeAlias

from tabwright.model import Json

Size: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Resized:
    window: Size
    page: Size


@dataclass(frozen=True, slots=True)
class Region:
    """A part of the view."""

    x: float
    y: float
    width: float
    height: float


def read_size(told: Json) -> Size:
    """What the extension answered, as `{width, height}`."""
    match told:
        case {"width": int() as width, "height": int() as height}:
            return width, height
        case _:
            return 0, 0
