"""A browser in which somebody looks on is told grants and its own calls, gathered; and does what is pressed there."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from tabwright.browser.browsers import Browsers
from tabwright.calls.audit import Entry, Event
from tabwright.calls.timeline import Timeline
from tabwright.edges.links.onlookers import MAX_CALLS, Onlookers
from tabwright.errors import TimedOut
from tabwright.link.events import DashboardWanted, Ended, GrantRevoked, LookedAt
from tabwright.model import JsonObject, SessionId, TabId
from tabwright.policy.actions import Access
from tabwright.policy.grants import ANY, Grant, GrantKey, Grants, NoGrantMemory, Scope
from tests.fakes import BOUND_S, FakeChrome, tab

CALL = Entry(SessionId("s"), "client\u202e", "find", TabId(5), "ok", 0.0124, "https://a.test", browser="mine")


class Browser(FakeChrome):
    """One whose test waits for what it is asked."""

    def __init__(self, browsers: Browsers) -> None:
        self.heard = asyncio.Condition()
        super().__init__(browsers, "mine")

    async def request(self, command: str, params: JsonObject, timeout_s: float | None = None) -> JsonObject:
        try:
            return await super().request(command, params, timeout_s)
        finally:
            async with self.heard:
                self.heard.notify_all()

    async def told(self, count: int, command: str = "showActivity") -> list[JsonObject]:
        async with asyncio.timeout(BOUND_S), self.heard:
            await self.heard.wait_for(lambda: len(self.asked(command)) >= count)
        return self.asked(command)


class World:
    def __init__(self) -> None:
        self.browsers, self.timeline = Browsers(), Timeline(clock=lambda: 7.0)
        self.grants = Grants(NoGrantMemory(), lambda: 0.0)
        self.events: list[Entry | Event] = []
        self.chrome = Browser(self.browsers)
        self.chrome.link(tab(5))
        self.onlookers = Onlookers(self.browsers, self.timeline, self.grants, self, lambda: "http://127.0.0.1:1/#code")

    def record(self, entry: Entry | Event) -> None:
        self.events.append(entry)

    def give(self, origin: str, profile: str, client: str = "client") -> Grant:
        grant = Grant(GrantKey(origin, Access.SCRIPT, client, profile), Scope.ALWAYS, 0.0)
        self.grants.give(grant)
        return grant


@pytest.fixture
async def world() -> AsyncIterator[World]:
    made = World()
    running = asyncio.create_task(made.onlookers.run())
    await asyncio.sleep(0)
    yield made
    running.cancel()
    await asyncio.wait({running})


async def test_nobody_is_told_before_somebody_looks(world: World) -> None:
    world.timeline.record(CALL)
    await asyncio.sleep(0)
    assert world.chrome.asked("showActivity") == []


async def test_the_side_panel_gets_the_calls_of_its_own_browser_once_and_without_arguments(world: World) -> None:
    world.timeline.record(CALL)
    world.timeline.record(replace(CALL, browser="another"))
    world.chrome.tell(LookedAt(grants=False, calls=True))
    (first,) = await world.chrome.told(1)
    assert first == {
        "calls": [
            {
                "number": 1, "endedAt": 7000, "sessionId": "s", "client": "client", "tool": "find", "tabId": 5,
                "origin": "https://a.test", "outcome": "ok", "ms": 12.4,
            }
        ]
    }  # fmt: skip
    for _ in range(3):
        world.timeline.record(replace(CALL, tab_id=TabId(99)))
    second = (await world.chrome.told(2))[1]["calls"]
    assert isinstance(second, list)
    assert [(call["number"], call["tabId"]) for call in second if isinstance(call, dict)] == [
        (3, None), (4, None), (5, None),
    ], "a burst is one message, and a tab that is gone has no number"  # fmt: skip


async def test_no_message_holds_more_than_the_newest_calls(world: World) -> None:
    for _ in range(MAX_CALLS + 20):
        world.timeline.record(CALL)
    world.chrome.tell(LookedAt(grants=False, calls=True))
    (told,) = await world.chrome.told(1)
    assert isinstance(told["calls"], list)
    assert len(told["calls"]) == MAX_CALLS
    last = told["calls"][-1]
    assert isinstance(last, dict)
    assert last["number"] == MAX_CALLS + 20


async def test_the_popup_gets_the_grants_that_are_good_here_and_takes_them_back(world: World) -> None:
    mine = world.give("https://a.test", "mine")
    everywhere = world.give("https://b.test", ANY, client=ANY)
    elsewhere = world.give("https://c.test", "another")
    world.chrome.tell(LookedAt(grants=True, calls=False))
    grants = (await world.chrome.told(1))[0]["grants"]
    shown = {"kind": "script", "tool": "", "scope": "always"}
    assert grants == [
        {"id": mine.key.id, "origin": "https://a.test", "client": "client", **shown},
        {"id": everywhere.key.id, "origin": "https://b.test", "client": "", **shown},
    ]
    world.chrome.tell(GrantRevoked(elsewhere.key.id), GrantRevoked(mine.key.id))
    left = (await world.chrome.told(2))[1]["grants"]
    assert isinstance(left, list)
    assert len(left) == 1
    assert set(world.grants.listed()) == {everywhere, elsewhere}, "what is not shown here cannot be taken back here"
    (event,) = world.events
    assert isinstance(event, Event)
    assert (event.kind, event.told["what"], event.told["by"]) == ("grant", "revoked", "popup")


async def test_a_look_that_ends_is_told_nothing_more(world: World) -> None:
    world.chrome.tell(LookedAt(grants=True, calls=True))
    await world.chrome.told(1)
    world.chrome.tell(LookedAt(grants=False, calls=False))
    world.timeline.record(CALL)
    world.chrome.tell(LookedAt(grants=True, calls=False))
    assert "calls" not in (await world.chrome.told(2))[1]
    world.chrome.tell(Ended("gone"))
    world.timeline.record(CALL)


async def test_what_could_not_be_told_is_told_again(world: World) -> None:
    world.timeline.record(CALL)
    world.chrome.answers["showActivity"] = TimedOut("showActivity", 1.0)
    world.chrome.tell(LookedAt(grants=False, calls=True))
    await world.chrome.told(1)
    del world.chrome.answers["showActivity"]
    world.timeline.record(CALL)
    calls = (await world.chrome.told(2))[1]["calls"]
    assert isinstance(calls, list)
    assert len(calls) == 2


async def test_the_dashboard_opens_where_it_is_wanted_and_never_on_another_machine(world: World) -> None:
    world.chrome.tell(DashboardWanted())
    assert await world.chrome.told(1, "openDashboard") == [{"url": "http://127.0.0.1:1/#code"}]
    world.chrome.remote = True
    world.chrome.tell(DashboardWanted())
    await asyncio.sleep(0.01)
    assert len(world.chrome.asked("openDashboard")) == 1
