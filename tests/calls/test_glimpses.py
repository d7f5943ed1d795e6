"""Thumbnails: while somebody looks, of pages that may be read, no more often than now and then, and not for ever."""

import asyncio
import base64
import io
from collections.abc import Callable

import pytest
from PIL import Image

from tabwright.browser.pictures import Picture, Point, Region, Viewport
from tabwright.calls.audit import Entry
from tabwright.calls.glimpses import EVERY_S, KEPT, Glimpses
from tabwright.calls.timeline import Timeline
from tabwright.model import TabId
from tabwright.policy.rule_file import read_rules
from tabwright.policy.rules import Rules
from tests.calls.world import Client, World, world
from tests.fakes import tab

SITES = '[[site]]\nmatch = "closed.example"\nread = "deny"\n[[site]]\nmatch = "ask.example"\nread = "ask"'
RULES = read_rules(SITES, Rules())
WIDTH, HEIGHT = 800, 600


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


class Looker:
    """Somebody who looks at what one client does in its tab."""

    def __init__(self, made: World, url: str, kept: int = KEPT) -> None:
        self.timeline, self.clock = Timeline(), Clock()
        self.glimpses = Glimpses(self.timeline, made.sessions, self.clock, kept)
        chrome = made.chrome()
        chrome.link(tab(1, url, "A page"))
        self.client: Client = made.client()
        self.tab_id = next(iter(chrome.browser.tabs))
        self.client.session.workspace.connected(chrome.browser.id, chrome.browser.tabs)
        self._new = asyncio.Event()
        self.glimpses.listen(self._new.set)

    def ends(self, *, tool: str = "computer", outcome: str = "ok", given: bool = True) -> int:
        """A call ends, which gave its client a picture or not."""
        if given:
            self.client.session.album.add(picture(self.tab_id, self.timeline.last))
        self.timeline.record(Entry(self.client.session.workspace.id, "agent", tool, self.tab_id, outcome, 0.1))
        return self.timeline.last

    async def pictured(self, number: int) -> bytes:
        async with asyncio.timeout(5):
            await self._new.wait()
        self._new.clear()
        found = self.glimpses.find(number)
        assert found is not None
        return found

    async def calm(self) -> None:
        """Let whatever was begun come to its end."""
        for _ in range(20):
            await asyncio.sleep(0.005)


def picture(tab_id: TabId, shade: int) -> Picture:
    written = io.BytesIO()
    Image.new("RGB", (WIDTH, HEIGHT), (shade * 50 % 256, 0, 0)).save(written, "JPEG")
    shown = Viewport(WIDTH, HEIGHT, 1, 1, Point(0, 0))
    data = base64.b64encode(written.getvalue()).decode()
    return Picture(tab_id, data, "image/jpeg", WIDTH, HEIGHT, Region(0, 0, WIDTH, HEIGHT), shown)


async def test_the_picture_a_client_was_given_is_kept_small_after_its_call() -> None:
    async with world(rules=RULES) as made:
        looker = Looker(made, "https://open.example/")
        with looker.glimpses.watching():
            number = looker.ends()
            data = await looker.pictured(number)
            assert Image.open(io.BytesIO(data)).size == (320, 240)
            assert looker.glimpses.latest(looker.tab_id) == number
            assert looker.glimpses.numbers == (number,)
        assert looker.glimpses.numbers == (), "forgotten once nobody looks"


@pytest.mark.parametrize("url", ["https://closed.example/", "https://ask.example/"])
async def test_nothing_is_pictured_that_may_not_be_read(url: str) -> None:
    async with world(rules=RULES) as made:
        looker = Looker(made, url)
        with looker.glimpses.watching():
            looker.ends()
            await looker.calm()
            assert looker.glimpses.numbers == ()


SILENT: list[Callable[[Looker], int]] = [
    lambda looker: looker.ends(outcome="denied"),
    lambda looker: looker.ends(tool="close_tab"),
    lambda looker: looker.ends(given=False),
]


@pytest.mark.parametrize("ends", SILENT)
async def test_a_call_that_failed_left_or_shows_nothing_is_not_pictured(ends: Callable[[Looker], int]) -> None:
    async with world(rules=RULES) as made:
        looker = Looker(made, "https://open.example/")
        with looker.glimpses.watching():
            ends(looker)
            await looker.calm()
            assert looker.glimpses.numbers == ()


async def test_a_tab_is_pictured_no_more_than_every_two_seconds() -> None:
    async with world(rules=RULES) as made:
        looker = Looker(made, "https://open.example/")
        with looker.glimpses.watching():
            first = looker.ends()
            await looker.pictured(first)
            looker.ends()
            await looker.calm()
            assert looker.glimpses.numbers == (first,)
            looker.clock.now += EVERY_S
            later = looker.ends()
            await looker.pictured(later)
            assert looker.glimpses.numbers == (first, later)


async def test_nothing_is_pictured_while_nobody_looks() -> None:
    async with world(rules=RULES) as made:
        looker = Looker(made, "https://open.example/")
        looker.ends()
        await looker.calm()
        assert looker.glimpses.numbers == ()


async def test_the_oldest_pictures_go_first() -> None:
    async with world(rules=RULES) as made:
        looker = Looker(made, "https://open.example/", kept=2)
        with looker.glimpses.watching():
            numbers: list[int] = []
            for _ in range(3):
                numbers.append(looker.ends())
                await looker.pictured(numbers[-1])
                looker.clock.now += EVERY_S
            assert looker.glimpses.numbers == tuple(numbers[1:])
