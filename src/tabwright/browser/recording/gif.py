"""Frames of a recording as an animated GIF: marks drawn, duplicates merged, colours few, size bounded. Pure."""

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from PIL import Image, ImageChops

from tabwright.browser.recording.marks import overlaid, resized
from tabwright.browser.recording.model import MAX_FRAMES, Frame, Gif, Look, scaled

MAX_WIDTH: Final = 800
MAX_HEIGHT: Final = 800
SMALL: Final = 20
"""From this quality on the picture is smaller, too."""
SAMPLED: Final = 10
"""Of how many frames the colours are looked at."""
FIRST_MS: Final = 700
MARKED_MS: Final = 900
SHOWN_MS: Final = 1100
LAST_MS: Final = 2200
_SAME: Final = 6
"""Two frames differ when some pixel does by more than this: JPEG is never quite the same twice."""
NEAR: Final = 9
LARGE: Final = 16
_PAPER: Final = (255, 255, 255)

Rgb: TypeAlias = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class _Shown:
    """A frame that is in the GIF, for how long, and how far it is by then."""

    frame: Frame
    ms: int
    done: float = 0.0


def make_gif(frames: Sequence[Frame], look: Look) -> Gif:
    """Draw and write it. Slow, some 50 ms a frame; one picture after the other, so that it needs little memory."""
    size = _size(Image.open(io.BytesIO(frames[0].data)).size, look)
    shown = _chosen(frames[:MAX_FRAMES], size)
    palette = _palette([_drawn(each, size, look) for each in _sampled(shown)], look)
    pictures = (_drawn(each, size, look).quantize(palette=palette, dither=Image.Dither.NONE) for each in shown)
    written, times = io.BytesIO(), [each.ms for each in shown]
    next(pictures).save(
        written, "GIF", save_all=True, append_images=pictures, duration=times, loop=0, optimize=False, disposal=1
    )
    return Gif(written.getvalue(), *size, len(shown), sum(times) / 1000)


def _size(size: tuple[int, int], look: Look) -> tuple[int, int]:
    wide = MAX_WIDTH if look.quality <= SMALL else MAX_WIDTH * 3 // 4
    return _scaled(size, min(1.0, wide / size[0], MAX_HEIGHT / size[1]))


def _scaled(size: tuple[int, int], scale: float) -> tuple[int, int]:
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


def _chosen(frames: Sequence[Frame], size: tuple[int, int]) -> list[_Shown]:
    """Without frames that show nothing new; a frame with marks always does."""
    kept: list[_Shown] = []
    last: Image.Image | None = None
    for frame in frames:
        picture, _ = _fitted(frame, size)
        if last is None or frame.marks or kept[-1].frame.marks or not _alike(last, picture):
            kept.append(_Shown(frame, MARKED_MS if frame.marks else SHOWN_MS if kept else FIRST_MS))
            last = picture
        elif frame.label:
            kept[-1] = _Shown(replace(kept[-1].frame, label=frame.label), SHOWN_MS)
    kept[-1] = replace(kept[-1], ms=LAST_MS)
    return [replace(each, done=number / len(kept)) for number, each in enumerate(kept, 1)]


def _fitted(frame: Frame, size: tuple[int, int]) -> tuple[Image.Image, float]:
    """The picture in the size of the GIF, and how far it was scaled for that."""
    picture = Image.open(io.BytesIO(frame.data)).convert("RGB")
    scale = min(size[0] / picture.width, size[1] / picture.height)
    fitted = resized(picture, _scaled(picture.size, scale))
    if fitted.size == size:
        return fitted, scale
    paper = Image.new("RGB", size, _PAPER)
    paper.paste(fitted, (0, 0))
    return paper, scale


def _alike(one: Image.Image, other: Image.Image) -> bool:
    bands = ImageChops.difference(one, other).getextrema()
    return all(isinstance(band, tuple) and band[1] <= _SAME for band in bands)


def _drawn(shown: _Shown, size: tuple[int, int], look: Look) -> Image.Image:
    picture, scale = _fitted(shown.frame, size)
    marks = [scaled(mark, scale) for mark in shown.frame.marks]
    return overlaid(picture, marks, shown.frame.label, shown.done, look)


def _sampled(shown: Sequence[_Shown]) -> list[_Shown]:
    """Some of them, evenly spread, the last one included."""
    count = min(SAMPLED, len(shown))
    return [shown[(number + 1) * len(shown) // count - 1] for number in range(count)]


def _palette(pictures: Sequence[Image.Image], look: Look) -> Image.Image:
    """One palette for all frames, so that what does not change costs nothing.

    What fills large areas keeps its exact colour; the rest is shared out by shades, not by pixels, or a few coloured
    words on a white page would come out grey.
    """
    colours = max(32, 256 - (look.quality - 1) * 7)
    often = [colour for colour, _ in sorted(_shades(pictures).values(), key=lambda shade: -shade[1])]
    exact: list[Rgb] = []
    for colour in often:
        if len(exact) < colours // 4 and not _near(colour, exact):
            exact.append(colour)
    # the nearest colour is looked up roughly: what is almost white must not stand beside white
    others = [colour for colour in often if not _near(colour, exact[:LARGE])] or exact
    sheet = Image.new("RGB", (len(others), 1))
    sheet.putdata(others)  # pyright: ignore[reportUnknownMemberType] - numpy is absent
    shared = sheet.quantize(colours - len(exact), method=Image.Quantize.MEDIANCUT).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette([*(part for colour in exact for part in colour), *shared][: colours * 3])
    return palette


def _near(colour: Rgb, others: Sequence[Rgb]) -> bool:
    return any(max(abs(one - other) for one, other in zip(colour, each, strict=True)) <= NEAR for each in others)


def _shades(pictures: Sequence[Image.Image]) -> dict[Rgb, tuple[Rgb, int]]:
    """The colours in the pictures: of those that hardly differ the most frequent one, and how often they are there."""
    shades: dict[Rgb, tuple[Rgb, int]] = {}
    best: dict[Rgb, int] = {}
    for picture in pictures:
        small = picture.reduce(2)
        for count, colour in small.getcolors(small.width * small.height) or []:
            assert isinstance(colour, tuple)
            red, green, blue = colour
            shade = red >> 3, green >> 3, blue >> 3
            known, total = shades.get(shade, ((red, green, blue), 0))
            if count > best.get(shade, 0):
                known, best[shade] = (red, green, blue), count
            shades[shade] = known, total + count
    return shades
