"""Browsers and clients as they should be: they come back when they are sent away, and ask again what was not done."""

import asyncio
import json
import random
import ssl
import threading
import time
from collections import Counter
from contextlib import suppress
from typing import Any, ClassVar, Final

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from tests.proxy.server import token

BACKOFF_S: Final = 0.05
ANSWER_S: Final = 15.0
"""Longer than any answer may take: one that does not come is lost."""
SAFE: Final = frozenset({"unavailable", "not_connected", "shutting_down"})
"""Errors that promise that nothing was done."""


class Sturdy:
    """A peer in a thread of its own that is there until it is told to stop.

    Not on `websockets.sync`, which reads and writes in two threads: under TLS both work on one state of OpenSSL's, and
    now and then an answer that haproxy had sent was never read.
    """

    is_idle: ClassVar = False
    """Whether it only listens, so that there is nothing to end first when it is to stop."""

    def __init__(self, url: str, tls: ssl.SSLContext | None, user: str) -> None:
        self.url, self.tls, self.user = url, tls, user
        self.stopping = threading.Event()
        self.sockets = 0
        self.last: object = "nothing yet"
        """What was heard or met last, for whoever asks why it does not work."""
        self.failure: BaseException | None = None
        self.loop = asyncio.new_event_loop()
        self.life = self.loop.create_task(self._run())
        self.thread = threading.Thread(target=self._stay, daemon=True)
        self.thread.start()

    def stop(self) -> None:
        self.stopping.set()
        if self.is_idle:
            self.loop.call_soon_threadsafe(self.life.cancel)
        self.thread.join(20)
        assert not self.thread.is_alive(), "hung"
        if self.failure is not None:
            raise self.failure

    def open(self, path: str) -> connect:
        return connect(
            f"{self.url}{path}",
            ssl=self.tls,
            compression=None,
            open_timeout=5,
            close_timeout=1,
            ping_interval=None,
            max_size=None,
        )

    def _stay(self) -> None:
        with suppress(asyncio.CancelledError):
            self.loop.run_until_complete(self.life)
        self.loop.close()

    async def _run(self) -> None:
        try:
            while not self.stopping.is_set():
                try:
                    self.sockets += 1
                    await self.live()
                except (ConnectionClosed, InvalidHandshake, OSError, TimeoutError) as exc:
                    self.last = exc
                    # everybody was sent away at once: not everybody comes back at once
                    await asyncio.sleep(random.random() * BACKOFF_S)
        except Exception as exc:
            self.failure = exc

    async def live(self) -> None:
        raise NotImplementedError

    def __str__(self) -> str:
        return f"{type(self).__name__} of {self.user}, socket {self.sockets}: {self.failure or self.last!r}"


class SturdyBrowser(Sturdy):
    """Answers what it is asked, and notes it."""

    is_idle = True

    def __init__(self, url: str, tls: ssl.SSLContext | None, user: str, name: str) -> None:
        self.name = name
        self.executed: Counter[str] = Counter()
        super().__init__(url, tls, user)

    async def live(self) -> None:
        async with self.open("/extension") as socket:
            async for told in socket:
                message = self.last = json.loads(told)
                if "id" not in message:
                    continue
                if message["method"] == "authenticate":
                    result: Any = {"name": "Chrome", "accessToken": token(self.user, extension_id=self.name)}
                else:
                    result = message["params"]
                    assert result["user"] == self.user, "misrouted"
                    self.executed[result["nonce"]] += 1
                await socket.send(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}))


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

    async def live(self) -> None:
        async with self.open("/mcp") as socket:
            try:
                await self._ask(socket, "mcp_handshake", {"accessToken": token(self.user)})
                while not self.stopping.is_set():
                    if await self._connect(socket):
                        await self._work(socket)
                    else:
                        await asyncio.sleep(BACKOFF_S)
            except ConnectionClosed as exc:
                # 1012 comes after all calls under way have ended: what is unanswered was not passed on
                if self._nonce and (exc.rcvd is None or exc.rcvd.code != 1012):
                    self._end("socket lost")
                raise

    async def _connect(self, socket: ClientConnection) -> bool:
        answer = await self._ask(socket, "connect", {"extension_id": self.target})
        return "result" in answer or answer["error"]["code"] == -32001

    async def _work(self, socket: ClientConnection) -> None:
        while not self.stopping.is_set():
            if not self._nonce:
                self._nonce = f"{self.user}/{random.getrandbits(96):024x}"
            began = time.monotonic()
            answer = await self._ask(socket, "click", {"nonce": self._nonce, "user": self.user})
            self.longest_s = max(self.longest_s, time.monotonic() - began)
            if "result" in answer:
                assert answer["result"]["nonce"] == self._nonce, "misrouted"
                self._end("result")
            elif answer["error"]["data"]["code"] in SAFE:
                await asyncio.sleep(BACKOFF_S)
                return
            else:
                self._end(answer["error"]["data"]["code"])
            await asyncio.sleep(self.pause_s)

    def _end(self, outcome: str) -> None:
        self.outcomes[outcome] += 1
        self.ends[self._nonce] += 1
        self._nonce = ""

    async def _ask(self, socket: ClientConnection, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        await socket.send(json.dumps({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}))
        try:
            async with asyncio.timeout(ANSWER_S):
                while True:
                    answer = self.last = json.loads(await socket.recv())
                    if answer.get("id") == self._number:
                        return answer
        except TimeoutError:
            raise AssertionError(f"{method} was not answered within {ANSWER_S:g} s") from None
