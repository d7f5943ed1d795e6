"""Journeys: a page that is left is asked first whether a script keeps it, on the way and not before it."""

import pytest

from tabwright.browser.browser import Browser
from tabwright.browser.navigation import Ending
from tabwright.browser.numbers import TabNumbers
from tabwright.errors import CommandFailed
from tabwright.link import events
from tabwright.model import BrowserId, JsonObject, TabId
from tests.fakes import FakeLink, tab

ONE = TabId(1)
THERE = "https://b.test/"
ARRIVED: JsonObject = {"outcome": "committed", "url": THERE, "title": "B"}


class Stubborn(FakeLink):
    """A browser that refuses the first journey, with a word; a page that is ended is gone."""

    def __init__(self, word: str, *, launched: bool) -> None:
        super().__init__()
        self._word = word
        self.browser = Browser(BrowserId("b"), self, TabNumbers(), lambda browser, change: None, launched=launched)
        self.browser.apply(events.Connected("Chrome", "120", (tab(1),)))

    def perform(self, command: str, params: JsonObject) -> JsonObject:
        match command:
            case "travel" if len(self.asked("travel")) == 1:
                raise CommandFailed("no", word=self._word)
            case "travel":
                return ARRIVED
            case "endPage":
                self.browser.apply(events.TabClosed(1, crashed=True))
            case _:
                pass
        return {}


async def test_a_page_that_a_script_keeps_is_ended_and_left() -> None:
    link = Stubborn("page_busy", launched=False)
    arrival = await link.browser.journeys.go(ONE, THERE)
    assert arrival.ending is Ending.ARRIVED
    assert [command for command, _ in link.sent] == ["travel", "endPage", "travel"]
    assert [asked.get("asks") for asked in link.asked("travel")] == ["page", None]


async def test_an_attachment_that_ended_unheard_is_made_anew_before_the_page_is_left() -> None:
    link = Stubborn("detached", launched=True)
    arrival = await link.browser.journeys.go(ONE, THERE)
    assert arrival.ending is Ending.ARRIVED
    assert [asked.get("asks") for asked in link.asked("travel")] == ["debugger", None]
    attached = [asked for asked in link.asked("forwardCDPCommand") if asked["attach"]]
    assert [asked["method"] for asked in attached] == ["Page.enable", "Page.enable"]


async def test_what_else_is_refused_is_told() -> None:
    link = Stubborn("no_such_page", launched=False)
    with pytest.raises(CommandFailed, match="no"):
        await link.browser.journeys.go(ONE, THERE)
    assert len(link.sent) == 1
