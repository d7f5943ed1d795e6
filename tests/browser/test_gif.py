"""GIFs of recordings: what is merged, what is drawn and where, how large they become."""

import io

import pytest
from PIL import Image

from tabwright.browser.recording.gif import LAST_MS, MAX_WIDTH, make_gif
from tabwright.browser.recording.model import MAX_FRAMES, Box, Click, Drag, Frame, Gif, Look

PLAIN = Look(labels=False, progress=False, watermark=False)
ACCENT = (255, 92, 40)
WHITE, BLUE = (255, 255, 255), (20, 60, 200)


def picture(colour: tuple[int, int, int] = WHITE, size: tuple[int, int] = (400, 300)) -> bytes:
    written = io.BytesIO()
    Image.new("RGB", size, colour).save(written, "PNG")
    return written.getvalue()


def frames_of(gif: Gif) -> list[Image.Image]:
    read = Image.open(io.BytesIO(gif.data))
    found: list[Image.Image] = []
    for number in range(getattr(read, "n_frames", 1)):
        read.seek(number)
        found.append(read.convert("RGB"))
    return found


def near(image: Image.Image, at: tuple[int, int], colour: tuple[int, int, int], within: int = 30) -> bool:
    found = image.getpixel(at)
    assert isinstance(found, tuple)
    return all(abs(one - other) <= within for one, other in zip(found, colour, strict=True))


def test_frames_that_show_nothing_new_are_merged() -> None:
    gif = make_gif([Frame(picture()), Frame(picture()), Frame(picture(BLUE)), Frame(picture((21, 61, 201)))], PLAIN)
    assert gif.frames == 2
    assert [near(image, (5, 5), colour) for image, colour in zip(frames_of(gif), (WHITE, BLUE), strict=True)] == [
        True
    ] * 2
    assert gif.seconds == pytest.approx(0.7 + LAST_MS / 1000)


def test_large_areas_keep_their_exact_colour() -> None:
    [white, blue] = frames_of(make_gif([Frame(picture()), Frame(picture(BLUE))], Look(labels=False)))
    assert white.getpixel((5, 5)) == WHITE
    assert blue.getpixel((5, 5)) == BLUE


def test_a_click_is_ringed_where_it_was_even_if_nothing_came_of_it() -> None:
    gif = make_gif([Frame(picture()), Frame(picture(), "Click", (Click((100, 80)),)), Frame(picture())], PLAIN)
    _, clicked, after = frames_of(gif)
    assert near(clicked, (100, 80), ACCENT)
    assert near(clicked, (100 + 14, 80), ACCENT, 70), "the ring"
    assert after.getpixel((100, 80)) == WHITE


def test_marks_move_with_the_picture_when_it_is_scaled() -> None:
    size = (1600, 1200)
    shown = frames_of(make_gif([Frame(picture(size=size)), Frame(picture(size=size), "", (Click((800, 400)),))], PLAIN))
    assert shown[1].size == (MAX_WIDTH, 600)
    assert near(shown[1], (400, 200), ACCENT)


def test_drags_and_fields_are_drawn() -> None:
    marks = (Drag(((20, 150), (200, 150))), Box(50, 200, 150, 230))
    shown = frames_of(make_gif([Frame(picture(), "", marks)], PLAIN))[0]
    assert near(shown, (120, 150), ACCENT)
    assert near(shown, (100, 197), ACCENT, 60)
    assert shown.getpixel((100, 215)) == WHITE


@pytest.mark.parametrize(
    ("look", "at"),
    [
        (Look(clicks=False, labels=False, progress=False, watermark=False), (100, 80)),
        (Look(drags=False, labels=False, progress=False, watermark=False), (120, 150)),
    ],
)
def test_what_is_not_wanted_is_not_drawn(look: Look, at: tuple[int, int]) -> None:
    marks = (Click((100, 80)), Drag(((20, 150), (200, 150))))
    assert near(frames_of(make_gif([Frame(picture(), "", marks)], look))[0], at, WHITE)


def test_labels_progress_and_watermark_are_each_optional() -> None:
    def differs(**wanted: bool) -> bool:
        look = Look(**{"labels": False, "progress": False, "watermark": False, **wanted})
        shown = frames_of(make_gif([Frame(picture(), "Click “Save”")], look))[0]
        return (shown.getcolors(1 << 20) or [])[0][0] != 400 * 300

    assert not differs()
    assert all(differs(**{name: True}) for name in ("labels", "progress", "watermark"))


def test_a_label_shows_no_empty_boxes_for_signs_that_the_font_lacks() -> None:
    def drawn(label: str) -> bytes:
        return frames_of(make_gif([Frame(picture(), label)], Look(progress=False, watermark=False)))[0].tobytes()

    assert drawn("Click “保存”") == drawn("Click")
    assert drawn("Click “Größe 🎉”") == drawn("Click “Größe”") != drawn("Click")


def test_progress_grows_to_the_end() -> None:
    shown = frames_of(make_gif([Frame(picture()), Frame(picture(BLUE))], Look(labels=False, watermark=False)))
    reached = [[near(image, (x, 298), ACCENT) for x in (100, 300)] for image in shown]
    assert reached == [[True, False], [True, True]]


def test_a_page_of_another_size_fits_into_the_first_ones() -> None:
    shown = frames_of(
        make_gif([Frame(picture()), Frame(picture(BLUE, (400, 200))), Frame(picture(BLUE, (800, 900)))], PLAIN)
    )
    assert {image.size for image in shown} == {(400, 300)}


def test_long_recordings_and_labels_are_bounded() -> None:
    colours = [(number * 2, 90, 200 * (number % 2)) for number in range(120)]
    gif = make_gif([Frame(picture(colour, (60, 40)), "x" * 90) for colour in colours], Look(quality=30))
    assert gif.frames == MAX_FRAMES
    assert Image.open(io.BytesIO(gif.data)).info["loop"] == 0
