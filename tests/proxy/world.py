"""A router in virtual time, with peers that keep what they are told."""

import json
from collections import defaultdict
from itertools import count
from typing import Any, Final

from tabwright.proxy.model import (
    Close,
    CloseCode,
    Effect,
    Endpoint,
    Gone,
    Identity,
    Limits,
    PeerId,
    Refused,
    Remote,
    Role,
    Send,
    UserId,
    Verify,
)
from tabwright.proxy.router import Router

TIMESTAMP: Final = "2025-10-20T21:43:53.163+0200"
Message = dict[str, Any]


class World:
    """Performs effects by noting them; a token is the name of its user, and `bad` is refused."""

    def __init__(self, limits: Limits | None = None, *, needs_token: bool = True, allow_cdp: bool = True) -> None:
        numbers = count(1)
        self.router = Router(
            limits or Limits(),
            new_id=lambda kind: f"{kind}-{next(numbers):032x}",
            wall=lambda: TIMESTAMP,
            needs_token=needs_token,
            allow_cdp=allow_cdp,
        )
        self.now = 0.0
        self.inbox: dict[PeerId, list[bytes]] = defaultdict(list)
        self.closed: dict[PeerId, tuple[CloseCode, str]] = {}
        self.identities: dict[str, Identity] = {}
        self.verified: list[Verify] = []
        self._peers = count(1)

    # --- what happens

    def open(self, endpoint: Endpoint) -> PeerId:
        peer = PeerId(next(self._peers))
        self.perform(self.router.opened(peer, endpoint, self.now))
        return peer

    def say(self, peer: PeerId, message: Message | bytes | str) -> None:
        data = (
            message
            if isinstance(message, bytes)
            else (message if isinstance(message, str) else json.dumps(message)).encode()
        )
        self.perform(self.router.received(peer, data, self.now))

    def leave(self, peer: PeerId, why: Gone = Gone.CLOSED) -> None:
        self.perform(self.router.roster.closed(peer, why))

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.perform(self.router.tick(self.now))

    def perform(self, effects: list[Effect]) -> None:
        for effect in effects:
            match effect:
                case Send(peer=peer, data=data):
                    assert peer not in self.closed, "nothing is said after the goodbye"
                    self.inbox[peer].append(data)
                case Verify(peer=peer, token=token, role=role):
                    self.verified.append(effect)
                    self.perform(self.router.verified(peer, self.identity(token, role), self.now))
                case Close(peer=peer, code=code, reason=reason):
                    self.closed[peer] = (code, reason)
                case Remote():
                    raise AssertionError("there is nobody else")

    def identity(self, token: str | None, role: Role) -> Identity | Refused:
        if token == "bad":
            return Refused()
        return self.identities.get(token or "", Identity(UserId(token or "local")))

    # --- what peers do

    def heard(self, peer: PeerId) -> list[Message]:
        """What a peer was told since it was last asked."""
        return [json.loads(data) for data in self.inbox.pop(peer, [])]

    def extension(self, user: str = "alice", name: str = "Chrome 141") -> tuple[PeerId, str]:
        """An extension of proxy.md: its peer and its id."""
        peer = self.open(Endpoint.EXTENSION)
        self.say(peer, {"jsonrpc": "2.0", "id": "proxy:1", "result": {"name": name, "accessToken": user}})
        told = self.heard(peer)
        return peer, told[-1]["params"]["extension_id"]

    def client(self, user: str = "alice") -> PeerId:
        peer = self.open(Endpoint.MCP)
        self.say(peer, {"jsonrpc": "2.0", "id": 1, "method": "mcp_handshake", "params": {"accessToken": user}})
        assert self.heard(peer)[0]["result"]["authenticated"] is True
        return peer

    def ask(
        self, peer: PeerId, method: str, params: Message | None = None, request_id: Any = 1, **more: Any
    ) -> Message:
        """A request that is answered at once."""
        self.say(peer, {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params or {}, **more})
        return self.heard(peer)[0]

    def connect(self, client: PeerId, extension_id: str) -> str:
        """A connection of proxy.md: its id."""
        return self.ask(client, "connect", {"extension_id": extension_id})["result"]["connection_id"]

    def pair(self, user: str = "alice") -> tuple[PeerId, PeerId, str]:
        """An extension and a client connected to it, with nothing left to hear: both, and the connection's id."""
        extension, extension_id = self.extension(user)
        client = self.client(user)
        connection = self.connect(client, extension_id)
        for peer in (extension, client):
            self.heard(peer)
        return extension, client, connection

    def answer(self, extension: PeerId, result: Any = None, **error: Any) -> Message:
        """The extension takes the one call that waits for it and answers: what it was asked."""
        [call] = [message for message in self.heard(extension) if "id" in message]
        body: Message = {"error": error} if error else {"result": {} if result is None else result}
        self.say(extension, {"jsonrpc": "2.0", "id": call["id"], **body})
        return call


def error(message: Message) -> tuple[int, str]:
    """Code and words of an answer that is an error."""
    return message["error"]["code"], message["error"]["message"]
