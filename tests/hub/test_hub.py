"""The hub over a transport in memory: who is told, and how a call ends whatever becomes of its page."""

import asyncio

import pytest

from tabwright.calls.hub import MAX_ANSWERS, MAX_EARLY, Hub
from tabwright.calls.hub_audit import Executed
from tabwright.calls.hub_running import Caller, Confirm, Report
from tabwright.errors import BrowserNotConnected, CommandFailed, TimedOut, ToolError
from tabwright.hub.entries import Entry
from tabwright.hub.memory import NoMemory
from tabwright.hub.places import Allowed, Place
from tabwright.hub.registry import Registered
from tabwright.hub.transport import BrowserGone, BrowserSeen, FrameGone, TabGone, TabHubTransport, TabSeen
from tabwright.link.hub_wire import Confirming, Progressing
from tabwright.model import BrowserId, DocumentId, JsonObject, TabId, TabInfo
from tests.fakes import settle
from tests.hub.memory_transport import CHROME, MemoryTransport, at
from tests.hub.test_registry import registering, tool

NAME = "website_tool_shop_example_tab1_buy"


class Audit:
    def __init__(self) -> None:
        self.registrations: list[tuple[Place, Registered]] = []
        self.executions: list[tuple[str, str]] = []

    def registered(self, place: Place, outcome: Registered, seconds: float) -> None:
        self.registrations.append((place, outcome))

    def executed(self, executed: Executed) -> None:
        self.executions.append((executed.tool, executed.outcome))


class World:
    def __init__(self, *tabs: int) -> None:
        self.audit = Audit()
        self.hub = Hub(NoMemory(), Allowed(), self.audit)
        self.transport = MemoryTransport()
        carried: TabHubTransport = self.transport
        self.hub.carry(carried)
        self.changes = 0
        self.hub.listen(self._changed)
        self.transport.browser(*tabs)

    def _changed(self) -> None:
        self.changes += 1

    def entry(self, name: str = NAME) -> Entry:
        found = self.hub.view(CHROME).find(name)
        assert isinstance(found, Entry)
        return found

    async def fails(self) -> ToolError:
        with pytest.raises(ToolError) as caught:
            await self.hub.execute(self.entry(), {}, caller())
        return caught.value


async def nobody(asked: Confirming) -> None:
    raise AssertionError("nobody is asked")


async def unheard(told: Progressing) -> None:
    raise AssertionError("nobody is told")


def caller(confirm: Confirm = nobody, report: Report = unheard) -> Caller:
    return Caller("me", confirm, report)


async def test_what_a_frame_says_before_its_tab_is_known_waits_for_it() -> None:
    world = World()
    world.transport.say(at(5), registering(tool("buy")))
    assert not world.hub.view(CHROME).specs
    world.transport.happen(TabSeen(CHROME, TabInfo(TabId(5), "", "https://shop.example/"), 5))
    assert [spec.name for spec in world.hub.view(CHROME).specs] == [NAME]


async def test_the_last_words_of_closed_tabs_do_not_keep_out_the_first_of_new_ones() -> None:
    world = World()
    for tab in range(1_000, 1_000 + 2 * MAX_EARLY):
        world.transport.say(at(tab), registering(tool("late")))
    for number in range(2 * MAX_EARLY):
        world.transport.say(at(5), registering(tool(f"buy{number}")))
    world.transport.say(at(5), registering(tool("buy")))
    world.transport.happen(TabSeen(CHROME, TabInfo(TabId(5), "", "https://shop.example/"), 5))
    assert world.entry().tool.name == "buy"


async def test_a_tab_that_registers_without_end_waits_and_another_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabwright.calls.hub_pace.BURST_S", 0.0)
    monkeypatch.setattr("tabwright.calls.hub_pace.SHARE", 1e-3)
    world = World(5, 6)
    for name in ("a", "b", "buy"):
        world.transport.say(at(5), registering(tool(name)))
    world.transport.say(at(6), registering(tool("c")))
    assert [place.tab_id for place, _ in world.audit.registrations] == [5, 6]
    await world.hub.until(lambda: world.hub.view(CHROME).find(NAME) is not None, 10)
    assert len(world.audit.registrations) == 3, "of what waited only the last was read"


async def test_a_tab_that_asks_without_end_takes_no_answer_from_another() -> None:
    world = World(5, 6)
    for number in range(2 * MAX_ANSWERS):
        world.transport.say(at(5), asking(number))
    world.transport.say(at(6), asking("mine"))
    await settle()
    told = [(place.tab_id, message["id"]) for place, message in world.transport.sent]
    assert len([tab for tab, _ in told if tab == 5]) == MAX_ANSWERS
    assert told[-1] == (6, "mine")


def asking(asked: int | str) -> JsonObject:
    return {"jsonrpc": "2.0", "id": asked, "method": "browser/elicitConfirmation", "params": {"message": "Pay?"}}


async def test_listeners_hear_of_changes_and_of_nothing_else() -> None:
    world = World(5)
    before = world.changes
    world.transport.say(at(5), registering(tool("buy")))
    assert world.changes == before + 1
    world.transport.say(at(5), registering(tool("buy")))
    world.transport.say(at(5), {"type": "unheard-of"})
    world.transport.happen(FrameGone(CHROME, TabId(5), 0, DocumentId("another")))
    assert world.changes == before + 1
    assert world.hub.view(CHROME) is world.hub.view(CHROME), "one object until something changes"
    assert [(place, outcome.kept) for place, outcome in world.audit.registrations] == [(at(5), 0), (at(5), 1)]


@pytest.mark.parametrize(
    "news",
    [TabGone(CHROME, TabId(5)), FrameGone(CHROME, TabId(5), 0, DocumentId("d")), BrowserGone(CHROME)],
    ids=["tab", "frame", "browser"],
)
async def test_a_call_ends_with_its_page(news: TabGone | FrameGone | BrowserGone) -> None:
    world = World(5)
    world.transport.say(at(5), registering(tool("buy")))
    calling = asyncio.create_task(world.fails())
    await world.transport.asked.wait()
    world.transport.happen(news)
    assert (await calling).word == "outcome_unknown"
    assert world.audit.executions == [("buy", "outcome_unknown")]
    assert not [name for name in (spec.name for spec in world.hub.view(None).specs) if name == NAME]


async def test_an_answer_given_just_before_the_page_goes_still_counts() -> None:
    world = World(5)
    world.transport.say(at(5), registering(tool("buy")))
    world.transport.answers.append({"content": []})
    calling = asyncio.create_task(world.hub.execute(world.entry(), {}, caller()))
    await world.transport.asked.wait()
    world.transport.happen(TabGone(CHROME, TabId(5)))
    assert await calling == {"content": []}


async def test_no_answer_in_time_is_an_unknown_outcome_and_a_refusal_is_what_it_says() -> None:
    world = World(5)
    world.transport.say(at(5), registering(tool("buy")))
    world.transport.answers = [
        TimedOut("tabMessage", 10), BrowserNotConnected(), CommandFailed("no", -32005, "unreachable_page"),
    ]  # fmt: skip
    assert [(await world.fails()).word for _ in range(3)] == [
        "outcome_unknown", "browser_not_connected", "unreachable_page",
    ]  # fmt: skip


async def test_two_browsers_are_two_lists_and_without_a_choice_there_is_none() -> None:
    world = World(5)
    other = BrowserId("other")
    world.transport.say(at(5), registering(tool("buy")))
    assert world.hub.view(None).find(NAME) is not None, "there is but one"
    world.transport.happen(BrowserSeen(other, "other"), TabSeen(other, TabInfo(TabId(9), "", "https://a.example/"), 9))
    world.transport.say(Place(other, TabId(9), 0, DocumentId("x"), "https://a.example"), registering(tool("sell")))
    assert [spec.name for spec in world.hub.view(other).specs] == ["website_tool_a_example_tab1_sell"]
    assert [spec.name for spec in world.hub.view(CHROME).specs] == [NAME]
    assert world.hub.view(None).specs == ()


async def test_waiting_is_bounded_and_ends_with_what_it_waits_for() -> None:
    world = World(5)
    assert not await world.hub.until(lambda: False, 0.01)
    waiting = asyncio.create_task(world.hub.until(lambda: world.hub.view(CHROME).find(NAME) is not None, 5))
    await settle()
    assert not waiting.done()
    world.transport.say(at(5), registering(tool("buy")))
    assert await waiting


async def test_whoever_waits_hears_of_the_end_of_a_tab_that_offered_nothing() -> None:
    world = World(5)
    registry = world.hub.registry(CHROME)
    waiting = asyncio.create_task(world.hub.until(lambda: not registry.knows(TabId(5)), 5))
    await settle()
    world.transport.happen(TabGone(CHROME, TabId(5)))
    async with asyncio.timeout(4):
        assert await waiting


async def test_a_tab_of_which_nothing_more_is_wanted_is_gone() -> None:
    world = World(5)
    world.transport.say(at(5), registering(tool("buy")))
    world.transport.disconnect(CHROME, TabId(5))
    assert world.hub.view(CHROME).specs == ()
