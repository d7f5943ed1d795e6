"""Browser: the mirror of its tabs, in order; and what it asks of its link."""

import asyncio
from collections.abc import Iterable

import pytest

from tabwright.browser import changes
from tabwright.browser.browser import Browser
from tabwright.browser.changes import Change
from tabwright.browser.navigation import Arrival, Ending
from tabwright.browser.new_tabs import Opened
from tabwright.browser.numbers import TabNumbers
from tabwright.errors import CommandFailed, PageCrashed, TabNotFound
from tabwright.link import events
from tabwright.model import BrowserId, DocumentId, TabId
from tests.fakes import BOUND_S, FOREIGN, LOCAL, FakeLink, settle, tab, tool

ONE, TWO = TabId(1), TabId(2)


class Watched:
    """A browser whose changes are written down."""

    def __init__(self, commands: Iterable[str] = LOCAL, numbers: TabNumbers | None = None) -> None:
        self.link = FakeLink(commands)
        self.heard: list[Change] = []
        self.browser = Browser(BrowserId("b"), self.link, numbers or TabNumbers(), self._hear)

    def _hear(self, browser: Browser, change: Change) -> None:
        self.heard.append(change)

    def tell(self, *told: events.LinkEvent) -> list[Change]:
        self.heard.clear()
        for event in told:
            self.browser.apply(event)
        return self.heard


def linked(*tabs: int) -> Watched:
    watched = Watched()
    watched.tell(events.Connected("Chrome", "120", tuple(tab(number) for number in tabs)))
    return watched


def test_the_first_report_links_the_browser() -> None:
    watched = Watched()
    assert not watched.browser.linked
    heard = watched.tell(events.Connected("Chrome", "120", (tab(1), tab(2))))
    assert heard == [changes.TabOpened(tab(1)), changes.TabOpened(tab(2)), changes.Linked()]
    assert (watched.browser.name, watched.browser.version, watched.browser.linked) == ("Chrome", "120", True)
    assert list(watched.browser.tabs) == [ONE, TWO]


def test_a_second_report_tells_only_what_changed() -> None:
    watched = linked(1, 2)
    heard = watched.tell(events.Connected("Chrome", "121", (tab(2), tab(3))))
    assert heard == [changes.TabGone(ONE), changes.TabOpened(tab(3))]
    assert watched.browser.version == "121"


def test_tabs_come_change_and_go() -> None:
    watched = linked()
    assert watched.tell(events.TabCreated(tab(1))) == [changes.TabOpened(tab(1))]
    assert watched.tell(events.TabUpdated(tab(1))) == []
    moved = tab(1, "https://b.test/")
    assert watched.tell(events.TabUpdated(moved)) == [changes.TabChanged(moved)]
    shown = tab(1, "https://b.test/", active=True)
    assert watched.tell(events.TabUpdated(shown)) == [changes.TabChanged(shown, activated=True)]
    assert watched.tell(events.TabClosed(1)) == [changes.TabGone(ONE)]
    assert watched.tell(events.TabClosed(1)) == []
    assert watched.tell(events.TabUpdated(tab(1))) == [changes.TabOpened(tab(1))]


def test_an_opener_is_told_by_the_number_clients_see() -> None:
    numbers = TabNumbers()
    numbers.shown(BrowserId("other"), 1)
    watched = Watched(numbers=numbers)
    watched.tell(events.Connected("Chrome", "1", (tab(1),)))
    watched.tell(events.TabCreated(tab(5, opener_tab_id=TabId(1))), events.TabCreated(tab(6, opener_tab_id=TabId(99))))
    assert watched.browser.tab(5).opener_tab_id == 2
    assert watched.browser.tab(6).opener_tab_id is None


def test_tools_are_kept_while_the_tab_lives_and_told_when_they_change() -> None:
    watched = linked(1)
    assert watched.tell(events.ToolsReported(1, ())) == []
    assert watched.tell(events.ToolsReported(1, (tool("star"),))) == [changes.ToolsChanged(ONE)]
    assert watched.tell(events.ToolsReported(1, (tool("star"),))) == []
    assert watched.browser.pages.tools(ONE) == (tool("star"),)
    watched.tell(events.TabClosed(1))
    assert watched.browser.pages.tools(ONE) == ()


def test_popups_and_tabs_taken_back_are_passed_on() -> None:
    watched = linked(1)
    assert watched.tell(events.PopupOpened(2, 1)) == [changes.PopupOpened(TWO, ONE)]
    assert watched.tell(events.TabReleased(1)) == [changes.TakenBack(ONE)]
    assert watched.tell(events.CdpEvent(1, "Page.loadEventFired", {})) == []


def documents(*ids: str | None) -> events.Connected:
    tabs = [tab(n, document_id=None if one is None else DocumentId(one)) for n, one in enumerate(ids, 1)]
    return events.Connected("Chrome", "120", tuple(tabs))


def test_a_link_that_breaks_and_heals_says_nothing_but_that_it_did() -> None:
    watched = Watched()
    watched.tell(documents("A", "B"), events.ToolsReported(1, (tool("star"),)))
    assert watched.tell(events.Suspended(), events.Resumed(), documents("A", "B")) == [changes.Resynchronised()]
    assert watched.browser.pages.tools(ONE) == (tool("star"),)


def test_after_a_break_a_tab_with_another_document_counts_as_closed() -> None:
    watched = Watched()
    watched.tell(documents("A", "B"))
    heard = watched.tell(events.Suspended(), events.Resumed(), documents("A", "C"))
    reopened = tab(2, document_id=DocumentId("C"))
    assert heard == [changes.TabGone(TWO), changes.TabOpened(reopened), changes.Resynchronised()]


async def test_a_break_amid_a_journey_does_not_take_the_tab_from_whoever_sent_it() -> None:
    watched = Watched()
    watched.tell(documents("A", "B"))
    watched.link.gates["travel"] = asyncio.Event()
    sent = asyncio.create_task(watched.browser.journeys.go(TWO, "https://b.test/"))
    await watched.link.reached.wait()
    heard = watched.tell(events.Suspended(), events.Resumed(), documents("C", "D"))
    arrived = tab(2, document_id=DocumentId("D"))
    assert changes.TabGone(ONE) in heard
    assert changes.TabGone(TWO) not in heard
    assert changes.TabChanged(arrived) in heard
    sent.cancel()
    await asyncio.gather(sent, return_exceptions=True)
    heard = watched.tell(events.Suspended(), events.Resumed(), documents("C", "E"))
    assert changes.TabGone(TWO) in heard, "once its call is over, another page is anybody's"


def test_without_a_break_another_document_is_only_a_navigation() -> None:
    watched = Watched()
    watched.tell(documents("A"))
    assert watched.tell(documents("C")) == [changes.TabChanged(tab(1, document_id=DocumentId("C")))]


def test_tabs_without_documents_survive_a_break() -> None:
    watched = linked(1)
    assert watched.tell(events.Resumed(), documents(None)) == [changes.Resynchronised()]


def test_the_end_forgets_everything_and_frees_the_numbers() -> None:
    numbers = TabNumbers()
    watched = Watched(numbers=numbers)
    watched.tell(events.Connected("Chrome", "1", (tab(1),)), events.ToolsReported(1, (tool("star"),)))
    assert watched.tell(events.Ended("closed")) == [changes.Lost("closed")]
    assert (watched.browser.linked, dict(watched.browser.tabs), watched.browser.pages.tools(ONE)) == (False, {}, ())
    assert numbers.shown(BrowserId("other"), 1) == 1


@pytest.mark.parametrize(
    "mention", [events.ToolsReported(9, (tool("late"),)), events.PopupOpened(9, 1), events.TabReleased(9)]
)
def test_a_tab_only_mentioned_leaves_no_number_behind(mention: events.LinkEvent) -> None:
    numbers = TabNumbers()
    watched = Watched(numbers=numbers)
    watched.tell(events.Connected("Chrome", "1", (tab(1),)), mention, events.Ended("closed"))
    assert numbers.shown(BrowserId("other"), 9) == 9


def test_a_missing_tab_is_named() -> None:
    with pytest.raises(TabNotFound, match="No tab 7"):
        linked(1).browser.tab(7)


# --- what it asks of its link


async def test_our_own_browser_introduces_itself_unasked() -> None:
    watched = Watched()
    async with asyncio.timeout(BOUND_S):
        introduced = asyncio.create_task(watched.browser.introduce())
        await settle()
        assert not introduced.done()
        watched.tell(events.Connected("Chrome", "1", ()))
        await introduced
    assert watched.link.sent == []


async def test_a_foreign_browser_is_asked_to_introduce_itself() -> None:
    watched = Watched(FOREIGN)
    await watched.browser.introduce()
    assert watched.link.sent == [("connect", {})]


async def test_a_tab_is_opened_in_the_background() -> None:
    watched = linked()
    watched.link.answers["createTab"] = {"tabId": 5, "url": "https://a.test/"}
    opened = (await watched.browser.new_tabs.open("https://a.test/", focus=True)).tab
    assert watched.link.sent == [("createTab", {"url": "https://a.test/", "active": False})]
    assert opened == tab(5, "https://a.test/", "Loading...")


async def test_a_foreign_browser_is_told_whether_to_focus() -> None:
    watched = Watched(FOREIGN)
    watched.link.answers["createTab"] = {"tabId": 5}
    opened = (await watched.browser.new_tabs.open("https://a.test/", focus=True)).tab
    assert watched.link.sent == [("createTab", {"url": "https://a.test/", "active": False, "focus": True})]
    assert opened.url == "https://a.test/"


async def test_an_opened_tab_is_told_as_the_browser_reports_it() -> None:
    watched = linked(5)
    watched.link.answers["createTab"] = {"tabId": 5}
    assert await watched.browser.new_tabs.open("https://a.test/", focus=False) == Opened(tab(5))


async def test_an_opened_tab_is_given_a_moment_to_load() -> None:
    watched = linked()
    watched.tell(events.TabCreated(tab(5, loading=True)))
    watched.link.answers["createTab"] = {"tabId": 5}
    opening = asyncio.create_task(watched.browser.new_tabs.open("https://a.test/", focus=False))
    await settle()
    assert not opening.done()
    watched.tell(events.TabUpdated(tab(5, title="Halfway", loading=True)))
    await settle()
    assert not opening.done()
    watched.tell(events.TabUpdated(tab(5, title="Loaded")))
    assert (await opening).tab.title == "Loaded"


async def test_a_tab_that_was_given_up_while_it_loads_is_closed() -> None:
    watched = linked()
    watched.tell(events.TabCreated(tab(5, loading=True)))
    watched.link.answers["createTab"] = {"tabId": 5}
    opening = asyncio.create_task(watched.browser.new_tabs.open("https://a.test/", focus=False))
    await settle()
    opening.cancel()
    await asyncio.wait({opening})
    assert opening.cancelled()
    assert watched.link.sent[1:] == [("closeTab", {"tabId": 5})]


async def test_a_page_that_did_not_load_is_told() -> None:
    watched = linked()
    watched.link.answers["createTab"] = {"tabId": 5, "url": "https://a.test/", "error": "net::ERR_NAME_NOT_RESOLVED"}
    assert (await watched.browser.new_tabs.open("https://a.test/", focus=False)).problem == "net::ERR_NAME_NOT_RESOLVED"


async def test_a_browser_that_does_not_say_which_tab_it_opened_has_failed() -> None:
    with pytest.raises(CommandFailed, match="did not say which"):
        await linked().browser.new_tabs.open("https://a.test/", focus=False)


async def test_commands_carry_the_browsers_own_numbers() -> None:
    numbers = TabNumbers()
    numbers.shown(BrowserId("other"), 1)
    watched = Watched(LOCAL | FOREIGN, numbers)
    watched.tell(events.Connected("Chrome", "1", (tab(1),)))
    browser = watched.browser
    assert browser.raw_tab_id(TWO) == 1
    await browser.activate_tab(TWO)
    await browser.pages.look_at(TWO)
    watched.link.answers |= {"callTool": {"result": "done"}, "groupTabs": {"groupId": 7}}
    assert await browser.pages.call(TWO, tool("star"), {"n": 1}) == "done"
    assert await browser.person.group(TWO, None, "agent", "blue") == 7
    assert await browser.person.group(TWO, 7, "agent", "blue") == 7
    await browser.close_tab(TWO)
    assert watched.link.sent == [
        ("activateTab", {"tabId": 1}),
        ("introspect", {"tabId": 1, "watch": True}),
        ("callTool", {"tabId": 1, "toolName": "star", "args": {"n": 1}}),
        ("groupTabs", {"tabIds": [1], "title": "agent", "color": "blue"}),
        ("groupTabs", {"tabIds": [1], "title": "agent", "color": "blue", "groupId": 7}),
        ("closeTab", {"tabId": 1}),
    ]
    assert TWO not in browser.tabs


async def test_what_a_browser_cannot_do_is_left_out() -> None:
    watched = Watched(frozenset())
    watched.tell(events.Connected("Chrome", "1", (tab(1),)))
    await watched.browser.activate_tab(ONE)
    await watched.browser.person.show_holds([])
    await watched.browser.pages.look_at(ONE)
    assert await watched.browser.person.group(ONE, None, "agent", "blue") is None
    assert watched.link.sent == []


async def test_a_group_without_a_number_is_none() -> None:
    assert await linked(1).browser.person.group(ONE, None, "agent", "blue") is None


async def test_holds_are_shown() -> None:
    watched = linked(1)
    await watched.browser.person.show_holds([{"id": "s"}])
    assert watched.link.sent == [("showHolds", {"sessions": [{"id": "s"}]})]


async def test_a_way_is_told_as_it_ended() -> None:
    watched = linked(1)
    watched.link.answers["travel"] = {
        "outcome": "committed", "url": "https://b.test/", "title": "B", "status": 200, "loading": True,
    }  # fmt: skip
    arrival = await watched.browser.journeys.go(ONE, "https://b.test/")
    assert arrival == Arrival(Ending.ARRIVED, "https://b.test/", "B", 200, loading=True)
    assert watched.link.asked("travel") == [{"tabId": 1, "to": "https://b.test/", "asks": "page"}]


async def test_a_page_in_the_background_is_made_to_follow_its_window() -> None:
    watched = linked(1)
    size = {"width": 900, "height": 700}
    watched.link.answers["resizeWindow"] = {
        **size, "shown": {"width": 900, "height": 613}, "viewport": {"width": 945, "height": 973},
    }  # fmt: skip
    resized = await watched.browser.windows.resize(ONE, 900, 700)
    assert (resized.window, resized.page) == ((900, 700), (900, 613))
    emulated = [
        asked["params"] for asked in watched.link.asked("forwardCDPCommand") if "Metrics" in str(asked["method"])
    ]
    assert emulated == [{"width": 900, "height": 613, "deviceScaleFactor": 0, "mobile": False}]


def test_a_crashed_tab_is_not_listed_but_there_to_be_loaded_anew() -> None:
    watched = linked(1, 2)
    watched.tell(events.TabClosed(1, crashed=True), events.TabClosed(2))
    assert not watched.browser.tabs
    with pytest.raises(PageCrashed, match="navigate with reload"):
        watched.browser.tab(1)
    assert watched.browser.tab(1, or_crashed=True).crashed
    with pytest.raises(TabNotFound, match="No tab 2"):
        watched.browser.tab(2)
    watched.tell(events.TabCreated(tab(1)))
    assert not watched.browser.tab(1).crashed
    watched.tell(events.TabClosed(1, crashed=True), events.TabClosed(1))
    with pytest.raises(TabNotFound):
        watched.browser.tab(1, or_crashed=True)


async def test_a_tab_is_in_its_group_as_soon_as_that_was_answered() -> None:
    watched = linked(1)
    watched.link.answers["groupTabs"] = {"groupId": 7}
    await watched.browser.person.group(ONE, None, "agent", "blue")
    assert watched.browser.tabs[ONE].group_id == 7


def test_downloads_are_known_by_the_numbers_clients_see() -> None:
    watched = linked(1)
    watched.tell(events.DownloadReported(3, "https://a.test/f", "/tmp/f", "complete", 7, 7, tab_id=1))
    watched.tell(events.DownloadReported(4, "https://a.test/g", "/tmp/g", "complete", 7, 7, tab_id=99))
    assert [download.id for download in watched.browser.downloads.of(ONE)] == [3]
    watched.tell(events.Ended("gone"))
    assert watched.browser.downloads.get(3) is None
