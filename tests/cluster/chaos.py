"""Many calls between replicas while these die, hang and are cut off, and the broker loses what it will.

Every call carries a nonce and is followed to its one end at its one caller. A call that is refused, as opposed to one
whose outcome is unknown, must not have reached a browser.
"""

from collections import Counter
from typing import Any, Final

from tabwright.proxy.model import Limits, PeerId
from tests.cluster.world import Node, World
from tests.proxy.book import BROWSERS, CLIENTS, USERS, Book, Browser, Caller, command

REPLICAS: Final = 3
LIMITS: Final = Limits(user_rate=0, call_s=30, replaced=1_000_000)
UNKNOWN: Final = {"outcome_unknown", "timeout"}
REFUSED: Final = {"unavailable", "not_connected", "shutting_down"}


class Chaos:
    def __init__(self, seed: int) -> None:
        self.book = Book(seed)
        self.random = self.book.random
        self.world = World(REPLICAS, LIMITS)
        self.crossed = 0
        self.faults: Counter[str] = Counter()
        self.browsers = [
            Browser(user, self.arrive(user, f"ext-{user}-{number}"), f"ext-{user}-{number}")
            for user in USERS
            for number in range(BROWSERS)
        ]
        self.callers = [Caller(user, self.join(user)) for user in USERS for _ in range(CLIENTS)]

    def run(self, calls: int) -> None:
        while self.book.calls < calls:
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
        number, nonce = self.book.begin(caller)
        node = self.world.where[caller.peer]
        self.crossed += bool(node.cluster.aways.replicas)
        if node.frozen:
            # what is said to a replica that hangs is lost with the socket
            self.cut_caller(caller)
            return
        message = {"jsonrpc": "2.0", "id": number, "method": "click", "params": {"nonce": nonce}}
        self.world.say(caller.peer, message)

    def connect(self, caller: Caller) -> None:
        self.world.run()
        self.listen()
        target = self.random.choice([browser.id for browser in self.browsers if browser.user == caller.user])
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
        self.book.end_all(caller, "caller gone")
        self.world.leave(caller.peer)
        self.world.inbox.pop(caller.peer, None)
        caller.come_back(self.join(caller.user))

    def move(self, browser: Browser) -> None:
        """To any replica, and with half the chance the old socket is not seen to end."""
        if self.random.random() < 0.5:
            self.world.leave(browser.peer)
        self.listen()
        browser.peer, browser.todo = self.arrive(browser.user, browser.id), []

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
            self.book.reached(browser, self.world.heard(browser.peer))
            if browser.peer in self.world.closed:
                browser.peer, browser.todo = self.arrive(browser.user, browser.id), []
        for caller in self.callers:
            for message in self.world.heard(caller.peer):
                self.hear(caller, message)
            if caller.peer in self.world.closed:
                self.book.end_all(caller, "replica gone")
                caller.come_back(self.join(caller.user))

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
            assert self.book.executed[nonce] == 1
            self.book.end(nonce, "result")
            return
        error = message["error"]
        kind = error.get("data", {}).get("code", "error")
        if kind in REFUSED:
            assert not self.book.executed[nonce], "refused, and yet done"
            caller.connected = caller.connected and kind != "not_connected"
        else:
            assert kind in UNKNOWN or error["message"] == nonce, message
        self.book.end(nonce, kind)

    def finish(self) -> None:
        self.world.bus.up = True
        for node in self.world.bus.members.values():
            node.cabled, node.frozen = True, False
        self.world.run()
        self.world.wait(LIMITS.call_s + 5)
        self.listen()
        for node in self.world.bus.members.values():
            assert node.router.pending == node.cluster.aways.pending == 0, "hung"
        self.book.close(self.callers)


def run(calls: int, seed: int) -> Chaos:
    made = Chaos(seed)
    made.run(calls)
    return made


def told(calls: int, seed: int) -> tuple[Book, dict[str, object]]:
    made = run(calls, seed)
    return made.book, {"over replicas": made.crossed, "faults": made.faults.total()}


if __name__ == "__main__":
    command(told)
