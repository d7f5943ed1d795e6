"""Many calls between replicas while these die, hang and are cut off, and the broker loses what it will.

Every call carries a nonce and is followed to its one end at its one caller. A call that is refused, as opposed to one
whose outcome is unknown, must not have reached a browser.
"""

import json
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from tabwright.proxy.model import Limits, PeerId
from tests.cluster.world import Node, World

USERS: Final = ("alice", "bob")
CLIENTS, BROWSERS, REPLICAS = 3, 2, 3
LIMITS: Final = Limits(user_rate=0, call_s=30, replaced=1_000_000)
UNKNOWN: Final = {"outcome_unknown", "timeout"}
REFUSED: Final = {"unavailable", "not_connected", "shutting_down"}


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
    name: str
    peer: PeerId
    todo: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])


class Chaos:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.world = World(REPLICAS, LIMITS)
        self.ends: Counter[str] = Counter()
        self.outcomes: Counter[str] = Counter()
        self.executed: Counter[str] = Counter()
        self.owner: dict[str, str] = {}
        self.calls = self.crossed = 0
        self.faults: Counter[str] = Counter()
        self.browsers = [
            Browser(user, f"ext-{user}-{number}", self.arrive(user, f"ext-{user}-{number}"))
            for user in USERS
            for number in range(BROWSERS)
        ]
        self.callers = [Caller(user, self.join(user)) for user in USERS for _ in range(CLIENTS)]

    def run(self, calls: int) -> None:
        while self.calls < calls:
            self.step()
            self.listen()
        self.finish()

    def step(self) -> None:
        chance = self.random.random()
        if chance < 0.5:
            self.call(self.random.choice(self.callers))
        elif chance < 0.9:
            self.answer(self.random.choice(self.browsers))
        elif chance < 0.97:
            for _ in range(self.random.randrange(20)):
                self.world.bus.deliver()
        elif chance < 0.985:
            self.world.wait(self.random.random())
        elif chance < 0.99:
            self.cut_caller(self.random.choice(self.callers))
        elif chance < 0.994:
            self.move(self.random.choice(self.browsers))
        else:
            self.fault()

    # --- peers

    def alive(self) -> list[Node]:
        return [node for node in self.world.bus.members.values() if not node.frozen]

    def arrive(self, user: str, name: str) -> PeerId:
        return self.world.extension(self.random.choice(self.alive()), f"{user}/{name}")[0]

    def join(self, user: str) -> PeerId:
        return self.world.client(self.random.choice(self.alive()), user)

    def call(self, caller: Caller) -> None:
        if not caller.connected:
            self.connect(caller)
            return
        while caller.number in caller.waiting:
            caller.number = (caller.number + 1) % 1000
        nonce = f"{caller.user}/{self.calls}/{self.random.getrandbits(64):016x}"
        self.calls += 1
        self.owner[nonce] = caller.user
        caller.waiting[caller.number] = nonce
        node = self.world.where[caller.peer]
        self.crossed += bool(node.cluster.aways.replicas)
        if node.frozen:
            # what is said to a replica that hangs is lost with the socket
            self.cut_caller(caller)
            return
        message = {"jsonrpc": "2.0", "id": caller.number, "method": "click", "params": {"nonce": nonce}}
        self.world.say(caller.peer, message)
        caller.number = (caller.number + 1) % 1000

    def connect(self, caller: Caller) -> None:
        self.world.run()
        self.listen()
        target = self.random.choice([browser.name for browser in self.browsers if browser.user == caller.user])
        params = {"extension_id": target}
        self.world.say(caller.peer, {"jsonrpc": "2.0", "id": "join", "method": "connect", "params": params})
        self.world.run()
        self.listen()

    def answer(self, browser: Browser) -> None:
        if not browser.todo or self.world.where[browser.peer].frozen:
            return
        wire_id, nonce = browser.todo.pop(self.random.randrange(len(browser.todo)))
        failed = self.random.random() < 0.1
        body: dict[str, Any] = {"error": {"code": -32000, "message": nonce}} if failed else {"result": nonce}
        for _ in range(1 + (self.random.random() < 0.05)):
            self.world.say(browser.peer, {"jsonrpc": "2.0", "id": wire_id, **body})

    def cut_caller(self, caller: Caller) -> None:
        self.listen()
        for nonce in caller.waiting.values():
            self.end(nonce, "caller gone")
        self.world.leave(caller.peer)
        self.world.inbox.pop(caller.peer, None)
        caller.peer, caller.connected, caller.waiting = self.join(caller.user), False, {}

    def move(self, browser: Browser) -> None:
        """To any replica, and with half the chance the old socket is not seen to end."""
        if self.random.random() < 0.5:
            self.world.leave(browser.peer)
        self.listen()
        browser.peer, browser.todo = self.arrive(browser.user, browser.name), []

    # --- faults

    def fault(self) -> None:
        bus, node = self.world.bus, self.random.choice(list(self.world.bus.members.values()))
        kind = self.random.choice(("kill", "cable", "freeze", "broker", "forget", "drop"))
        self.faults[kind] += 1
        match kind:
            case "kill":
                self.world.kill(node)
                self.world.start()
            case "cable":
                node.cabled = not node.cabled
            case "freeze":
                node.frozen = not node.frozen and len(self.alive()) > 1
            case "broker":
                bus.up = not bus.up
                bus.queue.clear()
            case "forget":
                bus.up = False
                self.look_all()
                bus.records.clear()
                bus.queue.clear()
                bus.up = True
            case _:
                for _ in range(min(3, len(bus.queue))):
                    del bus.queue[self.random.randrange(len(bus.queue))]
        self.look_all()

    def look_all(self) -> None:
        for node in self.alive():
            node.look()

    # --- what they hear

    def listen(self) -> None:
        for browser in self.browsers:
            for message in self.world.heard(browser.peer):
                if "id" in message and "method" in message:
                    nonce = message["params"]["nonce"]
                    assert self.owner[nonce] == browser.user, "a call reached another user's browser"
                    self.executed[nonce] += 1
                    browser.todo.append((message["id"], nonce))
            if browser.peer in self.world.closed:
                browser.peer, browser.todo = self.arrive(browser.user, browser.name), []
        for caller in self.callers:
            for message in self.world.heard(caller.peer):
                self.hear(caller, message)
            if caller.peer in self.world.closed:
                for nonce in caller.waiting.values():
                    self.end(nonce, "replica gone")
                caller.peer, caller.connected, caller.waiting = self.join(caller.user), False, {}

    def hear(self, caller: Caller, message: dict[str, Any]) -> None:
        if message.get("id") == "join":
            caller.connected = caller.connected or "result" in message
        elif message.get("method") == "disconnected":
            assert not caller.waiting, "calls end before the notice"
            caller.connected = False
        elif isinstance(message.get("id"), int):
            nonce = caller.waiting.pop(message["id"])
            self.judge(caller, nonce, message)
        else:
            assert message.get("method") == "status", message

    def judge(self, caller: Caller, nonce: str, message: dict[str, Any]) -> None:
        if "result" in message:
            assert message["result"] == nonce, "misrouted"
            assert self.executed[nonce] == 1
            self.end(nonce, "result")
            return
        error = message["error"]
        kind = error.get("data", {}).get("code", "error")
        if kind in REFUSED:
            assert not self.executed[nonce], "refused, and yet done"
            caller.connected = caller.connected and kind != "not_connected"
        else:
            assert kind in UNKNOWN or error["message"] == nonce, message
        self.end(nonce, kind)

    def end(self, nonce: str, outcome: str) -> None:
        self.ends[nonce] += 1
        self.outcomes[outcome] += 1

    def finish(self) -> None:
        self.world.bus.up = True
        for node in self.world.bus.members.values():
            node.cabled, node.frozen = True, False
        self.world.run()
        self.world.wait(LIMITS.call_s + 5)
        self.listen()
        for node in self.world.bus.members.values():
            assert node.router.pending == node.cluster.aways.pending == 0, "hung"
        assert all(not caller.waiting for caller in self.callers), "silently lost"
        assert len(self.ends) == self.calls, "silently lost"
        assert set(self.ends.values()) == {1}, "ended twice"
        assert max(self.executed.values()) == 1, "executed twice"


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
    told = {"calls": made.calls, "over replicas": made.crossed, **made.outcomes, "faults": made.faults.total()}
    sys.stdout.write(json.dumps({**told, "seconds": round(time.monotonic() - began, 1)}) + "\n")
