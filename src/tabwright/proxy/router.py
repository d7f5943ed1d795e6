"""The router: every socket's phase, and what is done about what it says.

Lifecycle of a peer: `opened` -> (extensions are asked to authenticate) -> first message -> `Verify` -> `verified` ->
client or extension until `closed`, by either side. Told what happened and when, returns what to do; deadlines are kept
by `tick`. Whoever performs a `Verify` brings no further frame of that peer before its outcome.
"""

from collections.abc import Callable
from typing import Final

from msgspec import UNSET, UnsetType

from tabwright.errors import INVALID_REQUEST, METHOD_NOT_FOUND
from tabwright.proxy.buckets import Bucket
from tabwright.proxy.control import FAILED, METHODS, Control, answer, failure
from tabwright.proxy.counts import Counts
from tabwright.proxy.dialects import STANDARD, Dialect
from tabwright.proxy.drain import Drain
from tabwright.proxy.envelope import NULL, Frame, Malformed, Said, answered_id, id_of, mend, read
from tabwright.proxy.model import (
    CloseCode,
    Effect,
    Endpoint,
    Gone,
    Identity,
    Limits,
    PeerId,
    Refused,
    Send,
)
from tabwright.proxy.peers import Client, Extension, Verifying, Waiting
from tabwright.proxy.roster import Roster
from tabwright.proxy.strangers import Strangers
from tabwright.proxy.switchboard import LIMIT, RESERVED, Switchboard

SWEEP_S: Final = 1.0


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
        self._switchboard = Switchboard(limits, self.counts, allow_cdp=allow_cdp)
        self._control = Control(limits, self._switchboard, new_id, wall)
        self.roster = Roster(limits, self._switchboard, self._control)
        self._peers = self.roster.peers
        self._strangers = Strangers(self.roster, limits, self.counts, new_id, needs_token)
        self._drain = Drain(self.roster, self._switchboard, limits)
        self._swept_at = 0.0

    # --- what happens

    def opened(self, peer: PeerId, endpoint: Endpoint, now: float) -> list[Effect]:
        """A socket was accepted."""
        return self._strangers.opened(peer, endpoint, now)

    def received(self, peer: PeerId, data: bytes, now: float) -> list[Effect]:
        """A text frame of a peer."""
        phase = self._peers.get(peer)
        # the usual first: every message passes here
        if type(phase) is Client:
            return self._from_client(phase, data, now)
        if type(phase) is Extension:
            return self._from_extension(phase, data, now)
        if isinstance(phase, Waiting):
            return self._strangers.received(peer, phase, data)
        if isinstance(phase, Verifying):
            return self.roster.cut(peer, CloseCode.POLICY, "Wait for the authentication to end")
        return []

    def verified(self, peer: PeerId, outcome: Identity | Refused, now: float) -> list[Effect]:
        """The outcome of a `Verify`."""
        phase = self._peers.get(peer)
        if not isinstance(phase, Verifying):
            return []
        if isinstance(outcome, Refused):
            return self._strangers.turn_away(peer, phase, outcome)
        if self._drain.began:
            return self.roster.cut(peer, CloseCode.RESTART, Gone.SHUTDOWN.value)
        return self._strangers.admit(peer, phase, outcome, now)

    def tick(self, now: float) -> list[Effect]:
        """Time has passed: late calls, late strangers and expired tokens end."""
        effects = self._switchboard.tick(now)
        if self._drain.began:
            effects += self._drain.step(now)
        if now - self._swept_at < SWEEP_S:
            return effects
        self._swept_at = now
        for peer in self.roster.due(now):
            if self.roster.knows(peer):
                effects += self.roster.cut(peer, CloseCode.UNAUTHORIZED, "Token expired")
            else:
                self.counts.overtime += 1
                effects += self.roster.cut(peer, CloseCode.TOO_LATE, "Not authenticated in time")
        self._switchboard.pass_moment()
        self.roster.forget(now)
        return effects

    def drain(self, now: float) -> list[Effect]:
        """No new work; each peer leaves when its calls have ended, all when the time is up."""
        return self._drain.begin(now)

    @property
    def drained(self) -> bool:
        return self._drain.over

    @property
    def pending(self) -> int:
        return self._switchboard.pending

    # --- other replicas

    def welcome(self, peer: PeerId, identity: Identity, dialect: Dialect, now: float) -> Client:
        """A client of another replica, which has verified it and counts what it says."""
        client = Client(peer, self.roster.user(identity.user, now), identity, dialect, None, Bucket(0, 0, now))
        self.roster.enter(peer, client)
        return client

    def forget_calls(self, peer: PeerId) -> None:
        """Such a client has been told that its calls under way are lost."""
        client = self._peers.get(peer)
        if isinstance(client, Client):
            for connection in client.connections.values():
                self._switchboard.lose(connection)

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
            elsewhere = self.roster.elsewhere
            if elsewhere is not None and not self._drain.began:
                effects = elsewhere.serve(client, frame, raw_id, now)
                if effects is not None:
                    return effects
            return self.serve(client, frame, raw_id, now)
        except Malformed as exc:
            self.counts.malformed += 1
            if not client.bucket.take(now):
                return self._slow_down(client, exc.raw_id)
            return [Send(client.peer, failure(client, exc.raw_id, exc.code, exc.message))]

    def serve(self, client: Client, frame: Said, raw_id: bytes, now: float) -> list[Effect]:
        """A message of a client, which may be one of another replica."""
        if frame.method in RESERVED:
            if frame.method in METHODS:
                return self._control.handle(client, frame, raw_id)
            return self._refuse_word(client, frame.method, raw_id)
        if self._drain.began:
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
                return self.roster.cut(extension.peer, CloseCode.POLICY, "Already authenticated")
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
        return self.roster.cut(extension.peer, CloseCode.POLICY, "Too many answers that nobody asked for")
