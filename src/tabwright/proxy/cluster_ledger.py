"""Routes of this replica's clients and the calls under way on them: each call is entered once and ends once."""

from collections.abc import Callable
from typing import TypeVar

from tabwright.proxy.cluster_routes import ENDING_S, UNAVAILABLE, Away, Purpose, Route
from tabwright.proxy.cluster_wire import Leave, encode, inbox
from tabwright.proxy.control import FAILED
from tabwright.proxy.counts import Counts
from tabwright.proxy.model import ConnectionId, Effect, Gone, Listen, PeerId, Publish, Send
from tabwright.proxy.switchboard import LOST, OUTCOME_UNKNOWN

K = TypeVar("K")


class Ledger:
    def __init__(self, replica: str, counts: Counts, new_token: Callable[[], str]) -> None:
        self._inbox = inbox(replica, "")
        self._counts = counts
        self.new_token = new_token
        self.routes: dict[PeerId, list[Route]] = {}
        self.attached: dict[str, Route] = {}
        self.moving: dict[str, list[Route]] = {}
        """By where it is told that their extension has arrived anew."""
        self.calls: dict[str, Away] = {}

    def enter(self, route: Route) -> list[Effect]:
        self.routes.setdefault(route.client.peer, []).append(route)
        self.attached[route.attachment] = route
        together = self.moving.setdefault(route.moves, [])
        together.append(route)
        return [Listen(route.moves, on=True)] if len(together) == 1 else []

    def send(self, route: Route, data: bytes, raw_id: bytes, purpose: Purpose, deadline: float) -> Publish:
        token = self.new_token()
        self.calls[token] = Away(route, raw_id, purpose, deadline)
        if purpose is not Purpose.RESUME:
            route.calls[raw_id] = token
            route.client.away += 1
        return Publish(route.subject, data, self._inbox + token)

    def end(self, token: str, call: Away) -> None:
        del self.calls[token]
        if call.purpose is not Purpose.RESUME:
            del call.route.calls[call.raw_id]
            call.route.client.away -= 1

    def lose(self, route: Route) -> list[Effect]:
        effects: list[Effect] = []
        for raw_id, token in list(route.calls.items()):
            call = self.calls[token]
            self.end(token, call)
            if call.purpose is Purpose.CONNECT:
                effects += self.give_up(call)
                continue
            self._counts.unknown_outcomes += 1
            effects += self.refuse(route, raw_id, OUTCOME_UNKNOWN, LOST, "outcome_unknown")
        return effects

    def give_up(self, call: Away) -> list[Effect]:
        """A `connect` that is not answered."""
        route, client = call.route, call.route.client
        return [
            *self.drop(route),
            Send(client.peer, client.dialect.not_connected(call.raw_id, FAILED, UNAVAILABLE)),
            Publish(route.subject, encode(Leave(route.attachment))),
        ]

    def gone(self, route: Route, now: float) -> list[Effect]:
        """The other side does not know of it any more."""
        why = Gone.REPLACED if route.moved else Gone.CLOSED
        notice = route.client.dialect.gone(ConnectionId(route.connection), why.value)
        return self.ending(route, [notice], now)

    def ending(self, route: Route, notices: list[bytes], now: float) -> list[Effect]:
        route.notices = notices
        for token in route.calls.values():
            call = self.calls[token]
            call.deadline = min(call.deadline, now + ENDING_S)
        return self.finish(route)

    def finish(self, route: Route) -> list[Effect]:
        """The last call has ended: the client hears that it is connected no more."""
        if route.notices is None or route.calls or route.attachment not in self.attached:
            return []
        return [*self.drop(route), *(Send(route.client.peer, data) for data in route.notices)]

    def leave(self, route: Route) -> list[Effect]:
        """This side ends it: its calls end, and the other side is told."""
        effects = self.lose(route)
        effects.append(Publish(route.subject, encode(Leave(route.attachment))))
        return effects + self.drop(route)

    def drop(self, route: Route) -> list[Effect]:
        if self.attached.pop(route.attachment, None) is None:
            return []
        _remove(self.routes, route.client.peer, route)
        return [Listen(route.moves, on=False)] if _remove(self.moving, route.moves, route) else []

    def refuse(
        self, route: Route, raw_id: bytes, code: int, message: str, word: str, retry_s: float = 0.0
    ) -> list[Effect]:
        client = route.client
        if not raw_id and not client.dialect.simple:
            return []
        named = route.connection if client.dialect.simple else ""
        return [Send(client.peer, client.dialect.failure(raw_id, named, code, message, word, retry_s))]


def _remove(kept: dict[K, list[Route]], key: K, route: Route) -> bool:
    """Whether it was the last one there."""
    kept[key].remove(route)
    if kept[key]:
        return False
    del kept[key]
    return True
