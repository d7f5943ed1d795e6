"""What is revoked anywhere: a set that only grows, told to all replicas and compared by digest with every beat."""

from typing import Final

from tabwright.proxy.cluster_wire import EVERYBODY, Revoked, digest, encode
from tabwright.proxy.model import Effect, Publish

AT_ONCE: Final = 5_000
TELL_S: Final = 1.0
"""How often all of it is told at most, however many others lack some."""


class Revocations:
    def __init__(self) -> None:
        self._known: frozenset[str] = frozenset()
        self._told_at = 0.0
        self.digest = digest(self._known)

    def add(self, entries: frozenset[str]) -> frozenset[str]:
        """Those that are new."""
        new = entries - self._known
        if new:
            self._known |= new
            self.digest = digest(self._known)
        return new

    def compare(self, theirs: str, now: float) -> list[Effect]:
        """Another replica's digest: if it is not ours, it is told all we know."""
        return [] if theirs == self.digest or now - self._told_at < TELL_S else self.tell(self._known, now)

    def tell(self, entries: frozenset[str], now: float) -> list[Effect]:
        self._told_at = now
        told = sorted(entries)
        return [
            Publish(EVERYBODY, encode(Revoked(told[start : start + AT_ONCE]))) for start in range(0, len(told), AT_ONCE)
        ]
