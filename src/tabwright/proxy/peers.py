"""The phases of a peer, each a class with the data it has: a stranger has no user to misuse.

`Waiting` (a socket, nothing said) -> `Verifying` (its token is being checked) -> `Client` or `Extension`.
A `Connection` ties one client to one extension; a `Call` is one request under way on it.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from tabwright.proxy.buckets import Bucket
from tabwright.proxy.dialects import Dialect
from tabwright.proxy.model import ConnectionId, Endpoint, ExtensionId, Identity, PeerId, Role, UserId

ENDED_KEPT: Final = 1_024
LEFT_KEPT: Final = 1_000


@dataclass(slots=True)
class Waiting:
    endpoint: Endpoint
    deadline: float


@dataclass(slots=True)
class Verifying:
    role: Role
    dialect: Dialect
    deadline: float
    raw_id: bytes = b""
    """Of a client's handshake, to be answered."""
    name: str = ""
    """Of an extension's browser."""


@dataclass(slots=True)
class User:
    """All peers of one user: what they share."""

    id: UserId
    bucket: Bucket
    peers: set[PeerId] = field(default_factory=set[PeerId])
    extensions: dict[ExtensionId, "Extension"] = field(default_factory=dict[ExtensionId, "Extension"])


@dataclass(slots=True, eq=False)
class Client:
    peer: PeerId
    user: User
    identity: Identity
    dialect: Dialect
    ends_at: float | None
    bucket: Bucket
    connections: dict[ConnectionId, "Connection"] = field(default_factory=dict[ConnectionId, "Connection"])

    @property
    def pending(self) -> int:
        return sum(len(connection.calls) for connection in self.connections.values())


@dataclass(slots=True, eq=False)
class Extension:
    peer: PeerId
    user: User
    identity: Identity
    dialect: Dialect
    ends_at: float | None
    bucket: Bucket
    id: ExtensionId
    name: str
    connections: dict[ConnectionId, "Connection"] = field(default_factory=dict[ConnectionId, "Connection"])
    calls: dict[str, "Call"] = field(default_factory=dict[str, "Call"])
    """By wire id. What is not in here is nobody's answer."""
    ended: "Ended | None" = None
    forged_at: deque[float] | None = None
    left_tabs: dict[int, None] | None = None
    """Tabs of connections that are gone: their late events belong to nobody."""

    def end(self, call: "Call") -> None:
        """A call is over, one way or another."""
        del self.calls[call.wire_id]
        del call.connection.calls[call.wire_id]
        if self.ended is None:
            self.ended = Ended()
        self.ended.add(call.wire_id)

    def leave(self, tabs: set[int]) -> None:
        left = self.left_tabs = self.left_tabs or {}
        left.update(dict.fromkeys(tabs))
        while len(left) > LEFT_KEPT:
            del left[next(iter(left))]


@dataclass(slots=True, eq=False)
class Connection:
    id: ConnectionId
    client: Client
    extension: Extension
    tabs: set[int] = field(default_factory=set[int])
    """Tabs this connection has named: it gets their DevTools events."""
    claims: dict[int, str | None] | None = None
    """Tabs it has named that others have left, with the call that did: its own once that is answered."""
    calls: dict[str, "Call"] = field(default_factory=dict[str, "Call"])

    @property
    def unbound(self) -> bool:
        return self.client.dialect.simple and not self.tabs and not self.claims


@dataclass(slots=True, eq=False)
class Call:
    connection: Connection
    wire_id: str
    raw_id: bytes
    """The caller's own id, as it came; empty if it gave none."""
    method: str
    deadline: float


class Ended:
    """The last calls that are over, so that a late answer is told from a forged one."""

    __slots__ = ("_known", "_order")

    def __init__(self) -> None:
        self._order: deque[int] = deque()
        self._known: set[int] = set()

    def add(self, wire_id: str) -> None:
        mark = hash(wire_id)
        if mark in self._known:
            return
        self._known.add(mark)
        self._order.append(mark)
        if len(self._order) > ENDED_KEPT:
            self._known.discard(self._order.popleft())

    def __contains__(self, wire_id: str) -> bool:
        return hash(wire_id) in self._known
