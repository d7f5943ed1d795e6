"""The other replicas: when each was last heard of, how it said it was, and who is to be asked for a sign of life."""

from dataclasses import dataclass
from typing import Final

from tabwright.proxy.cluster_wire import Beat, inbox, node_subject
from tabwright.proxy.model import Publish

ASK_S: Final = 0.5
"""How often replicas that matter to a client are asked for a sign of life."""
QUIET_S: Final = 1.6
"""Without a beat for so long, any replica is asked."""
DEAD_S: Final = 4.0
"""Without a word for so long it does not count as there."""
LOOK_S: Final = 0.5
"""How much counts of a time in which we did not look ourselves: what was said meanwhile may be heard only now."""
ASKED: Final = "p-"
"""How the tokens begin under which the asked answer; their name follows."""


@dataclass(slots=True)
class Neighbour:
    heard_at: float
    beat: Beat | None = None


class Neighbours:
    def __init__(self, replica: str, now: float) -> None:
        self._replica = replica
        self._asked_at = self._looked_at = now
        self._known: dict[str, Neighbour] = {}

    def __len__(self) -> int:
        return len(self._known)

    def __contains__(self, replica: str) -> bool:
        return replica in self._known

    @property
    def beats(self) -> list[Beat]:
        """As they last told of themselves."""
        return [neighbour.beat for neighbour in self._known.values() if neighbour.beat is not None]

    def hear(self, replica: str, now: float) -> Neighbour:
        neighbour = self._known.setdefault(replica, Neighbour(now))
        neighbour.heard_at = now
        return neighbour

    def forget(self, replica: str) -> None:
        self._known.pop(replica, None)

    def excuse(self, now: float) -> None:
        """We were away ourselves: that nothing was heard says nothing about them."""
        for neighbour in self._known.values():
            neighbour.heard_at = now

    def dead(self, now: float) -> list[str]:
        """Those that have been silent for too long, looked for again and again."""
        slept, self._looked_at = now - self._looked_at - LOOK_S, now
        if slept > 0:
            for neighbour in self._known.values():
                neighbour.heard_at = min(now, neighbour.heard_at + slept)
        return [name for name, neighbour in self._known.items() if now - neighbour.heard_at > DEAD_S]

    def ask(self, used: set[str], now: float) -> list[Publish]:
        """Those that have been quiet, and those that somebody here uses."""
        if now - self._asked_at < ASK_S:
            return []
        self._asked_at = now
        quiet = {name for name, neighbour in self._known.items() if now - neighbour.heard_at > QUIET_S}
        return [Publish(node_subject(name), b"", inbox(self._replica, ASKED + name)) for name in quiet | used]
