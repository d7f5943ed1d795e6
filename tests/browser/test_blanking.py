"""Which pictures of a page with closed frames are kept: none in whose midst a closed document came into a frame."""

import itertools
from collections.abc import Sequence

import pytest

from tabwright.browser.blanking import EVERYWHERE, TRIES, Shot, capture
from tabwright.browser.downloads import Downloads
from tabwright.browser.sizes import Region
from tabwright.browser.tab import Tab
from tabwright.model import Json, JsonObject, TabId, TabInfo

OPEN, CLOSED = "https://open.test", "https://closed.test"
BOX = Region(10, 20, 30, 40)


class Page:
    """A link to a page with one frame. `pictures` are what is told of each, the last again and again."""

    def __init__(
        self, *pictures: JsonObject, frame: str = "", boxes: str = "[[0, 10, 20, 30, 40]]", moves: int = 0
    ) -> None:
        self.commands = frozenset({"askFrames", "forwardCDPCommand", "screenshot"})
        self.remote = False
        self.taken = self.asked = 0
        self.frame = frame
        self._boxes = boxes
        self._moves = moves
        self._pictures = pictures

    async def request(self, command: str, params: JsonObject, timeout_s: float | None = None) -> JsonObject:
        match command:
            case "screenshot":
                self.taken += 1
                return self._pictures[min(self.taken, len(self._pictures)) - 1]
            case "askFrames":
                self.asked += 1
                left = 10 + 5 * max(0, self._moves - self.asked)
                top = _frame(0, -1, OPEN, self._boxes.replace("10", str(left)))
                return {"frames": [top, _frame(3, 0, self.frame, "[]")] if self.frame else [top]}
            case _:
                return {}


def _frame(frame_id: int, parent: int, origin: str, told: str) -> Json:
    return {"frameId": frame_id, "parentFrameId": parent, "place": 0, "documentId": f"d{frame_id}", "origin": origin,
            "url": f"{origin}/", "site": origin, "json": told}  # fmt: skip


def sites(there: Sequence[str] = (), came: Sequence[str] = (), past: Sequence[str] | None = ()) -> JsonObject:
    before = None if past is None else list[Json](past)
    return {"data": "", "sites": {"there": list[Json](there), "came": list[Json](came), "past": before}}


async def shot(page: Page) -> tuple[Tab, Shot]:
    async def arrivals(opened: Sequence[TabId]) -> Sequence[TabInfo]:
        return ()

    tab = Tab(page, TabId(1), 7, Downloads(lambda download_id: None), arrivals)
    tab.frames.is_closed = lambda origin: origin == CLOSED
    return tab, await capture(tab, {}, 5)


async def test_a_page_without_closed_frames_is_not_asked_where_its_frames_are() -> None:
    page = Page(sites([OPEN], [OPEN]), frame=OPEN)
    tab, taken = await shot(page)
    # nobody knows before the first picture
    assert (taken.closed, page.taken, page.asked) == ((), 1, 1)
    assert (await capture(tab, {}, 5)).closed == ()
    assert (page.taken, page.asked) == (2, 1)


async def test_where_closed_frames_are_is_asked_before_and_after_the_picture_that_is_kept() -> None:
    page = Page(sites([OPEN]), sites([CLOSED]), frame=CLOSED)
    tab, _ = await shot(page)
    page.asked = 0
    assert (await capture(tab, {}, 5)).closed == [BOX]
    assert (page.taken, page.asked) == (3, 2), "the first of these two came as a surprise"
    # known from now on: one picture will do
    assert (await capture(tab, {}, 5)).closed == [BOX]
    assert page.taken == 4


async def test_a_picture_in_whose_midst_a_frame_became_a_closed_one_is_taken_anew() -> None:
    page = Page(sites([OPEN], [CLOSED]), sites([CLOSED], [CLOSED]), sites([CLOSED]), frame=CLOSED)
    assert (await shot(page))[1].closed == [BOX]
    assert page.taken == 3


async def test_of_a_page_into_which_closed_documents_come_all_the_time_nothing_is_seen() -> None:
    page = Page(sites([OPEN], [CLOSED]), frame=CLOSED)
    assert (await shot(page))[1].closed == [EVERYWHERE]
    assert page.taken == TRIES


async def test_such_a_page_that_is_slow_too_is_not_waited_for_again_and_again() -> None:
    page = Page(sites([OPEN], [CLOSED]), frame=CLOSED)
    tab, _ = await shot(page)
    page.taken = 0
    # three seconds a try
    clock = itertools.count(0, 3).__next__
    assert (await capture(tab, {}, 5, clock)).closed == [EVERYWHERE]
    assert page.taken == 2


async def test_of_a_page_that_takes_a_closed_frame_away_before_it_can_be_asked_nothing_is_seen() -> None:
    assert (await shot(Page(sites([CLOSED]))))[1].closed == [EVERYWHERE]


async def test_a_closed_frame_that_has_gone_for_good_leaves_the_next_picture_whole() -> None:
    page = Page(sites([OPEN], [CLOSED]), sites([OPEN]))
    assert (await shot(page))[1].closed == ()


@pytest.mark.parametrize("past", [[CLOSED], None], ids=["one", "many"])
async def test_of_a_page_that_may_still_draw_a_closed_frame_it_had_nothing_is_seen(past: Sequence[str] | None) -> None:
    assert (await shot(Page(sites(past=past), boxes="null")))[1].closed == [EVERYWHERE]
    assert (await shot(Page(sites(past=past))))[1].closed == []


async def test_a_picture_in_whose_midst_a_closed_frame_was_moved_is_taken_anew() -> None:
    page = Page(sites([CLOSED]), frame=CLOSED, moves=4)
    assert (await shot(page))[1].closed == [BOX]
    assert page.taken == 3


async def test_of_a_page_that_moves_a_closed_frame_all_the_time_nothing_is_seen() -> None:
    assert (await shot(Page(sites([CLOSED]), frame=CLOSED, moves=100)))[1].closed == [EVERYWHERE]


async def test_where_a_page_draws_frames_that_are_all_open_does_not_matter() -> None:
    assert (await shot(Page(sites([OPEN], past=[OPEN]), frame=OPEN, boxes="null")))[1].closed == ()


@pytest.mark.parametrize(("frame", "closed"), [(CLOSED, [BOX]), (OPEN, [])])
async def test_the_page_is_asked_where_an_extension_does_not_say_whose_frames_there_are(
    frame: str, closed: list[Region]
) -> None:
    assert (await shot(Page({"data": ""}, frame=frame)))[1].closed == closed
