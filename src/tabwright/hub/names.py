"""Names of hub tools: `website_tool_<domain>_tab<N>_<tool>`, and `website_tool_<domain>_<tool>` without a tab.

At most 48 characters, unique, and kept for as long as the tool is there: another tab that opens or closes renames
nothing. Names are looked up in a table, never taken apart.
"""

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from tabwright.errors import InvalidArguments
from tabwright.policy.urls import read_address

PREFIX: Final = "website_tool_"
MAX_NAME: Final = 48
HASH_CHARS: Final = 6
LEAST_DOMAIN: Final = 6
"""The domain is cut before the tool, but never beyond recognition."""
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Identity:
    """What a name stands for besides its tab: whose tool, in which frame, called what by the page."""

    origin: str
    frame: str
    """Empty for the page itself."""
    tool: str

    @property
    def digest(self) -> str:
        told = "\0".join((self.origin, self.frame, self.tool))
        return hashlib.sha256(told.encode()).hexdigest()[:HASH_CHARS]


@lru_cache(maxsize=4096)
def host_of(origin: str) -> str:
    """The host, with its port if that is not the usual one, as a person knows it."""
    try:
        address = read_address(origin)
    except InvalidArguments:
        # an opaque origin has no name a person would know
        return "page"
    usual = address.port in (None, _DEFAULT_PORTS.get(address.scheme))
    return (address.host if usual else f"{address.host}:{address.port}") or "page"


@lru_cache(maxsize=4096)
def domain_of(origin: str) -> str:
    """The same in the characters of a name."""
    return re.sub("[^a-z0-9]", "_", host_of(origin).lower())


def name_of(identity: Identity, tab: int | None, *, distinct: bool = False) -> str:
    """The tool's name; `distinct` carries the hash even where the plain name would be short enough."""
    domain, tool = domain_of(identity.origin), re.sub("[^A-Za-z0-9_-]", "_", identity.tool)
    place = "" if tab is None else f"tab{tab}_"
    plain = f"{PREFIX}{domain}_{place}{tool}"
    if len(plain) <= MAX_NAME and not distinct:
        return plain
    middle = f"_{identity.digest}_{place}"
    room = MAX_NAME - len(PREFIX) - len(middle)
    cut = domain[: max(LEAST_DOMAIN, room - len(tool))].rstrip("_")
    return f"{PREFIX}{cut}{middle}{_shortened(tool, room - len(cut))}"


def _shortened(tool: str, room: int) -> str:
    """Its beginning and its end: what is in the middle tells least."""
    if len(tool) <= room:
        return tool
    head = (room + 1) // 2
    return tool[:head] + tool[len(tool) - (room - head) :]
