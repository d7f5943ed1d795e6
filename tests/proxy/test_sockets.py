"""Real sockets: users stay apart, tokens end live connections, and chaos misroutes nothing (T23 to T26, T81)."""

import asyncio
import json
import random
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.gateway import until
from tests.proxy.server import ProxyProcess, frame, healthy_beside, proxying, serve_forever, token, upgraded

USERS = ("alice", "bob")


@pytest.mark.rule("T23")
def test_nothing_of_one_user_opens_anything_of_another(proxy: ProxyProcess) -> None:
    extension, client, connection = proxy.pair("victim")
    serve_forever(extension)
    thief = proxy.client("thief")
    extension_id = client.ask("list_extensions")["extensions"][0]["id"]
    assert thief.ask("list_extensions")["extensions"] == []
    told = [thief.request("connect", {"extension_id": name})["error"] for name in (extension_id, "ext-none")]
    assert told[0] == told[1]
    for name in (connection, "conn-none"):
        thief.say({"jsonrpc": "2.0", "id": 9, "method": "click", "connectionId": name})
        assert thief.hear()["error"]["message"] == "Connection not found or not accessible"
        thief.say({"jsonrpc": "2.0", "id": 9, "method": "disconnect", "connectionId": name})
        assert "error" in thief.hear()
    assert client.ask("click", {"still": "there"}) == {"echo": {"still": "there"}}


@pytest.mark.rule("T30")
def test_a_foreign_id_takes_as_long_as_a_random_one(proxy: ProxyProcess) -> None:
    _, foreign = proxy.extension("owner")
    thief = proxy.client("timer")
    times: dict[str, list[float]] = {foreign: [], "ext-00000000-0000-0000-0000-000000000000": []}
    for _ in range(200):
        for name, taken in times.items():
            began = time.perf_counter()
            thief.request("connect", {"extension_id": name})
            taken.append(time.perf_counter() - began)
    known, random_ = (sorted(taken)[100] for taken in times.values())
    assert abs(known - random_) < 0.5 * random_


@pytest.mark.rule("T25")
def test_an_expired_token_ends_its_socket_in_mid_call(proxy: ProxyProcess) -> None:
    with healthy_beside(proxy):
        extension, extension_id = proxy.extension("brief")
        client = proxy.client("brief", exp=int(time.time()) + 2)
        client.ask("connect", {"extension_id": extension_id})
        client.say({"jsonrpc": "2.0", "id": 77, "method": "click"})
        assert client.hear()["method"] == "status"
        lost = client.hear(8)
        assert (lost["id"], lost["error"]["code"]) == (77, -32011)
        assert client.close_code(8) == 4401
        extension.close()


@pytest.mark.rule("T25")
def test_a_revoked_token_ends_its_socket_and_opens_no_other(tmp_path: Path) -> None:
    with proxying(tmp_path / "home") as proxy, healthy_beside(proxy):
        client = proxy.client("leaver", jti="token-of-leaver")
        (tmp_path / "home" / "proxy").mkdir()
        (tmp_path / "home" / "proxy" / "revoked").write_text("token-of-leaver\n")
        assert client.close_code(8) == 4401
        again = proxy.bare()
        again.say(
            {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "mcp_handshake",
                "params": {"accessToken": token("leaver", jti="token-of-leaver")},
            }
        )
        assert again.hear()["error"]["message"] == "Authentication failed: Token revoked"


@pytest.mark.rule("T81")
def test_a_browser_that_drops_ends_its_calls_at_once(proxy: ProxyProcess) -> None:
    extension, client, connection = proxy.pair("dropper")
    client.say({"jsonrpc": "2.0", "id": 5, "method": "click"})
    extension.hear()
    extension.socket.socket.close()
    began = time.monotonic()
    lost, notice = client.hear(), client.hear()
    assert (lost["id"], lost["error"]["data"]["code"]) == (5, "outcome_unknown")
    assert notice["params"] == {"connection_id": connection, "reason": "Extension closed"}
    assert time.monotonic() - began < 5


@pytest.mark.rule("T81")
def test_a_browser_that_falls_silent_is_noticed(tmp_path: Path) -> None:
    with proxying(tmp_path / "home", "--silence-s", "2") as proxy:
        _fall_silent(proxy)


@pytest.mark.rule("T81")
def test_who_only_answers_pings_stays(tmp_path: Path) -> None:
    with proxying(tmp_path / "home", "--silence-s", "1") as proxy, upgraded(proxy, "/extension") as peer:
        peer.recv(200)
        answer = {"jsonrpc": "2.0", "id": "proxy:1", "result": {"name": "quiet", "accessToken": token("quiet")}}
        peer.sendall(frame(json.dumps(answer).encode()))
        assert b"authenticated" in peer.recv(400)
        for _ in range(5):
            assert peer.recv(200) == b"\x89\x00"
            peer.sendall(frame(b"", 10))
        assert len(proxy.client("quiet").ask("list_extensions")["extensions"]) == 1


def _fall_silent(proxy: ProxyProcess) -> None:
    peer = upgraded(proxy, "/extension", timeout=30)
    peer.recv(200)
    answer = {"jsonrpc": "2.0", "id": "proxy:1", "result": {"name": "mute", "accessToken": token("mute")}}
    peer.sendall(frame(json.dumps(answer).encode()))
    assert b"authenticated" in peer.recv(400)
    client = proxy.client("mute")
    extension_id = client.ask("list_extensions")["extensions"][0]["id"]
    client.ask("connect", {"extension_id": extension_id})
    assert client.hear()["method"] == "status"
    client.say({"jsonrpc": "2.0", "id": 5, "method": "click"})
    lost, notice = client.hear(30), client.hear()
    assert lost["error"]["code"] == -32011
    assert notice["params"]["reason"] == "Extension timed out"
    peer.close()


@pytest.mark.rule("T50")
def test_no_token_and_no_body_is_ever_logged(proxy: ProxyProcess) -> None:
    extension, client, _ = proxy.pair("canary")
    serve_forever(extension)
    client.ask("type", {"text": "canary-password"})
    bad = proxy.bare()
    bad.say({"jsonrpc": "2.0", "id": 1, "method": "mcp_handshake", "params": {"accessToken": "canary-token.x.y"}})
    assert bad.close_code() == 4401
    until(lambda: "closing" in proxy.log)
    assert "canary-password" not in proxy.log
    assert "canary-token" not in proxy.log
    assert token("canary")[:20] not in proxy.log
    for line in proxy.lines:
        assert not line.startswith("{") or json.loads(line)["event"]


# --- chaos


class Caller:
    """A client that keeps calls under way and follows each to its end."""

    def __init__(self, url: str, user: str, calls: int, seed: int) -> None:
        self._url, self._user, self._left = url, user, calls
        self._random = random.Random(seed)
        self.ends: Counter[str] = Counter()
        self.outcomes: Counter[str] = Counter()

    async def run(self) -> None:
        while self._left > 0:
            try:
                async with connect(self._url, compression=None, ping_interval=None, max_size=None) as socket:
                    await self._session(socket)
            except (ConnectionClosed, TimeoutError) as exc:
                raise AssertionError(f"{self._user}: {exc!r}") from exc

    async def _session(self, socket: ClientConnection) -> None:
        await self._ask(socket, "mcp_handshake", {"accessToken": token(self._user)})
        waiting: dict[int, str] = {}
        number, stay = 0, self._random.randrange(200, 600)
        connected = False
        while (self._left > 0 and stay > 0) or waiting:
            while not connected and not waiting:
                connected = await self._connect(socket)
            while connected and self._left > 0 and stay > 0 and len(waiting) < 32:
                nonce = f"{self._user}/{self._left}/{self._random.getrandbits(64):x}"
                call = {"jsonrpc": "2.0", "id": number, "method": "click", "params": {"nonce": nonce}}
                await socket.send(json.dumps(call))
                waiting[number] = nonce
                number, self._left, stay = (number + 1) % 1000, self._left - 1, stay - 1
            async with asyncio.timeout(20):
                message = json.loads(await socket.recv())
            if message.get("method") == "disconnected":
                # what was sent while this was on its way is refused, not lost
                connected = False
            elif "id" in message:
                self._end(waiting.pop(message["id"]), message)
                if "error" in message and message["error"]["code"] == -32010:
                    connected = False

    def _end(self, nonce: str, message: dict[str, Any]) -> None:
        self.ends[nonce] += 1
        if "result" in message:
            assert message["result"] == {"nonce": nonce}, "misrouted"
            self.outcomes["result"] += 1
        else:
            self.outcomes[str(message["error"]["code"])] += 1

    async def _connect(self, socket: ClientConnection) -> bool:
        rows = (await self._ask(socket, "list_extensions", {}))["result"]["extensions"]
        if not rows:
            await asyncio.sleep(0.01)
            return False
        answer = await self._ask(socket, "connect", {"extension_id": self._random.choice(rows)["id"]})
        return "result" in answer

    async def _ask(self, socket: ClientConnection, method: str, params: dict[str, Any]) -> dict[str, Any]:
        await socket.send(json.dumps({"jsonrpc": "2.0", "id": method, "method": method, "params": params}))
        while True:
            async with asyncio.timeout(10):
                message = json.loads(await socket.recv())
            if message.get("id") == method:
                return message


async def be_browser(url: str, user: str, seed: int, executed: Counter[str]) -> None:
    """Answers in any order, some twice, some late, some never asked for; drops its socket now and then."""
    chance = random.Random(seed)
    while True:
        async with connect(url, compression=None, ping_interval=None, max_size=None) as socket:
            json.loads(await socket.recv())
            result = {"name": f"{user} {seed}", "accessToken": token(user)}
            await socket.send(json.dumps({"id": "proxy:1", "result": result}))
            todo: list[dict[str, Any]] = []
            for _ in range(chance.randrange(300, 1500)):
                try:
                    async with asyncio.timeout(0.005):
                        call = json.loads(await socket.recv())
                    if "id" in call:
                        assert call["params"]["nonce"].startswith(user), "a call reached another user's browser"
                        executed[call["params"]["nonce"]] += 1
                        todo.append(call)
                except TimeoutError:
                    pass
                chance.shuffle(todo)
                while todo and (len(todo) > 8 or chance.random() < 0.7):
                    done = todo.pop()
                    answer = json.dumps({"id": done["id"], "result": {"nonce": done["params"]["nonce"]}})
                    for _ in range(1 + (chance.random() < 0.05)):
                        await socket.send(answer)
                if chance.random() < 0.002:
                    await socket.send(json.dumps({"id": "conn-forged:1", "result": {"nonce": "forged"}}))
            socket.transport.abort()


@pytest.mark.rule("T26")
async def test_chaos_on_sockets_misroutes_repeats_and_loses_nothing(tmp_path: Path) -> None:
    proxy = await asyncio.to_thread(ProxyProcess, tmp_path / "home", "--rate", "0")
    executed: Counter[str] = Counter()
    try:
        base = f"ws://127.0.0.1:{proxy.port}"
        browsers = [
            asyncio.create_task(be_browser(f"{base}/extension", user, seed, executed))
            for user in USERS
            for seed in (1, 2)
        ]
        callers = [Caller(f"{base}/mcp", user, 1_000, seed) for user in USERS for seed in (1, 2, 3)]
        async with asyncio.timeout(50):
            await asyncio.gather(*(caller.run() for caller in callers))
        for browser in browsers:
            if browser.done():
                await browser
            browser.cancel()
        await asyncio.gather(*browsers, return_exceptions=True)
    finally:
        await asyncio.to_thread(proxy.stop)
    ends = sum((caller.ends for caller in callers), Counter[str]())
    outcomes = sum((caller.outcomes for caller in callers), Counter[str]())
    assert len(ends) == 6_000
    assert set(ends.values()) == {1}
    assert set(executed.values()) == {1}
    assert set(outcomes) <= {"result", "-32011", "-32010"}
    assert outcomes["result"] > 4_000
    assert outcomes["-32011"] > 0, "no cut was felt: the chaos is too tame"


# --- the end


@pytest.mark.rule("T85")
def test_sigterm_lets_calls_end_and_says_1012(tmp_path: Path) -> None:
    proxy = ProxyProcess(tmp_path / "home")
    extension, client, connection = proxy.pair()
    _, idle, _ = proxy.pair("idle")
    client.say({"jsonrpc": "2.0", "id": 1, "method": "click"})
    call = extension.hear()
    proxy.process.send_signal(signal.SIGTERM)
    assert idle.hear()["params"]["reason"] == "Server shutting down"
    assert idle.close_code() == 1012
    client.say({"jsonrpc": "2.0", "id": 2, "method": "click"})
    assert client.hear()["error"]["data"] == {"code": "shutting_down"}
    extension.say({"id": call["id"], "result": {"done": True}})
    assert client.hear() == {"jsonrpc": "2.0", "id": 1, "result": {"done": True}}
    assert client.hear()["params"] == {"connection_id": connection, "reason": "Server shutting down"}
    assert client.close_code() == 1012
    assert extension.close_code() == 1012
    assert proxy.stop() == 0


@pytest.mark.rule("T85")
def test_a_call_that_does_not_end_is_told_of_before_the_end(tmp_path: Path) -> None:
    proxy = ProxyProcess(tmp_path / "home", "--drain-s", "1")
    _, client, _ = proxy.pair()
    client.say({"jsonrpc": "2.0", "id": 1, "method": "click"})
    proxy.process.send_signal(signal.SIGTERM)
    assert client.hear()["error"]["code"] == -32011
    assert client.hear()["method"] == "disconnected"
    assert client.close_code() == 1012
    assert proxy.stop() == 0
