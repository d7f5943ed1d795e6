"""Many calls through a router while peers lie, dawdle and vanish; every call is followed to its end.

Two users, each with three clients and two extensions; all clients number their calls 0 to 999. Extensions answer in any
order, twice, late, and what they were never asked. The model knows every call by a nonce that travels in its params
and comes back in its result, so a single misrouted, repeated or lost answer is seen.
"""

import json
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from tabwright.proxy.model import Limits, PeerId
from tests.proxy.world import World

USERS: Final = ("alice", "bob")
CLIENTS, EXTENSIONS, IDS = 3, 2, 1_000
LIMITS: Final = Limits(user_rate=0, call_s=60)


@dataclass(slots=True)
class Caller:
    user: str
    peer: PeerId
    number: int = 0
    connected: bool = False
    waiting: dict[int, str] = field(default_factory=dict[int, str])


@dataclass(slots=True)
class Browser:
    user: str
    peer: PeerId
    id: str
    todo: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    done: list[str] = field(default_factory=list[str])


class Chaos:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.world = World(LIMITS)
        self.ends: Counter[str] = Counter()
        self.outcomes: Counter[str] = Counter()
        self.executed: Counter[str] = Counter()
        self.owner: dict[str, str] = {}
        self.browsers = [self.arrive(user) for user in USERS for _ in range(EXTENSIONS)]
        self.callers = [Caller(user, self.world.client(user)) for user in USERS for _ in range(CLIENTS)]
        self.foreign_ids: list[str] = ["conn-0:1", "proxy:2x", "1"]
        self.calls = 0

    def run(self, calls: int) -> None:
        while self.calls < calls:
            self.step()
            self.listen()
        self.finish()

    def step(self) -> None:
        chance = self.random.random()
        if chance < 0.55:
            self.call(self.random.choice(self.callers))
        elif chance < 0.97:
            self.answer(self.random.choice(self.browsers))
        elif chance < 0.985:
            self.lie(self.random.choice(self.browsers))
        elif chance < 0.99:
            self.world.wait(self.random.random() * 8)
        elif chance < 0.993:
            self.cut_caller(self.random.choice(self.callers))
        elif chance < 0.996:
            self.cut_browser(self.random.randrange(len(self.browsers)))
        else:
            self.change_browser(self.random.choice(self.callers))

    # --- what peers do

    def arrive(self, user: str) -> Browser:
        peer, extension_id = self.world.extension(user)
        return Browser(user, peer, extension_id)

    def call(self, caller: Caller) -> None:
        if not caller.connected:
            self.change_browser(caller)
            return
        while caller.number in caller.waiting:
            caller.number = (caller.number + 1) % IDS
        nonce = f"{caller.user}/{self.calls}/{self.random.getrandbits(64):016x}"
        self.calls += 1
        self.owner[nonce] = caller.user
        caller.waiting[caller.number] = nonce
        params = {"nonce": nonce, "tabId": self.random.randrange(50)}
        self.world.say(caller.peer, {"jsonrpc": "2.0", "id": caller.number, "method": "click", "params": params})
        caller.number = (caller.number + 1) % IDS

    def answer(self, browser: Browser) -> None:
        if not browser.todo:
            return
        wire_id, nonce = browser.todo.pop(self.random.randrange(len(browser.todo)))
        failed = self.random.random() < 0.1
        body = {"error": {"code": -32000, "message": nonce}} if failed else {"result": {"nonce": nonce}}
        for _ in range(1 + (self.random.random() < 0.05)):
            self.world.say(browser.peer, {"jsonrpc": "2.0", "id": wire_id, **body})
        browser.done = [*browser.done[-50:], wire_id]
        if self.random.random() < 0.01:
            self.foreign_ids = [*self.foreign_ids[-50:], wire_id]

    def lie(self, browser: Browser) -> None:
        known = [
            *self.foreign_ids,
            *browser.done,
            *(wire_id for other in self.browsers if other is not browser for wire_id, _ in other.todo[:5]),
        ]
        wire_id = self.random.choice(known)
        lies: list[dict[str, Any]] = [
            {"jsonrpc": "2.0", "id": wire_id, "result": {"nonce": "forged"}},
            {"jsonrpc": "2.0", "id": wire_id, "result": {}, "error": {}},
            {"jsonrpc": "2.0", "id": wire_id},
            {"jsonrpc": "2.0", "id": self.random.randrange(1000), "result": {"nonce": "forged"}},
            {"jsonrpc": "2.0", "id": "ext:1", "method": "connect", "params": {"extension_id": browser.id}},
            {"jsonrpc": "2.0", "method": "disconnected", "params": {"connection_id": wire_id.partition(":")[0]}},
        ]
        self.world.say(browser.peer, self.random.choice(lies))

    def cut_caller(self, caller: Caller) -> None:
        self.listen()
        for nonce in caller.waiting.values():
            # whoever asked has gone itself: nobody is left to be told
            self.end(nonce, "caller gone")
        self.world.leave(caller.peer)
        caller.peer, caller.connected, caller.waiting = self.world.client(caller.user), False, {}

    def cut_browser(self, index: int) -> None:
        browser = self.browsers[index]
        if browser.peer not in self.world.closed:
            self.world.leave(browser.peer)
        self.listen()
        self.browsers[index] = self.arrive(browser.user)

    def change_browser(self, caller: Caller) -> None:
        if caller.connected:
            self.world.say(caller.peer, {"jsonrpc": "2.0", "id": "leave", "method": "disconnect", "params": {}})
            caller.connected = False
        self.listen()
        mine = [browser for browser in self.browsers if browser.user == caller.user]
        target = self.random.choice(mine).id
        params = {"extension_id": target}
        self.world.say(caller.peer, {"jsonrpc": "2.0", "id": "join", "method": "connect", "params": params})
        self.listen()

    # --- what they hear

    def listen(self) -> None:
        for index, browser in enumerate(self.browsers):
            for message in self.world.heard(browser.peer):
                if "id" in message and "method" in message:
                    nonce = message["params"]["nonce"]
                    assert self.owner[nonce] == browser.user, "a call reached another user's browser"
                    self.executed[nonce] += 1
                    browser.todo.append((message["id"], nonce))
            if browser.peer in self.world.closed:
                self.browsers[index] = self.arrive(browser.user)
        for caller in self.callers:
            for message in self.world.heard(caller.peer):
                self.hear(caller, message)

    def hear(self, caller: Caller, message: dict[str, Any]) -> None:
        if message.get("id") == "join":
            caller.connected = "result" in message
        elif message.get("method") == "disconnected":
            assert not caller.waiting, "calls end before the notice"
            caller.connected = False
        elif isinstance(message.get("id"), int):
            nonce = caller.waiting.pop(message["id"])
            if "result" in message:
                assert message["result"] == {"nonce": nonce}, "misrouted"
                self.end(nonce, "result")
            else:
                code = message["error"]["code"]
                assert code in (-32011, -32014) or message["error"]["message"] == nonce, message
                self.end(nonce, {-32011: "outcome_unknown", -32014: "timeout"}.get(code, "error"))
        else:
            assert message.get("method") == "status" or message.get("id") == "leave", message

    def end(self, nonce: str, outcome: str) -> None:
        self.ends[nonce] += 1
        self.outcomes[outcome] += 1

    def finish(self) -> None:
        self.world.wait(LIMITS.call_s + 1)
        self.listen()
        assert self.world.router.pending == 0, "hung"
        assert all(not caller.waiting for caller in self.callers), "silently lost"
        assert len(self.ends) == self.calls, "silently lost"
        assert set(self.ends.values()) == {1}, "ended twice"
        assert set(self.executed.values()) == {1}, "executed twice"


def run(calls: int, seed: int) -> Chaos:
    made = Chaos(seed)
    made.run(calls)
    return made


if __name__ == "__main__":
    import sys
    import time

    calls, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().getrandbits(32)
    began = time.monotonic()
    sys.stdout.write(f"seed {seed}\n")
    made = run(calls, seed)
    told = {"calls": made.calls, **made.outcomes, "seconds": round(time.monotonic() - began, 1)}
    counts = made.world.router.counts
    told |= {"late": counts.late_answers, "forged": counts.forged_answers}
    sys.stdout.write(json.dumps(told) + "\n")
