"""More than one linked browser: the choice is offered, asked for, and followed."""

import pytest

from tabwright.errors import UnknownTool
from tabwright.link import events
from tabwright.model import Face, Json, Toolset
from tests.calls.test_without_browser import ALONE, REFUSED
from tests.calls.world import CHOICE, CORE, STABLE, World, world
from tests.fakes import FakeChrome, settle, tab


def two_browsers(made: World) -> tuple[FakeChrome, FakeChrome]:
    one, two = made.chrome("one"), made.chrome("two", launched=True)
    one.link(tab(5))
    two.link(tab(5), tab(9))
    return one, two


async def test_a_choice_must_be_made_among_several() -> None:
    async with world() as made:
        two_browsers(made)
        agent = made.client()
        assert agent.names == ["connect_browser", *CHOICE]
        assert await agent.refused("connect_browser") == "choose_browser"
        assert (agent.told, agent.names) == (0, ["connect_browser", *CHOICE])


async def test_the_choices_are_told_with_what_tells_them_apart() -> None:
    async with world() as made:
        two_browsers(made)
        agent = made.client()
        row = {"name": "Chrome", "version": "120.0.0", "selected": False}
        assert await agent.call("list_connected_browsers") == {
            "browsers": [
                {"id": "one", **row, "profile": "own", "tabCount": 1},
                {"id": "two", **row, "profile": "launched", "tabCount": 2},
            ]
        }
        chosen = {"selected": "two", "name": "Chrome", "version": "120.0.0", "tabCount": 2}
        assert await agent.call("select_browser", browserId="two") == chosen
        assert agent.told == 1
        assert agent.names == [*CORE[:3], *CHOICE]
        browsers = (await agent.call("list_connected_browsers"))["browsers"]
        assert [browser["selected"] for browser in browsers] == [False, True]


async def test_a_browser_that_is_not_there_cannot_be_selected() -> None:
    async with world() as made:
        two_browsers(made)
        assert await made.client().refused("select_browser", browserId="three") == "invalid_arguments"


async def test_two_tabs_of_the_same_number_are_told_apart() -> None:
    async with world() as made:
        one, two = two_browsers(made)
        left, right = made.client(), made.client()
        await left.call("select_browser", browserId="one")
        await right.call("select_browser", browserId="two")
        assert [row["id"] for row in (await left.call("list_tabs"))["tabs"]] == [5]
        assert [row["id"] for row in (await right.call("list_tabs"))["tabs"]] == [6, 9]
        await left.call("focus_tab", tabId=5)
        await right.call("focus_tab", tabId=6)
        assert await right.refused("focus_tab", tabId=5) == "tab_not_found"
        await right.call("close_tab")
        assert (one.asked("closeTab"), two.asked("closeTab")) == ([], [{"tabId": 5}])


async def test_selecting_another_browser_frees_what_was_held_and_selecting_the_same_does_not() -> None:
    async with world() as made:
        two_browsers(made)
        agent = made.client()
        await agent.call("select_browser", browserId="one")
        await agent.call("focus_tab", tabId=5)
        told = agent.told
        await agent.call("select_browser", browserId="one")
        assert (made.sessions.held(agent.session), agent.told) == ((5,), told)
        await agent.call("select_browser", browserId="two")
        assert made.sessions.held(agent.session) == ()
        assert (agent.told, agent.names) == (told + 1, [*CORE[:3], *CHOICE])


@pytest.mark.parametrize("face", list(Face))
async def test_the_choice_appears_with_the_second_browser_and_goes_with_it(face: Face) -> None:
    async with world() as made:
        made.chrome("one").link()
        agent = made.client(face=face)
        alone = ["connect_browser"] if face is Face.DYNAMIC else STABLE
        assert agent.names == alone
        with pytest.raises(UnknownTool):
            await agent.session.call("select_browser", {"browserId": "one"})
        second = made.chrome("two")
        second.link()
        await agent.notices.reach(1)
        assert agent.names == [*alone, *CHOICE]
        second.tell(events.Ended("closed"))
        await agent.notices.reach(2)
        assert agent.names == alone


async def test_the_loss_of_another_browser_costs_a_session_nothing_but_the_choice() -> None:
    async with world() as made:
        one, _ = two_browsers(made)
        agent = made.client()
        await agent.call("select_browser", browserId="two")
        await agent.call("focus_tab", tabId=9)
        told = agent.told
        one.tell(events.Ended("closed"))
        await agent.notices.reach(told + 1)
        assert agent.names == CORE
        assert made.sessions.held(agent.session) == (9,)


async def test_a_connected_session_is_not_asked_to_choose_again() -> None:
    async with world() as made:
        made.chrome("one").link(tab(1))
        agent = made.client()
        await agent.call("connect_browser")
        made.chrome("two").link()
        await settle()
        assert (await agent.call("connect_browser"))["connected"] is True


async def test_what_works_without_a_browser_asks_for_no_choice() -> None:
    async with world() as made:
        two_browsers(made)
        agent = made.client(Toolset.AUTOMATION, face=Face.STABLE)
        for name, (arguments, _) in ALONE.items():
            result = await agent.session.call(name, arguments)
            assert not result.is_error, (name, result)
        assert agent.session.workspace.browser is None
        assert "2 browsers are linked" in await agent.text("dev_utils")


async def test_what_needs_a_browser_names_the_choices() -> None:
    async with world() as made:
        one, two = two_browsers(made)
        agent = made.client(Toolset.FOCUS, Toolset.AUTOMATION, face=Face.STABLE)
        needing = {name: call for name, call in REFUSED.items() if name != "shortcuts_execute"}
        for name, (arguments, _) in {**needing, "list_tabs": ({}, ""), "navigate": ({"url": "a.example"}, "")}.items():
            assert await agent.refused(name, **arguments) == "choose_browser", name
        assert (one.asked("createTab"), two.asked("createTab")) == ([], [])


async def test_a_batch_may_choose_and_go_on() -> None:
    async with world() as made:
        _, two = two_browsers(made)
        agent = made.client(Toolset.AUTOMATION, face=Face.STABLE)
        choose: Json = {"tool": "select_browser", "arguments": {"browserId": "two"}}
        result = await agent.session.call("browser_batch", {"steps": [choose, {"tool": "tabs_create_mcp"}]})
        assert not result.is_error, result
        assert len(two.asked("createTab")) == 1
