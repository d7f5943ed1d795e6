"""Pictures: which point of the view a pixel means, and what an album keeps."""

import pytest

from tabwright.browser.pictures import KEPT, Album, Picture, Point, Viewport
from tabwright.browser.sizes import Region
from tabwright.errors import InvalidArguments
from tabwright.model import TabId

TAB, OTHER = TabId(1), TabId(2)
VIEW = Viewport(1000, 800, 1, 1, Point(0, 0))


def picture(tab_id: TabId = TAB, *, size: tuple[int, int] = (500, 400), region: Region | None = None) -> Picture:
    return Picture(tab_id, "data", "image/jpeg", *size, region or Region(0, 0, 1000, 800), VIEW)


def test_a_pixel_of_a_smaller_image_is_mapped_to_the_view() -> None:
    assert picture().point(250, 100) == Point(500, 200)


def test_a_pixel_of_a_part_drawn_larger_is_mapped_to_that_part() -> None:
    assert picture(size=(400, 400), region=Region(300, 200, 100, 100)).point(200, 40) == Point(350, 210)


@pytest.mark.parametrize(("x", "y"), [(-1, 5), (501, 5), (5, 401)])
def test_a_pixel_outside_is_refused_with_the_size(x: float, y: float) -> None:
    with pytest.raises(InvalidArguments, match="500 x 400"):
        picture().point(x, y)


def test_a_pinched_view_shows_less() -> None:
    assert Viewport(1000, 800, 1, 2, Point(10, 10)).shown == (500, 400)


def test_an_album_knows_the_last_picture_of_each_tab() -> None:
    album = Album()
    first, second, other = picture(), picture(size=(1000, 800)), picture(OTHER)
    ids = [album.add(each) for each in (first, second, other)]
    assert ids == ["image_1", "image_2", "image_3"]
    assert album.last(TAB) is second
    assert album.last(OTHER) is other
    assert album.find("image_1") is first


def test_an_album_forgets_the_oldest_and_says_what_it_has() -> None:
    album = Album()
    for _ in range(KEPT + 1):
        album.add(picture())
    with pytest.raises(InvalidArguments, match=f"image_{KEPT + 1}"):
        album.find("image_1")
    album.forget(TAB)
    assert album.last(TAB) is None


def test_pictures_of_many_tabs_are_let_go_but_a_pixel_of_the_last_one_still_means_its_point() -> None:
    album = Album()
    for number in range(KEPT + 5):
        album.add(picture(TabId(number), size=(500, 400)))
    old, new = album.last(TabId(0)), album.last(TabId(KEPT + 4))
    assert old is not None
    assert new is not None
    assert (old.data, new.data) == ("", "data")
    assert old.point(250, 100) == Point(500, 200)
