"""One replica among others: who is there, what they say, and what is done about it.

`Aways` are our clients with extensions elsewhere, `Guests` the other way round. Every second each replica tells all
others how it is and how much busy users have spent; one that is silent is asked, and the broker itself says at once
when nobody listens there any more. What is revoked on one replica is revoked on all: sets that only grow, compared by
digest with every beat.
"""

from collections.abc import Callable, Iterable
from typing import Final

import msgspec

from tabwright.proxy.buckets import Bucket
from tabwright.proxy.cluster_arrivals import Arrivals
from tabwright.proxy.cluster_away import Aways
from tabwright.proxy.cluster_beat import Beats, House
from tabwright.proxy.cluster_guests import Guests
from tabwright.proxy.cluster_neighbours import ASKED, Neighbour, Neighbours
from tabwright.proxy.cluster_presence import Arrival, Claim, claim
from tabwright.proxy.cluster_revocations import Revocations
from tabwright.proxy.cluster_wire import (
    ASK,
    ASKERS,
    EVERYBODY,
    HEADROOM,
    MOVES,
    PREFIX,
    UNASKED,
    Arrived,
    Beat,
    Broadcast,
    Bye,
    Hello,
    Record,
    Revoked,
    Superseded,
    arrival_subject,
    arrived,
    broadcast,
    call_subject,
    encode,
    inbound,
    inbox,
    node_subject,
    unasked,
    user_key,
)
from tabwright.proxy.model import Effect, Limits, PeerId, Publish, UserId
from tabwright.proxy.peers import Client, Extension

ASKED_A_SECOND: Final = 20
_CALLS, _ANSWERS, _ASKERS, _MOVES = f"{PREFIX}.x.", f"{PREFIX}.r.", f"{ASKERS}.", f"{MOVES}."


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
        self._node, self._inbox = node_subject(replica), inbox(replica, "")
        self._house = house
        self._revoke = revoke
        self._beats = Beats(replica, host, version, house, limits, now)
        self._asked = Bucket(ASKED_A_SECOND, ASKED_A_SECOND, now)
        self._revocations = Revocations()
        self._neighbours = Neighbours(replica, now)
        self.aways = Aways(replica, limits, house.counts, new_token)
        self.serve = self.aways.serve
        self.arrivals = Arrivals(new_token)
        self.guests = Guests(house, self.arrivals)

    @property
    def subjects(self) -> tuple[str, ...]:
        """What this replica listens to besides its extensions."""
        return EVERYBODY, ASK, self._node, f"{self._inbox}*"

    @property
    def replicas(self) -> list[Beat]:
        """The others, as they last told of themselves."""
        return self._neighbours.beats

    def is_alive(self, replica: str) -> bool:
        return replica == self.replica or replica in self._neighbours

    # --- the router asks

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
        effects: list[Effect] = [
            Publish(call_subject(user, name, entry.arrival), encode(Superseded(claimed.record[name].epoch)))
            for name, entry in claimed.taken
        ]
        for arrival, epoch in claimed.epochs:
            if not arrival.epoch and arrival.named:
                effects.append(Publish(arrival_subject(user, arrival.extension.id), encode(Arrived(epoch))))
            arrival.epoch, arrival.confirmed = epoch, True
        return effects + self._let_go(claimed.lost, now) + self.guests.confirmed(now)

    def _let_go(self, lost: Iterable[Arrival], now: float) -> list[Effect]:
        return [effect for arrival in lost for effect in self._house.roster.superseded(arrival.extension, now)]

    # --- the broker

    def broker_up(self, max_bytes: int, now: float) -> list[Effect]:
        self.guests.max_bytes = self.aways.max_bytes = max_bytes - HEADROOM
        self.arrivals.doubt()
        self._neighbours.excuse(now)
        hello: list[Effect] = [Publish(EVERYBODY, encode(Hello(self.replica))), self._beat(now)]
        return [*hello, *self.arrivals.announce_all(self.guests.hosts), *self.aways.reach.broker_up(now)]

    def broker_down(self, now: float) -> list[Effect]:
        return self.aways.reach.broker_down(now)

    def farewell(self) -> list[Effect]:
        return [Publish(EVERYBODY, encode(Bye(self.replica)))]

    def received(self, subject: str, reply: str, data: bytes | None, now: float) -> list[Effect]:
        """A message of the broker's; no data: nobody listens where we published."""
        # nobody makes us say something where it would mean something else
        if reply and not reply.startswith(_ASKERS if subject == ASK else _ANSWERS):
            self._house.counts.malformed += 1
            return []
        try:
            # calls and answers first
            if subject.startswith(self._inbox):
                return self._addressed(subject[len(self._inbox) :], data, now)
            if data is None:
                return []
            if subject.startswith(_CALLS):
                return self.guests.received(subject, inbound.decode(data), reply, now)
            if subject.startswith(_MOVES):
                return self.aways.reach.arrived(subject, arrived.decode(data).epoch, now)
            if subject == self._node:
                return [Publish(reply, b"")] if reply else []
            if subject == ASK:
                return [Publish(reply, encode(self._card(now)))] if reply and self._asked.take(now) else []
            return self._broadcast(broadcast.decode(data), now)
        except (msgspec.DecodeError, UnicodeDecodeError):
            self._house.counts.malformed += 1
        return []

    def _addressed(self, token: str, data: bytes | None, now: float) -> list[Effect]:
        if token == UNASKED:
            return [] if data is None else self.aways.told(unasked.decode(data), now)
        if token[: len(ASKED)] != ASKED:
            return self.aways.answered(token, data, now)
        replica = token.removeprefix(ASKED)
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
        self.guests.heard_of(replica)
        return self._neighbours.hear(replica, now)

    def _hear_beat(self, beat: Beat, now: float) -> list[Effect]:
        if beat.replica == self.replica:
            return []
        self._heard(beat.replica, now).beat = beat
        if beat.spent:
            self._house.roster.spend(beat.spent, user_key, now)
        return self._revocations.compare(beat.revocations, now)

    def _gone(self, replica: str, now: float) -> list[Effect]:
        self._neighbours.forget(replica)
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
        for replica in self._neighbours.dead(now):
            effects += self._gone(replica, now)
        return [*effects, *self._neighbours.ask(self.aways.replicas | self.guests.replicas, now)]

    # --- what is told

    def _beat(self, now: float) -> Publish:
        return self._beats.beat(self._card(now), len(self._neighbours), now)

    def _card(self, now: float) -> Beat:
        return self._beats.card(self.aways.pending, self._revocations.digest, now)

    def revoked(self, entries: frozenset[str], now: float) -> list[Effect]:
        """What is revoked here, now or already."""
        new = self._revocations.add(entries)
        return self._revocations.tell(new, now) if new and self.aways.reach.up else []
