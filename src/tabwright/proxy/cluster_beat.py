"""What a replica says of itself every second: how it is, what busy users have spent, and who has many sockets."""

from typing import Final, Protocol

from msgspec import structs

from tabwright.proxy.cluster_guests import Host
from tabwright.proxy.cluster_wire import EVERYBODY, Beat, encode, user_key
from tabwright.proxy.counts import Counts
from tabwright.proxy.model import Limits, Publish

BEAT_S: Final = 1.0
BUSY_SHARE: Final = 0.1
"""Of a user's rate: who spends less is not talked about."""
PEERS_TOLD: Final = 2_000
"""How many users' sockets are told of with a beat, those with the most first."""


class House(Host, Protocol):
    """The router, as a replica needs it."""

    @property
    def counts(self) -> Counts: ...
    @property
    def pending(self) -> int: ...


class Beats:
    def __init__(self, replica: str, host: str, version: str, house: House, limits: Limits, now: float) -> None:
        self._replica = replica
        self._host = host
        self._version = version
        self._house = house
        self._limits = limits
        self._began = self._at = now
        self._counted = 0
        self._calls_s = 0.0

    def due(self, now: float) -> bool:
        return now - self._at >= BEAT_S

    def card(self, away: int, revocations: str, now: float) -> Beat:
        """How this replica is, without a word of its users."""
        return Beat(
            self._replica,
            self._host,
            self._version,
            int(now - self._began),
            self._house.roster.extensions,
            self._house.roster.clients,
            self._house.pending + away,
            round(self._calls_s, 1),
            revocations,
            {},
            {},
        )

    def beat(self, card: Beat, others: int, now: float) -> Publish:
        passed, self._at = max(now - self._at, 0.1), now
        calls = self._house.counts.calls
        self._calls_s, self._counted = (calls - self._counted) / passed, calls
        spent = self._house.roster.spent(self._limits.user_rate * BUSY_SHARE * passed)
        peers = self._house.roster.sockets(self._told_from(others), PEERS_TOLD)
        told = structs.replace(
            card,
            calls_s=round(self._calls_s, 1),
            spent={user_key(user): count for user, count in spent.items()},
            peers={user_key(user): count for user, count in peers.items()},
        )
        return Publish(EVERYBODY, encode(told))

    def _told_from(self, others: int) -> int:
        """How many sockets of a user are worth telling: what all replicas keep to themselves is half of the limit."""
        return max(2, self._limits.user_peers // (2 * (others + 1)))
