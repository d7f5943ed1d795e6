"""tabs.md, "Edge Cases", row by row, and the link's grace."""

import asyncio

import pytest

from tabwright.errors import CommandFailed
from tabwright.link import events
from tabwright.model import DocumentId
from tests.calls.world import CORE, Client, World, world
from tests.fakes import FakeChrome, settle, tab, tool


async def focused(made: World, *, follow_active_tab: bool = False) -> tuple[FakeChrome, Client]:
    """A client focused on the first of two tabs, whose page offers `star`."""
    chrome = made.chrome(foreign=True)
    chrome.link(tab(1, document_id=DocumentId("A")), tab(2, document_id=DocumentId("B")))
    chrome.offer(1, tool("star"))
    agent = made.client(follow_active_tab=follow_active_tab)
    await agent.call("connect_browser")
    await agent.call("focus_tab", tabId=1)
    assert agent.names == [*CORE, "star"]
    return chrome, agent


async def hears_nothing(agent: Client, told: int) -> None:
    """What is still to be told is told when a call of the session's own ends: here, nothing."""
    await settle()
    await agent.call("focus_tab", tabId=1)
    assert agent.told == told


async def test_an_extension_that_connects_is_ready_for_connect_browser_and_no_more() -> None:
    async with world() as made:
        agent = made.client()
        made.chrome().link(tab(1))
        await settle()
        assert (agent.told, agent.names) == (0, ["connect_browser"])
        assert await agent.refused("list_tabs") == "browser_not_connected"


async def test_an_extension_that_disconnects_resets_the_session_and_tells_it_once() -> None:
    async with world() as made:
        chrome, agent = await focused(made)
        told = agent.told
        chrome.tell(events.Ended("the browser said goodbye"))
        await agent.notices.reach(told + 1)
        assert agent.names == ["connect_browser"]
        assert made.sessions.held(agent.session) == ()
        assert await agent.refused("focus_tab", tabId=1) == "browser_not_connected"
        assert agent.told == told + 1


@pytest.mark.parametrize("crashed", [False, True])
async def test_a_focused_tab_closed_by_the_person_or_a_crash_takes_its_tools_along(crashed: bool) -> None:
    async with world() as made:
        chrome, agent = await focused(made)
        told = agent.told
        chrome.tell(events.TabClosed(1, crashed=crashed))
        await agent.notices.reach(told + 1)
        assert agent.names == CORE[:3]
        assert (await agent.call("list_tabs"))["focusedTabId"] is None
        assert made.sessions.held(agent.session) == ()


@pytest.mark.parametrize("crashed", [False, True])
async def test_another_tab_closed_or_crashed_is_no_news(crashed: bool) -> None:
    async with world() as made:
        chrome, agent = await focused(made)
        told = agent.told
        chrome.tell(events.TabClosed(2, crashed=crashed))
        await hears_nothing(agent, told)
        assert [row["id"] for row in (await agent.call("list_tabs"))["tabs"]] == [1]


async def test_a_tab_the_person_opens_is_listed_and_no_news() -> None:
    async with world() as made:
        chrome, agent = await focused(made)
        told = agent.told
        chrome.tell(events.TabCreated(tab(3)))
        await hears_nothing(agent, told)
        assert agent.names == [*CORE, "star"]
        assert [row["id"] for row in (await agent.call("list_tabs"))["tabs"]] == [1, 2, 3]


async def test_the_first_tab_the_person_opens_is_news_because_it_can_be_focused() -> None:
    async with world() as made:
        chrome = made.chrome()
        chrome.link()
        agent = made.client()
        await agent.call("connect_browser")
        chrome.tell(events.TabCreated(tab(1)))
        await agent.notices.reach(2)
        assert agent.names == CORE[:3]


async def test_a_page_that_navigates_to_other_tools_is_told() -> None:
    async with world() as made:
        chrome, agent = await focused(made)
        told = agent.told
        chrome.tell(events.TabUpdated(tab(1, "https://example.com/next")), events.ToolsReported(1, (tool("fork"),)))
        await agent.notices.reach(told + 1)
        assert agent.names == [*CORE, "fork"]


async def test_a_page_that_navigates_with_the_same_tools_is_no_news() -> None:
    async with world() as made:
        chrome, agent = await focused(made)
        told = agent.told
        chrome.tell(events.TabUpdated(tab(1, "https://example.com/next")), events.ToolsReported(1, (tool("star"),)))
        await hears_nothing(agent, told)


async def test_tools_of_a_tab_without_focus_are_no_news() -> None:
    async with world() as made:
        chrome, agent = await focused(made)
        told = agent.told
        chrome.offer(2, tool("other"))
        await hears_nothing(agent, told)
        assert agent.names == [*CORE, "star"]
        assert [row["toolCount"] for row in (await agent.call("list_tabs"))["tabs"]] == [1, 1]


async def test_focusing_an_invalid_tab_is_refused_and_changes_nothing() -> None:
    async with world() as made:
        chrome, agent = await focused(made)
        told = agent.told
        assert await agent.refused("focus_tab", tabId=4711) == "tab_not_found"
        chrome.answers["focusTab"] = CommandFailed("Chrome forbids it.", -32005, "unreachable_page")
        assert await agent.refused("focus_tab", tabId=2) == "unreachable_page"
        assert (agent.told, agent.names) == (told, [*CORE, "star"])
        assert made.sessions.held(agent.session) == (1,)


async def test_a_tab_that_closes_while_it_is_being_focused_is_not_found() -> None:
    async with world() as made:
        chrome, agent = await focused(made)
        chrome.gates["focusTab"] = asyncio.Event()
        focusing = asyncio.create_task(agent.refused("focus_tab", tabId=2))
        await chrome.reached.wait()
        chrome.tell(events.TabClosed(2))
        chrome.gates["focusTab"].set()
        assert await focusing == "tab_not_found"
        assert (agent.names, made.sessions.held(agent.session)) == ([*CORE, "star"], (1,))


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("not a url", "invalid_arguments"),
        ("", "invalid_arguments"),
        ("file:///etc/passwd", "denied"),
        ("http://127.0.0.1:3456/", "denied"),
    ],
)
async def test_opening_an_invalid_address_is_refused_and_changes_nothing(url: str, code: str) -> None:
    async with world() as made:
        chrome, agent = await focused(made)
        told = agent.told
        assert await agent.refused("open_tab", url=url) == code
        assert (agent.told, agent.names) == (told, [*CORE, "star"])
        assert chrome.asked("createTab") == []


async def test_a_person_switching_tabs_moves_nobody_by_default() -> None:
    async with world() as made:
        chrome, agent = await focused(made)
        chrome.tell(events.TabUpdated(tab(2, active=True)))
        await settle()
        assert (await agent.call("list_tabs"))["focusedTabId"] == 1


async def test_a_session_that_follows_goes_where_the_person_goes() -> None:
    async with world() as made:
        chrome, agent = await focused(made, follow_active_tab=True)
        told = agent.told
        chrome.tell(events.TabUpdated(tab(2, active=True)))
        await agent.notices.reach(told + 1)
        assert agent.names == CORE
        assert (await agent.call("list_tabs"))["focusedTabId"] == 2
        assert made.sessions.held(agent.session) == (1, 2)


async def test_a_session_does_not_follow_into_the_tab_of_another() -> None:
    async with world() as made:
        chrome, agent = await focused(made, follow_active_tab=True)
        other = made.client()
        await other.call("connect_browser")
        await other.call("focus_tab", tabId=2)
        chrome.tell(events.TabUpdated(tab(2, active=True)))
        await settle()
        assert (await agent.call("list_tabs"))["focusedTabId"] == 1


async def test_a_tab_that_cannot_be_followed_to_changes_nothing() -> None:
    async with world() as made:
        chrome, agent = await focused(made, follow_active_tab=True)
        chrome.answers["focusTab"] = CommandFailed("Chrome forbids it.")
        chrome.tell(events.TabUpdated(tab(2, active=True)), events.TabUpdated(tab(1, active=True)))
        await settle()
        assert (await agent.call("list_tabs"))["focusedTabId"] == 1


async def test_after_following_focusing_the_focused_tab_is_no_news() -> None:
    async with world() as made:
        chrome, agent = await focused(made, follow_active_tab=True)
        told = agent.told
        chrome.tell(events.TabUpdated(tab(2, active=True)))
        await agent.notices.reach(told + 1)
        agent.session.list()
        await agent.call("focus_tab", tabId=2)
        assert agent.told == told + 1


# --- the link's grace


async def test_a_link_that_breaks_for_a_moment_says_nothing_and_keeps_the_focus() -> None:
    async with world() as made:
        chrome, agent = await focused(made)
        told = agent.told
        chrome.tell(events.Suspended())
        assert agent.names == [*CORE, "star"]
        chrome.tell(events.Resumed())
        chrome.link(tab(1, document_id=DocumentId("A")), tab(2, document_id=DocumentId("B")))
        await hears_nothing(agent, told)
        assert agent.names == [*CORE, "star"]
        assert made.sessions.held(agent.session) == (1,)


async def test_a_held_tab_back_with_another_document_counts_as_closed() -> None:
    async with world() as made:
        chrome, agent = await focused(made)
        told = agent.told
        chrome.tell(events.Suspended(), events.Resumed())
        chrome.link(tab(1, document_id=DocumentId("X")), tab(2, document_id=DocumentId("B")))
        await agent.notices.reach(told + 1)
        assert agent.names == CORE[:3]
        assert made.sessions.held(agent.session) == ()
        assert [row["id"] for row in (await agent.call("list_tabs"))["tabs"]] == [2, 1]
