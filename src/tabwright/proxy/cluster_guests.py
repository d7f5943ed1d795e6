"""Our extensions and their clients elsewhere: a client of another replica is a peer of the router like any other.

Lifecycle of a guest: `Attach` -> a peer with a number below zero, connected as if it had come here -> its messages go
to the router, what the router tells it goes back -> `Leave`, or nothing of its replica for too long, or its connection
ends. Ids, tabs and events stay where they were: with the extension.
"""

import re
from dataclasses import dataclass, field
from typing import Final, Protocol

from msgspec import Raw

from tabwright.proxy.cluster_arrivals import Arrivals
from tabwright.proxy.cluster_presence import Arrival
from tabwright.proxy.cluster_wire import (
    GONE,
    LATER,
    RESUMED,
    TOO_BIG,
    UNASKED,
    Attach,
    Detached,
    Inbound,
    Leave,
    Relay,
    Resume,
    Superseded,
    Told,
    encode,
    inbox,
)
from tabwright.proxy.dialects import SIMPLE, STANDARD, Dialect
from tabwright.proxy.envelope import NULL, Frame, Said
from tabwright.proxy.model import (
    Close,
    Effect,
    Gone,
    Identity,
    PeerId,
    Publish,
    Send,
    UserId,
)
from tabwright.proxy.peers import Client
from tabwright.proxy.roster import Roster
from tabwright.proxy.switchboard import LIMIT

GUEST_BACK_S: Final = 5.0
"""How long a guest's replica may be silent; longer than that replica waits for us."""
MAX_EARLY: Final = 1_000
_ID: Final = re.compile(rb'\{(?:"jsonrpc":"2\.0",)?"id":("[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9]+|null),')
_NOTICE: Final = (b'{"jsonrpc":"2.0","method":', b'{"method":')


class Host(Protocol):
    """The router, as guests need it."""

    @property
    def roster(self) -> Roster: ...

    def welcome(self, peer: PeerId, identity: Identity, dialect: Dialect, now: float) -> Client: ...
    def serve(self, client: Client, frame: Said, raw_id: bytes, now: float) -> list[Effect]: ...
    def forget_calls(self, peer: PeerId) -> None: ...


@dataclass(slots=True, eq=False)
class Guest:
    client: Client
    attachment: str
    replica: str
    arrival: Arrival
    waiting: dict[bytes, str] = field(default_factory=dict[bytes, str])
    """Where the answer to each of its calls goes, by the caller's id."""
    silent_since: float | None = None
    farewell: list[bytes] = field(default_factory=list[bytes])
    """What it is told once its connection has ended."""


class Guests:
    def __init__(self, host: Host, arrivals: Arrivals) -> None:
        self._host = host
        self._arrivals = arrivals
        self._guests: dict[str, Guest] = {}
        self._peers: dict[PeerId, Guest] = {}
        self._parting: set[Guest] = set()
        """Whose connection has ended, and whose replica does not know yet."""
        self._early: list[tuple[str, Attach, str]] = []
        """Whoever came before it was certain whose the extension is."""
        self._next = -1
        self.max_bytes = 0

    @property
    def replicas(self) -> set[str]:
        return {guest.replica for guest in self._guests.values()}

    @property
    def unsettled(self) -> bool:
        return bool(self._parting)

    @property
    def hosts(self) -> dict[UserId, None]:
        """Users with an extension that somebody elsewhere uses."""
        return {guest.arrival.extension.user.id: None for guest in self._guests.values()}

    # --- from elsewhere

    def received(self, subject: str, message: Inbound, reply: str, now: float) -> list[Effect]:
        arrival = self._arrivals.at(subject)
        # the usual first
        if isinstance(message, Relay):
            return self._relay(arrival, message, reply, now)
        match message:
            case Attach():
                return self._attach(arrival, message, reply, now)
            case Resume(attachment=attachment):
                return self._resume(arrival, attachment, reply)
            case Leave(attachment=attachment):
                self._early = [waiting for waiting in self._early if waiting[1].attachment != attachment]
                guest = self._guests.get(attachment)
                return [] if guest is None else self._dismiss(guest)
            case Superseded(epoch=epoch):
                if arrival is None or arrival.epoch >= epoch:
                    return []
                return self._host.roster.superseded(arrival.extension, now)

    def _relay(self, arrival: Arrival | None, message: Relay, reply: str, now: float) -> list[Effect]:
        guest = self._guests.get(message.attachment)
        # without a connection it has been sent away, and has only not been told so yet
        if guest is None or guest.arrival is not arrival or not guest.client.connections:
            return _answer(reply, GONE)
        if not guest.arrival.confirmed:
            return _answer(reply, LATER)
        client, raw_id = guest.client, message.raw_id
        if reply:
            guest.waiting[raw_id] = reply
        if client.only is None:
            # in whatever dialect: a guest has one connection, and its replica knows which it means
            client.only = next(iter(client.connections.values()))
        return self._host.serve(client, message, raw_id, now)

    def _attach(self, arrival: Arrival | None, message: Attach, reply: str, now: float) -> list[Effect]:
        if arrival is None or arrival.extension.user.id != message.user:
            return _answer(reply, GONE)
        if not arrival.confirmed and len(self._early) < MAX_EARLY:
            self._early.append((arrival.subject, message, reply))
            return []
        if not arrival.confirmed or arrival.epoch != message.epoch or message.attachment in self._guests:
            return _answer(reply, LATER)
        peer, self._next = PeerId(self._next), self._next - 1
        identity = Identity(UserId(message.user), frozenset(message.scopes))
        client = self._host.welcome(peer, identity, SIMPLE if message.simple else STANDARD, now)
        guest = Guest(client, message.attachment, message.replica, arrival, {message.raw_id: reply})
        self._guests[guest.attachment] = self._peers[peer] = guest
        return self._host.serve(client, Frame(method="connect", params=Raw(message.params)), message.raw_id, now)

    def confirmed(self, now: float) -> list[Effect]:
        """It is certain of more extensions whose they are."""
        early, self._early = self._early, []
        return [effect for waiting in early for effect in self.received(*waiting, now)]

    def _resume(self, arrival: Arrival | None, attachment: str, reply: str) -> list[Effect]:
        guest = self._guests.get(attachment)
        if guest is None or guest.arrival is not arrival:
            return _answer(reply, GONE)
        if not guest.arrival.confirmed:
            return _answer(reply, LATER)
        guest.waiting.clear()
        guest.silent_since = None
        self._host.forget_calls(guest.client.peer)
        return _answer(reply, RESUMED)

    # --- to elsewhere

    def carry(self, effect: Send | Close) -> list[Publish]:
        """What the router tells a peer that is no socket of ours."""
        guest = self._peers.get(effect.peer)
        if guest is None:
            return []
        if not guest.client.connections:
            self._parting.add(guest)
        if isinstance(effect, Close):
            return []
        key = effect.answers or _answered(guest, effect.data)
        if key is not None:
            reply = guest.waiting.pop(key, None)
            data = effect.data if len(effect.data) <= self.max_bytes else _too_big(guest, key)
            return [] if reply is None else [Publish(reply, data)]
        if len(effect.data) > self.max_bytes:
            return []
        if not guest.client.connections:
            guest.farewell.append(effect.data)
            return []
        return [self._tell(guest, encode(Told(guest.attachment, effect.data)))]

    def settle(self) -> list[Effect]:
        """After all is told: guests without a connection are guests no more."""
        effects: list[Effect] = []
        for guest in self._parting:
            if guest.attachment in self._guests:
                farewell = encode(Detached(guest.attachment, guest.farewell))
                effects += [self._tell(guest, farewell), *self._dismiss(guest)]
        self._parting.clear()
        return effects

    def heard_of(self, replica: str) -> None:
        for guest in self._guests.values():
            if guest.replica == replica:
                guest.silent_since = None

    def unreachable(self, replica: str, now: float) -> None:
        for guest in self._guests.values():
            if guest.replica == replica and guest.silent_since is None:
                guest.silent_since = now

    def tick(self, now: float) -> list[Effect]:
        """Those whose replica does not come back. If it only slept, it must not wait for their calls."""
        gone = [
            guest
            for guest in self._guests.values()
            if guest.silent_since is not None and now - guest.silent_since > GUEST_BACK_S
        ]
        return [effect for guest in gone for effect in (self._detach(guest), *self._dismiss(guest))]

    def _detach(self, guest: Guest) -> Publish:
        notices = [guest.client.dialect.gone(connection, Gone.CLOSED.value) for connection in guest.client.connections]
        return self._tell(guest, encode(Detached(guest.attachment, notices)))

    def _tell(self, guest: Guest, data: bytes) -> Publish:
        return Publish(inbox(guest.replica, UNASKED), data)

    def _dismiss(self, guest: Guest) -> list[Effect]:
        del self._guests[guest.attachment]
        del self._peers[guest.client.peer]
        return self._host.roster.closed(guest.client.peer)


def _answered(guest: Guest, data: bytes) -> bytes | None:
    """The id of the call that this answers; None: it is a notice."""
    found = _ID.match(data)
    if found is not None:
        return found[1]
    if data.startswith(_NOTICE):
        return None
    # the simple dialect answers without id what was asked without one
    return next((key for key in (NULL, b"") if key in guest.waiting), None)


def _too_big(guest: Guest, key: bytes) -> bytes:
    connection = next(iter(guest.client.connections), "") if guest.client.dialect.simple else ""
    return guest.client.dialect.failure(key, connection, LIMIT, TOO_BIG, "limit", 0.0)


def _answer(reply: str, data: bytes) -> list[Effect]:
    return [Publish(reply, data)] if reply else []
