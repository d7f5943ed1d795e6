"""Two agents in one browser: whose tab is whose, popups, tabs taken back, and what the person is shown."""

import asyncio

from tabwright.errors import CommandFailed
from tabwright.link import events
from tests.calls.world import CORE, Client, World, world
from tests.fakes import BOUND_S, FakeChrome, settle, tab


async def two_clients(made: World) -> tuple[FakeChrome, Client, Client]:
    chrome = made.chrome()
    chrome.link(tab(1), tab(2))
    one, two = made.client(name="Claude Code"), made.client(name="Codex")
    for agent in (one, two):
        await agent.call("connect_browser")
    return chrome, one, two


def drawn(chrome: FakeChrome) -> dict[str, list[object]]:
    """What the browser was last told to show: the tabs by session name."""
    sessions = chrome.asked("showHolds")[-1]["sessions"]
    assert isinstance(sessions, list)
    shown: dict[str, list[object]] = {}
    for session in sessions:
        assert isinstance(session, dict)
        assert isinstance(session["tabs"], list)
        shown[str(session["name"])] = list(session["tabs"])
    return shown


async def test_a_tab_of_another_session_is_refused_naming_it() -> None:
    async with world() as made:
        _, one, two = await two_clients(made)
        await one.call("focus_tab", tabId=1)
        for name in ("focus_tab", "close_tab"):
            result = await two.session.call(name, {"tabId": 1})
            assert result.structured is not None
            assert result.structured["error"] == {
                "code": "tab_held",
                "message": "Tab 1 is held by another session (Claude Code).",
                "next": "Work in a tab of your own, or ask the person to take it back in the tabwright popup.",
            }
        assert (await two.call("list_tabs"))["focusedTabId"] is None


async def test_a_tab_of_nobody_must_be_focused_before_it_is_closed() -> None:
    async with world() as made:
        chrome, one, _ = await two_clients(made)
        assert await one.refused("close_tab", tabId=1) == "tab_not_held"
        await one.call("focus_tab", tabId=1)
        await one.call("close_tab", tabId=1)
        assert chrome.asked("closeTab") == [{"tabId": 1}]


async def test_a_session_that_ends_leaves_its_tabs_open_and_free() -> None:
    async with world() as made:
        chrome, one, two = await two_clients(made)
        await one.call("focus_tab", tabId=1)
        made.sessions.close(one.session)
        made.sessions.close(one.session)
        await two.call("focus_tab", tabId=1)
        assert chrome.asked("closeTab") == []
        assert len(made.sessions) == 1


async def test_a_call_without_a_tab_means_the_focused_or_the_only_one_held() -> None:
    async with world() as made:
        _, one, _ = await two_clients(made)
        assert await one.refused("close_tab") == "invalid_arguments"
        first = (await one.call("open_tab", url="https://a.test", focus=False))["tab"]["id"]
        assert (await one.call("close_tab"))["tabId"] == first
        await one.call("open_tab", url="https://a.test", focus=False)
        await one.call("open_tab", url="https://a.test", focus=False)
        assert await one.refused("close_tab") == "invalid_arguments"
        await one.call("focus_tab", tabId=2)
        assert (await one.call("close_tab"))["tabId"] == 2


async def test_agents_that_share_a_session_must_name_the_tab_once_there_are_two() -> None:
    async with world() as made:
        made.chrome().link(tab(1), tab(2))
        agent = made.client(shared=True)
        await agent.call("connect_browser")
        await agent.call("focus_tab", tabId=1)
        await agent.call("focus_tab", tabId=2)
        assert await agent.refused("close_tab") == "invalid_arguments"
        await agent.call("close_tab", tabId=1)
        assert (await agent.call("close_tab"))["tabId"] == 2


async def test_a_tab_taken_back_leaves_the_group_that_may_be_closed_with_its_session() -> None:
    async with world() as made:
        chrome, one, _ = await two_clients(made)
        opened = (await one.call("open_tab", url="https://a.test"))["tab"]["id"]
        moved = (await one.call("open_tab", url="https://b.test"))["tab"]["id"]
        for tab_id in (opened, moved):
            made.sessions.take_back(tab_id)
            # the person drags the other one into a group of their own
            chrome.tell(events.TabUpdated(tab(moved, group_id=8)))
        await settle()
        assert chrome.asked("ungroupTabs") == [{"tabIds": [opened]}]


async def test_a_tab_that_was_closed_is_told_as_such() -> None:
    async with world() as made:
        _, one, _ = await two_clients(made)
        await one.call("open_tab", url="https://a.test")
        await one.call("close_tab")
        refusal = await one.session.call("close_tab", {})
        assert "Tab 101 was closed. This session holds no other." in refusal.texts[0]


async def test_a_popup_of_a_held_tab_joins_its_opener() -> None:
    async with world() as made:
        chrome, one, two = await two_clients(made)
        await one.call("focus_tab", tabId=1)
        chrome.tell(events.TabCreated(tab(3)), events.PopupOpened(3, 1))
        await settle()
        assert made.sessions.held(one.session) == (1, 3)
        assert await two.refused("focus_tab", tabId=3) == "tab_held"
        assert chrome.asked("groupTabs")[-1]["tabIds"] == [3]
        assert drawn(chrome)["Claude Code"] == [{"tabId": 1, "claimed": True}, {"tabId": 3, "claimed": False}]


async def test_a_popup_of_a_free_tab_or_one_held_already_joins_nobody() -> None:
    async with world() as made:
        chrome, one, two = await two_clients(made)
        chrome.tell(events.TabCreated(tab(3)), events.PopupOpened(3, 1))
        await one.call("focus_tab", tabId=1)
        await two.call("focus_tab", tabId=2)
        chrome.tell(events.PopupOpened(2, 1))
        await settle()
        assert made.sessions.held(one.session) == (1,)
        assert made.sessions.held(two.session) == (2,)


async def test_a_tab_the_person_takes_back_loses_focus_and_hold() -> None:
    async with world() as made:
        chrome, one, two = await two_clients(made)
        await one.call("focus_tab", tabId=1)
        told = one.told
        chrome.tell(events.TabReleased(1))
        await one.notices.reach(told + 1)
        assert one.names == CORE[:3]
        assert await one.refused("close_tab", tabId=1) == "tab_not_held"
        assert drawn(chrome)["Claude Code"] == []
        refusal = await one.session.call("close_tab", {})
        assert "The person took tab 1 back. This session holds no other." in refusal.texts[0]
        await two.call("focus_tab", tabId=1)
        chrome.tell(events.TabReleased(2))
        assert made.sessions.held(two.session) == (1,)


async def test_a_tab_taken_back_while_it_is_being_focused_is_not_focused() -> None:
    async with world() as made:
        chrome = made.chrome(foreign=True)
        chrome.link(tab(1))
        agent = made.client()
        await agent.call("connect_browser")
        chrome.gates["focusTab"] = asyncio.Event()
        focusing = asyncio.create_task(agent.session.call("focus_tab", {"tabId": 1}))
        await chrome.reached.wait()
        chrome.tell(events.TabReleased(1))
        chrome.gates["focusTab"].set()
        assert (await focusing).is_error
        assert agent.session.workspace.focus is None


# --- what the person sees


async def test_the_person_sees_who_holds_what() -> None:
    async with world() as made:
        chrome, one, two = await two_clients(made)
        await one.call("focus_tab", tabId=1)
        opened = (await two.call("open_tab", url="https://a.test"))["tab"]["id"]
        await settle()
        assert drawn(chrome) == {
            "Claude Code": [{"tabId": 1, "claimed": True}],
            "Codex": [{"tabId": opened, "claimed": False}],
        }
        chrome.tell(events.TabClosed(1))
        await settle()
        assert drawn(chrome)["Claude Code"] == []


async def test_holds_are_drawn_anew_when_the_link_is_whole_again() -> None:
    async with world() as made:
        chrome, one, _ = await two_clients(made)
        await one.call("focus_tab", tabId=1)
        await settle()
        before = len(chrome.asked("showHolds"))
        chrome.tell(events.Suspended(), events.Resumed())
        chrome.link(tab(1), tab(2))
        await settle()
        assert len(chrome.asked("showHolds")) == before + 1
        assert drawn(chrome)["Claude Code"] == [{"tabId": 1, "claimed": True}]


async def test_changes_during_a_drawing_are_drawn_once_after_it() -> None:
    async with world() as made:
        chrome, one, two = await two_clients(made)
        await settle()
        before = len(chrome.asked("showHolds"))
        chrome.gates["showHolds"] = asyncio.Event()
        async with asyncio.timeout(BOUND_S):
            await one.call("focus_tab", tabId=1)
            await chrome.reached.wait()
            await two.call("focus_tab", tabId=2)
            made.sessions.close(one.session)
            chrome.gates["showHolds"].set()
            await settle()
        assert len(chrome.asked("showHolds")) == before + 2
        assert drawn(chrome) == {"Codex": [{"tabId": 2, "claimed": True}]}


async def test_a_browser_that_cannot_draw_harms_nobody() -> None:
    async with world() as made:
        chrome, one, _ = await two_clients(made)
        chrome.answers["showHolds"] = CommandFailed("No badge.")
        await one.call("focus_tab", tabId=1)
        await settle()
        del chrome.answers["showHolds"]
        await one.call("focus_tab", tabId=2)
        await settle()
        assert len(drawn(chrome)["Claude Code"]) == 2


async def test_a_client_that_says_its_name_is_shown_by_it() -> None:
    async with world() as made:
        chrome = made.chrome()
        chrome.link(tab(1))
        agent = made.client()
        made.sessions.identify(agent.session, "Claude\u202e\nCode" + "!" * 99)
        assert agent.session.workspace.client == ("Claude Code" + "!" * 99)[:39] + "…"
        made.sessions.identify(agent.session, "")
        assert agent.session.workspace.group.title == "agent"
        made.sessions.identify(agent.session, "agent")
        await agent.call("connect_browser")
        await agent.call("focus_tab", tabId=1)
        await settle()
        assert list(drawn(chrome)) == ["agent"]


async def test_each_session_gets_its_colour() -> None:
    async with world() as made:
        colours = [made.client().session.workspace.group.color for _ in range(9)]
        assert len(set(colours)) == 8
        assert colours[0] == colours[8]
