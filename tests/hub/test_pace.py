"""What registering costs is paid by the tab that does it: a burst is free, a flood waits, and others go on."""

import asyncio

from tabwright.calls.hub_pace import BURST_S, LONGEST_S, MAX_WAITING, SHARE, HubPace
from tabwright.hub.places import Place
from tabwright.model import DocumentId, JsonObject, TabId
from tests.hub.memory_transport import CHROME, at

ABOVE = BURST_S + 0.005
"""Waits for a tenth of a second."""


class Tabs:
    """Each registration costs what it says; time passes when a test says so."""

    def __init__(self) -> None:
        self.pace = HubPace(self._take, lambda: self.spent, lambda: self.now)
        self.taken: list[str] = []
        self.heard = asyncio.Event()
        self.now, self.spent = 100.0, 0.0

    def say(self, word: str, cost: float = 0.0, *, tab: int = 1, frame: int = 0, document: str = "d") -> None:
        self.pace.hear(at(tab, frame, document), {"word": word, "cost": cost})

    async def until(self, word: str) -> None:
        async with asyncio.timeout(10):
            while word not in self.taken:
                self.heard.clear()
                await self.heard.wait()

    def _take(self, place: Place, message: JsonObject) -> None:
        word, cost = message["word"], message["cost"]
        assert isinstance(word, str)
        assert isinstance(cost, float)
        self.spent += cost
        self.taken.append(word)
        self.heard.set()


async def test_a_burst_is_taken_at_once_and_what_comes_after_it_waits_for_its_time() -> None:
    tabs = Tabs()
    tabs.say("a", BURST_S)
    tabs.say("b", 0.005)
    tabs.say("c")
    tabs.say("other tab", tab=2)
    assert tabs.taken == ["a", "b", "other tab"]
    tabs.now += 1
    await tabs.until("c")


async def test_of_what_a_frame_says_while_it_waits_the_last_counts() -> None:
    tabs = Tabs()
    tabs.say("a", ABOVE)
    for word in ("b", "c", "d"):
        tabs.say(word)
    tabs.say("frame", frame=7)
    tabs.now += 1
    await tabs.until("frame")
    assert tabs.taken == ["a", "d", "frame"]


async def test_whoever_has_time_again_is_not_overtaken_by_what_it_said_before() -> None:
    tabs = Tabs()
    tabs.say("a", ABOVE)
    tabs.say("old")
    tabs.now += 1
    tabs.say("new")
    tabs.say("frame", ABOVE, frame=7)
    tabs.say("last")
    tabs.now += 10
    await tabs.until("last")
    assert tabs.taken == ["a", "new", "frame", "last"]


async def test_what_waits_goes_with_its_document_its_page_and_its_tab() -> None:
    tabs = Tabs()
    for tab in (1, 2, 3, 4):
        tabs.say(f"first {tab}", ABOVE, tab=tab)
        tabs.say(f"second {tab}", tab=tab)
    tabs.pace.frame_gone(CHROME, TabId(1), 0, DocumentId("d"))
    tabs.pace.frame_gone(CHROME, TabId(4), 0, DocumentId("another"))
    tabs.pace.tab_shows(CHROME, TabId(2), "https://elsewhere.example")
    tabs.pace.tab_shows(CHROME, TabId(4), "https://shop.example")
    tabs.pace.tab_gone(CHROME, TabId(3))
    tabs.now += 1
    await tabs.until("second 4")
    for tab in (1, 2, 3):
        # had anything been left of it, this would come after
        tabs.say(f"third {tab}", tab=tab)
    assert [word for word in tabs.taken if word.startswith("second")] == ["second 4"]
    tabs.say("dear", ABOVE, tab=1)
    tabs.say("never", tab=1)
    tabs.pace.browser_gone(CHROME)
    tabs.say("anew", tab=1)
    assert tabs.taken[-1] == "anew"


async def test_nobody_waits_without_end_and_not_everything_is_kept() -> None:
    tabs = Tabs()
    tabs.say("dear", 1_000.0)
    for frame in range(MAX_WAITING + 1):
        tabs.say(f"frame {frame}", frame=frame)
    tabs.now += LONGEST_S
    tabs.say("now", frame=500)
    assert tabs.taken == ["dear", "now"], "its debt is bounded"
    tabs.pace.tab_gone(CHROME, TabId(1))


async def test_a_flood_takes_a_small_part_of_the_time() -> None:
    tabs = Tabs()
    began = tabs.now
    for _ in range(1_000):
        tabs.say("x", 0.02)
        tabs.now += 0.1
    share = (tabs.spent - BURST_S) / (tabs.now - began)
    assert SHARE / 2 < share < SHARE * 1.1
    tabs.pace.browser_gone(CHROME)
