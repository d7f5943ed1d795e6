"""What one session owns: its browser, its focus, its tab group, and what it was last shown.

Fed with what happens in the browser and what the session's own calls did. Never awaits.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

from tabwright.model import BrowserId, Face, SessionId, TabId, Toolset
from tabwright.session.states import Event, State, step


@dataclass(frozen=True, slots=True)
class Options:
    """What a client chose for its session."""

    toolsets: frozenset[Toolset]
    face: Face
    activate_on_focus: bool = False
    follow_active_tab: bool = False
    close_group_on_end: bool = False
    """Its tab group is closed, tabs and all, when the session ends."""
    upload_dirs: tuple[str, ...] = ()
    """Folders whose files it may give to pages."""
    output_dir: str | None = None
    """Where files made for it are saved; None: in a folder of its own."""
    session: str | None = None
    """The name under which its client finds it again, over several connections."""
    shared: bool = False
    """Requests of one client that may be several agents: none of them means "the tab" by saying nothing."""


class Turn(Enum):
    """Where the agent is in its answer, as it says itself; the mark stands before the group's title."""

    SILENT = ""
    ANSWERING = "⏳ "
    ANSWERED = "✓ "


@dataclass(slots=True)
class Group:
    """The session's tab group in the browser; `id` is None until its first tab."""

    title: str
    color: str
    id: int | None = None
    turn: Turn = Turn.SILENT

    @property
    def look(self) -> tuple[str, str]:
        """Title and colour as the person sees them: grey once the agent has answered."""
        return self.turn.value + self.title, "grey" if self.turn is Turn.ANSWERED else self.color


@dataclass(slots=True)
class Workspace:
    """One session's state. `client` is what the client calls itself, shown to people and to other sessions."""

    id: SessionId
    client: str
    options: Options
    group: Group
    state: State = State.DISCONNECTED
    browser: BrowserId | None = None
    focus: TabId | None = None
    current: TabId | None = None
    """The tab its calls used last."""
    parted: str = ""
    """What became of the tab that it worked in last, where it is not the session's any more; a sentence."""
    tabs: set[TabId] = field(default_factory=set[TabId])

    def connected(self, browser: BrowserId, tabs: Iterable[TabId]) -> None:
        """The session now works with this browser."""
        if self.state is not State.DISCONNECTED:
            self.disconnected()
        self._step(Event.CONNECTED)
        self.browser = browser
        for tab_id in tabs:
            self.tab_opened(tab_id)

    def disconnected(self) -> None:
        """tabs.md "Extension disconnects": back to the start."""
        if self.state is State.DISCONNECTED:
            return
        self._step(Event.DISCONNECTED)
        self.browser = self.focus = self.current = self.group.id = None
        self.parted = ""
        self.tabs.clear()

    def tab_opened(self, tab_id: TabId) -> None:
        self.tabs.add(tab_id)
        self._step(Event.TAB_OPENED)

    def focused(self, tab_id: TabId) -> bool:
        """The session's focus is this tab; True if it was another."""
        self.tabs.add(tab_id)
        if self.state is State.NO_TABS:
            self._step(Event.TAB_OPENED)
        moved = self.focus != tab_id
        self._step(Event.TAB_FOCUSED)
        self.focus = tab_id
        return moved

    def tab_gone(self, tab_id: TabId) -> None:
        if tab_id not in self.tabs:
            return
        self.tabs.remove(tab_id)
        self._released(tab_id, f"Tab {tab_id} was closed.")
        if not self.tabs:
            self._step(Event.LAST_TAB_CLOSED)

    def taken_back(self, tab_id: TabId) -> None:
        """The person took the tab: it is no longer this session's to act on."""
        self._released(tab_id, f"The person took tab {tab_id} back.")

    def _released(self, tab_id: TabId, how: str) -> None:
        if tab_id in (self.current, self.focus):
            self.parted = how
        if self.current == tab_id:
            self.current = None
        if self.focus == tab_id:
            self.focus = None
            self._step(Event.FOCUS_LOST)

    def _step(self, event: Event) -> None:
        self.state = step(self.state, event)
