"""Replicas that our clients' routes lead to, and whether they can be reached.

While one cannot, its routes are suspended: calls under way end in `outcome_unknown`, new ones are refused as
`unavailable` without leaving. A route is resumed when the other replica is back in time, and gone when it is not; or
sooner, when the extension has arrived elsewhere: then the client need not wait to connect to it there.
A route that has already ended on the other side is left alone: what was on its way there comes back as not done.
A replica that is given up is told so: it may only have slept, and would keep the client as a guest for ever.
"""

from tabwright.proxy.cluster_ledger import Ledger
from tabwright.proxy.cluster_routes import BACK_S, RETRY_S, Purpose, Route
from tabwright.proxy.cluster_wire import GONE, RESUMED, Leave, Resume, encode
from tabwright.proxy.model import Effect, Publish


class Reach:
    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.up = False
        """Whether the broker is there."""

    def lost(self, replica: str, now: float) -> list[Effect]:
        """A replica does not answer, or has left: what is under way there is unknown."""
        return [
            effect
            for route in list(self._ledger.attached.values())
            if route.replica == replica and route.notices is None
            for effect in self._suspend(route, now)
        ]

    def broker_down(self, now: float) -> list[Effect]:
        self.up = False
        return [effect for route in list(self._ledger.attached.values()) for effect in self._suspend(route, now)]

    def broker_up(self, now: float) -> list[Effect]:
        self.up = True
        for route in self._ledger.attached.values():
            if route.suspended_at is not None:
                route.suspended_at = now
        return self.resume(now)

    def resume(self, now: float) -> list[Effect]:
        """Ask for what is suspended; what has been so for too long is gone."""
        effects: list[Effect] = []
        for route in list(self._ledger.attached.values()):
            if route.suspended_at is None or route.notices is not None:
                continue
            if now - route.suspended_at > BACK_S or self.is_over(route):
                effects += self._give_up(route, now)
            else:
                data = encode(Resume(route.attachment))
                effects.append(self._ledger.send(route, data, b"", Purpose.RESUME, now + RETRY_S))
        return effects

    def arrived(self, moves: str, epoch: int, now: float) -> list[Effect]:
        """An extension has arrived somewhere. While the replica it was on can be reached, that one tells what became of
        its calls.
        """
        effects: list[Effect] = []
        for route in self._ledger.moving.get(moves, [])[:]:
            route.moved = route.moved or route.epoch < epoch
            if route.suspended_at is not None and route.notices is None and self.is_over(route):
                effects += self._give_up(route, now)
        return effects

    def is_over(self, route: Route) -> bool:
        """Whether nothing can come of a route that cannot be reached: what is still under way may be answered yet."""
        return route.moved and not route.calls

    def resumed(self, route: Route, data: bytes | None, now: float) -> list[Effect]:
        """What the other replica says to that; None: nobody listens there."""
        if route.attachment not in self._ledger.attached or route.suspended_at is None:
            return []
        if data == RESUMED:
            route.suspended_at = None
            return self._ledger.lose(route)
        return self._ledger.gone(route, now) if data == GONE else []

    def _suspend(self, route: Route, now: float) -> list[Effect]:
        if route.suspended_at is None:
            route.suspended_at = now
        effects = self._ledger.lose(route)
        if route.moved and route.notices is None:
            return [*effects, *self._give_up(route, now)]
        return [*effects, *self._ledger.finish(route)]

    def _give_up(self, route: Route, now: float) -> list[Effect]:
        return [*self._ledger.gone(route, now), Publish(route.subject, encode(Leave(route.attachment)))]
