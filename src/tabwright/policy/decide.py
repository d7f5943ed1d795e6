"""May this session do this here: one pure question, asked before every call and again after a navigation commits.

First what no rule and no grant can open: addresses that are no web pages, the gateway's own ports (a page there would
be inside our walls), addresses that hand out a machine's credentials. A page there that was reached all the same, by
a redirect or a link, may only be left; and so may a file of this machine, which may lead to any other. Then the rules
(`policy.rules`), and where they say "ask" what the person has agreed to before (`policy.grants`).
"""

from typing import Final, Protocol

from tabwright.policy.actions import Access, Action, Allow, Ask, Decision, Deny, Verdict
from tabwright.policy.grants import Grant, Scope
from tabwright.policy.rules import Rules, Ruling, ruling
from tabwright.policy.sites import is_here, is_metadata, site_of
from tabwright.policy.urls import Address

_WEB_SCHEMES: Final = frozenset({"http", "https"})
_DISK_SCHEMES: Final = frozenset({"file", "filesystem"})
_DEBUGGERS: Final = frozenset({9222, 9229})
"""Where Chrome's and Node's debuggers listen unless they are told otherwise: what they serve has no other guard."""
_LEAVING: Final = frozenset({"navigate", "close_tab", "tabs_close_mcp"})
_DEEDS: Final = {
    Access.READ: "read pages of",
    Access.ACT: "act on",
    Access.SCRIPT: "run scripts in pages of",
    Access.UPLOAD: "upload files to",
    Access.DOWNLOAD: "download files from",
    Access.PAGE_TOOL: "use tools of",
}


class Agreed(Protocol):
    """What the person has agreed to."""

    def covering(self, action: Action) -> Grant | None: ...


class NothingAgreed:
    def covering(self, action: Action) -> Grant | None:
        return None


def decide(action: Action, rules: Rules, agreed: Agreed | None = None) -> Decision:
    """Allow, ask or deny; always with the rule that said so."""
    return _out_of_bounds(action, rules) or _ruled(action, rules, agreed or NothingAgreed())


def _out_of_bounds(action: Action, rules: Rules) -> Deny | None:
    if action.destination is not None:
        return _closed_address(action.destination, rules)
    return None if _leaves(action) else _closed_page(action, rules)


def _closed_address(address: Address, rules: Rules) -> Deny | None:
    if address.scheme not in _WEB_SCHEMES and address.href != "about:blank":
        return Deny("navigation: web pages only", f"{address.scheme}: addresses are not opened for agents.")
    if _is_own(address, rules):
        return Deny("navigation: own ports", "That is tabwright's own address; agents have no business there.")
    if _is_debugger(address, rules):
        return Deny(
            "navigation: debuggers",
            "A debugger listens at that port, or another server that is no web site; agents have no business there.",
        )
    if is_metadata(address):
        return Deny("navigation: machine credentials", "That address hands out the machine's own credentials.")
    return None


def _closed_page(action: Action, rules: Rules) -> Deny | None:
    if action.scheme in _DISK_SCHEMES:
        return Deny("page: web pages only", "The tab shows a file of this machine; it can only be left or closed.")
    site = site_of(action.origin)
    if site is not None and _is_own(site, rules):
        return Deny("page: own ports", "The tab shows a page of tabwright itself; it can only be left or closed.")
    if site is not None and _is_debugger(site, rules):
        return Deny("page: debuggers", "The tab shows a page of a debugger or the like; it can only be left or closed.")
    if site is not None and is_metadata(site):
        return Deny(
            "page: machine credentials", "The tab shows a machine's credentials; it can only be left or closed."
        )
    return None


def _ruled(action: Action, rules: Rules, agreed: Agreed) -> Decision:
    if action.destination is None and _leaves(action):
        return Allow("default: every page may be left")
    if not action.site and not action.scheme and not action.consequential:
        return Allow("default: it is about no page")
    site = site_of(action.site)
    found = ruling(action, site, rules)
    match found.verdict:
        case Verdict.ALLOW:
            return Allow(found.rule)
        case Verdict.DENY:
            return Deny(found.rule, f"Your policy denies agents to {_deed(action)} {action.site or 'this page'}.")
        case Verdict.ASK:
            grant = agreed.covering(action)
            return _asked(action, found) if grant is None else Allow(_granted(grant))


def _asked(action: Action, found: Ruling) -> Ask:
    where = action.site or "the page"
    if action.kind is Access.CONSEQUENTIAL:
        question = f"Run {action.tool} of {where}?"
    else:
        question = f"May {action.principal.client} {_deed(action)} {where}?"
    # what has no origin of its own would be agreed to for every page without one
    covers = found.covers if action.site not in ("", "null") else ()
    return Ask(found.rule, question, covers, found.in_browser)


def _granted(grant: Grant) -> str:
    how_long = "for this session" if grant.scope is Scope.SESSION else "always"
    return f"grant {grant.key.id}: you allowed it {how_long}"


def _deed(action: Action) -> str:
    return _DEEDS.get(action.access, "use")


def _leaves(action: Action) -> bool:
    # a page may call its own tools what it likes
    return action.tool in _LEAVING and action.access is not Access.PAGE_TOOL


def _is_own(address: Address, rules: Rules) -> bool:
    return is_here(address) and address.port in rules.own_ports


def _is_debugger(address: Address, rules: Rules) -> bool:
    return is_here(address) and (address.port in _DEBUGGERS or address.port in rules.unsafe_ports)
