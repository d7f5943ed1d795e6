"""Strangers: from an open socket to a client or an extension, or out again.

Lifecycle: `opened` -> (extensions are asked to authenticate) -> first message -> `Verify` -> `verified` -> admitted.
"""

from collections.abc import Callable
from typing import Final

from msgspec import UNSET, Raw

from tabwright.errors import INVALID_PARAMS, INVALID_REQUEST
from tabwright.policy.text import clean
from tabwright.proxy.buckets import Bucket
from tabwright.proxy.control import FAILED
from tabwright.proxy.counts import Counts
from tabwright.proxy.dialects import AUTHENTICATE, AUTHENTICATE_ID, SIMPLE, STANDARD, Dialect
from tabwright.proxy.envelope import NULL, Frame, Malformed, id_of, members_of, read, text_of
from tabwright.proxy.model import (
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
    Verify,
)
from tabwright.proxy.peers import Client, Extension, User, Verifying, Waiting
from tabwright.proxy.roster import Roster

MAX_NAME: Final = 200
_EXTENSIONS_DOOR: Final = "extensions connect to /extension"
_CLIENTS_DOOR: Final = "MCP clients connect to /mcp"


class Strangers:
    def __init__(
        self, roster: Roster, limits: Limits, counts: Counts, new_id: Callable[[str], str], needs_token: bool
    ) -> None:
        self._roster = roster
        self._limits = limits
        self._counts = counts
        self._new_id = new_id
        self._needs_token = needs_token

    def opened(self, peer: PeerId, endpoint: Endpoint, now: float) -> list[Effect]:
        """A socket was accepted."""
        self._roster.enter(peer, Waiting(endpoint, now + self._limits.auth_s))
        # proxy protocol 1.1: the extension is passive; at / nobody knows yet which protocol is spoken
        return [Send(peer, AUTHENTICATE)] if endpoint is Endpoint.EXTENSION else []

    def received(self, peer: PeerId, waiting: Waiting, data: bytes) -> list[Effect]:
        try:
            frame = read(data)
            raw_id = id_of(frame)
        except Malformed as exc:
            self._counts.malformed += 1
            if waiting.endpoint is Endpoint.EXTENSION:
                return self._roster.cut(peer, CloseCode.POLICY, exc.message)
            return [Send(peer, STANDARD.failure(exc.raw_id, "", exc.code, exc.message, "", 0.0))]
        if frame.method == "extension_handshake" and waiting.endpoint is not Endpoint.MCP:
            return self._verify_extension(peer, waiting, SIMPLE, frame.params)
        if waiting.endpoint is Endpoint.EXTENSION:
            if frame.method is UNSET and text_of(frame.id) == AUTHENTICATE_ID and frame.result:
                return self._verify_extension(peer, waiting, STANDARD, frame.result)
            wrong_door = frame.method == "mcp_handshake"
            reason = _CLIENTS_DOOR if wrong_door else "Answer authenticate (proxy:1) first"
            return self._roster.cut(peer, CloseCode.POLICY, reason)
        if frame.method == "mcp_handshake":
            return self._verify_client(peer, waiting, frame, raw_id)
        return self._refuse(peer, frame, raw_id)

    def _refuse(self, peer: PeerId, frame: Frame, raw_id: bytes) -> list[Effect]:
        self._counts.refused += 1
        if frame.method == "extension_handshake":
            dialect: Dialect = STANDARD if frame.versioned else SIMPLE
            told = dialect.failure(raw_id or NULL, "", INVALID_REQUEST, f"Invalid Request: {_EXTENSIONS_DOOR}", "", 0.0)
            return [Send(peer, told), *self._roster.cut(peer, CloseCode.POLICY, _EXTENSIONS_DOOR)]
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
        self._roster.enter(peer, Verifying(Role.MCP, dialect, waiting.ends_at, raw_id=raw_id))
        return [Verify(peer, token, Role.MCP)]

    def _verify_extension(self, peer: PeerId, waiting: Waiting, dialect: Dialect, body: Raw) -> list[Effect]:
        params = members_of(body) or {}
        name = text_of(params["name"]) if "name" in params else None
        token = text_of(params["accessToken"]) if "accessToken" in params else None
        if name is None or (token is None and self._needs_token):
            self._counts.unauthenticated += 1
            return self._roster.cut(peer, CloseCode.UNAUTHORIZED, "name and accessToken are required")
        label = clean(name, MAX_NAME) or "Browser"
        self._roster.enter(peer, Verifying(Role.EXTENSION, dialect, waiting.ends_at, name=label))
        return [Verify(peer, token, Role.EXTENSION)]

    # --- the outcome

    def turn_away(self, peer: PeerId, phase: Verifying, refused: Refused) -> list[Effect]:
        self._counts.unauthenticated += 1
        message = f"Authentication failed: {refused.told}"
        close = self._roster.cut(peer, CloseCode.UNAUTHORIZED, message)
        if phase.role is Role.EXTENSION:
            return close
        return [Send(peer, phase.dialect.failure(phase.raw_id, "", FAILED, message, "", 0.0)), *close]

    def admit(self, peer: PeerId, phase: Verifying, outcome: Identity, now: float) -> list[Effect]:
        """Its token is good."""
        user = self._roster.user(outcome.user, now)
        if self._roster.full(user):
            return self._roster.cut(peer, CloseCode.TOO_MANY, "Too many connections of this user")
        self._counts.authenticated += 1
        ends_at = None if outcome.lives_s is None else now + outcome.lives_s
        if phase.role is Role.EXTENSION:
            return self._admit_extension(peer, phase, user, outcome, ends_at, now)
        user.peers.add(peer)
        bucket = Bucket(self._limits.client_rate, self._limits.burst, now)
        self._roster.enter(peer, Client(peer, user, outcome, phase.dialect, ends_at, bucket))
        welcome = phase.dialect.welcome(phase.raw_id, outcome.user, self._new_id("mcp"))
        return [Send(peer, welcome)] if welcome else []

    def _admit_extension(
        self, peer: PeerId, phase: Verifying, user: User, identity: Identity, ends_at: float | None, now: float
    ) -> list[Effect]:
        effects: list[Effect] = []
        if identity.extension_id is not None and self._roster.contested(user.id, identity.extension_id, now):
            return self._roster.cut(peer, CloseCode.REPLACED, "Another browser uses this extension_id")
        if identity.extension_id is not None and identity.extension_id in user.extensions:
            if self._roster.flaps(user.id, identity.extension_id, now):
                return self._roster.cut(peer, CloseCode.REPLACED, "Another browser uses this extension_id")
            former = user.extensions[identity.extension_id]
            effects += self._roster.cut(former.peer, CloseCode.REPLACED, Gone.REPLACED.value, Gone.REPLACED)
        extension_id = identity.extension_id or ExtensionId(self._new_id("ext"))
        # events, not answers: those are as many as there were calls
        bucket = Bucket(self._limits.user_rate, self._limits.burst, now)
        extension = Extension(peer, user, identity, phase.dialect, ends_at, bucket, id=extension_id, name=phase.name)
        user.extensions[extension_id] = extension
        self._roster.enter(peer, extension)
        user.peers.add(peer)
        told = phase.dialect.authenticated(user.id, extension_id)
        if told:
            effects.append(Send(peer, told))
        return effects if self._roster.elsewhere is None else [*effects, *self._roster.elsewhere.arrived(extension)]
