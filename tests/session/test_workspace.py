"""A workspace follows its browser: state, focus and tabs always agree."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tabwright.model import BrowserId, Face, SessionId, TabId, Toolset
from tabwright.session.states import State
from tabwright.session.workspace import Group, Options, Turn, Workspace

CHROME = BrowserId("chrome")


def workspace() -> Workspace:
    options = Options(frozenset({Toolset.FOCUS}), Face.DYNAMIC)
    return Workspace(SessionId("s"), "agent", options, Group("agent", "blue"))


def connected(*tabs: int) -> Workspace:
    made = workspace()
    made.connected(CHROME, [TabId(tab) for tab in tabs])
    return made


def test_connecting_to_an_empty_browser_shows_no_tabs() -> None:
    made = connected()
    assert (made.state, made.browser, made.focus) == (State.NO_TABS, CHROME, None)


def test_connecting_to_a_browser_with_tabs_focuses_none() -> None:
    made = connected(1, 2)
    assert (made.state, made.focus, made.tabs) == (State.UNFOCUSED, None, {1, 2})


def test_focusing_another_tab_moves_and_focusing_the_same_does_not() -> None:
    made = connected(1, 2)
    assert made.focused(TabId(1))
    assert not made.focused(TabId(1))
    assert made.focused(TabId(2))
    assert (made.state, made.focus) == (State.FOCUSED, 2)


def test_focusing_the_first_tab_of_all_opens_it_too() -> None:
    made = connected()
    assert made.focused(TabId(1))
    assert (made.state, made.tabs) == (State.FOCUSED, {1})


def test_losing_the_focused_tab_leaves_the_others_unfocused() -> None:
    made = connected(1, 2)
    made.focused(TabId(1))
    made.tab_gone(TabId(1))
    assert (made.state, made.focus) == (State.UNFOCUSED, None)


def test_losing_another_tab_keeps_the_focus() -> None:
    made = connected(1, 2)
    made.focused(TabId(1))
    made.tab_gone(TabId(2))
    assert (made.state, made.focus) == (State.FOCUSED, 1)


def test_losing_the_last_tab_focused_or_not_leaves_none() -> None:
    for focus_first in (True, False):
        made = connected(1)
        if focus_first:
            made.focused(TabId(1))
        made.tab_gone(TabId(1))
        assert (made.state, made.focus) == (State.NO_TABS, None)


def test_losing_an_unknown_tab_is_nothing() -> None:
    made = connected(1)
    made.tab_gone(TabId(9))
    assert made.state is State.UNFOCUSED


def test_a_released_tab_stays_open_without_focus() -> None:
    made = connected(1)
    made.focused(TabId(1))
    made.taken_back(TabId(1))
    assert (made.state, made.focus, made.tabs) == (State.UNFOCUSED, None, {1})
    made.taken_back(TabId(1))
    assert made.state is State.UNFOCUSED


def test_disconnecting_forgets_browser_focus_tabs_and_group() -> None:
    made = connected(1)
    made.focused(TabId(1))
    made.group.id = 7
    made.disconnected()
    assert (made.state, made.browser, made.focus, made.tabs) == (State.DISCONNECTED, None, None, set())
    assert made.group == Group("agent", "blue", None)
    made.disconnected()
    assert made.state is State.DISCONNECTED


def test_connecting_to_another_browser_starts_over() -> None:
    made = connected(1)
    made.focused(TabId(1))
    made.connected(BrowserId("other"), [TabId(5)])
    assert (made.state, made.browser, made.focus, made.tabs) == (State.UNFOCUSED, "other", None, {5})


def test_the_group_shows_where_the_agent_is_in_its_answer() -> None:
    group = Group("claude", "blue")
    assert group.look == ("claude", "blue")
    group.turn = Turn.ANSWERING
    assert group.look == ("⏳ claude", "blue")
    group.turn = Turn.ANSWERED
    assert group.look == ("✓ claude", "grey")


NUMBERS = st.integers(1, 4).map(TabId)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("connected"), st.lists(NUMBERS)),
        st.tuples(st.just("disconnected"), st.none()),
        st.tuples(st.sampled_from(["tab_opened", "focused", "tab_gone", "taken_back"]), NUMBERS),
    ),
    max_size=30,
)


@settings(deadline=None)
@given(STEPS)
def test_state_focus_and_tabs_always_agree(steps: list[tuple[str, Any]]) -> None:
    made = workspace()
    for name, value in steps:
        match name:
            case "connected":
                made.connected(CHROME, value)
            case "disconnected":
                made.disconnected()
            case "tab_gone" | "taken_back":
                getattr(made, name)(value)
            case _:
                if made.browser is not None:
                    getattr(made, name)(value)
        assert (made.state is State.DISCONNECTED) == (made.browser is None)
        assert (made.state is State.FOCUSED) == (made.focus is not None)
        assert (made.state in (State.UNFOCUSED, State.FOCUSED)) == bool(made.tabs)
        assert made.focus is None or made.focus in made.tabs
