"""What a client asks about extensions elsewhere: `list_extensions`, and the `connect` that begins a route.

Presence is looked up by whoever performs a `Find`; the client is not heard until its outcome comes back as `found`.
"""

from tabwright.proxy.cluster_ledger import Ledger
from tabwright.proxy.cluster_routes import ATTACH_S, UNAVAILABLE, Purpose, Route
from tabwright.proxy.cluster_wire import Attach, Record, arrival_subject, call_subject, encode
from tabwright.proxy.control import FAILED, NOT_FOUND, rows
from tabwright.proxy.envelope import Frame, members_of, text_of
from tabwright.proxy.model import Effect, Find, Limits, PeerId, Send
from tabwright.proxy.peers import Client


class Asking:
    def __init__(self, replica: str, limits: Limits, ledger: Ledger) -> None:
        self._replica = replica
        self._limits = limits
        self._ledger = ledger
        self._asking: dict[PeerId, tuple[Client, Frame, bytes]] = {}

    def concerns_others(self, client: Client, routes: int, frame: Frame) -> bool:
        """Whether a `connect` may mean an extension that is not here."""
        name = _extension_named(client, frame)
        if name is None or name in client.user.extensions or (client.connections and not client.dialect.simple):
            return False
        return len(client.connections) + routes < self._limits.connections_per_client

    def ask(self, client: Client, frame: Frame, raw_id: bytes) -> Find:
        self._asking[client.peer] = (client, frame, raw_id)
        return Find(client.peer, client.user.id)

    def forget(self, client: Client) -> None:
        self._asking.pop(client.peer, None)

    def found(self, asker: PeerId, record: Record | None, now: float) -> list[Effect]:
        asked = self._asking.pop(asker, None)
        if asked is None:
            return []
        client, frame, raw_id = asked
        if frame.method == "list_extensions":
            return [self._listed(client, raw_id, record or {})]
        if record is None:
            return [Send(client.peer, client.dialect.not_connected(raw_id, FAILED, UNAVAILABLE))]
        name = _extension_named(client, frame)
        entry = None if name is None else record.get(name)
        if name is None or entry is None or entry.replica == self._replica:
            return [Send(client.peer, client.dialect.not_connected(raw_id, FAILED, NOT_FOUND))]
        subject = call_subject(client.user.id, name, entry.arrival)
        moves = arrival_subject(client.user.id, name)
        route = Route(client, self._ledger.new_token(), entry.replica, subject, moves, entry.epoch)
        entered = self._ledger.enter(route)
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
        return [*entered, self._ledger.send(route, encode(message), raw_id, Purpose.CONNECT, now + ATTACH_S)]

    def _listed(self, client: Client, raw_id: bytes, record: Record) -> Send:
        known = client.user.extensions
        more: list[dict[str, object]] = [
            {"id": name, "name": entry.name, "connected": True}
            for name, entry in record.items()
            if name not in known and entry.replica != self._replica
        ]
        return Send(client.peer, client.dialect.extensions(raw_id, rows(client) + more))


def _extension_named(client: Client, frame: Frame) -> str | None:
    params = members_of(frame.params) or {}
    key = "extensionId" if client.dialect.simple else "extension_id"
    return text_of(params[key]) if key in params else None
