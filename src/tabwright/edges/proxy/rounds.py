"""When each socket is looked after next: ten thousand at rest are not looked at each second."""

from math import ceil

from tabwright.proxy.model import PeerId


class Rounds:
    """Peers by the second they are due in. By number, so that nothing of a socket that is gone is kept."""

    def __init__(self) -> None:
        self._due: dict[int, list[PeerId]] = {}

    def expect(self, peer: PeerId, at: float) -> None:
        """To be looked after then, or within a second of it."""
        self._due.setdefault(ceil(at), []).append(peer)

    def due(self, now: float) -> list[PeerId]:
        """Whose time has come; each is told once."""
        seconds = sorted(second for second in self._due if second <= now)
        return [peer for second in seconds for peer in self._due.pop(second)]
