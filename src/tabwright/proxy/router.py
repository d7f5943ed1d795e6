"""The router: every socket's phase, and what is done about what it says.

Lifecycle of a peer: `opened` -> (extensions are asked to authenticate) -> first message -> `Verify` -> `verified` ->
client or extension until `closed`, by either side. Told what happened and when, returns what to do; deadlines are kept
by `tick`. Whoever performs a `Verify` brings no further frame of that peer before its outcome.
"""

import math
from collections import deque
from collections.abc import Callable, Container
from typing import Final, Protocol, TypeAlias

from msgspec import UNSET, Raw, UnsetType

from tabwright.errors import INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND
from tabwright.policy.text import clean
from tabwright.proxy import tabs
from tabwright.proxy.buckets import Bucket
from tabwright.proxy.control import FAILED, METHODS, Control, answer, failure
from tabwright.proxy.counts import Counts
from tabwright.proxy.dialects import AUTHENTICATE, AUTHENTICATE_ID, SIMPLE, STANDARD, Dialect
from tabwright.proxy.envelope import (
    NULL,
    Frame,
    Malformed,
    answered_id,
    id_of,
    members_of,
    mend,
    read,
    text_of,
)
from tabwright.proxy.model import (
    NOBODY,
    Close,
    CloseCode,
    Effect,
    Endpoint,
    ExtensionId,
    Gone,
    Identity,
    Limits,
    PeerId,
    Refused,
    Role,
    Send,
    UserId,
    Verify,
)
from tabwright.proxy.peers import Client, Extension, User, Verifying, Waiting
from tabwright.proxy.switchboard import LIMIT, RESERVED, Switchboard

Phase: TypeAlias = Waiting | Verifying | Client | Extension

MAX_NAME: Final = 200
SWEEP_S: Final = 1.0
_EXTENSIONS_DOOR: Final = "extensions connect to /extension"
_CLIENTS_DOOR: Final = "MCP clients connect to /mcp"
LEAVING_A_SECOND: Final = 500
"""How many are sent away together: they all come back somewhere else at once."""


class Elsewhere(Protocol):
    """What the router knows of the other replicas. Peers with numbers below zero are their clients."""

    def serve(self, client: Client, frame: Frame, raw_id: bytes, now: float) -> list[Effect] | None:
        """A client's message; None: it concerns nobody elsewhere."""
        ...

    def client_left(self, client: Client) -> list[Effect]: ...
    def arrived(self, extension: Extension) -> list[Effect]: ...
    def departed(self, extension: Extension) -> list[Effect]: ...


class Router:
    """All peers of one process."""

    def __init__(
        self,
        limits: Limits,
        *,
        new_id: Callable[[str], str],
        wall: Callable[[], str],
        needs_token: bool = True,
        allow_cdp: bool = False,
    ) -> None:
        self.counts = Counts()
        self._limits = limits
        self._new_id = new_id
        self._needs_token = needs_token
        self._peers: dict[PeerId, Phase] = {}
        self._users: dict[UserId, User] = {}
        self._replaced: dict[tuple[UserId, ExtensionId], deque[float]] = {}
        self._superseded: dict[tuple[UserId, ExtensionId], deque[float]] = {}
        self._switchboard = Switchboard(limits, self.counts, allow_cdp=allow_cdp)
        self._control = Control(limits, self._switchboard, new_id, wall)
        self.elsewhere: Elsewhere | None = None
        """The other replicas, where there are any."""
        self._swept_at = 0.0
        self._drained_at: float | None = None
        self._leaving = 0

    # --- what happens

    def opened(self, peer: PeerId, endpoint: Endpoint, now: float) -> list[Effect]:
        """A socket was accepted."""
        self._peers[peer] = Waiting(endpoint, now + self._limits.auth_s)
        # proxy protocol 1.1: the extension is passive; at / nobody knows yet which protocol is spoken
        return [Send(peer, AUTHENTICATE)] if endpoint is Endpoint.EXTENSION else []

    def received(self, peer: PeerId, data: bytes, now: float) -> list[Effect]:
        """A text frame of a peer."""
        phase = self._peers.get(peer)
        # the usual first: every message passes here
        if type(phase) is Client:
            return self._from_client(phase, data, now)
        if type(phase) is Extension:
            return self._from_extension(phase, data, now)
        if isinstance(phase, Waiting):
            return self._from_stranger(peer, phase, data)
        if isinstance(phase, Verifying):
            return self._cut(peer, CloseCode.POLICY, "Wait for the authentication to end")
        return []

    def verified(self, peer: PeerId, outcome: Identity | Refused, now: float) -> list[Effect]:
        """The outcome of a `Verify`."""
        phase = self._peers.get(peer)
        if not isinstance(phase, Verifying):
            return []
        if isinstance(outcome, Refused):
            return self._turn_away(peer, phase, outcome)
        if self._drained_at is not None:
            return self._cut(peer, CloseCode.RESTART, Gone.SHUTDOWN.value)
        user = self._user(outcome.user, now)
        if len(user.peers) >= self._limits.user_peers:
            return self._cut(peer, CloseCode.TOO_MANY, "Too many connections of this user")
        self.counts.authenticated += 1
        ends_at = None if outcome.lives_s is None else now + outcome.lives_s
        if phase.role is Role.EXTENSION:
            return self._admit_extension(peer, phase, user, outcome, ends_at, now)
        user.peers.add(peer)
        bucket = Bucket(self._limits.client_rate, self._limits.burst, now)
        self._peers[peer] = Client(peer, user, outcome, phase.dialect, ends_at, bucket)
        welcome = phase.dialect.welcome(phase.raw_id, outcome.user, self._new_id("mcp"))
        return [Send(peer, welcome)] if welcome else []

    def closed(self, peer: PeerId, why: Gone = Gone.CLOSED) -> list[Effect]:
        """A socket is gone. Nothing happens for one that the router closed itself."""
        phase = self._peers.pop(peer, None)
        effects: list[Effect] = []
        match phase:
            case Client():
                phase.user.peers.discard(peer)
                effects += self._leave_elsewhere(phase)
                for connection in list(phase.connections.values()):
                    # nobody is left to hear of its calls; the extension serves the others
                    self._switchboard.abandon(connection)
                    effects += self._control.status(phase, connection.extension, connected=False)
                effects = [effect for effect in effects if effect.peer != peer]
            case Extension():
                phase.user.peers.discard(peer)
                if phase.user.extensions.get(phase.id) is phase:
                    del phase.user.extensions[phase.id]
                for connection in list(phase.connections.values()):
                    effects += self._switchboard.gone(connection, why)
                if self.elsewhere is not None:
                    effects += self.elsewhere.departed(phase)
            case _:
                pass
        return effects

    def revoked(self, tokens: Container[str]) -> list[Effect]:
        """Tokens, or all tokens of users (`user:NAME`), that are no longer good."""
        effects: list[Effect] = []
        for peer, phase in list(self._peers.items()):
            if isinstance(phase, Client | Extension) and is_revoked(phase.identity, tokens):
                effects += self._cut(peer, CloseCode.UNAUTHORIZED, "Token revoked")
        return effects

    def tick(self, now: float) -> list[Effect]:
        """Time has passed: late calls, late strangers and expired tokens end."""
        effects = self._switchboard.tick(now)
        if self._drained_at is not None:
            effects += self._drain(now)
        if now - self._swept_at < SWEEP_S:
            return effects
        self._swept_at = now
        for peer, phase in list(self._peers.items()):
            if isinstance(phase, Waiting | Verifying):
                if phase.deadline <= now:
                    self.counts.overtime += 1
                    effects += self._cut(peer, CloseCode.TOO_LATE, "Not authenticated in time")
            elif phase.ends_at is not None and phase.ends_at <= now:
                effects += self._cut(peer, CloseCode.UNAUTHORIZED, "Token expired")
            elif isinstance(phase, Extension) and phase.left_tabs is not None:
                tabs.pass_moment(phase)
        self._forget(now)
        return effects

    def drain(self, now: float) -> list[Effect]:
        """No new work; each peer leaves when its calls have ended, all when the time is up."""
        self._drained_at = now
        self._leaving = len(self._peers)
        return self._drain(now)

    @property
    def drained(self) -> bool:
        return self._drained_at is not None and not self._peers

    @property
    def clients(self) -> int:
        return sum(isinstance(phase, Client) and peer > NOBODY for peer, phase in self._peers.items())

    @property
    def extensions(self) -> int:
        return sum(isinstance(phase, Extension) for phase in self._peers.values())

    @property
    def pending(self) -> int:
        return self._switchboard.pending

    @property
    def users(self) -> int:
        return len(self._users)

    def knows(self, peer: PeerId) -> bool:
        """Whether a peer has proved who it is."""
        return isinstance(self._peers.get(peer), Client | Extension)

    def talks_only_with(self, peer: PeerId, other: PeerId) -> bool:
        """Whether nobody but one other would miss what a peer says."""
        match self._peers.get(peer):
            case Client() as client:
                return {connection.extension.peer for connection in client.connections.values()} == {other}
            case Extension() as extension:
                return {connection.client.peer for connection in extension.connections.values()} == {other}
            case _:
                return False

    # --- other replicas

    def welcome(self, peer: PeerId, identity: Identity, dialect: Dialect, now: float) -> Client:
        """A client of another replica, which has verified it and counts what it says."""
        client = Client(peer, self._user(identity.user, now), identity, dialect, None, Bucket(0, 0, now))
        self._peers[peer] = client
        return client

    def relayed(self, peer: PeerId, frame: Frame, raw_id: bytes, now: float) -> list[Effect]:
        """A message of such a client."""
        client = self._peers.get(peer)
        return self._serve(client, frame, raw_id, now) if isinstance(client, Client) else []

    def forget_calls(self, peer: PeerId) -> None:
        """Such a client has been told that its calls under way are lost."""
        client = self._peers.get(peer)
        if isinstance(client, Client):
            for connection in client.connections.values():
                self._switchboard.lose(connection)

    def superseded(self, extension: Extension, now: float) -> list[Effect]:
        """The same extension has arrived at another replica since."""
        key = (extension.user.id, extension.id)
        self._superseded.setdefault(key, deque(maxlen=self._limits.replaced)).append(now)
        return self._cut(extension.peer, CloseCode.REPLACED, Gone.REPLACED.value, Gone.REPLACED)

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

    def _leave_elsewhere(self, client: Client) -> list[Effect]:
        return [] if self.elsewhere is None else self.elsewhere.client_left(client)

    # --- strangers

    def _from_stranger(self, peer: PeerId, waiting: Waiting, data: bytes) -> list[Effect]:
        try:
            frame = read(data)
            raw_id = id_of(frame)
        except Malformed as exc:
            self.counts.malformed += 1
            if waiting.endpoint is Endpoint.EXTENSION:
                return self._cut(peer, CloseCode.POLICY, exc.message)
            return [Send(peer, STANDARD.failure(exc.raw_id, "", exc.code, exc.message, "", 0.0))]
        if frame.method == "extension_handshake" and waiting.endpoint is not Endpoint.MCP:
            return self._verify_extension(peer, waiting, SIMPLE, frame.params)
        if waiting.endpoint is Endpoint.EXTENSION:
            if frame.method is UNSET and text_of(frame.id) == AUTHENTICATE_ID and frame.result:
                return self._verify_extension(peer, waiting, STANDARD, frame.result)
            wrong_door = frame.method == "mcp_handshake"
            reason = _CLIENTS_DOOR if wrong_door else "Answer authenticate (proxy:1) first"
            return self._cut(peer, CloseCode.POLICY, reason)
        if frame.method == "mcp_handshake":
            return self._verify_client(peer, waiting, frame, raw_id)
        return self._refuse_stranger(peer, frame, raw_id)

    def _refuse_stranger(self, peer: PeerId, frame: Frame, raw_id: bytes) -> list[Effect]:
        self.counts.refused += 1
        if frame.method == "extension_handshake":
            dialect: Dialect = STANDARD if frame.versioned else SIMPLE
            told = dialect.failure(raw_id or NULL, "", INVALID_REQUEST, f"Invalid Request: {_EXTENSIONS_DOOR}", "", 0.0)
            return [Send(peer, told), *self._cut(peer, CloseCode.POLICY, _EXTENSIONS_DOOR)]
        if frame.method is UNSET or not frame.versioned:
            message = "Invalid Request: jsonrpc and method are required"
            return [Send(peer, STANDARD.failure(raw_id or NULL, "", INVALID_REQUEST, message, "", 0.0))]
        if not raw_id:
            return []
        return [Send(peer, STANDARD.failure(raw_id, "", FAILED, "Not authenticated", "", 0.0))]

    def _verify_client(self, peer: PeerId, waiting: Waiting, frame: Frame, raw_id: bytes) -> list[Effect]:
        params = members_of(frame.params) or {}
        simple = not frame.jsonrpc and (waiting.endpoint is Endpoint.ANY or "projectName" in params or not raw_id)
        dialect: Dialect = SIMPLE if simple else STANDARD
        if not simple and not (frame.versioned and raw_id):
            message = "Invalid Request: jsonrpc and id are required"
            return [Send(peer, STANDARD.failure(raw_id or NULL, "", INVALID_REQUEST, message, "", 0.0))]
        token = text_of(params["accessToken"]) if "accessToken" in params else None
        if token is None and self._needs_token:
            message = "Invalid params: accessToken is missing or no string"
            return [Send(peer, dialect.failure(raw_id or NULL, "", INVALID_PARAMS, message, "", 0.0))]
        self._peers[peer] = Verifying(Role.MCP, dialect, waiting.deadline, raw_id=raw_id)
        return [Verify(peer, token, Role.MCP)]

    def _verify_extension(self, peer: PeerId, waiting: Waiting, dialect: Dialect, body: Raw) -> list[Effect]:
        params = members_of(body) or {}
        name = text_of(params["name"]) if "name" in params else None
        token = text_of(params["accessToken"]) if "accessToken" in params else None
        if name is None or (token is None and self._needs_token):
            self.counts.unauthenticated += 1
            return self._cut(peer, CloseCode.UNAUTHORIZED, "name and accessToken are required")
        label = clean(name, MAX_NAME) or "Browser"
        self._peers[peer] = Verifying(Role.EXTENSION, dialect, waiting.deadline, name=label)
        return [Verify(peer, token, Role.EXTENSION)]

    def _turn_away(self, peer: PeerId, phase: Verifying, refused: Refused) -> list[Effect]:
        self.counts.unauthenticated += 1
        message = f"Authentication failed: {refused.told}"
        close = self._cut(peer, CloseCode.UNAUTHORIZED, message)
        if phase.role is Role.EXTENSION:
            return close
        return [Send(peer, phase.dialect.failure(phase.raw_id, "", FAILED, message, "", 0.0)), *close]

    def _admit_extension(
        self, peer: PeerId, phase: Verifying, user: User, identity: Identity, ends_at: float | None, now: float
    ) -> list[Effect]:
        effects: list[Effect] = []
        if identity.extension_id is not None and self._contested(user.id, identity.extension_id, now):
            return self._cut(peer, CloseCode.REPLACED, "Another browser uses this extension_id")
        if identity.extension_id is not None and identity.extension_id in user.extensions:
            if self._flaps(user.id, identity.extension_id, now):
                return self._cut(peer, CloseCode.REPLACED, "Another browser uses this extension_id")
            former = user.extensions[identity.extension_id]
            effects += self._cut(former.peer, CloseCode.REPLACED, Gone.REPLACED.value, Gone.REPLACED)
        extension_id = identity.extension_id or ExtensionId(self._new_id("ext"))
        # events, not answers: those are as many as there were calls
        bucket = Bucket(self._limits.user_rate, self._limits.burst, now)
        extension = Extension(peer, user, identity, phase.dialect, ends_at, bucket, id=extension_id, name=phase.name)
        self._peers[peer] = user.extensions[extension_id] = extension
        user.peers.add(peer)
        told = phase.dialect.authenticated(user.id, extension_id)
        if told:
            effects.append(Send(peer, told))
        return effects if self.elsewhere is None else [*effects, *self.elsewhere.arrived(extension)]

    def _contested(self, user: UserId, extension: ExtensionId, now: float) -> bool:
        """The same between two replicas."""
        times = self._superseded.get((user, extension))
        if times is None:
            return False
        return len(times) == self._limits.replaced and times[0] > now - self._limits.replaced_s

    def _flaps(self, user: UserId, extension: ExtensionId, now: float) -> bool:
        """Two browsers with one extension_id would throw each other out for ever."""
        times = self._replaced.setdefault((user, extension), deque(maxlen=self._limits.replaced))
        if len(times) == self._limits.replaced and times[0] > now - self._limits.replaced_s:
            return True
        times.append(now)
        return False

    # --- clients

    def _from_client(self, client: Client, data: bytes, now: float) -> list[Effect]:
        try:
            frame = read(data)
            raw_id = id_of(frame)
            if frame.method is UNSET or not (frame.versioned or client.dialect.simple):
                message = "Invalid Request: jsonrpc and method are required"
                raise Malformed(INVALID_REQUEST, message, raw_id or NULL)
            if not client.bucket.take(now) or not client.user.bucket.take(now):
                return self._slow_down(client, raw_id)
            if self.elsewhere is not None and self._drained_at is None:
                effects = self.elsewhere.serve(client, frame, raw_id, now)
                if effects is not None:
                    return effects
            return self._serve(client, frame, raw_id, now)
        except Malformed as exc:
            self.counts.malformed += 1
            if not client.bucket.take(now):
                return self._slow_down(client, exc.raw_id)
            return [Send(client.peer, failure(client, exc.raw_id, exc.code, exc.message))]

    def _serve(self, client: Client, frame: Frame, raw_id: bytes, now: float) -> list[Effect]:
        if frame.method in RESERVED:
            if frame.method in METHODS:
                return self._control.handle(client, frame, raw_id)
            return self._refuse_word(client, frame.method, raw_id)
        if self._drained_at is not None:
            return answer(client, raw_id, failure(client, raw_id, FAILED, Gone.SHUTDOWN.value, "shutting_down"))
        connection = None if frame.connection_id else client.only
        if connection is None:
            found = self._control.connection_of(client, frame, raw_id)
            if isinstance(found, bytes):
                return answer(client, raw_id, found)
            connection = found
        return self._switchboard.forward(connection, frame, raw_id, now)

    def _refuse_word(self, client: Client, method: str | UnsetType, raw_id: bytes) -> list[Effect]:
        self.counts.refused += 1
        if method == "mcp_handshake":
            told = failure(client, raw_id, INVALID_REQUEST, "Invalid Request: already authenticated")
        else:
            message = f"Method not found: {method} is not for clients, and is not forwarded"
            told = failure(client, raw_id, METHOD_NOT_FOUND, message)
        return answer(client, raw_id, told)

    def _slow_down(self, client: Client, raw_id: bytes) -> list[Effect]:
        self.counts.limited += 1
        retry_s = max(client.bucket.wait_s(), client.user.bucket.wait_s(), 0.001)
        told = failure(client, raw_id, LIMIT, "Too many messages a second", "limit", retry_s)
        return answer(client, raw_id, told)

    # --- extensions

    def _from_extension(self, extension: Extension, data: bytes, now: float) -> list[Effect]:
        try:
            frame = read(data)
        except Malformed as exc:
            mended = mend(data)
            if mended is None:
                return self._unreadable(extension, exc, now)
            frame = mended
        if frame.method is UNSET:
            key = answered_id(frame)
            effects = self._switchboard.answered(extension, frame, key, now)
            if effects:
                return effects
            if key.startswith(b'"proxy:'):
                return self._cut(extension.peer, CloseCode.POLICY, "Already authenticated")
            return self._check_forger(extension, now)
        if not frame.id:
            return self._switchboard.told(extension, frame, now)
        return self._refuse_request(extension, frame, now)

    def _unreadable(self, extension: Extension, exc: Malformed, now: float) -> list[Effect]:
        self.counts.malformed += 1
        self._switchboard.unreadable(extension, now)
        told = STANDARD.failure(exc.raw_id, "", exc.code, exc.message, "", 0.0)
        effects: list[Effect] = [] if extension.dialect.simple else [Send(extension.peer, told)]
        return effects + self._check_forger(extension, now)

    def _refuse_request(self, extension: Extension, frame: Frame, now: float) -> list[Effect]:
        # proxy protocol, principle 2: an extension only ever responds
        self.counts.refused += 1
        if not extension.bucket.take(now):
            return []
        try:
            raw_id = id_of(frame)
        except Malformed as exc:
            raw_id = exc.raw_id
        message = "Method not found: extensions do not send requests"
        return [Send(extension.peer, STANDARD.failure(raw_id, "", METHOD_NOT_FOUND, message, "", 0.0))]

    def _check_forger(self, extension: Extension, now: float) -> list[Effect]:
        if not self._switchboard.forges(extension, now):
            return []
        return self._cut(extension.peer, CloseCode.POLICY, "Too many answers that nobody asked for")

    # --- ends

    def _cut(self, peer: PeerId, code: CloseCode, reason: str, why: Gone = Gone.CLOSED) -> list[Effect]:
        """Close a socket of our own accord: what it must hear comes first, and it is gone for everybody else."""
        phase = self._peers.get(peer)
        farewell: list[Effect] = []
        if isinstance(phase, Client):
            farewell += self._leave_elsewhere(phase)
            for connection in list(phase.connections.values()):
                farewell += self._switchboard.abandon(connection)
                farewell += self._control.status(phase, connection.extension, connected=False)
        return [*farewell, Close(peer, code, reason), *self.closed(peer, why)]

    def _drain(self, now: float) -> list[Effect]:
        assert self._drained_at is not None
        passed = now - self._drained_at
        over = passed >= self._limits.drain_s
        effects: list[Effect] = []
        room = self._room_to_leave(passed)
        for peer, phase in list(self._peers.items()):
            if over or (room > 0 and not _working(phase)):
                effects += self._cut_for_restart(peer, phase)
                room -= 1
        return effects

    def _room_to_leave(self, passed: float) -> int:
        """How many may leave now, so that others are not run over by those who come back."""
        seconds = min(self._leaving / LEAVING_A_SECOND, self._limits.drain_s / 2)
        due = self._leaving if passed >= seconds else math.ceil(self._leaving * (passed + 0.05) / (seconds + 0.05))
        return due - (self._leaving - len(self._peers))

    def _cut_for_restart(self, peer: PeerId, phase: Phase) -> list[Effect]:
        effects: list[Effect] = []
        if isinstance(phase, Client):
            for connection in list(phase.connections.values()):
                effects += self._switchboard.gone(connection, Gone.SHUTDOWN)
        return effects + self._cut(peer, CloseCode.RESTART, Gone.SHUTDOWN.value, Gone.SHUTDOWN)

    def _user(self, user_id: UserId, now: float) -> User:
        user = self._users.get(user_id)
        if user is None:
            bucket = Bucket(self._limits.user_rate, self._limits.burst, now)
            user = self._users[user_id] = User(user_id, bucket)
        return user

    def _forget(self, now: float) -> None:
        """Users without peers, once that would not give them a fresh allowance."""
        for user in [user for user in self._users.values() if not user.peers and user.bucket.full(now)]:
            del self._users[user.id]
        oldest = now - self._limits.replaced_s
        for kept in (self._replaced, self._superseded):
            for key in [key for key, times in kept.items() if times[-1] < oldest]:
                del kept[key]


def is_revoked(identity: Identity, tokens: Container[str]) -> bool:
    return (identity.token_id is not None and identity.token_id in tokens) or f"user:{identity.user}" in tokens


def _working(phase: Phase) -> bool:
    match phase:
        case Client():
            return phase.pending > 0
        case Extension():
            return bool(phase.calls)
        case Verifying():
            return True
        case Waiting():
            return False
