"""When a session is told that its list changed: when and only when it differs from the one last announced or fetched.

Changes by the session's own call are told at once, when the call ends. Others: the first after 500 quiet ms at once,
the rest merged into one at the end of the window, so a storm gives at most two a second. What is `minor` (which tab of
several is the active one) is told with the rest, and alone at most every 5 s.
"""

from enum import Enum
from typing import Final

WINDOW_S: Final = 0.5
MINOR_S: Final = 5.0


class Verdict(Enum):
    SILENT = "silent"
    NOW = "now"
    LATER = "later"


class Announcer:
    """One session's memory of what its client knows. A list is told apart by its fingerprint."""

    def __init__(self, fingerprint: str, minor: str = "") -> None:
        self._known = fingerprint
        self._known_minor = minor
        self._last_at = float("-inf")
        self._window_s = WINDOW_S
        self._own_calls = 0

    @property
    def due_at(self) -> float:
        """When a LATER is due."""
        return self._last_at + self._window_s

    def fetched(self, fingerprint: str, minor: str = "") -> None:
        """The client asked for the list and got this one."""
        self._known, self._known_minor = fingerprint, minor

    def changed(self, fingerprint: str, now: float, minor: str = "") -> Verdict:
        """Something happened, or a LATER came due; this is the list now."""
        if (fingerprint, minor) == (self._known, self._known_minor) or self._own_calls:
            return Verdict.SILENT
        self._window_s = MINOR_S if fingerprint == self._known else WINDOW_S
        if now < self.due_at:
            return Verdict.LATER
        return self._announce(fingerprint, now, minor)

    def call_began(self) -> None:
        """A call of the session's own that may change its list: hold back until it ends."""
        self._own_calls += 1

    def call_ended(self, fingerprint: str, now: float, *, moved: bool = False, minor: str = "") -> Verdict:
        """`moved`: focus went to another tab, which is always told."""
        self._own_calls -= 1
        if fingerprint == self._known and not moved:
            return Verdict.SILENT
        return self._announce(fingerprint, now, minor)

    def _announce(self, fingerprint: str, now: float, minor: str) -> Verdict:
        self._known, self._known_minor, self._last_at = fingerprint, minor, now
        return Verdict.NOW
