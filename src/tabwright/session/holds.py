"""Who holds which tab: two agents in one browser never act on each other's.

A session holds the tabs it opened, their popups, and tabs of the person that it claimed by focusing them.
"""

from dataclasses import dataclass

from tabwright.errors import TabHeld, TabNotHeld
from tabwright.model import SessionId, TabId


@dataclass(frozen=True, slots=True)
class Hold:
    session: SessionId
    claimed: bool
    """The person's own tab, marked by a badge and left where it is."""


class Holds:
    """The one table of holds, over all sessions and browsers."""

    def __init__(self) -> None:
        self._holds: dict[TabId, Hold] = {}

    def take(self, session: SessionId, tab_id: TabId, *, claimed: bool, names: "Names") -> bool:
        """The session holds the tab from now on; False if it already did.

        Raises:
            TabHeld: another session holds it.
        """
        self.check_free(session, tab_id, names=names)
        if tab_id in self._holds:
            return False
        self._holds[tab_id] = Hold(session, claimed)
        return True

    def check(self, session: SessionId, tab_id: TabId, *, names: "Names") -> None:
        """Raises:
        TabHeld: another session holds it.
        TabNotHeld: nobody does.
        """
        self.check_free(session, tab_id, names=names)
        if tab_id not in self._holds:
            raise TabNotHeld(tab_id)

    def check_free(self, session: SessionId, tab_id: TabId, *, names: "Names") -> None:
        """Raises:
        TabHeld: another session holds it.
        """
        hold = self._holds.get(tab_id)
        if hold is not None and hold.session != session:
            raise TabHeld(tab_id, names.get(hold.session, "unnamed"))

    def holder(self, tab_id: TabId) -> SessionId | None:
        hold = self._holds.get(tab_id)
        return None if hold is None else hold.session

    def release(self, tab_id: TabId) -> SessionId | None:
        """Nobody holds the tab any more; who did."""
        hold = self._holds.pop(tab_id, None)
        return None if hold is None else hold.session

    def release_all(self, session: SessionId) -> tuple[TabId, ...]:
        held = tuple(tab_id for tab_id, _ in self.of(session))
        for tab_id in held:
            del self._holds[tab_id]
        return held

    def of(self, session: SessionId) -> tuple[tuple[TabId, Hold], ...]:
        return tuple((tab_id, hold) for tab_id, hold in self._holds.items() if hold.session == session)


Names = dict[SessionId, str]
