"""Our clients and their extensions elsewhere: every call that leaves this replica, followed to its one end.

Lifecycle of a route: `connect` -> `Find` -> `Attach` sent -> attached -> calls and answers -> left, or detached by the
other side. While the other replica cannot be reached the route is suspended: calls under way end in `outcome_unknown`,
new ones are refused as `unavailable` without leaving, and it is resumed when the other is back in time.
"""

from collections.abc import Callable

from msgspec import UNSET

from tabwright.errors import INVALID_REQUEST
from tabwright.proxy.cluster_routes import (
    ATTACH_S,
    BACK_S,
    ENDING_S,
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
    RESUMED,
    TOO_BIG,
    Attach,
    Detached,
    Leave,
    Record,
    Relay,
    Resume,
    Told,
    Unasked,
    call_subject,
    encode,
    inbox,
)
from tabwright.proxy.control import ALREADY_CONNECTED, FAILED, METHODS, NOT_CONNECTED, NOT_FOUND, rows
from tabwright.proxy.counts import Counts
from tabwright.proxy.envelope import NULL, Frame, members_of, text_of
from tabwright.proxy.model import ConnectionId, Effect, Find, Gone, Limits, PeerId, Publish, Send
from tabwright.proxy.peers import Client
from tabwright.proxy.switchboard import LIMIT, LOST, OUTCOME_UNKNOWN


class Aways:
    """All routes of this replica's clients."""

    def __init__(self, replica: str, limits: Limits, counts: Counts, new_token: Callable[[], str]) -> None:
        self._replica = replica
        self._limits = limits
        self._counts = counts
        self._new_token = new_token
        self._routes: dict[PeerId, list[Route]] = {}
        self._attached: dict[str, Route] = {}
        self._calls: dict[str, Away] = {}
        self._asking: dict[PeerId, tuple[Client, Frame, bytes]] = {}
        self.up = False
        """Whether the broker is there."""
        self.max_bytes = 0

    @property
    def pending(self) -> int:
        return len(self._calls)

    @property
    def replicas(self) -> set[str]:
        return {route.replica for route in self._attached.values()}

    # --- from clients

    def serve(self, client: Client, frame: Frame, raw_id: bytes, now: float) -> list[Effect] | None:
        """A client's message; None: it concerns nobody elsewhere."""
        routes = self._routes.get(client.peer)
        if frame.method not in METHODS:
            route = self._route_of(client, routes, frame) if routes else None
            return None if route is None else self._forward(route, frame, raw_id, now)
        if frame.method == "disconnect":
            return self._disconnect(client, routes, frame, raw_id, now) if routes else None
        if frame.method == "connect":
            if routes and not client.dialect.simple:
                message = "MCP client already connected to an extension"
                return [Send(client.peer, client.dialect.not_connected(raw_id or NULL, ALREADY_CONNECTED, message))]
            if not self._asks_elsewhere(client, routes or [], frame):
                return None
        if not self.up and frame.method == "list_extensions":
            return None
        self._asking[client.peer] = (client, frame, raw_id or NULL)
        return [Find(client.peer, client.user.id)]

    def found(self, asker: PeerId, record: Record | None, now: float) -> list[Effect]:
        """The outcome of a `Find`; None: the broker does not answer."""
        asked = self._asking.pop(asker, None)
        if asked is None:
            return []
        client, frame, raw_id = asked
        if frame.method == "list_extensions":
            known = client.user.extensions
            more: list[dict[str, object]] = [
                {"id": name, "name": entry.name, "connected": True}
                for name, entry in (record or {}).items()
                if name not in known and entry.replica != self._replica
            ]
            return [Send(client.peer, client.dialect.extensions(raw_id, rows(client) + more))]
        name = _extension_named(client, frame)
        if record is None:
            return [Send(client.peer, client.dialect.not_connected(raw_id, FAILED, UNAVAILABLE))]
        entry = None if name is None else record.get(name)
        if name is None or entry is None or entry.replica == self._replica:
            return [Send(client.peer, client.dialect.not_connected(raw_id, FAILED, NOT_FOUND))]
        route = Route(client, self._new_token(), entry.replica, call_subject(client.user.id, name, entry.arrival))
        self._routes.setdefault(client.peer, []).append(route)
        self._attached[route.attachment] = route
        message = Attach(
            route.attachment,
            self._replica,
            client.user.id,
            sorted(client.identity.scopes),
            client.dialect.simple,
            entry.epoch,
            raw_id,
            bytes(frame.params),
        )
        return [self._send(route, encode(message), raw_id, Purpose.CONNECT, now + ATTACH_S)]

    def left(self, client: Client) -> list[Effect]:
        """A client leaves, or is sent away: its calls end, and those it used are told."""
        self._asking.pop(client.peer, None)
        effects: list[Effect] = []
        for route in self._routes.get(client.peer, [])[:]:
            effects += self._lose(route)
            effects.append(Publish(route.subject, encode(Leave(route.attachment))))
            self._drop(route)
        return effects

    # --- from elsewhere

    def answered(self, token: str, data: bytes | None, now: float) -> list[Effect]:
        """An answer under its token; None: nobody listens where the question went."""
        call = self._calls.get(token)
        if call is None:
            self._counts.late_answers += 1
            return []
        self._end(token, call)
        route, client = call.route, call.route.client
        if call.purpose is Purpose.RESUME:
            return self._resumed(route, data, now)
        if data is None or data == LATER:
            if call.purpose is Purpose.CONNECT:
                self._drop(route)
                return [Send(client.peer, client.dialect.not_connected(call.raw_id, FAILED, UNAVAILABLE))]
            if data is None and route.suspended_at is None:
                # answers to earlier calls may be on their way: whether that replica is there is asked by itself
                route.suspended_at = now
            told = self._refuse(route, call.raw_id, FAILED, UNAVAILABLE, "unavailable", RETRY_S)
            return [*told, *self._finish(route)]
        if data == GONE:
            return self._not_there(route, call, now)
        if call.purpose is Purpose.CONNECT:
            route.connection = connection_in(data)
        self._counts.answers += call.purpose is Purpose.CALL
        return [Send(client.peer, data), *self._finish(route)]

    def told(self, message: Unasked, now: float) -> list[Effect]:
        route = self._attached.get(message.attachment)
        if route is None:
            self._counts.dropped_events += 1
            return []
        match message:
            case Told(data=data):
                self._counts.events += 1
                return [Send(route.client.peer, data)]
            case Detached(notices=notices):
                return self._ending(route, notices, now)

    # --- out of reach

    def unreachable(self, replica: str, now: float) -> list[Effect]:
        """A replica does not answer: what is under way there is unknown."""
        return [
            effect
            for route in list(self._attached.values())
            if route.replica == replica
            for effect in self._suspend(route, now)
        ]

    def broker_down(self, now: float) -> list[Effect]:
        self.up = False
        return [effect for route in list(self._attached.values()) for effect in self._suspend(route, now)]

    def broker_up(self, now: float) -> list[Effect]:
        self.up = True
        for route in self._attached.values():
            if route.suspended_at is not None:
                route.suspended_at = now
        return self.resume(now)

    def tick(self, now: float) -> list[Effect]:
        effects: list[Effect] = []
        late = [(token, call) for token, call in self._calls.items() if call.deadline <= now]
        for token, call in late:
            self._end(token, call)
            if call.purpose is Purpose.CONNECT:
                effects += self._give_up(call)
            elif call.purpose is Purpose.CALL:
                self._counts.unknown_outcomes += 1
                effects += self._refuse(call.route, call.raw_id, OUTCOME_UNKNOWN, LOST, "outcome_unknown")
                effects += self._finish(call.route)
        return effects + (self.resume(now) if self.up else [])

    def resume(self, now: float) -> list[Effect]:
        """Ask for what is suspended; what has been so for too long is gone."""
        effects: list[Effect] = []
        for route in list(self._attached.values()):
            if route.suspended_at is None or route.notices is not None:
                continue
            if now - route.suspended_at > BACK_S:
                effects += self._gone(route, now)
            else:
                data = encode(Resume(route.attachment))
                effects.append(self._send(route, data, b"", Purpose.RESUME, now + RETRY_S))
        return effects

    # --- one route

    def _forward(self, route: Route, frame: Frame, raw_id: bytes, now: float) -> list[Effect]:
        assert frame.method is not UNSET
        client = route.client
        asks = bool(raw_id) or client.dialect.simple
        if route.notices is not None:
            return self._refuse(route, raw_id, NOT_CONNECTED, NOT_THERE, "not_connected")
        if not self.up or route.suspended_at is not None:
            if not asks:
                return []
            return self._refuse(route, raw_id, FAILED, UNAVAILABLE, "unavailable", RETRY_S)
        message = encode(Relay(route.attachment, raw_id, frame.method, bytes(frame.params)))
        if not asks:
            self._counts.notifications += 1
            return [Publish(route.subject, message)]
        if raw_id in route.calls:
            if not raw_id:
                return self._refuse(route, raw_id, INVALID_REQUEST, "Busy: send an id", "busy")
            told = "Invalid Request: this id is in use by a call under way"
            return self._refuse(route, raw_id, INVALID_REQUEST, told, "duplicate_id")
        if client.away >= self._limits.pending_per_client:
            self._counts.limited += 1
            return self._refuse(route, raw_id, LIMIT, "Too many calls under way; wait for answers", "limit")
        if len(message) > self.max_bytes:
            return self._refuse(route, raw_id, LIMIT, TOO_BIG, "limit")
        self._counts.calls += 1
        return [self._send(route, message, raw_id, Purpose.CALL, now + self._limits.call_s + PATIENCE_S)]

    def _send(self, route: Route, data: bytes, raw_id: bytes, purpose: Purpose, deadline: float) -> Publish:
        token = self._new_token()
        self._calls[token] = Away(route, raw_id, purpose, deadline)
        if purpose is not Purpose.RESUME:
            route.calls[raw_id] = token
            route.client.away += 1
        return Publish(route.subject, data, inbox(self._replica, token))

    def _end(self, token: str, call: Away) -> None:
        del self._calls[token]
        if call.purpose is not Purpose.RESUME:
            del call.route.calls[call.raw_id]
            call.route.client.away -= 1

    def _suspend(self, route: Route, now: float) -> list[Effect]:
        if route.suspended_at is None:
            route.suspended_at = now
        return [*self._lose(route), *self._finish(route)]

    def _lose(self, route: Route) -> list[Effect]:
        effects: list[Effect] = []
        for raw_id, token in list(route.calls.items()):
            call = self._calls[token]
            self._end(token, call)
            if call.purpose is Purpose.CONNECT:
                effects += self._give_up(call)
                continue
            self._counts.unknown_outcomes += 1
            effects += self._refuse(route, raw_id, OUTCOME_UNKNOWN, LOST, "outcome_unknown")
        return effects

    def _give_up(self, call: Away) -> list[Effect]:
        """A `connect` that is not answered."""
        route, client = call.route, call.route.client
        self._drop(route)
        return [
            Send(client.peer, client.dialect.not_connected(call.raw_id, FAILED, UNAVAILABLE)),
            Publish(route.subject, encode(Leave(route.attachment))),
        ]

    def _not_there(self, route: Route, call: Away, now: float) -> list[Effect]:
        """The other side no longer has this client, or the extension."""
        client = route.client
        if call.purpose is Purpose.CONNECT:
            self._drop(route)
            return [Send(client.peer, client.dialect.not_connected(call.raw_id, FAILED, NOT_FOUND))]
        told = self._refuse(route, call.raw_id, NOT_CONNECTED, NOT_THERE, "not_connected")
        return [*told, *(self._finish(route) if route.notices is not None else self._gone(route, now))]

    def _resumed(self, route: Route, data: bytes | None, now: float) -> list[Effect]:
        if route.attachment not in self._attached or route.suspended_at is None:
            return []
        if data == RESUMED:
            route.suspended_at = None
            return self._lose(route)
        return self._gone(route, now) if data == GONE else []

    def _gone(self, route: Route, now: float) -> list[Effect]:
        """The other side does not know of it any more."""
        notice = route.client.dialect.gone(ConnectionId(route.connection), Gone.CLOSED.value)
        return self._ending(route, [notice], now)

    def _ending(self, route: Route, notices: list[bytes], now: float) -> list[Effect]:
        route.notices = notices
        for token in route.calls.values():
            call = self._calls[token]
            call.deadline = min(call.deadline, now + ENDING_S)
        return self._finish(route)

    def _finish(self, route: Route) -> list[Effect]:
        """The last call has ended: the client hears that it is connected no more."""
        if route.notices is None or route.calls or route.attachment not in self._attached:
            return []
        self._drop(route)
        return [Send(route.client.peer, data) for data in route.notices]

    def _drop(self, route: Route) -> None:
        if self._attached.pop(route.attachment, None) is None:
            return
        routes = self._routes[route.client.peer]
        routes.remove(route)
        if not routes:
            del self._routes[route.client.peer]

    def _disconnect(
        self, client: Client, routes: list[Route], frame: Frame, raw_id: bytes, now: float
    ) -> list[Effect] | None:
        told = text_of(frame.connection_id)
        ending = [route for route in routes if told is None or route.connection == told]
        if not ending:
            return None
        if len(ending) == 1 and not client.connections and ending[0].suspended_at is None and self.up:
            return self._forward(ending[0], frame, raw_id or NULL, now)
        effects: list[Effect] = []
        for route in ending:
            effects += self._lose(route)
            effects.append(Publish(route.subject, encode(Leave(route.attachment))))
            self._drop(route)
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

    def _asks_elsewhere(self, client: Client, routes: list[Route], frame: Frame) -> bool:
        name = _extension_named(client, frame)
        if name is None or name in client.user.extensions or (client.connections and not client.dialect.simple):
            return False
        return len(client.connections) + len(routes) < self._limits.connections_per_client

    def _refuse(
        self, route: Route, raw_id: bytes, code: int, message: str, word: str, retry_s: float = 0.0
    ) -> list[Effect]:
        client = route.client
        if not raw_id and not client.dialect.simple:
            return []
        named = route.connection if client.dialect.simple else ""
        return [Send(client.peer, client.dialect.failure(raw_id, named, code, message, word, retry_s))]


def _extension_named(client: Client, frame: Frame) -> str | None:
    params = members_of(frame.params) or {}
    key = "extensionId" if client.dialect.simple else "extension_id"
    return text_of(params[key]) if key in params else None
