"""Our clients and their extensions elsewhere: every call that leaves this replica, followed to its one end.

Lifecycle of a route: `connect` -> `Find` -> `Attach` sent -> attached -> calls and answers -> left, or detached by the
other side. While the other replica cannot be reached the route is suspended (`cluster_reach.py`).
"""

from collections.abc import Callable

from msgspec import UNSET

from tabwright.errors import INVALID_REQUEST
from tabwright.proxy.cluster_asking import Asking
from tabwright.proxy.cluster_ledger import Ledger
from tabwright.proxy.cluster_reach import Reach
from tabwright.proxy.cluster_routes import (
    NOT_THERE,
    PATIENCE_S,
    RETRY_S,
    UNAVAILABLE,
    Away,
    Purpose,
    Route,
    connection_in,
)
from tabwright.proxy.cluster_wire import (
    GONE,
    LATER,
    TOO_BIG,
    Detached,
    Record,
    Relay,
    Told,
    Unasked,
    encode,
)
from tabwright.proxy.control import ALREADY_CONNECTED, FAILED, METHODS, NOT_CONNECTED, NOT_FOUND
from tabwright.proxy.counts import Counts
from tabwright.proxy.envelope import NULL, Frame, text_of
from tabwright.proxy.model import Effect, Limits, PeerId, Publish, Send
from tabwright.proxy.peers import Client
from tabwright.proxy.switchboard import LIMIT, LOST, OUTCOME_UNKNOWN


class Aways:
    """All routes of this replica's clients."""

    def __init__(self, replica: str, limits: Limits, counts: Counts, new_token: Callable[[], str]) -> None:
        self._replica = replica
        self._limits = limits
        self._counts = counts
        self._ledger = Ledger(replica, counts, new_token)
        self._asking = Asking(replica, limits, self._ledger)
        self.reach = Reach(self._ledger)
        self.max_bytes = 0

    @property
    def pending(self) -> int:
        return len(self._ledger.calls)

    @property
    def replicas(self) -> set[str]:
        return {route.replica for route in self._ledger.attached.values()}

    # --- from clients

    def serve(self, client: Client, frame: Frame, raw_id: bytes, now: float) -> list[Effect] | None:
        """A client's message; None: it concerns nobody elsewhere."""
        routes = self._ledger.routes.get(client.peer)
        if frame.method not in METHODS:
            if not routes:
                return None
            route = self._route_of(client, routes, frame)
            return None if route is None else self._forward(route, frame, raw_id, now)
        if frame.method == "disconnect":
            return self._disconnect(client, routes, frame, raw_id, now) if routes else None
        if frame.method == "connect":
            if routes and not client.dialect.simple:
                message = "MCP client already connected to an extension"
                return [Send(client.peer, client.dialect.not_connected(raw_id or NULL, ALREADY_CONNECTED, message))]
            if not self._asking.concerns_others(client, len(routes or ()), frame):
                return None
        if not self.reach.up and frame.method == "list_extensions":
            return None
        return [self._asking.ask(client, frame, raw_id or NULL)]

    def found(self, asker: PeerId, record: Record | None, now: float) -> list[Effect]:
        """The outcome of a `Find`; None: the broker does not answer."""
        return self._asking.found(asker, record, now)

    def left(self, client: Client) -> list[Effect]:
        """A client leaves, or is sent away: its calls end, and those it used are told."""
        self._asking.forget(client)
        effects: list[Effect] = []
        for route in self._ledger.routes.get(client.peer, [])[:]:
            effects += self._ledger.leave(route)
        return effects

    # --- from elsewhere

    def answered(self, token: str, data: bytes | None, now: float) -> list[Effect]:
        """An answer under its token; None: nobody listens where the question went."""
        call = self._ledger.calls.get(token)
        if call is None:
            self._counts.late_answers += 1
            return []
        self._ledger.end(token, call)
        route = call.route
        client = route.client
        if call.purpose is Purpose.CALL and route.notices is None and data is not None and len(data) > 1:
            # the usual first: what is no answer of the extension's is shorter
            self._counts.answers += 1
            return [Send(client.peer, data)]
        if call.purpose is Purpose.RESUME:
            return self.reach.resumed(route, data, now)
        if data is None and call.purpose is Purpose.CALL and self.reach.is_over(route):
            data = GONE
        if data is None or data == LATER:
            if call.purpose is Purpose.CONNECT:
                told = client.dialect.not_connected(call.raw_id, FAILED, UNAVAILABLE)
                return [*self._ledger.drop(route), Send(client.peer, told)]
            if data is None and route.suspended_at is None:
                # answers to earlier calls may be on their way: whether that replica is there is asked by itself
                route.suspended_at = now
            told = self._ledger.refuse(route, call.raw_id, FAILED, UNAVAILABLE, "unavailable", RETRY_S)
            return [*told, *self._ledger.finish(route)]
        if data == GONE:
            return self._not_there(route, call, now)
        if call.purpose is Purpose.CONNECT:
            route.connection = connection_in(data)
        self._counts.answers += call.purpose is Purpose.CALL
        return [Send(client.peer, data), *self._ledger.finish(route)]

    def told(self, message: Unasked, now: float) -> list[Effect]:
        route = self._ledger.attached.get(message.attachment)
        if route is None:
            self._counts.dropped_events += 1
            return []
        match message:
            case Told(data=data):
                self._counts.events += 1
                return [Send(route.client.peer, data)]
            case Detached(notices=notices):
                return self._ledger.ending(route, notices, now)

    def tick(self, now: float) -> list[Effect]:
        effects: list[Effect] = []
        late = [(token, call) for token, call in self._ledger.calls.items() if call.deadline <= now]
        for token, call in late:
            self._ledger.end(token, call)
            if call.purpose is Purpose.CONNECT:
                effects += self._ledger.give_up(call)
            elif call.purpose is Purpose.CALL:
                self._counts.unknown_outcomes += 1
                effects += self._ledger.refuse(call.route, call.raw_id, OUTCOME_UNKNOWN, LOST, "outcome_unknown")
                effects += self._ledger.finish(call.route)
        return effects + (self.reach.resume(now) if self.reach.up else [])

    # --- one route

    def _forward(self, route: Route, frame: Frame, raw_id: bytes, now: float) -> list[Effect]:
        assert frame.method is not UNSET
        client = route.client
        asks = bool(raw_id) or client.dialect.simple
        if route.notices is not None:
            return self._ledger.refuse(route, raw_id, NOT_CONNECTED, NOT_THERE, "not_connected")
        if not self.reach.up or route.suspended_at is not None:
            if not asks:
                return []
            return self._ledger.refuse(route, raw_id, FAILED, UNAVAILABLE, "unavailable", RETRY_S)
        message = encode(Relay(route.attachment, raw_id, frame.method, bytes(frame.params)))
        if not asks:
            self._counts.notifications += 1
            return [Publish(route.subject, message)]
        if raw_id in route.calls:
            if not raw_id:
                return self._ledger.refuse(route, raw_id, INVALID_REQUEST, "Busy: send an id", "busy")
            told = "Invalid Request: this id is in use by a call under way"
            return self._ledger.refuse(route, raw_id, INVALID_REQUEST, told, "duplicate_id")
        if client.away >= self._limits.pending_per_client:
            self._counts.limited += 1
            return self._ledger.refuse(route, raw_id, LIMIT, "Too many calls under way; wait for answers", "limit")
        if len(message) > self.max_bytes:
            return self._ledger.refuse(route, raw_id, LIMIT, TOO_BIG, "limit")
        self._counts.calls += 1
        return [self._ledger.send(route, message, raw_id, Purpose.CALL, now + self._limits.call_s + PATIENCE_S)]

    def _not_there(self, route: Route, call: Away, now: float) -> list[Effect]:
        """The other side no longer has this client, or the extension."""
        client = route.client
        if call.purpose is Purpose.CONNECT:
            refused = client.dialect.not_connected(call.raw_id, FAILED, NOT_FOUND)
            return [*self._ledger.drop(route), Send(client.peer, refused)]
        told = self._ledger.refuse(route, call.raw_id, NOT_CONNECTED, NOT_THERE, "not_connected")
        return [*told, *(self._ledger.finish(route) if route.notices is not None else self._ledger.gone(route, now))]

    def _disconnect(
        self, client: Client, routes: list[Route], frame: Frame, raw_id: bytes, now: float
    ) -> list[Effect] | None:
        told = text_of(frame.connection_id)
        ending = [route for route in routes if told is None or route.connection == told]
        if not ending:
            return None
        if len(ending) == 1 and not client.connections and ending[0].suspended_at is None and self.reach.up:
            return self._forward(ending[0], frame, raw_id or NULL, now)
        effects: list[Effect] = []
        for route in ending:
            effects += self._ledger.leave(route)
        # what is connected here ends here, with the answer
        return (
            effects
            if client.connections and told is None
            else [
                *effects,
                Send(client.peer, client.dialect.disconnected(raw_id or NULL)),
            ]
        )

    def _route_of(self, client: Client, routes: list[Route], frame: Frame) -> Route | None:
        if frame.connection_id:
            told = text_of(frame.connection_id)
            return next((route for route in routes if route.connection == told and told), None)
        return None if client.dialect.simple else routes[0]
