"""May this session do this here: one pure question, asked before every call.

The first table is short: acting and reading are allowed, navigation goes to web pages only and never to the
gateway's own ports (a page there would be inside our walls). A page there that was reached all the same, by a redirect
or a link, may only be left; and so may a file of this machine, which may lead to any other.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias

from tabwright.model import DocumentId, JsonObject
from tabwright.policy.urls import Address, read_address


class Access(Enum):
    """What a call does to a site."""

    READ = "read"
    ACT = "act"
    PAGE_TOOL = "page tool"
    SCRIPT = "script"
    UPLOAD = "upload"


@dataclass(frozen=True, slots=True)
class Action:
    """A call about to run: who, what, with which arguments, on which page, and where it would go."""

    principal: str
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


@dataclass(frozen=True, slots=True)
class Allow:
    rule: str


@dataclass(frozen=True, slots=True)
class Ask:
    rule: str
    question: str


@dataclass(frozen=True, slots=True)
class Deny:
    rule: str
    reason: str


Decision: TypeAlias = Allow | Ask | Deny

_WEB_SCHEMES: Final = frozenset({"http", "https"})
_DISK_SCHEMES: Final = frozenset({"file", "filesystem"})
_LEAVING: Final = frozenset({"navigate", "close_tab", "tabs_close_mcp"})


@dataclass(frozen=True, slots=True)
class Rules:
    """What the decision knows besides the action itself."""

    own_ports: frozenset[int] = frozenset()


def decide(action: Action, rules: Rules) -> Decision:
    """Allow, ask or deny; always with the rule that said so."""
    decision = _decide_here(action, rules) if action.destination is None else _decide_going(action.destination, rules)
    if action.consequential and isinstance(decision, Allow):
        where = action.origin or "the page"
        return Ask("page tool: its page says it has consequences", f"Run {action.tool} of {where}?")
    return decision


def _decide_going(address: Address, rules: Rules) -> Decision:
    if address.scheme not in _WEB_SCHEMES and address.href != "about:blank":
        return Deny("navigation: web pages only", f"{address.scheme}: addresses are not opened for agents.")
    if _is_own(address, rules):
        return Deny("navigation: own ports", "That is tabwright's own address; agents have no business there.")
    return Allow("default: navigation to web pages is allowed")


def _decide_here(action: Action, rules: Rules) -> Decision:
    # a page may call its own tools what it likes
    leaving = action.tool in _LEAVING and action.access is not Access.PAGE_TOOL
    if action.scheme in _DISK_SCHEMES and not leaving:
        return Deny("page: web pages only", "The tab shows a file of this machine; it can only be left or closed.")
    if action.origin and not leaving and _is_own(read_address(action.origin), rules):
        return Deny("page: own ports", "The tab shows a page of tabwright itself; it can only be left or closed.")
    return Allow("default: reading and acting are allowed")


def _is_own(address: Address, rules: Rules) -> bool:
    return address.loopback and address.port in rules.own_ports
