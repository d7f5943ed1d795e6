"""The focus state machine of tabs.md: one table, drawn in the docs from here.

Connecting to a browser that already has tabs is two events, CONNECTED and TAB_OPENED; closing the focused last tab is
FOCUS_LOST and then LAST_TAB_CLOSED.
"""

from enum import Enum
from typing import Final


class State(Enum):
    DISCONNECTED = "disconnected"
    NO_TABS = "connected, no tabs"
    UNFOCUSED = "connected, none focused"
    FOCUSED = "tab focused"


class Event(Enum):
    CONNECTED = "browser connected"
    TAB_OPENED = "tab opened"
    TAB_FOCUSED = "tab focused"
    FOCUS_LOST = "focus lost"
    LAST_TAB_CLOSED = "last tab closed"
    DISCONNECTED = "browser gone"


NEXT: Final = {
    (State.DISCONNECTED, Event.CONNECTED): State.NO_TABS,
    (State.NO_TABS, Event.TAB_OPENED): State.UNFOCUSED,
    (State.NO_TABS, Event.DISCONNECTED): State.DISCONNECTED,
    (State.UNFOCUSED, Event.TAB_OPENED): State.UNFOCUSED,
    (State.UNFOCUSED, Event.TAB_FOCUSED): State.FOCUSED,
    (State.UNFOCUSED, Event.LAST_TAB_CLOSED): State.NO_TABS,
    (State.UNFOCUSED, Event.DISCONNECTED): State.DISCONNECTED,
    (State.FOCUSED, Event.TAB_OPENED): State.FOCUSED,
    (State.FOCUSED, Event.TAB_FOCUSED): State.FOCUSED,
    (State.FOCUSED, Event.FOCUS_LOST): State.UNFOCUSED,
    (State.FOCUSED, Event.DISCONNECTED): State.DISCONNECTED,
}

TOOLS: Final = {
    State.DISCONNECTED: ("connect_browser",),
    State.NO_TABS: ("list_tabs", "open_tab"),
    State.UNFOCUSED: ("list_tabs", "open_tab", "focus_tab"),
    State.FOCUSED: ("list_tabs", "open_tab", "focus_tab", "close_tab"),
}
"""tabs.md, "Tool Availability by State". Page tools follow in FOCUSED."""


class ImpossibleEvent(Exception):
    """A bug in whoever feeds the machine: it names both the state and the event."""

    def __init__(self, state: State, event: Event) -> None:
        super().__init__(f"{event.value!r} cannot happen in state {state.value!r}")


def step(state: State, event: Event) -> State:
    """Raises:
    ImpossibleEvent: the table has no such row.
    """
    try:
        return NEXT[state, event]
    except KeyError:
        raise ImpossibleEvent(state, event) from None
