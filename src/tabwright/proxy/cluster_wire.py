"""What replicas say to one another: subjects made of hashes, and messages in MessagePack.

    tabwright.x.<hash>            calls for one arrival of one extension; only the replica that holds it listens
    tabwright.r.<replica>.<token> answers to calls, each under its own random token; `e`: what comes unasked
    tabwright.m.<hash>            one extension has arrived somewhere; replicas with clients connected to it listen
    tabwright.n.<replica>         is this replica there?
    tabwright.all                 beats, farewells, revocations; replicas only
    tabwright.ask                 how are you? The answer goes to tabwright.s.<token>; all that a status user may use
    tabwright.i.<token>           answers of JetStream

No id of a user or an extension is ever part of a subject, so whatever they contain, they reach nobody else.
"""

from hashlib import sha256
from typing import Final, TypeAlias

import msgspec

from tabwright.proxy.model import ExtensionId, UserId

PREFIX: Final = "tabwright"
EVERYBODY: Final = f"{PREFIX}.all"
ASK: Final = f"{PREFIX}.ask"
ASKERS: Final = f"{PREFIX}.s"
INBOXES: Final = f"{PREFIX}.i"
MOVES: Final = f"{PREFIX}.m"
UNASKED: Final = "e"
GONE: Final = b""
"""Answer: no such attachment; the message went nowhere."""
LATER: Final = b"\x00"
"""Answer: it is not certain yet whose the extension is; the message went nowhere."""
RESUMED: Final = b"\x01"
TOO_BIG: Final = "This message is larger than what servers may pass on to one another (max_payload of the broker)"
HEADROOM: Final = 4096
"""What is around a message on its way."""


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """One extension in its user's record: where it is, and which of its arrivals."""

    name: str
    replica: str
    arrival: str
    epoch: int


Record: TypeAlias = dict[str, Entry]
"""By extension id: all extensions of one user."""


class Attach(msgspec.Struct, frozen=True, array_like=True, tag="a"):
    """A client of another replica connects: who it is, as that replica verified it, and its `connect`."""

    attachment: str
    replica: str
    user: str
    scopes: list[str]
    simple: bool
    epoch: int
    raw_id: bytes
    params: bytes


class Relay(msgspec.Struct, frozen=True, array_like=True, tag="r"):
    """A client's message for the extension it is attached to."""

    attachment: str
    raw_id: bytes
    method: str
    params: bytes

    @property
    def connection_id(self) -> bytes:
        """It has one connection, and need not name it."""
        return b""


class Resume(msgspec.Struct, frozen=True, array_like=True, tag="u"):
    """The other replica was out of reach and has told its client that calls under way are lost."""

    attachment: str


class Leave(msgspec.Struct, frozen=True, array_like=True, tag="l"):
    attachment: str


class Superseded(msgspec.Struct, frozen=True, array_like=True, tag="s"):
    """The extension has arrived elsewhere since."""

    epoch: int


Inbound: TypeAlias = Attach | Relay | Resume | Leave | Superseded


class Arrived(msgspec.Struct, frozen=True, array_like=True, tag="m"):
    """An extension has arrived, and every arrival with a lower epoch is over."""

    epoch: int


class Told(msgspec.Struct, frozen=True, array_like=True, tag="t"):
    """What an attached client is told unasked."""

    attachment: str
    data: bytes


class Detached(msgspec.Struct, frozen=True, array_like=True, tag="d"):
    """It is attached no more: calls that are still under way end, then it is told so."""

    attachment: str
    notices: list[bytes]


Unasked: TypeAlias = Told | Detached


class Beat(msgspec.Struct, frozen=True, array_like=True, tag="b"):
    """What each replica says of itself every second."""

    replica: str
    host: str
    version: str
    up_s: int
    extensions: int
    clients: int
    pending: int
    calls_s: float
    revocations: str
    """A digest of all it knows to be revoked."""
    spent: dict[str, int]
    """Messages of busy users since the last beat, by hash."""
    peers: dict[str, int]
    """Sockets of users who have several, by hash."""


class Bye(msgspec.Struct, frozen=True, array_like=True, tag="y"):
    replica: str


class Revoked(msgspec.Struct, frozen=True, array_like=True, tag="v"):
    entries: list[str]


class Hello(msgspec.Struct, frozen=True, array_like=True, tag="h"):
    """A replica was away: what it was told or told itself meanwhile is lost. A beat of everybody, now."""

    replica: str


Broadcast: TypeAlias = Beat | Bye | Revoked | Hello

encode: Final = msgspec.msgpack.Encoder().encode
inbound: Final = msgspec.msgpack.Decoder(Inbound)
unasked: Final = msgspec.msgpack.Decoder(Unasked)
arrived: Final = msgspec.msgpack.Decoder(Arrived)
broadcast: Final = msgspec.msgpack.Decoder(Broadcast)
record: Final = msgspec.msgpack.Decoder(Record)


def user_key(user: UserId | str) -> str:
    return sha256(user.encode()).hexdigest()[:32]


def call_subject(user: UserId | str, extension: ExtensionId | str, arrival: str) -> str:
    named = "\0".join((user, extension, arrival))
    return f"{PREFIX}.x.{sha256(named.encode()).hexdigest()[:32]}"


def arrival_subject(user: UserId | str, extension: ExtensionId | str) -> str:
    named = "\0".join((user, extension))
    return f"{MOVES}.{sha256(named.encode()).hexdigest()[:32]}"


def inbox(replica: str, token: str) -> str:
    return f"{PREFIX}.r.{replica}.{token}"


def node_subject(replica: str) -> str:
    return f"{PREFIX}.n.{replica}"


def digest(entries: frozenset[str]) -> str:
    return sha256("\n".join(sorted(entries)).encode()).hexdigest()[:16]
