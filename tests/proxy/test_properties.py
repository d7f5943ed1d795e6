"""The router over every order of events: one end a call, nothing across users, no table that grows."""

import json
from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tabwright.proxy.model import Endpoint, Limits, PeerId
from tests.proxy.world import World

SLOT = st.integers(0, 3)
IDS = st.sampled_from(
    ["0", "1", '"1"', '"conn-x:1"', '"proxy:1"', '"ext:1"', '""', "9007199254740993", '"\\u0041"', "-7"]
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("call"), SLOT, IDS),
        st.tuples(st.just("answer"), SLOT, st.integers(0, 9)),
        st.tuples(st.just("again"), SLOT, st.integers(0, 9)),
        st.tuples(st.just("event"), SLOT, st.sampled_from(["tabCreated", "forwardCDPEvent", "disconnected", "status"])),
        st.tuples(st.just("connect"), SLOT, SLOT),
        st.tuples(st.just("disconnect"), SLOT, st.none()),
        st.tuples(st.just("cut client"), SLOT, st.none()),
        st.tuples(st.just("cut extension"), SLOT, st.none()),
        st.tuples(st.just("pass time"), SLOT, st.floats(0.1, 70)),
        st.tuples(st.just("junk"), SLOT, st.binary(max_size=12)),
        st.tuples(st.just("junk from extension"), SLOT, st.binary(max_size=12)),
        st.tuples(st.just("drain"), st.just(0), st.none()),
    ),
    max_size=50,
)
USERS = ("alice", "alice", "bob", "bob")
Step = tuple[str, int, Any]


class Run:
    """Four clients and four extensions, two of each user. A call's nonce says who made it."""

    def __init__(self) -> None:
        self.world = World(Limits(call_s=60))
        self.extensions = [self.world.extension(user) for user in USERS]
        self.clients = [self.world.client(user) for user in USERS]
        self.waiting: dict[PeerId, dict[str, list[str]]] = {client: {} for client in self.clients}
        self.todo: list[list[tuple[str, str]]] = [[] for _ in USERS]
        self.said: list[list[tuple[str, str]]] = [[] for _ in USERS]
        self.ends: Counter[str] = Counter()
        self.executed: Counter[str] = Counter()
        self.calls = 0

    def feed(self, step: Step) -> None:
        match step:
            case ("call", slot, raw_id):
                self.call(slot, raw_id)
            case ("answer", slot, which) if self.todo[slot]:
                wire_id, nonce = self.todo[slot].pop(which % len(self.todo[slot]))
                self.said[slot].append((wire_id, nonce))
                self.reply(slot, wire_id, nonce)
            case ("again", slot, which):
                everything = [entry for said in self.said for entry in said]
                if everything:
                    wire_id, nonce = everything[int(which) % len(everything)]
                    self.reply(slot, wire_id, nonce)
            case ("event", slot, method):
                params: dict[str, Any] = {"tabId": 1, "owner": USERS[slot], "connection_id": "conn-1"}
                self.world.say(self.extensions[slot][0], {"jsonrpc": "2.0", "method": method, "params": params})
            case ("connect", slot, target):
                params = {"extension_id": self.extensions[target][1]}
                self.world.say(self.clients[slot], {"jsonrpc": "2.0", "id": "c", "method": "connect", "params": params})
            case ("disconnect", slot, _):
                self.world.say(self.clients[slot], {"jsonrpc": "2.0", "id": "d", "method": "disconnect"})
            case ("cut client", slot, _):
                self.world.leave(self.clients[slot])
                self.waiting[self.clients[slot]] = {}
            case ("cut extension", slot, _):
                self.world.leave(self.extensions[slot][0])
                self.todo[slot].clear()
            case ("pass time", _, seconds):
                self.world.wait(seconds)
            case ("junk", slot, data):
                self.world.say(self.clients[slot], data)
            case ("junk from extension", slot, data):
                self.world.say(self.extensions[slot][0], data)
            case ("drain", _, _):
                self.world.perform(self.world.router.drain(self.world.now))
            case _:
                pass
        self.listen()

    def call(self, slot: int, raw_id: str) -> None:
        client = self.clients[slot]
        if not self.world.router.roster.knows(client):
            return
        nonce = f"{USERS[slot]}/{self.calls}"
        self.calls += 1
        self.waiting[client].setdefault(raw_id, []).append(nonce)
        params = json.dumps({"nonce": nonce, "tabId": 1})
        self.world.say(client, f'{{"jsonrpc":"2.0","id":{raw_id},"method":"click","params":{params}}}')

    def reply(self, slot: int, wire_id: str, nonce: str) -> None:
        body = {"jsonrpc": "2.0", "id": wire_id, "result": {"nonce": nonce, "by": slot}}
        self.world.say(self.extensions[slot][0], body)

    def listen(self) -> None:
        for slot, (peer, _) in enumerate(self.extensions):
            for message in self.world.heard(peer):
                if "id" in message and "method" in message:
                    nonce = message["params"]["nonce"]
                    assert nonce.startswith(USERS[slot])
                    self.executed[nonce] += 1
                    self.todo[slot].append((message["id"], nonce))
        for slot, client in enumerate(self.clients):
            for data in self.world.inbox.pop(client, []):
                self.hear(slot, client, data)

    def hear(self, slot: int, client: PeerId, data: bytes) -> None:
        message = json.loads(data)
        if "method" in message:
            assert message["params"].get("owner", USERS[slot]) == USERS[slot]
            assert message["method"] != "disconnected" or "reason" in message["params"]
            return
        if message["id"] in ("c", "d", None):
            return
        raw_id = data[
            data.index(b'"id":') + 5 : data.index(b',"result"' if "result" in message else b',"error"')
        ].decode()
        nonces = self.waiting[client][raw_id]
        if "result" in message:
            nonce = message["result"]["nonce"]
            assert nonce == nonces[0], "the first call with an id is the one that was let through"
            nonces.pop(0)
        else:
            # a second use of an id is refused at once; the others end in order
            nonce = nonces.pop(-1 if message["error"].get("data", {}).get("code") == "duplicate_id" else 0)
        self.ends[nonce] += 1


def run(steps: list[Step]) -> Run:
    made = Run()
    for step in steps:
        made.feed(step)
    return made


@settings(deadline=None, max_examples=150)
@given(STEPS)
def test_every_call_ends_once_at_its_caller_and_runs_at_most_once(steps: list[Step]) -> None:
    made = run(steps)
    made.feed(("pass time", 0, 61.0))
    assert made.world.router.pending == 0
    for waiting in made.waiting.values():
        assert not any(waiting.values()), "hung"
    assert all(times == 1 for times in made.ends.values())
    assert all(times == 1 for times in made.executed.values())


@settings(deadline=None, max_examples=75)
@given(STEPS)
def test_when_everybody_has_gone_nothing_is_left(steps: list[Step]) -> None:
    made = run(steps)
    for peer in [*made.clients, *(peer for peer, _ in made.extensions)]:
        made.world.leave(peer)
    made.world.wait(3600)
    router = made.world.router
    assert (router.pending, router.roster.clients, router.roster.extensions, router.roster.users) == (0, 0, 0, 0)


@settings(deadline=None, max_examples=200)
@given(
    st.sampled_from(list(Endpoint)),
    st.lists(st.one_of(st.binary(max_size=60), st.text(max_size=60).map(str.encode)), max_size=8),
)
def test_whatever_a_stranger_says_it_is_no_peer(endpoint: Endpoint, said: list[bytes]) -> None:
    world = World()
    peer = world.open(endpoint)
    for data in said:
        if peer not in world.closed:
            world.say(peer, data)
    assert not world.router.roster.knows(peer)
