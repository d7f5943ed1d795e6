"""What a dialect is: a thin codec between the one command table and what travels on a socket.

A dialect may remember what it needs to match answers (tabs.md has no ids), never more. It decides nothing.
"""

from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from tabwright.link.events import LinkEvent
from tabwright.model import JsonObject

SILENCE_S: Final = 45.0
"""An extension on its own socket pings every 20 s."""


@dataclass(frozen=True, slots=True)
class Answered:
    call_id: int
    result: JsonObject


@dataclass(frozen=True, slots=True)
class Refused:
    call_id: int
    code: int
    message: str
    word: str = "failed"


@dataclass(frozen=True, slots=True)
class Undelivered:
    """Whoever stands between says that the call never reached the browser: it may go out again."""

    call_id: int


@dataclass(frozen=True, slots=True)
class Lost:
    """Whoever stands between, or the browser itself, does not know what became of the call."""

    refused: Refused


@dataclass(frozen=True, slots=True)
class Told:
    event: LinkEvent


@dataclass(frozen=True, slots=True)
class Reply:
    """A frame the dialect itself owes the peer: a pong, or the answer to a broken message."""

    text: str


Incoming: TypeAlias = Answered | Refused | Undelivered | Lost | Told | Reply


class Dialect(Protocol):
    """One way of speaking to an extension."""

    @property
    def commands(self) -> frozenset[str]:
        """The commands this peer can be asked."""
        ...

    @property
    def silence_s(self) -> float | None:
        """A peer that says nothing for so long is dead; None where silence means nothing."""
        ...

    def encode(self, call_id: int, command: str, params: JsonObject) -> list[str]:
        """The frames to send now for this call; none if it has to wait its turn.

        Raises:
            ToolError: it cannot be sent this way.
        """
        ...

    def decode(self, text: str | bytes) -> list[Incoming]:
        """What a frame from the peer means. Never raises: a broken frame becomes a `Reply` or nothing."""
        ...

    def waiting(self, call_id: int) -> bool:
        """Whether this call still waits its turn: encoded, but no frame of it has been sent."""
        ...

    def abandon(self, call_id: int) -> list[str]:
        """Forget a call nobody waits for any more; frames that may go out in its place."""
        ...
