"""Words the proxy's parts share: who a peer is, what may be done, what the core wants done.

A peer is a number: the core never sees a socket. So an extension held by another process can be a peer like any other,
whose `Send`s are carried there by whoever gave it its number.
"""

import hashlib
import re
from dataclasses import dataclass, field
from enum import Enum
from typing import ClassVar, Final, NewType, TypeAlias

import msgspec

PeerId = NewType("PeerId", int)
UserId = NewType("UserId", str)
ExtensionId = NewType("ExtensionId", str)
ConnectionId = NewType("ConnectionId", str)

NOBODY: Final = PeerId(0)
CDP: Final = "cdp"
"""The scope that lets a client send raw DevTools commands."""


_PLAIN: Final = re.compile(r"[A-Za-z0-9_@.+:|~-]{1,80}")


def handle(name: str) -> str:
    """What stands for a name where not every character may: subjects and keys of a broker, labels of a metric."""
    return f"h-{hashlib.sha256(name.encode()).hexdigest()[:32]}"


def log_name(name: str) -> str:
    """A user in a log: itself where it is one plain word, else its handle."""
    return name if _PLAIN.fullmatch(name) else handle(name)


class Role(Enum):
    EXTENSION = "extension"
    MCP = "mcp"


class Endpoint(Enum):
    """Where a peer knocked: what it may be, and whether the proxy speaks first."""

    EXTENSION = "/extension"
    MCP = "/mcp"
    ANY = "/"


class CloseCode(Enum):
    POLICY = 1008
    RESTART = 1012
    OVERLOAD = 1013
    UNAUTHORIZED = 4401
    TOO_LATE = 4408
    REPLACED = 4409
    TOO_MANY = 4429


class Gone(Enum):
    """Why an extension is gone, in the words its clients are told."""

    CLOSED = "Extension closed"
    TIMED_OUT = "Extension timed out"
    REPLACED = "Replaced"
    SHUTDOWN = "Server shutting down"


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a socket speaks for: made once from verified claims, and never changed."""

    user: UserId
    scopes: frozenset[str] = frozenset()
    lives_s: float | None = None
    """Seconds until the token ends, counted from its verification; None: it does not."""
    token_id: str | None = None
    extension_id: ExtensionId | None = None
    """The name an extension keeps over reconnects, if its token gives it one."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A token that is not accepted: what the peer is told, and what only the log may know."""

    told: str = "Invalid token"
    reason: str = field(default="")


@dataclass(frozen=True, slots=True)
class Limits:
    """Every bound the core keeps."""

    auth_s: float = 5.0
    call_s: float = 120.0
    drain_s: float = 10.0
    user_rate: float = 1_000.0
    """Messages a second of all clients of a user; 0: as many as they like."""
    user_peers: int = 100
    pending_per_client: int = 1_000
    pending_per_extension: int = 4_000
    connections_per_client: int = 64
    tabs_per_connection: int = 1_000
    forged: int = 20
    forged_s: float = 10.0
    replaced: int = 5
    replaced_s: float = 60.0

    @property
    def client_rate(self) -> float:
        return self.user_rate / 5

    @property
    def burst(self) -> float:
        return self.user_rate * 2


class Send(msgspec.Struct, frozen=True, gc=False):
    peer: PeerId
    data: bytes
    answers: bytes = b""
    """The caller's id, where it is the answer to a call: whoever carries it on need not look for that again."""


class Verify(msgspec.Struct, frozen=True, gc=False):
    """Check a token; the outcome comes back as `verified`."""

    peer: PeerId
    token: str | None
    role: Role


class Close(msgspec.Struct, frozen=True, gc=False):
    peer: PeerId
    code: CloseCode
    reason: str


class Remote(msgspec.Struct, frozen=True, gc=False):
    """What whoever knows the other replicas performs; no socket of ours is meant."""

    peer: ClassVar[PeerId] = NOBODY


class Publish(Remote, frozen=True, gc=False):
    subject: str
    data: bytes
    reply: str = ""


class Listen(Remote, frozen=True, gc=False):
    """Take, or no longer take, what others publish there."""

    subject: str
    on: bool


class Find(Remote, frozen=True, gc=False):
    """Where a user's extensions are; the asker is held until `found`."""

    asker: PeerId
    user: UserId


class Announce(Remote, frozen=True, gc=False):
    """The extensions that a user has here have changed."""

    user: UserId
    within_s: float = 0
    """At some moment until then, where everybody's are told at once."""


Effect: TypeAlias = Send | Verify | Close | Remote
