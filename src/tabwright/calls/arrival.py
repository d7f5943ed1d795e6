"""How a client came: what people who look on are told of it besides its name."""

import time
from dataclasses import dataclass, field
from typing import Literal

Transport = Literal["", "stdio", "sse", "http"]


@dataclass(frozen=True, slots=True)
class Arrival:
    """Over which transport, speaking which protocol version, and since when (Unix time); all else is the session's."""

    version: str = ""
    """What the client calls its own version."""
    transport: Transport = ""
    protocol: str = ""
    modern: bool = False
    since: float = field(default_factory=time.time)
