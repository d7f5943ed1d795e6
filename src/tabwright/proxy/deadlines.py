"""Who must have gone by when: strangers by their deadline, others when their token ends.

Ten thousand peers at rest are not looked at each second: those whose time is near are known by number, and all are
looked at only when that is about to be no longer so.
"""

from collections.abc import Mapping
from typing import Final, Protocol

from tabwright.proxy.model import PeerId

AHEAD_S: Final = 60.0
"""How far ahead a look at all of them reaches."""


class Mortal(Protocol):
    """A phase of a peer."""

    @property
    def ends_at(self) -> float | None: ...


class Deadlines:
    def __init__(self, peers: Mapping[PeerId, Mortal]) -> None:
        self._peers = peers
        self._until = 0.0
        self._near: set[PeerId] = set()
        """All that end until then, and some that do not or are gone."""

    def note(self, peer: PeerId, ends_at: float | None) -> None:
        """A peer is in another phase."""
        if ends_at is not None and ends_at <= self._until:
            self._near.add(peer)

    def due(self, now: float) -> list[PeerId]:
        """Whose time is up."""
        if now >= self._until:
            self._until = now + AHEAD_S
            self._near = set(self._peers)
        self._near = {peer for peer in self._near if self._ends(peer) <= self._until}
        return sorted(peer for peer in self._near if self._ends(peer) <= now)

    def _ends(self, peer: PeerId) -> float:
        phase = self._peers.get(peer)
        return float("inf") if phase is None or phase.ends_at is None else phase.ends_at
