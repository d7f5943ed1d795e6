"""Who is there: every peer of one process in its phase, the users they belong to, and how each of them goes.

A peer goes when its socket is gone (`closed`) or when we want it gone (`cut`); either way whoever used it is told, and
so are the other replicas, where there are any.
"""

from collections import deque
from collections.abc import Callable, Container
from heapq import nlargest
from operator import itemgetter
from typing import Protocol, TypeAlias

from tabwright.proxy.buckets import Bucket
from tabwright.proxy.control import Control
from tabwright.proxy.deadlines import Deadlines
from tabwright.proxy.envelope import Frame
from tabwright.proxy.model import (
    NOBODY,
    Close,
    CloseCode,
    Effect,
    ExtensionId,
    Gone,
    Identity,
    Limits,
    PeerId,
    UserId,
)
from tabwright.proxy.peers import Client, Extension, User, Verifying, Waiting
from tabwright.proxy.switchboard import Switchboard

Phase: TypeAlias = Waiting | Verifying | Client | Extension


class Elsewhere(Protocol):
    """What the router knows of the other replicas. Peers with numbers below zero are their clients."""

    def serve(self, client: Client, frame: Frame, raw_id: bytes, now: float) -> list[Effect] | None:
        """A client's message; None: it concerns nobody elsewhere."""
        ...

    def sockets(self, user: UserId) -> int: ...
    def client_left(self, client: Client) -> list[Effect]: ...
    def arrived(self, extension: Extension) -> list[Effect]: ...
    def departed(self, extension: Extension) -> list[Effect]: ...


class Roster:
    def __init__(self, limits: Limits, switchboard: Switchboard, control: Control) -> None:
        self._limits = limits
        self._switchboard = switchboard
        self._control = control
        self.peers: dict[PeerId, Phase] = {}
        self._deadlines = Deadlines(self.peers)
        self._users: dict[UserId, User] = {}
        self._vacant: set[UserId] = set()
        """All users without peers, and some that have one again."""
        self._replaced: dict[tuple[UserId, ExtensionId], deque[float]] = {}
        self._superseded: dict[tuple[UserId, ExtensionId], deque[float]] = {}
        self.elsewhere: Elsewhere | None = None
        """The other replicas, where there are any."""

    @property
    def clients(self) -> int:
        return sum(isinstance(phase, Client) and peer > NOBODY for peer, phase in self.peers.items())

    @property
    def extensions(self) -> int:
        return sum(isinstance(phase, Extension) for phase in self.peers.values())

    @property
    def users(self) -> int:
        return len(self._users)

    def user(self, user_id: UserId, now: float) -> User:
        user = self._users.get(user_id)
        if user is None:
            bucket = Bucket(self._limits.user_rate, self._limits.burst, now)
            user = self._users[user_id] = User(user_id, bucket)
            self._vacant.add(user_id)
        return user

    def enter(self, peer: PeerId, phase: Phase) -> None:
        """A peer's first phase, or its next."""
        self.peers[peer] = phase
        self._deadlines.note(peer, phase.ends_at)

    def due(self, now: float) -> list[PeerId]:
        """Who must go: strangers that are late, others whose token has ended."""
        return self._deadlines.due(now)

    def knows(self, peer: PeerId) -> bool:
        """Whether a peer has proved who it is."""
        return isinstance(self.peers.get(peer), Client | Extension)

    def talks_only_with(self, peer: PeerId, other: PeerId) -> bool:
        """Whether nobody but one other would miss what a peer says."""
        match self.peers.get(peer):
            case Client() as client:
                return {connection.extension.peer for connection in client.connections.values()} == {other}
            case Extension() as extension:
                return {connection.client.peer for connection in extension.connections.values()} == {other}
            case _:
                return False

    # --- how they go

    def closed(self, peer: PeerId, why: Gone = Gone.CLOSED) -> list[Effect]:
        """A socket is gone. Nothing happens for one that the router closed itself."""
        phase = self.peers.pop(peer, None)
        effects: list[Effect] = []
        match phase:
            case Client():
                self._leave_user(phase)
                effects += self._leave_elsewhere(phase)
                for connection in list(phase.connections.values()):
                    # nobody is left to hear of its calls; the extension serves the others
                    self._switchboard.abandon(connection)
                    effects += self._control.status(phase, connection.extension, connected=False)
                effects = [effect for effect in effects if effect.peer != peer]
            case Extension():
                self._leave_user(phase)
                if phase.user.extensions.get(phase.id) is phase:
                    del phase.user.extensions[phase.id]
                for connection in list(phase.connections.values()):
                    effects += self._switchboard.gone(connection, why)
                if self.elsewhere is not None:
                    effects += self.elsewhere.departed(phase)
            case _:
                pass
        return effects

    def cut(self, peer: PeerId, code: CloseCode, reason: str, why: Gone = Gone.CLOSED) -> list[Effect]:
        """Close a socket of our own accord: what it must hear comes first, and it is gone for everybody else."""
        phase = self.peers.get(peer)
        farewell: list[Effect] = []
        if isinstance(phase, Client):
            farewell += self._leave_elsewhere(phase)
            for connection in list(phase.connections.values()):
                farewell += self._switchboard.abandon(connection)
                farewell += self._control.status(phase, connection.extension, connected=False)
        return [*farewell, Close(peer, code, reason), *self.closed(peer, why)]

    def revoked(self, tokens: Container[str]) -> list[Effect]:
        """Tokens, or all tokens of users (`user:NAME`), that are no longer good."""
        effects: list[Effect] = []
        for peer, phase in list(self.peers.items()):
            if isinstance(phase, Client | Extension) and is_revoked(phase.identity, tokens):
                effects += self.cut(peer, CloseCode.UNAUTHORIZED, "Token revoked")
        return effects

    def _leave_user(self, phase: Client | Extension) -> None:
        phase.user.peers.discard(phase.peer)
        if not phase.user.peers:
            self._vacant.add(phase.user.id)

    def _leave_elsewhere(self, client: Client) -> list[Effect]:
        return [] if self.elsewhere is None else self.elsewhere.client_left(client)

    # --- two with one name

    def superseded(self, extension: Extension, now: float) -> list[Effect]:
        """The same extension has arrived at another replica since."""
        key = (extension.user.id, extension.id)
        self._superseded.setdefault(key, deque(maxlen=self._limits.replaced)).append(now)
        return self.cut(extension.peer, CloseCode.REPLACED, Gone.REPLACED.value, Gone.REPLACED)

    def contested(self, user: UserId, extension: ExtensionId, now: float) -> bool:
        """The same between two replicas."""
        times = self._superseded.get((user, extension))
        if times is None:
            return False
        return len(times) == self._limits.replaced and times[0] > now - self._limits.replaced_s

    def flaps(self, user: UserId, extension: ExtensionId, now: float) -> bool:
        """Two browsers with one extension_id would throw each other out for ever."""
        times = self._replaced.setdefault((user, extension), deque(maxlen=self._limits.replaced))
        if len(times) == self._limits.replaced and times[0] > now - self._limits.replaced_s:
            return True
        times.append(now)
        return False

    # --- what replicas tell one another

    def full(self, user: User) -> bool:
        """Whether a user has as many sockets as one may have, on all replicas together."""
        elsewhere = 0 if self.elsewhere is None else self.elsewhere.sockets(user.id)
        return len(user.peers) + elsewhere >= self._limits.user_peers

    def sockets(self, least: int, most: int) -> dict[UserId, int]:
        """How many sockets each user has, where they are many."""
        told = {user.id: len(user.peers) for user in self._users.values() if len(user.peers) >= least}
        return told if len(told) <= most else dict(nlargest(most, told.items(), key=itemgetter(1)))

    def spent(self, least: float) -> dict[UserId, int]:
        """Messages of each user since last asked, where they are many."""
        told: dict[UserId, int] = {}
        for user in self._users.values():
            if user.bucket.taken:
                if user.bucket.taken >= least:
                    told[user.id] = user.bucket.taken
                user.bucket.taken = 0
        return told

    def spend(self, users: dict[str, int], key: Callable[[UserId], str], now: float) -> None:
        """Users, by key, have sent so many messages to other replicas."""
        for user in self._users.values():
            count = users.get(key(user.id))
            if count:
                user.bucket.spend(count, now)

    def forget(self, now: float) -> None:
        """Users without peers, once that would not give them a fresh allowance."""
        self._vacant = {user_id for user_id in self._vacant if not self._users[user_id].peers}
        for user_id in [user_id for user_id in self._vacant if self._users[user_id].bucket.full(now)]:
            del self._users[user_id]
            self._vacant.remove(user_id)
        oldest = now - self._limits.replaced_s
        for kept in (self._replaced, self._superseded):
            for key in [key for key, times in kept.items() if times[-1] < oldest]:
                del kept[key]


def is_revoked(identity: Identity, tokens: Container[str]) -> bool:
    return (identity.token_id is not None and identity.token_id in tokens) or f"user:{identity.user}" in tokens
