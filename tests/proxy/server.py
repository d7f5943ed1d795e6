"""A real proxy in a process of its own, bare WebSocket peers, and a healthy pair to stand beside an attack."""

import json
import os
import secrets
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import jwt
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.gateway import TABWRIGHT, until

WAIT_S: Final = 5.0
SECRET: Final = secrets.token_hex(32)
Message = dict[str, Any]


def token(user: str = "alice", role: str | None = None, *, secret: str = SECRET, **claims: Any) -> str:
    """The smallest token, and whatever else is asked for; a claim of None is left out."""
    made = {
        "user_id": user,
        "connection_url": "wss://proxy.example.com/mcp",
        "exp": int(time.time()) + 600,
        "role": role,
    }
    made.update(claims)
    return jwt.encode({name: value for name, value in made.items() if value is not None}, secret, algorithm="HS256")


class ProxyProcess:
    """`tabwright proxy` on a free port, with a secret both sides know."""

    def __init__(self, home: Path, *flags: str, auth: bool = True, port: int = 0, **variables: str) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self.home = home
        secret = home / "secret"
        secret.write_text(SECRET)
        keys = ("--jwt-secret-file", str(secret)) if auth and not _has_key(flags) else () if auth else ("--no-auth",)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("TABWRIGHT_")}
        self.env = {**kept, "TABWRIGHT_HOME": str(home), **variables}
        self.process = subprocess.Popen(
            [TABWRIGHT, "proxy", *(() if "--port" in flags else ("--port", str(port))), *keys, *flags],
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.lines: list[str] = []
        self._peers: list[Bare] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            ready = until(
                lambda: next((line for line in self.lines if "ready" in line), None) or self.process.poll() is not None
            )
            assert isinstance(ready, str), f"the proxy did not start: {''.join(self.lines)}"
        except AssertionError:
            # on a busy machine: it must not stay behind
            self.process.kill()
            raise
        self.port = int(ready.rpartition(":")[2])

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(line)

    @property
    def log(self) -> str:
        return "".join(self.lines)

    @property
    def resident_mb(self) -> float:
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * 4096 / 1e6

    @property
    def cpu_s(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def bare(self, path: str = "/mcp", **more: Any) -> "Bare":
        made = Bare(f"ws://127.0.0.1:{self.port}{path}", **more)
        self._peers.append(made)
        return made

    def raw(self, timeout: float = WAIT_S) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout)

    def extension(self, user: str = "alice", **claims: Any) -> "tuple[Bare, str]":
        peer = self.bare("/extension", max_size=None)
        assert peer.hear()["method"] == "authenticate"
        peer.say(
            {"jsonrpc": "2.0", "id": "proxy:1", "result": {"name": "Chrome 141", "accessToken": token(user, **claims)}}
        )
        return peer, peer.hear()["params"]["extension_id"]

    def client(self, user: str = "alice", **claims: Any) -> "Bare":
        peer = self.bare(max_size=None)
        peer.ask("mcp_handshake", {"accessToken": token(user, **claims)})
        return peer

    def pair(self, user: str = "alice") -> "tuple[Bare, Bare, str]":
        extension, extension_id = self.extension(user)
        client = self.client(user)
        connection = client.ask("connect", {"extension_id": extension_id})["connection_id"]
        assert client.hear()["method"] == extension.hear()["method"] == "status"
        return extension, client, connection

    def metrics(self, port: int) -> dict[str, float]:
        with socket.create_connection(("127.0.0.1", port), WAIT_S) as peer:
            peer.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost:%d\r\n\r\n" % port)
            text = b"".join(iter(lambda: peer.recv(65536), b"")).decode().partition("\r\n\r\n")[2]
        return {
            name: float(value)
            for name, _, value in (line.rpartition(" ") for line in text.splitlines() if line[0] != "#")
        }

    def stop(self, number: int = signal.SIGTERM) -> int:
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            code = self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError("the proxy does not end on SIGTERM") from None
        finally:
            for peer in self._peers:
                peer.close()
            self._reader.join(WAIT_S)
            assert self.process.stderr is not None
            self.process.stderr.close()
        return code


def _has_key(flags: tuple[str, ...]) -> bool:
    return bool({"--jwks", "--public-key", "--jwt-secret-file"} & set(flags))


@contextmanager
def proxying(home: Path, *flags: str, auth: bool = True, **variables: str) -> Generator[ProxyProcess]:
    made = ProxyProcess(home, *flags, auth=auth, port=0, **variables)
    try:
        yield made
    finally:
        made.stop()


class Bare:
    """A WebSocket and nothing else: says and hears JSON."""

    def __init__(self, url: str, **more: Any) -> None:
        self.socket: ClientConnection = connect(
            url,
            compression=None,
            legacy=True,
            open_timeout=WAIT_S,
            close_timeout=1,
            ping_interval=None,
            **{"max_queue": None, **more},
        )
        self._number = 0

    def say(self, message: Message | str) -> None:
        self.socket.send(message if isinstance(message, str) else json.dumps(message))

    def hear(self, timeout: float = WAIT_S) -> Message:
        return json.loads(self.socket.recv(timeout))

    def ask(self, method: str, params: Message | None = None) -> Any:
        """A request: its result. Notifications before it are passed over."""
        answer = self.request(method, params)
        assert "result" in answer, answer
        return answer["result"]

    def request(self, method: str, params: Message | None = None, timeout: float = WAIT_S) -> Message:
        self._number += 1
        self.say({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params or {}})
        while True:
            answer = self.hear(timeout)
            if answer.get("id") == self._number:
                return answer

    def close_code(self, timeout: float = WAIT_S) -> int | None:
        """The code the other side closes with."""
        deadline = time.monotonic() + timeout
        try:
            while True:
                self.socket.recv(max(0.0, deadline - time.monotonic()))
        except ConnectionClosed as exc:
            return exc.rcvd.code if exc.rcvd is not None else 1006

    def close(self) -> None:
        self.socket.close()


def serve_forever(extension: Bare, answer: Callable[[Message], Message] | None = None) -> threading.Thread:
    """Let an extension answer every call, in a thread, until its socket ends."""

    def run() -> None:
        try:
            for text in extension.socket:
                call = json.loads(text)
                if "id" in call and "method" in call:
                    result = {"echo": call.get("params")} if answer is None else answer(call)
                    extension.say({"jsonrpc": "2.0", "id": call["id"], "result": result})
        except ConnectionClosed:
            return

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


class Healthy:
    """A pair of another user that calls all the while; an attack must not be felt."""

    def __init__(self, proxy: ProxyProcess, user: str = "healthy") -> None:
        self.extension, self.client, _ = proxy.pair(user)
        serve_forever(self.extension)
        self.times: list[float] = []
        self.failure: BaseException | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            number = 0
            while not self._stop.is_set():
                number += 1
                began = time.monotonic()
                assert self.client.ask("click", {"number": number})["echo"] == {"number": number}
                self.times.append(time.monotonic() - began)
                self._stop.wait(0.005)
        except BaseException as exc:
            self.failure = exc

    def finish(self) -> None:
        """Served all the while, and still."""
        until(lambda: self.failure or len(self.times) > 3)
        served = len(self.times)
        until(lambda: self.failure or len(self.times) > served)
        self._stop.set()
        self._thread.join(WAIT_S)
        assert self.failure is None, f"felt by others: {self.failure!r}"
        assert max(self.times) < 3
        self.extension.close()
        self.client.close()


@contextmanager
def healthy_beside(proxy: ProxyProcess) -> Generator[Healthy]:
    made = Healthy(proxy)
    until(lambda: made.times or made.failure)
    yield made
    made.finish()


UPGRADE: Final = (
    "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n{more}\r\n"
)


def upgraded(proxy: ProxyProcess, path: str = "/mcp", more: str = "", timeout: float = WAIT_S) -> socket.socket:
    """A raw socket after its handshake."""
    peer = proxy.raw(timeout)
    peer.sendall(UPGRADE.format(path=path, port=proxy.port, more=more).encode())
    head = b""
    while b"\r\n\r\n" not in head:
        data = peer.recv(1)
        assert data, head
        head += data
    assert b" 101 " in head, head
    assert b"permessage-deflate" not in head
    return peer


def frame(data: bytes, opcode: int = 1, *, fin: bool = True, mask: bool = True, rsv: int = 0) -> bytes:
    first = (0x80 if fin else 0) | rsv << 4 | opcode
    length = len(data)
    if length < 126:
        head = bytes((first, length | (0x80 if mask else 0)))
    elif length < 65536:
        head = bytes((first, 126 | (0x80 if mask else 0))) + length.to_bytes(2, "big")
    else:
        head = bytes((first, 127 | (0x80 if mask else 0))) + length.to_bytes(8, "big")
    return head + (b"\0\0\0\0" if mask else b"") + data


def handshake(peer: socket.socket, user: str = "attacker") -> None:
    """Authenticate a raw socket as a client."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "mcp_handshake", "params": {"accessToken": token(user)}}
    peer.sendall(frame(json.dumps(message).encode()))
    assert b'"authenticated":true' in peer.recv(4096)


def closing(peer: socket.socket, timeout: float = WAIT_S) -> int:
    """The close code of a raw socket; 0 if it just ended. Frames before it are passed over."""
    peer.settimeout(timeout)
    data = b""
    try:
        while chunk := peer.recv(65536):
            data += chunk
    except ConnectionResetError:
        pass
    at, code = 0, 0
    while len(data) - at >= 2:
        length, start = data[at + 1] & 127, at + 2
        if length == 126:
            length, start = int.from_bytes(data[at + 2 : at + 4], "big"), at + 4
        elif length == 127:
            length, start = int.from_bytes(data[at + 2 : at + 10], "big"), at + 10
        if data[at] & 15 == 8 and length >= 2:
            code = int.from_bytes(data[start : start + 2], "big")
        at = start + length
    return code
