"""What is drawn over a frame of a recording: rings where was clicked, paths of drags, labels, progress, a watermark.

Drawing happens at twice the picture's size and is scaled down, which is what makes rings and lines smooth.
"""

from collections.abc import Sequence
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from tabwright.browser.recording.model import Box, Click, Drag, Look, Mark, Point

BAR_PX: Final = 4
_SMOOTH: Final = 2
_ACCENT: Final = (255, 92, 40)
_INK: Final = (24, 26, 31)
_PAPER: Final = (255, 255, 255)
_NO_SIGN: Final = "\U0010ffff"


def overlaid(picture: Image.Image, marks: Sequence[Mark], label: str, done: float, look: Look) -> Image.Image:
    """A picture with what belongs on it; `done` is how far the recording is, up to 1."""
    marks = [mark for mark in marks if (look.drags if isinstance(mark, Drag) else look.clicks)]
    label = label if look.labels else ""
    if not (marks or label or look.progress or look.watermark):
        return picture
    large = picture.size[0] * _SMOOTH, picture.size[1] * _SMOOTH
    layer = Image.new("RGBA", large, (*_PAPER, 0))
    draw = ImageDraw.Draw(layer)
    for mark in marks:
        _draw_mark(draw, mark)
    bottom = large[1] - (BAR_PX * _SMOOTH if look.progress else 0)
    if look.progress:
        _draw_progress(draw, large, done)
    if label:
        _draw_label(draw, label, large[0], bottom)
    if look.watermark:
        _draw_watermark(draw, large[0], bottom)
    small = layer.reduce(_SMOOTH)
    return Image.alpha_composite(picture.convert("RGBA"), small).convert("RGB")


def _draw_mark(draw: ImageDraw.ImageDraw, mark: Mark) -> None:
    match mark:
        case Click(at=(x, y), count=count):
            _draw_ring(draw, x * _SMOOTH, y * _SMOOTH, count)
        case Drag(path=path):
            _draw_drag(draw, [(x * _SMOOTH, y * _SMOOTH) for x, y in path])
        case Box():
            edges = (mark.left - 4, mark.top - 4, mark.right + 4, mark.bottom + 4)
            left, top, right, bottom = (edge * _SMOOTH for edge in edges)
            draw.rounded_rectangle((left, top, right, bottom), 12, outline=(*_PAPER, 220), width=10)
            draw.rounded_rectangle((left + 2, top + 2, right - 2, bottom - 2), 11, outline=(*_ACCENT, 255), width=6)


def _draw_ring(draw: ImageDraw.ImageDraw, x: float, y: float, count: int) -> None:
    _circle(draw, x, y, 30, fill=(*_ACCENT, 56))
    for ring in range(min(count, 3)):
        radius = 30 + ring * 13
        _circle(draw, x, y, radius + 2, outline=(*_PAPER, 220), width=9)
        _circle(draw, x, y, radius, outline=(*_ACCENT, 255), width=5)
    _circle(draw, x, y, 8, fill=(*_PAPER, 235))
    _circle(draw, x, y, 6, fill=(*_ACCENT, 255))


def _draw_drag(draw: ImageDraw.ImageDraw, path: Sequence[Point]) -> None:
    for colour, width in (((*_PAPER, 225), 13), ((*_ACCENT, 255), 7)):
        draw.line(path, fill=colour, width=width, joint="curve")
    (x, y), end = path[0], path[-1]
    _circle(draw, x, y, 14, fill=(*_PAPER, 235))
    _circle(draw, x, y, 10, fill=(*_ACCENT, 255))
    _draw_head(draw, _before(path), end)


def _draw_head(draw: ImageDraw.ImageDraw, start: Point, end: Point) -> None:
    """The arrow's head, which ends a little past the path."""
    across, down = end[0] - start[0], end[1] - start[1]
    length = max(1.0, (across**2 + down**2) ** 0.5)
    across, down = across / length, down / length
    for reach, half, colour in ((40.0, 25.0, (*_PAPER, 225)), (32.0, 19.0, (*_ACCENT, 255))):
        tip = end[0] + across * reach * 0.45, end[1] + down * reach * 0.45
        foot = tip[0] - across * reach, tip[1] - down * reach
        draw.polygon(
            [tip, (foot[0] - down * half, foot[1] + across * half), (foot[0] + down * half, foot[1] - across * half)],
            fill=colour,
        )


def _before(path: Sequence[Point]) -> Point:
    """A point far enough before the end to tell the direction."""
    end = path[-1]
    far = (point for point in reversed(path) if (point[0] - end[0]) ** 2 + (point[1] - end[1]) ** 2 > 400)
    return next(far, path[0])


def _draw_label(draw: ImageDraw.ImageDraw, label: str, width: int, bottom: int) -> None:
    font = _font(15 * _SMOOTH)
    text = _cut(_drawable(label, font), font, width * 0.8)
    left, top, right, low = draw.textbbox((0, 0), text, font=font)
    wide, high = right - left, low - top
    x, y = (width - wide) / 2, bottom - 22 * _SMOOTH - 14 * _SMOOTH
    pad = 14 * _SMOOTH
    draw.rounded_rectangle(
        (x - pad, y - 8 * _SMOOTH, x + wide + pad, y + 15 * _SMOOTH + 9 * _SMOOTH), 16 * _SMOOTH, fill=(*_INK, 225)
    )
    middle = y + 8 * _SMOOTH
    draw.text((x - left, middle - high / 2 - top), text, font=font, fill=(*_PAPER, 255))


def _draw_progress(draw: ImageDraw.ImageDraw, size: tuple[int, int], done: float) -> None:
    width, height = size
    top = height - BAR_PX * _SMOOTH
    draw.rectangle((0, top, width, height), fill=(*_INK, 90))
    draw.rectangle((0, top, round(width * done), height), fill=(*_ACCENT, 255))


def _draw_watermark(draw: ImageDraw.ImageDraw, width: int, bottom: int) -> None:
    font = _font(11 * _SMOOTH)
    _, top, right, low = draw.textbbox((0, 0), "tabwright", font=font)
    x, y = width - right - 12 * _SMOOTH, bottom - low - 8 * _SMOOTH
    edges = (x - 7 * _SMOOTH, y + top - 4 * _SMOOTH, x + right + 7 * _SMOOTH, y + low + 4 * _SMOOTH)
    draw.rounded_rectangle(edges, 6 * _SMOOTH, fill=(*_PAPER, 190))
    draw.text((x, y), "tabwright", font=font, fill=(*_INK, 200))


def _circle(
    draw: ImageDraw.ImageDraw,
    x: float,
    y: float,
    radius: float,
    *,
    fill: tuple[int, int, int, int] | None = None,
    outline: tuple[int, int, int, int] | None = None,
    width: int = 1,
) -> None:
    draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=fill, outline=outline, width=width)


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


def _drawable(text: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont) -> str:
    """What the font has signs for: better a shorter label than one of empty boxes."""
    empty = _sign(_NO_SIGN, font)
    kept = "".join(sign for sign in text if sign.isascii() or _sign(sign, font) != empty)
    return " ".join(kept.split()).replace("“ ", "“").replace(" ”", "”").replace("“”", "").strip()


def _sign(sign: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont) -> bytes:
    drawn = Image.new("L", (64, 64))
    ImageDraw.Draw(drawn).text((8, 8), sign, font=font, fill=255)
    return drawn.tobytes()


def _cut(text: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont, width: float) -> str:
    if font.getlength(text) <= width:
        return text
    while text and font.getlength(f"{text}…") > width:
        text = text[:-1]
    return f"{text.rstrip()}…"


def resized(picture: Image.Image, size: tuple[int, int]) -> Image.Image:
    return picture.resize(size, Image.Resampling.LANCZOS)  # pyright: ignore[reportUnknownMemberType] - numpy is absent
