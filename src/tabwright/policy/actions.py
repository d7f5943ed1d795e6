"""The words of the policy: who does what where, and what may be said about it."""

from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias

from tabwright.model import DocumentId, JsonObject
from tabwright.policy.urls import Address


class Access(Enum):
    """What a call does to a site: its action class, spelled as in `policy.toml`."""

    READ = "read"
    ACT = "act"
    SCRIPT = "script"
    UPLOAD = "upload"
    DOWNLOAD = "download"
    PAGE_TOOL = "page_tool"
    CONSEQUENTIAL = "consequential"


@dataclass(frozen=True, slots=True)
class Principal:
    """Who acts: the user the transport vouches for, and the client as it calls itself, in one session."""

    user: str
    client: str = "agent"
    session: str = ""


LAUNCHED: Final = "launched"
"""The profile of a browser that tabwright launched: the same one every time, whatever its link is called."""


@dataclass(frozen=True, slots=True)
class Action:
    """A call about to run: who, what, with which arguments, on which page, and where it would go."""

    principal: Principal
    tool: str
    access: Access
    arguments: JsonObject
    origin: str = ""
    document: DocumentId | None = None
    destination: Address | None = None
    consequential: bool = False
    """The page itself says that this tool of its own has consequences."""
    scheme: str = ""
    """Of the page's address: what has no origin may have this."""
    definition: str = ""
    """The digest of a page tool: what was agreed to is this tool, and none that came in its place."""
    profile: str = ""
    """The browser profile it happens in."""
    far: bool = False
    """Whether the browser is on another machine than the gateway: addresses of its network are not ours."""

    @property
    def own_profile(self) -> bool:
        """Whether the browser was launched with a profile of its own, where nobody is logged in by themselves."""
        return self.profile == LAUNCHED

    @property
    def kind(self) -> Access:
        """The action class it falls under."""
        return Access.CONSEQUENTIAL if self.consequential else self.access

    @property
    def site(self) -> str:
        """The origin it is about: where it would go, else where it is."""
        return self.origin if self.destination is None else self.destination.origin


class Verdict(Enum):
    """What a rule says, spelled as in `policy.toml`."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class Allow:
    rule: str


@dataclass(frozen=True, slots=True)
class Ask:
    rule: str
    question: str
    covers: tuple[Access, ...] = ()
    """The classes that a yes for longer than this once is good for; none: a yes is good once."""
    in_browser: bool = False
    """Only an answer given in the browser counts: a client could answer for its person."""
    choices: tuple[str, ...] = ()
    """What the person may strike out of it; none: it is agreed to whole, or not."""


@dataclass(frozen=True, slots=True)
class Deny:
    rule: str
    reason: str


Decision: TypeAlias = Allow | Ask | Deny
