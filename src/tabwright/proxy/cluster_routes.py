"""A client's way to an extension on another replica, and the calls under way on it."""

from dataclasses import dataclass, field
from enum import Enum
from typing import Final

import msgspec

from tabwright.proxy.peers import Client

ATTACH_S: Final = 2.0
PATIENCE_S: Final = 2.0
"""After a call's own deadline, for the other replica to tell of it."""
RETRY_S: Final = 1.0
ENDING_S: Final = 1.5
"""For calls that were on their way when the other side ended the connection: they come back as not done."""
BACK_S: Final = 2.5
"""How long a replica may be out of reach before what it holds counts as gone."""
NOT_THERE: Final = "Not connected to an extension: call connect first"
UNAVAILABLE: Final = "The browser is on another server that cannot be reached now; nothing was done, try again"


class Purpose(Enum):
    CALL = "call"
    CONNECT = "connect"
    RESUME = "resume"


@dataclass(slots=True, eq=False)
class Route:
    client: Client
    attachment: str
    replica: str
    subject: str
    moves: str
    """Where it is told that the extension has arrived anew."""
    epoch: int
    connection: str = ""
    """As the other side named it; empty until it has."""
    suspended_at: float | None = None
    moved: bool = False
    """The extension has arrived elsewhere since: this way to it is not coming back."""
    notices: list[bytes] | None = None
    """It has ended on the other side; told once the calls that crossed with that news have ended too."""
    calls: dict[bytes, str] = field(default_factory=dict[bytes, str])
    """Tokens of calls under way, by the caller's id."""


class Away(msgspec.Struct, gc=False, eq=False):
    """A call that has left. It leaves the ledger when it ends, so no collector need look for it."""

    route: Route
    raw_id: bytes
    purpose: Purpose
    deadline: float


class _Joined(msgspec.Struct):
    class Result(msgspec.Struct):
        connection_id: str = ""

    result: Result | None = None
    connection_id: str = msgspec.field(default="", name="connectionId")


_joined: Final = msgspec.json.Decoder(_Joined)


def connection_in(data: bytes) -> str:
    """The connection that an answer to `connect` names; empty if it failed."""
    joined = _joined.decode(data)
    return joined.result.connection_id if joined.result is not None else joined.connection_id
