"""Many calls through a router while peers lie, dawdle and vanish; every call is followed to its end.

Two users, each with three clients and two extensions; all clients number their calls 0 to 999. Extensions answer in any
order, twice, late, and what they were never asked. The model knows every call by a nonce that travels in its params
and comes back in its result, so a single misrouted, repeated or lost answer is seen.
"""

from typing import Any, Final

from tabwright.proxy.model import Limits
from tests.proxy.book import BROWSERS, CLIENTS, USERS, Book, Browser, Caller, command
from tests.proxy.world import World

LIMITS: Final = Limits(user_rate=0, call_s=60)


class Chaos:
    def __init__(self, seed: int) -> None:
        self.book = Book(seed)
        self.random = self.book.random
        self.world = World(LIMITS)
        self.browsers = [self.arrive(user) for user in USERS for _ in range(BROWSERS)]
        self.callers = [Caller(user, self.world.client(user)) for user in USERS for _ in range(CLIENTS)]
        self.foreign_ids: list[str] = ["conn-0:1", "proxy:2x", "1"]

    def run(self, calls: int) -> None:
        while self.book.calls < calls:
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
        number, nonce = self.book.begin(caller)
        params = {"nonce": nonce, "tabId": self.random.randrange(50)}
        self.world.say(caller.peer, {"jsonrpc": "2.0", "id": number, "method": "click", "params": params})

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
        # whoever asked has gone itself: nobody is left to be told
        self.book.end_all(caller, "caller gone")
        self.world.leave(caller.peer)
        caller.come_back(self.world.client(caller.user))

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
            self.book.reached(browser, self.world.heard(browser.peer))
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
                self.book.end(nonce, "result")
            else:
                code = message["error"]["code"]
                assert code in (-32011, -32014) or message["error"]["message"] == nonce, message
                self.book.end(nonce, {-32011: "outcome_unknown", -32014: "timeout"}.get(code, "error"))
        else:
            assert message.get("method") == "status" or message.get("id") == "leave", message

    def finish(self) -> None:
        self.world.wait(LIMITS.call_s + 1)
        self.listen()
        assert self.world.router.pending == 0, "hung"
        self.book.close(self.callers)


def run(calls: int, seed: int) -> Chaos:
    made = Chaos(seed)
    made.run(calls)
    return made


def told(calls: int, seed: int) -> tuple[Book, dict[str, object]]:
    made = run(calls, seed)
    counts = made.world.router.counts
    return made.book, {"late": counts.late_answers, "forged": counts.forged_answers}


if __name__ == "__main__":
    command(told)
