"""Browsers and clients as they should be: they come back when they are sent away, and ask again what was not done."""

import json
import random
import ssl
import threading
import time
from collections import Counter
from typing import Any, Final

from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import ClientConnection, connect

from tests.proxy.server import token

BACKOFF_S: Final = 0.05
SAFE: Final = frozenset({"unavailable", "not_connected", "shutting_down"})
"""Errors that promise that nothing was done."""


class Sturdy:
    """A peer in a thread of its own that is there until it is told to stop."""

    def __init__(self, url: str, tls: ssl.SSLContext | None, user: str) -> None:
        self.url, self.tls, self.user = url, tls, user
        self.stopping = threading.Event()
        self.sockets = 0
        self.failure: BaseException | None = None
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def stop(self) -> None:
        self.stopping.set()
        self.thread.join(20)
        assert not self.thread.is_alive(), "hung"
        if self.failure is not None:
            raise self.failure

    def open(self, path: str) -> ClientConnection:
        return connect(
            f"{self.url}{path}",
            ssl=self.tls,
            compression=None,
            legacy=True,
            open_timeout=5,
            close_timeout=1,
            ping_interval=None,
            max_size=None,
        )

    def _run(self) -> None:
        try:
            while not self.stopping.is_set():
                try:
                    self.sockets += 1
                    self.live()
                except (ConnectionClosed, InvalidHandshake, OSError, TimeoutError):
                    # everybody was sent away at once: not everybody comes back at once
                    time.sleep(random.random() * BACKOFF_S)
        except BaseException as exc:
            self.failure = exc

    def live(self) -> None:
        raise NotImplementedError


class SturdyBrowser(Sturdy):
    """Answers what it is asked, and notes it."""

    def __init__(self, url: str, tls: ssl.SSLContext | None, user: str, name: str) -> None:
        self.name = name
        self.executed: Counter[str] = Counter()
        super().__init__(url, tls, user)

    def live(self) -> None:
        with self.open("/extension") as socket:
            while not self.stopping.is_set():
                try:
                    message = json.loads(socket.recv(0.2))
                except TimeoutError:
                    continue
                if "id" not in message:
                    continue
                if message["method"] == "authenticate":
                    result: Any = {"name": "Chrome", "accessToken": token(self.user, extension_id=self.name)}
                else:
                    result = message["params"]
                    assert result["user"] == self.user, "misrouted"
                    self.executed[result["nonce"]] += 1
                socket.send(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}))


class SturdyClient(Sturdy):
    """Calls all the while. A call ends in a result, or unknown; what was certainly not done is asked again."""

    def __init__(self, url: str, tls: ssl.SSLContext | None, user: str, target: str, pause_s: float = 0.01) -> None:
        self.target, self.pause_s = target, pause_s
        self.outcomes: Counter[str] = Counter()
        self.ends: Counter[str] = Counter()
        self.longest_s = 0.0
        self._number = 0
        self._nonce = ""
        super().__init__(url, tls, user)

    def live(self) -> None:
        with self.open("/mcp") as socket:
            try:
                self._ask(socket, "mcp_handshake", {"accessToken": token(self.user)})
                while not self.stopping.is_set():
                    if self._connect(socket):
                        self._work(socket)
                    else:
                        time.sleep(BACKOFF_S)
            except ConnectionClosed as exc:
                # 1012 comes after all calls under way have ended: what is unanswered was not passed on
                if self._nonce and (exc.rcvd is None or exc.rcvd.code != 1012):
                    self._end("socket lost")
                raise

    def _connect(self, socket: ClientConnection) -> bool:
        answer = self._ask(socket, "connect", {"extension_id": self.target})
        return "result" in answer or answer["error"]["code"] == -32001

    def _work(self, socket: ClientConnection) -> None:
        while not self.stopping.is_set():
            if not self._nonce:
                self._nonce = f"{self.user}/{random.getrandbits(96):024x}"
            began = time.monotonic()
            answer = self._ask(socket, "click", {"nonce": self._nonce, "user": self.user})
            self.longest_s = max(self.longest_s, time.monotonic() - began)
            if "result" in answer:
                assert answer["result"]["nonce"] == self._nonce, "misrouted"
                self._end("result")
            elif answer["error"]["data"]["code"] in SAFE:
                time.sleep(BACKOFF_S)
                return
            else:
                self._end(answer["error"]["data"]["code"])
            time.sleep(self.pause_s)

    def _end(self, outcome: str) -> None:
        self.outcomes[outcome] += 1
        self.ends[self._nonce] += 1
        self._nonce = ""

    def _ask(self, socket: ClientConnection, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        socket.send(json.dumps({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}))
        deadline = time.monotonic() + 15
        while True:
            answer = json.loads(socket.recv(max(0.0, deadline - time.monotonic())))
            if answer.get("id") == self._number:
                return answer
