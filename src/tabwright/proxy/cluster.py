"""One replica among others: who is there, what they say, and what is done about it.

`Aways` are our clients with extensions elsewhere, `Guests` the other way round. Every second each replica tells all
others how it is and how much busy users have spent; one that is silent is asked, and the broker itself says at once
when nobody listens there any more. What is revoked on one replica is revoked on all: sets that only grow, compared by
digest with every beat.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

import msgspec

from tabwright.proxy.buckets import Bucket
from tabwright.proxy.cluster_arrivals import Arrivals
from tabwright.proxy.cluster_away import Aways
from tabwright.proxy.cluster_beat import Beats, House
from tabwright.proxy.cluster_guests import Guests
from tabwright.proxy.cluster_presence import Arrival, Claim, claim
from tabwright.proxy.cluster_revocations import Revocations
from tabwright.proxy.cluster_wire import (
    ASK,
    ASKERS,
    EVERYBODY,
    HEADROOM,
    PREFIX,
    UNASKED,
    Beat,
    Broadcast,
    Bye,
    Hello,
    Record,
    Revoked,
    Superseded,
    broadcast,
    call_subject,
    encode,
    inbound,
    inbox,
    node_subject,
    unasked,
    user_key,
)
from tabwright.proxy.envelope import Frame
from tabwright.proxy.model import Close, Effect, Limits, PeerId, Publish, Send, UserId
from tabwright.proxy.peers import Client, Extension

ASK_S: Final = 0.5
"""How often replicas that matter to a client are asked for a sign of life."""
QUIET_S: Final = 1.6
"""Without a beat for so long, any replica is asked."""
DEAD_S: Final = 4.0
"""Without a word for so long it does not count as there."""
ASKED_A_SECOND: Final = 20
_ASKED: Final = "p-"
_ANSWERS: Final = (f"{PREFIX}.r.", f"{ASKERS}.")


@dataclass(slots=True)
class Neighbour:
    heard_at: float
    beat: Beat | None = None


class Cluster:
    """All that this replica knows of the others. Built once, told when the broker comes and goes."""

    def __init__(
        self,
        replica: str,
        host: str,
        version: str,
        house: House,
        limits: Limits,
        *,
        new_token: Callable[[], str],
        revoke: Callable[[frozenset[str]], list[Effect]],
        now: float,
    ) -> None:
        self.replica = replica
        self._house = house
        self._revoke = revoke
        self._asked_at = now
        self._beats = Beats(replica, host, version, house, limits, now)
        self._asked = Bucket(ASKED_A_SECOND, ASKED_A_SECOND, now)
        self._revocations = Revocations()
        self._neighbours: dict[str, Neighbour] = {}
        self.aways = Aways(replica, limits, house.counts, new_token)
        self.arrivals = Arrivals(new_token)
        self.guests = Guests(house, self.arrivals)

    @property
    def subjects(self) -> tuple[str, ...]:
        """What this replica listens to besides its extensions."""
        return EVERYBODY, ASK, node_subject(self.replica), inbox(self.replica, "*")

    @property
    def replicas(self) -> list[Beat]:
        """The others, as they last told of themselves."""
        return [neighbour.beat for neighbour in self._neighbours.values() if neighbour.beat is not None]

    def is_alive(self, replica: str) -> bool:
        return replica == self.replica or replica in self._neighbours

    # --- the router asks

    def serve(self, client: Client, frame: Frame, raw_id: bytes, now: float) -> list[Effect] | None:
        return self.aways.serve(client, frame, raw_id, now)

    def sockets(self, user: UserId) -> int:
        """A user's sockets on the others, as they told a second ago; none while the broker is away."""
        if not self.aways.reach.up or not self._neighbours:
            return 0
        key = user_key(user)
        return sum(beat.peers.get(key, 0) for beat in self.replicas)

    def client_left(self, client: Client) -> list[Effect]:
        return self.aways.left(client)

    def arrived(self, extension: Extension) -> list[Effect]:
        return self.arrivals.arrived(extension)

    def departed(self, extension: Extension) -> list[Effect]:
        return self.arrivals.departed(extension)

    # --- what is performed here

    def carry(self, effect: Send | Close) -> list[Effect]:
        return self.guests.carry(effect)

    def found(self, asker: PeerId, record: Record | None, now: float) -> list[Effect]:
        """Extensions of replicas that are gone are not shown."""
        if record is not None:
            record = {name: entry for name, entry in record.items() if self.is_alive(entry.replica)}
        return self.aways.found(asker, record, now)

    def claim(self, user: UserId, record: Record, wall_ms: int) -> Claim:
        """What a user's record should be, from what it is."""
        return claim(record, self.arrivals.of(user), self.replica, self.is_alive, wall_ms)

    def claimed(self, user: UserId, claimed: Claim, now: float) -> list[Effect]:
        """The record is as claimed: others learn what they lost, and we let go of what we lost."""
        for arrival, epoch in claimed.epochs:
            arrival.epoch, arrival.confirmed = epoch, True
        effects: list[Effect] = [
            Publish(call_subject(user, name, entry.arrival), encode(Superseded(claimed.record[name].epoch)))
            for name, entry in claimed.taken
        ]
        return effects + self._let_go(claimed.lost, now) + self.guests.confirmed(now)

    def _let_go(self, lost: Iterable[Arrival], now: float) -> list[Effect]:
        return [effect for arrival in lost for effect in self._house.roster.superseded(arrival.extension, now)]

    # --- the broker

    def broker_up(self, max_bytes: int, now: float) -> list[Effect]:
        self.guests.max_bytes = self.aways.max_bytes = max_bytes - HEADROOM
        self.arrivals.doubt()
        for neighbour in self._neighbours.values():
            neighbour.heard_at = now
        hello: list[Effect] = [Publish(EVERYBODY, encode(Hello(self.replica))), self._beat(now)]
        return [*hello, *self.arrivals.announce_all(self.guests.hosts), *self.aways.reach.broker_up(now)]

    def broker_down(self, now: float) -> list[Effect]:
        return self.aways.reach.broker_down(now)

    def farewell(self) -> list[Effect]:
        return [Publish(EVERYBODY, encode(Bye(self.replica)))]

    def received(self, subject: str, reply: str, data: bytes | None, now: float) -> list[Effect]:
        """A message of the broker's; no data: nobody listens where we published."""
        kind, _, rest = subject[len(PREFIX) + 1 :].partition(".")
        # nobody makes us say something where it would mean something else
        if reply and not reply.startswith(_ANSWERS[kind == "ask"]):
            self._house.counts.malformed += 1
            return []
        try:
            if kind == "x" and data is not None:
                return self.guests.received(subject, inbound.decode(data), reply, now)
            if kind == "r":
                return self._addressed(rest.partition(".")[2], data, now)
            if kind == "n":
                return [Publish(reply, b"")] if reply else []
            if kind == "ask":
                return [Publish(reply, encode(self._card(now)))] if reply and self._asked.take(now) else []
            if data is not None:
                return self._broadcast(broadcast.decode(data), now)
        except (msgspec.DecodeError, UnicodeDecodeError):
            self._house.counts.malformed += 1
        return []

    def _addressed(self, token: str, data: bytes | None, now: float) -> list[Effect]:
        if token == UNASKED:
            return [] if data is None else self.aways.told(unasked.decode(data), now)
        if not token.startswith(_ASKED):
            return self.aways.answered(token, data, now)
        replica = token.removeprefix(_ASKED)
        if data is None:
            return self._gone(replica, now)
        self._heard(replica, now)
        return []

    def _broadcast(self, message: Broadcast, now: float) -> list[Effect]:
        match message:
            case Beat():
                return self._hear_beat(message, now)
            case Bye(replica=replica):
                return [] if replica == self.replica else self._gone(replica, now)
            case Revoked(entries=entries):
                new = self._revocations.add(frozenset(entries))
                return self._revoke(new) if new else []
            case Hello(replica=self.replica):
                return []
            case Hello(replica=replica):
                return [self._beat(now), *self.aways.reach.lost(replica, now), *self.aways.reach.resume(now)]

    # --- who is there

    def _heard(self, replica: str, now: float) -> Neighbour:
        neighbour = self._neighbours.setdefault(replica, Neighbour(now))
        neighbour.heard_at = now
        self.guests.heard_of(replica)
        return neighbour

    def _hear_beat(self, beat: Beat, now: float) -> list[Effect]:
        if beat.replica == self.replica:
            return []
        self._heard(beat.replica, now).beat = beat
        if beat.spent:
            self._house.roster.spend(beat.spent, user_key, now)
        return self._revocations.compare(beat.revocations, now)

    def _gone(self, replica: str, now: float) -> list[Effect]:
        self._neighbours.pop(replica, None)
        self.guests.unreachable(replica, now)
        return self.aways.reach.lost(replica, now)

    def tick(self, now: float) -> list[Effect]:
        effects: list[Effect] = []
        if self.aways.reach.up and self._beats.due(now):
            effects.append(self._beat(now))
        if self.aways.reach.up:
            effects += self._look_around(now)
        return [*effects, *self.aways.tick(now), *self.guests.tick(now)]

    def _look_around(self, now: float) -> list[Effect]:
        effects: list[Effect] = []
        for replica, neighbour in list(self._neighbours.items()):
            if now - neighbour.heard_at > DEAD_S:
                effects += self._gone(replica, now)
        if now - self._asked_at < ASK_S:
            return effects
        self._asked_at = now
        quiet = {name for name, other in self._neighbours.items() if now - other.heard_at > QUIET_S}
        for replica in quiet | self.aways.replicas | self.guests.replicas:
            effects.append(Publish(node_subject(replica), b"", inbox(self.replica, _ASKED + replica)))
        return effects

    # --- what is told

    def _beat(self, now: float) -> Publish:
        return self._beats.beat(self._card(now), len(self._neighbours), now)

    def _card(self, now: float) -> Beat:
        return self._beats.card(self.aways.pending, self._revocations.digest, now)

    def revoked(self, entries: frozenset[str], now: float) -> list[Effect]:
        """What is revoked here, now or already."""
        new = self._revocations.add(entries)
        return self._revocations.tell(new, now) if new and self.aways.reach.up else []
