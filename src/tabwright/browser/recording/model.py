"""What a recording is made of: frames with the marks of what was done in them, and how the GIF of them is to look.

Marks are in the pixels of the picture they are drawn on. Nothing here draws: the imaging library is loaded by whoever
exports a recording, not by every gateway.
"""

from dataclasses import dataclass, replace
from typing import Final, TypeAlias

MAX_FRAMES: Final = 100

Point: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Click:
    at: Point
    count: int = 1


@dataclass(frozen=True, slots=True)
class Drag:
    path: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Box:
    """An element that was filled in without the mouse."""

    left: float
    top: float
    right: float
    bottom: float


Mark: TypeAlias = Click | Drag | Box


@dataclass(frozen=True, slots=True)
class Look:
    """What is drawn over the frames. `quality` from 1, the best, to 30, the smallest."""

    clicks: bool = True
    drags: bool = True
    labels: bool = True
    progress: bool = True
    watermark: bool = True
    quality: int = 10


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture (JPEG or PNG), what was done in it, and where."""

    data: bytes
    label: str = ""
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Gif:
    data: bytes
    width: int
    height: int
    frames: int
    seconds: float


def scaled(mark: Mark, scale: float) -> Mark:
    """The same place in a picture of another size."""
    match mark:
        case Click(at=(x, y)):
            return replace(mark, at=(x * scale, y * scale))
        case Drag(path=path):
            return Drag(tuple((x * scale, y * scale) for x, y in path))
        case Box():
            return Box(mark.left * scale, mark.top * scale, mark.right * scale, mark.bottom * scale)
