"""The rules a decision follows: those of the person's `policy.toml`, and what holds without it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from tabwright.policy.actions import Access, Action, Verdict
from tabwright.policy.categories import categories_of
from tabwright.policy.sites import SitePattern, is_private
from tabwright.policy.urls import Address

_STRICTNESS: Final = {Verdict.ALLOW: 0, Verdict.ASK: 1, Verdict.DENY: 2}
_TOGETHER: Final = (Access.READ, Access.ACT, Access.PAGE_TOOL, Access.DOWNLOAD)
"""What one question about a kind of site is good for: whoever works there does all of it."""


@dataclass(frozen=True, slots=True)
class SiteRule:
    """One `[[site]]` of the file."""

    patterns: tuple[SitePattern, ...]
    verdicts: Mapping[Access, Verdict] = field(hash=False)
    client: str | None = None
    in_browser: bool = False

    def concerns(self, site: Address, client: str) -> bool:
        return self.client in (None, client) and any(pattern.matches(site) for pattern in self.patterns)

    @property
    def name(self) -> str:
        return ", ".join(pattern.written for pattern in self.patterns)


@dataclass(frozen=True, slots=True)
class Rules:
    """What the decision knows besides the action itself and the grants."""

    own_ports: frozenset[int] = frozenset()
    unsafe_ports: frozenset[int] = frozenset()
    """Of this machine, at which debuggers or other servers than web servers were found."""
    sites: tuple[SiteRule, ...] = ()
    categories: Mapping[str, Verdict] = field(default_factory=dict[str, Verdict], hash=False)
    defaults: Mapping[Access, Verdict] = field(default_factory=dict[Access, Verdict], hash=False)
    in_browser: bool = False
    """Wherever a rule does not say otherwise, only an answer given in the browser counts."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """What one rule says of one class."""

    verdict: Verdict
    rule: str
    covers: tuple[Access, ...]
    in_browser: bool = False


def ruling(action: Action, site: Address | None, rules: Rules) -> Ruling:
    """What the rules say of an action on a site; the strictest of what it is made of."""
    kinds = [action.kind]
    if action.kind is Access.CONSEQUENTIAL:
        kinds.append(action.access)
    found = [_of_class(kind, action, site, rules) for kind in kinds]
    reading = _of_class(Access.READ, action, site, rules)
    if reading.verdict is Verdict.DENY:
        # a page that may not be read is closed
        found.append(reading)
    return max(found, key=lambda each: _STRICTNESS[each.verdict])


def _of_class(kind: Access, action: Action, site: Address | None, rules: Rules) -> Ruling:
    """The first that says something: a rule for the site, a category of it, the file's default, our own."""
    return next(_said(kind, action, site, rules))


def _said(kind: Access, action: Action, site: Address | None, rules: Rules) -> Iterator[Ruling]:
    if site is not None:
        for rule in rules.sites:
            if kind in rule.verdicts and rule.concerns(site, action.principal.client):
                where = rule.in_browser or rules.in_browser
                yield Ruling(rule.verdicts[kind], f"policy.toml: site {rule.name}", _covered(kind), where)
        for category in categories_of(site):
            if category in rules.categories:
                covers = _TOGETHER if kind in _TOGETHER else (kind,)
                yield Ruling(rules.categories[category], f"policy.toml: category {category}", covers, rules.in_browser)
    # a default is about the web at large: it opens no network that somebody else is in
    if _is_inside(action, site) and rules.defaults.get(kind) is not Verdict.DENY:
        covers = _TOGETHER if kind in _TOGETHER else (kind,)
        yield Ruling(Verdict.ASK, "default: a far browser's own machine and network ask", covers, in_browser=True)
    if kind in rules.defaults:
        yield Ruling(rules.defaults[kind], "policy.toml: default", _covered(kind), rules.in_browser)
    verdict, why = _by_itself(kind, action, site)
    yield Ruling(verdict, why, _covered(kind), rules.in_browser)


def _is_inside(action: Action, site: Address | None) -> bool:
    """Whether the site is of the machine or network of a browser that is elsewhere."""
    return action.far and site is not None and (site.loopback or is_private(site))


def _by_itself(kind: Access, action: Action, site: Address | None) -> tuple[Verdict, str]:
    """What holds without a file: one can work, and is asked about what one would want to be asked about."""
    match kind:
        case Access.CONSEQUENTIAL:
            return Verdict.ASK, "page tool: its page says it has consequences"
        case Access.SCRIPT if action.own_profile:
            return Verdict.ALLOW, "default: scripts are allowed in a launched browser"
        case Access.SCRIPT if site is not None and site.loopback:
            return Verdict.ALLOW, "default: scripts are allowed on this machine's own pages"
        case Access.SCRIPT:
            return Verdict.ASK, "default: scripts ask once a site in your own browser"
        case Access.UPLOAD:
            return Verdict.ALLOW, "default: uploads are allowed, from the upload folders"
        case _:
            return Verdict.ALLOW, "default: reading and acting are allowed"


def _covered(kind: Access) -> tuple[Access, ...]:
    """Whoever may act there may see what that does."""
    return (Access.ACT, Access.READ) if kind is Access.ACT else (kind,)
