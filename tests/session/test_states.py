"""The state table: tabs.md's diagram, nothing more, and loud about what cannot happen."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabwright.session.states import NEXT, TOOLS, Event, ImpossibleEvent, State, step


def test_every_state_is_reachable_from_the_start() -> None:
    reached = {State.DISCONNECTED}
    while more := {after for (before, _), after in NEXT.items() if before in reached} - reached:
        reached |= more
    assert reached == set(State)


def test_every_state_leads_back_to_the_start() -> None:
    for state in set(State) - {State.DISCONNECTED}:
        assert step(state, Event.DISCONNECTED) is State.DISCONNECTED


@pytest.mark.parametrize(("state", "event"), [(s, e) for s in State for e in Event if (s, e) not in NEXT])
def test_an_impossible_event_raises_and_names_both(state: State, event: Event) -> None:
    with pytest.raises(ImpossibleEvent) as raised:
        step(state, event)
    assert state.value in str(raised.value)
    assert event.value in str(raised.value)


def test_the_diagram_of_the_specification_is_walked() -> None:
    walk = [
        (Event.CONNECTED, State.NO_TABS),
        (Event.TAB_OPENED, State.UNFOCUSED),
        (Event.TAB_FOCUSED, State.FOCUSED),
        (Event.TAB_FOCUSED, State.FOCUSED),
        (Event.FOCUS_LOST, State.UNFOCUSED),
        (Event.LAST_TAB_CLOSED, State.NO_TABS),
        (Event.DISCONNECTED, State.DISCONNECTED),
    ]
    state = State.DISCONNECTED
    for event, after in walk:
        state = step(state, event)
        assert state is after


def test_each_state_shows_the_tools_of_the_specification() -> None:
    assert TOOLS == {
        State.DISCONNECTED: ("connect_browser",),
        State.NO_TABS: ("list_tabs", "open_tab"),
        State.UNFOCUSED: ("list_tabs", "open_tab", "focus_tab"),
        State.FOCUSED: ("list_tabs", "open_tab", "focus_tab", "close_tab"),
    }


@settings(deadline=None)
@given(st.lists(st.sampled_from(Event)))
def test_whatever_happens_the_machine_is_in_a_known_state_or_refuses(happened: list[Event]) -> None:
    state = State.DISCONNECTED
    for event in happened:
        if (state, event) in NEXT:
            state = step(state, event)
        else:
            with pytest.raises(ImpossibleEvent):
                step(state, event)
    assert state in TOOLS
