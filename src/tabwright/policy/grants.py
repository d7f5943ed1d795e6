"""What the person has agreed to: once, for a session, or always; for one origin, class, client and browser profile.

Exact in everything: another scheme, port or host, another client or profile is asked about anew, and so is a page tool
whose definition changed. Only the person, on the command line, may give one to any client or profile.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, Protocol

from tabwright.policy.actions import Access, Action, Ask

ANY: Final = "*"
ID_CHARS: Final = 10


class Scope(Enum):
    """How long a yes is good for."""

    ONCE = "once"
    SESSION = "session"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class Consent:
    """A yes: how long it is good for, and for which of the choices, where the question had some."""

    scope: Scope
    chosen: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GrantKey:
    """What exactly was agreed to."""

    origin: str
    access: Access
    client: str
    profile: str
    tool: str = ""
    """The digest of the one page tool it is for; empty for classes that are about the site."""

    @property
    def id(self) -> str:
        """A short name for the command line, the same for the same key."""
        told = "\0".join((self.origin, self.access.value, self.client, self.profile, self.tool))
        return hashlib.sha256(told.encode()).hexdigest()[:ID_CHARS]


@dataclass(frozen=True, slots=True)
class Grant:
    key: GrantKey
    scope: Scope
    given_at: float
    session: str = ""
    """The session it ends with; empty for one that does not end by itself."""
    label: str = ""
    """The page tool's name, for people."""


class GrantMemory(Protocol):
    """Where grants that do not end by themselves are kept."""

    def grants(self) -> Sequence[Grant]: ...
    def keep_grant(self, grant: Grant) -> None: ...
    def drop_grant(self, key: GrantKey) -> None: ...


class NoGrantMemory:
    """Nothing outlives this process."""

    def grants(self) -> Sequence[Grant]:
        return ()

    def keep_grant(self, grant: Grant) -> None: ...
    def drop_grant(self, key: GrantKey) -> None: ...


class Grants:
    """All grants in force. `now` is the time of day."""

    def __init__(self, memory: GrantMemory, now: Callable[[], float]) -> None:
        self._memory = memory
        self._now = now
        self._always = {grant.key: grant for grant in memory.grants()}
        self._sessions: dict[tuple[str, GrantKey], Grant] = {}

    def covering(self, action: Action) -> Grant | None:
        """The grant that answers a question about this action, if there is one."""
        for key in keys_of(action):
            found = self._sessions.get((action.principal.session, key)) or self._always.get(key)
            if found is not None:
                return found
        return None

    def agreed(self, action: Action, ask: Ask, scope: Scope) -> tuple[Grant, ...]:
        """The person said yes for this long; what that made."""
        if scope is Scope.ONCE:
            return ()
        kinds = [kind for kind in ask.covers if kind is not Access.CONSEQUENTIAL or action.definition]
        made = tuple(self._made(_key(action, kind), action, scope) for kind in kinds)
        for grant in made:
            self.give(grant)
        return made

    def give(self, grant: Grant) -> None:
        if grant.scope is Scope.SESSION:
            self._sessions[grant.session, grant.key] = grant
        elif grant.scope is Scope.ALWAYS:
            self._memory.keep_grant(grant)
            self._always[grant.key] = grant

    def listed(self) -> Sequence[Grant]:
        every = (*self._always.values(), *self._sessions.values())
        return sorted(every, key=lambda grant: (grant.key.origin, grant.key.access.value, grant.given_at))

    def revoke(self, chosen: Callable[[Grant], bool]) -> Sequence[Grant]:
        """End every grant that is chosen; which ones that were."""
        gone = [grant for grant in self.listed() if chosen(grant)]
        for grant in gone:
            if grant.scope is Scope.SESSION:
                self._sessions.pop((grant.session, grant.key), None)
            else:
                self._memory.drop_grant(grant.key)
                self._always.pop(grant.key, None)
        return gone

    def session_ended(self, session: str) -> None:
        self._sessions = {place: grant for place, grant in self._sessions.items() if place[0] != session}

    def _made(self, key: GrantKey, action: Action, scope: Scope) -> Grant:
        session = action.principal.session if scope is Scope.SESSION else ""
        return Grant(key, scope, self._now(), session, action.tool if key.tool else "")


def keys_of(action: Action) -> Iterable[GrantKey]:
    """Every key that would cover an action: its own, and those the person gave to any client or profile."""
    exact = _key(action, action.kind)
    for client in (exact.client, ANY):
        for profile in (exact.profile, ANY):
            yield GrantKey(exact.origin, exact.access, client, profile, exact.tool)
            if exact.tool:
                # given on the command line, for all such tools of the site
                yield GrantKey(exact.origin, exact.access, client, profile)


def _key(action: Action, kind: Access) -> GrantKey:
    tool = action.definition if kind is Access.CONSEQUENTIAL else ""
    return GrantKey(action.site, kind, action.principal.client, action.profile, tool)
