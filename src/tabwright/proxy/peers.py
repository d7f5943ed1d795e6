"""The phases of a peer, each a class with the data it has: a stranger has no user to misuse.

`Waiting` (a socket, nothing said) -> `Verifying` (its token is being checked) -> `Client` or `Extension`.
A `Connection` ties one client to one extension; a `Call` is one request under way on it.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import Final

import msgspec

from tabwright.proxy.buckets import Bucket
from tabwright.proxy.dialects import Dialect
from tabwright.proxy.envelope import wire_prefix
from tabwright.proxy.model import ConnectionId, Endpoint, ExtensionId, Identity, PeerId, Role, UserId

ENDED_KEPT: Final = 1_024


@dataclass(slots=True)
class Waiting:
    endpoint: Endpoint
    ends_at: float


@dataclass(slots=True)
class Verifying:
    role: Role
    dialect: Dialect
    ends_at: float
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
    only: "Connection | None" = None
    """The one that calls without a `connectionId` go to, where the dialect has that."""
    away: int = 0
    """Calls under way to extensions on other replicas."""

    @property
    def pending(self) -> int:
        return self.away + sum(len(connection.calls) for connection in self.connections.values())


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
    calls: dict[bytes, "Call"] = field(default_factory=dict[bytes, "Call"])
    """By wire id. What is not in here is nobody's answer."""
    ended: "Ended | None" = None
    forged_at: deque[float] | None = None
    left_tabs: dict[int, bool] | None = None
    """Tabs of connections that are gone, and whether that is a while ago: their late events belong to nobody."""

    def end(self, call: "Call") -> None:
        """A call is over, one way or another."""
        del self.calls[call.wire_id]
        del call.connection.calls[call.wire_id]
        ended = self.ended
        if ended is None:
            ended = self.ended = Ended()
        ended.add(call.wire_id)


@dataclass(slots=True, eq=False)
class Connection:
    id: ConnectionId
    client: Client
    extension: Extension
    tabs: set[int] = field(default_factory=set[int])
    """Tabs this connection has named: it gets their DevTools events."""
    claims: dict[int, set[bytes]] | None = None
    """Tabs it has named that others have just left, with the calls under way at that time."""
    calls: dict[bytes, "Call"] = field(default_factory=dict[bytes, "Call"])
    prefix: bytes = field(init=False)
    """Of its wire ids."""

    def __post_init__(self) -> None:
        self.prefix = wire_prefix(self.id)

    @property
    def unbound(self) -> bool:
        return self.client.dialect.simple and not self.tabs and not self.claims


class Call(msgspec.Struct, gc=False, eq=False):
    """Leaves both tables of calls when it ends, so no collector need look for it."""

    connection: Connection
    wire_id: bytes
    raw_id: bytes
    """The caller's own id, as it came; empty if it gave none."""
    method: str
    deadline: float


class Ended:
    """The last calls that are over, so that a late answer is told from a forged one."""

    __slots__ = ("_before", "_now")

    def __init__(self) -> None:
        self._now: set[int] = set()
        self._before: set[int] = set()

    def add(self, wire_id: bytes) -> None:
        self._now.add(hash(wire_id))
        if len(self._now) > ENDED_KEPT:
            self._before, self._now = self._now, set()

    def __contains__(self, wire_id: bytes) -> bool:
        mark = hash(wire_id)
        return mark in self._now or mark in self._before
