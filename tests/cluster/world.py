"""Replicas in virtual time on a broker that can lose, cut and forget; peers keep what they are told."""

import json
from collections import Counter, defaultdict, deque
from itertools import count
from typing import Any, Final

from tabwright.proxy.cluster import Cluster
from tabwright.proxy.cluster_wire import Record, encode, record
from tabwright.proxy.model import (
    NOBODY,
    Announce,
    Close,
    CloseCode,
    Effect,
    Endpoint,
    ExtensionId,
    Find,
    Gone,
    Identity,
    Limits,
    Listen,
    PeerId,
    Publish,
    Remote,
    Send,
    UserId,
    Verify,
)
from tabwright.proxy.router import Router

Message = dict[str, Any]
MAX_BYTES: Final = 1 << 20
TICK_S: Final = 0.25
CLOCK_S: Final = 1_000_000.0
"""What clocks show when a world begins."""


class Bus:
    """The broker: who listens where, what is under way, and the records."""

    def __init__(self) -> None:
        self.members: dict[str, Node] = {}
        self.queue: deque[tuple[str, str, str, bytes | None]] = deque()
        self.records: dict[UserId, bytes] = {}
        self.published: Counter[str] = Counter()
        """By the kind of subject."""
        self.up = True

    def reaches(self, node: "Node") -> bool:
        return self.up and node.cabled and not node.dead and not node.frozen

    def publish(self, node: "Node", effect: Publish) -> None:
        if not (self.up and node.cabled):
            if effect.reply:
                node.later.append(effect.reply)
            return
        self.published[effect.subject.rpartition(".")[0]] += 1
        found = [other for other in self.members.values() if other.up and effect.subject in other]
        if not found and effect.reply:
            self.queue.append((node.name, effect.reply, "", None))
        for other in found:
            self.queue.append((other.name, effect.subject, effect.reply, effect.data))

    def deliver(self) -> bool:
        """One message; False: none is under way that could arrive."""
        for _ in range(len(self.queue)):
            name, subject, reply, data = self.queue.popleft()
            node = self.members.get(name)
            if node is None or node.dead or not node.up:
                continue
            if node.frozen:
                self.queue.append((name, subject, reply, data))
                continue
            node.perform(node.cluster.received(subject, reply, data, node.world.now))
            node.settle()
            return True
        return False


class Node:
    """One replica."""

    def __init__(self, world: "World", name: str) -> None:
        self.world, self.name = world, name
        self.dead = self.frozen = self.up = False
        self.cabled = True
        self.skew_s = 0.0
        """How wrong its clock is."""
        self.later: list[str] = []
        self.router = Router(world.limits, new_id=world.new_id, wall=lambda: "now", allow_cdp=True)
        self.cluster = Cluster(
            name,
            name,
            "1",
            self.router,
            world.limits,
            new_token=world.new_token,
            revoke=self.router.roster.revoked,
            now=0.0,
        )
        self.router.roster.elsewhere = self.cluster
        self.listening = set(self.cluster.subjects)
        self.sockets: set[PeerId] = set()
        self.changed: dict[UserId, None] = {}

    def __contains__(self, subject: str) -> bool:
        return subject in self.listening or f"{subject.rpartition('.')[0]}.*" in self.listening

    def perform(self, effects: list[Effect]) -> None:
        todo = deque(effects)
        while todo:
            effect = todo.popleft()
            match effect:
                case Remote():
                    self._remote(effect)
                case Verify(peer=peer, token=token):
                    assert token is not None
                    todo.extend(self.router.verified(peer, self.world.identity(token), self.world.now))
                case Send() | Close() if effect.peer < NOBODY:
                    todo.extend(self.cluster.guests.carry(effect))
                case Send(peer=peer, data=data):
                    if peer in self.sockets:
                        self.world.inbox[peer].append(data)
                case Close(peer=peer, code=code):
                    if peer in self.sockets:
                        self.sockets.discard(peer)
                        self.world.closed[peer] = code

    def _remote(self, effect: Remote) -> None:
        match effect:
            case Publish():
                self.world.bus.publish(self, effect)
            case Listen(subject=subject, on=True):
                self.listening.add(subject)
            case Listen(subject=subject):
                self.listening.discard(subject)
            case Announce(user=user):
                self.changed[user] = None
            case Find(asker=asker, user=user):
                found: Record | None = self.world.read(user) if self.up else None
                self.perform(self.cluster.found(asker, found, self.world.now))
            case _:
                raise AssertionError(effect)

    def settle(self) -> None:
        while self.cluster.guests.unsettled:
            self.perform(self.cluster.guests.settle())
        while self.later:
            self.perform(self.cluster.received(self.later.pop(0), "", None, self.world.now))

    def write(self) -> None:
        """Presence, as far as the broker is there."""
        while self.up and self.changed:
            user = next(iter(self.changed))
            del self.changed[user]
            claimed = self.cluster.claim(
                user, self.world.read(user), int((self.world.now + CLOCK_S + self.skew_s) * 1000)
            )
            self.world.bus.records[user] = encode(claimed.record)
            self.perform(self.cluster.claimed(user, claimed, self.world.now))
            self.settle()

    def look(self) -> None:
        """Whether the broker is there is noticed."""
        there = self.world.bus.reaches(self)
        if there and not self.up:
            self.up = True
            self.perform(self.cluster.broker_up(MAX_BYTES, self.world.now))
        elif self.up and not there and not self.frozen:
            self.up = False
            self.perform(self.cluster.broker_down(self.world.now))
        self.settle()


class World:
    def __init__(self, replicas: int, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.now = 0.0
        self.bus = Bus()
        self.inbox: dict[PeerId, list[bytes]] = defaultdict(list)
        self.closed: dict[PeerId, CloseCode] = {}
        self.where: dict[PeerId, Node] = {}
        self._numbers, self._peers, self._names = count(1), count(1), count(1)
        self.nodes = [self.start() for _ in range(replicas)]
        self.run()

    # --- what is injected

    def new_id(self, kind: str) -> str:
        return f"{kind}-{next(self._numbers):032x}"

    def new_token(self) -> str:
        return f"{next(self._numbers):032x}"

    def identity(self, token: str) -> Identity:
        """`user` or `user/extension-id`."""
        user, _, extension = token.partition("/")
        return Identity(UserId(user), extension_id=ExtensionId(extension) if extension else None)

    def read(self, user: UserId) -> Record:
        return record.decode(self.bus.records.get(user, b"\x80"))

    # --- what happens

    def start(self) -> Node:
        node = Node(self, f"{next(self._names):016x}")
        self.bus.members[node.name] = node
        return node

    def run(self) -> None:
        """Until nothing is under way."""
        for _ in range(100_000):
            for node in self.bus.members.values():
                if not node.dead and not node.frozen:
                    node.look()
                    node.write()
            if not self.bus.deliver():
                return
        raise AssertionError("the replicas never come to rest")

    def wait(self, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end:
            self.now = min(end, self.now + TICK_S)
            for node in list(self.bus.members.values()):
                if not node.dead and not node.frozen:
                    node.perform(node.router.tick(self.now))
                    node.perform(node.cluster.tick(self.now))
                    node.settle()
            self.run()

    def kill(self, node: Node) -> None:
        """Its sockets break, and the broker notices."""
        node.dead, node.up = True, False
        del self.bus.members[node.name]
        for peer in node.sockets:
            self.closed[peer] = CloseCode.RESTART
        node.sockets.clear()
        self.run()

    def open(self, node: Node, endpoint: Endpoint) -> PeerId:
        peer = PeerId(next(self._peers))
        self.where[peer] = node
        node.sockets.add(peer)
        node.perform(node.router.opened(peer, endpoint, self.now))
        return peer

    def say(self, peer: PeerId, message: Message) -> None:
        node = self.where[peer]
        if peer in node.sockets and not node.frozen:
            node.perform(node.router.received(peer, json.dumps(message).encode(), self.now))
            node.settle()

    def leave(self, peer: PeerId) -> None:
        node = self.where[peer]
        if peer in node.sockets:
            node.sockets.discard(peer)
            node.perform(node.router.roster.closed(peer, Gone.CLOSED))
            node.settle()

    def heard(self, peer: PeerId) -> list[Message]:
        return [json.loads(data) for data in self.inbox.pop(peer, [])]

    def extension(self, node: Node, token: str = "alice") -> tuple[PeerId, str]:
        peer = self.open(node, Endpoint.EXTENSION)
        self.say(peer, {"jsonrpc": "2.0", "id": "proxy:1", "result": {"name": "Chrome", "accessToken": token}})
        told = next(message for message in self.heard(peer) if message["method"] == "authenticated")
        return peer, told["params"]["extension_id"]

    def client(self, node: Node, user: str = "alice") -> PeerId:
        peer = self.open(node, Endpoint.MCP)
        self.say(peer, {"jsonrpc": "2.0", "id": 1, "method": "mcp_handshake", "params": {"accessToken": user}})
        assert self.heard(peer)[0]["result"]["authenticated"] is True
        return peer

    def request(self, peer: PeerId, method: str, params: Message | None = None) -> Message:
        self.say(peer, {"jsonrpc": "2.0", "id": "ask", "method": method, "params": params or {}})
        self.run()
        return next(message for message in self.heard(peer) if message.get("id") == "ask")

    def pair(self, *nodes: Node, token: str = "alice") -> tuple[PeerId, PeerId, str]:
        """An extension on the second replica, a client on the first, connected; both, and the extension's id."""
        near, far = nodes
        extension, name = self.extension(far, token)
        client = self.client(near, token.partition("/")[0])
        self.run()
        assert "result" in self.request(client, "connect", {"extension_id": name})
        self.heard(extension)
        return extension, client, name
