"""What a routed call costs the proxy in processor time, beside haproxy passing the same frames; and an idle browser.

One generator drives both: raw sockets, frames made beforehand. Through the proxy a call goes client -> extension and
back, with every limit and check on; through haproxy the same bytes go client -> server and back. The two run in turns.
Then as many idle extensions as asked for connect, authenticate and stay. Prints medians and ratios; ends with status 1
when a goal is missed.
"""

import argparse
import asyncio
import json
import os
import resource
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, Final

import jwt
import uvloop

TABWRIGHT: Final = str(Path(sys.executable).with_name("tabwright"))
HAPROXY: Final = """
global
    maxconn 4096
    nbthread 1
defaults
    mode http
    timeout connect 5s
    timeout client 1h
    timeout server 1h
    timeout tunnel 1h
frontend in
    bind 127.0.0.1:{port}
    default_backend out
backend out
    server one 127.0.0.1:{target}
"""
GOAL_RATIO, GOAL_KB, GOAL_CORE = 2.0, 24.0, 5.0
SECRET: Final = secrets.token_hex(32)


def token(role: str, user: str) -> str:
    claims = {"user_id": user, "connection_url": "ws://127.0.0.1/mcp", "exp": int(time.time()) + 3600, "role": role}
    return jwt.encode(claims, SECRET, algorithm="HS256")


def masked(data: bytes) -> bytes:
    """A text frame with an all-zero mask: legal, and the generator need not spend time on it."""
    if len(data) < 126:
        return bytes((0x81, 0x80 | len(data))) + b"\0\0\0\0" + data
    return bytes((0x81, 0xFE)) + len(data).to_bytes(2, "big") + b"\0\0\0\0" + data


def bare(data: bytes) -> bytes:
    return (
        bytes((0x81, len(data))) + data if len(data) < 126 else bytes((0x81, 126)) + len(data).to_bytes(2, "big") + data
    )


class Peer(asyncio.Protocol):
    """One end of a WebSocket: whole frames in, whatever side it is on."""

    def __init__(self, on_frame: Callable[["Peer", bytes], bytes | None], *, serves: bool = False) -> None:
        self._on_frame = on_frame
        self._serves = serves
        self._open = False
        self._buffer = b""
        self.opened = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.opened.done():
            self.opened.set_exception(ConnectionError(f"refused: {self._buffer[:80]!r}"))

    def hello(self, path: str, port: int) -> None:
        lines = ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")
        head = [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", *lines, "Sec-WebSocket-Version: 13", "", ""]
        self.transport.write("\r\n".join(head).encode())

    def data_received(self, data: bytes) -> None:
        data = self._buffer + data
        if not self._open:
            head, found, rest = data.partition(b"\r\n\r\n")
            if not found:
                self._buffer = data
                return
            if self._serves:
                lines = (
                    b"Upgrade: websocket",
                    b"Connection: Upgrade",
                    b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
                )
                self.transport.write(b"\r\n".join((b"HTTP/1.1 101 Switching Protocols", *lines, b"", b"")))
            assert self._serves or b" 101 " in head, head
            self._open, data = True, rest
            self.opened.set_result(None)
        at, size, answers = 0, len(data), []
        while size - at >= 2:
            length, start = data[at + 1] & 127, at + 2
            if length == 126:
                length, start = int.from_bytes(data[at + 2 : at + 4], "big"), at + 4
            if data[at + 1] & 128:
                start += 4
            if size < start + length:
                break
            payload = data[start : start + length]
            # a ping is answered: whoever gives no sign of life is cut
            answer = (
                self._on_frame(self, payload)
                if data[at] == 0x81
                else bytes((0x8A, 0x80 | length)) + b"\0\0\0\0" + payload
            )
            if data[at] not in (0x81, 0x89):
                answer = None
            if answer is not None:
                answers.append(answer)
            at = start + length
        self._buffer = data[at:]
        if answers:
            self.transport.write(b"".join(answers))


async def dial(port: int, path: str, on_frame: Callable[[Peer, bytes], bytes | None]) -> Peer:
    _, peer = await asyncio.get_running_loop().create_connection(lambda: Peer(on_frame), "127.0.0.1", port)
    peer.hello(path, port)
    await peer.opened
    return peer


def mailbox() -> tuple["asyncio.Queue[Any]", Callable[[Peer, bytes], None]]:
    queue: asyncio.Queue[Any] = asyncio.Queue()
    return queue, lambda _, data: queue.put_nowait(json.loads(data))


class Caller:
    """Keeps so many calls under way until it has made its share."""

    def __init__(self, calls: int, done: Callable[[], None]) -> None:
        self.left = self.out = calls
        self._done = done
        self._number = 1000

    def next(self) -> bytes:
        self.left -= 1
        self._number += 1
        params = b'{"selector":"#search-button","tabId":42}'
        return masked(b'{"jsonrpc":"2.0","id":%d,"method":"click","params":%b}' % (self._number, params))

    def answered(self, _: Peer, data: bytes) -> bytes | None:
        if b'"result"' not in data:
            assert b'"status"' in data, data
            return None
        self.out -= 1
        if self.out == 0:
            self._done()
        return self.next() if self.left > 0 else None


def reply(data: bytes, frame: Callable[[bytes], bytes]) -> bytes | None:
    if not data.startswith(b'{"jsonrpc":"2.0","id":'):
        return None
    raw_id = data[22 : data.index(b',"method"')]
    return frame(b'{"jsonrpc":"2.0","id":%b,"result":{"ok":true}}' % raw_id)


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_kb(pid: int) -> float:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1024


async def drive(callers: list[tuple[Caller, Peer]], in_flight: int, pid: int, calls: int, done: asyncio.Event) -> float:
    """Microseconds of processor time a call."""
    before = cpu_s(pid)
    for caller, peer in callers:
        peer.transport.write(b"".join(caller.next() for _ in range(in_flight)))
    async with asyncio.timeout(300):
        await done.wait()
    return (cpu_s(pid) - before) / calls * 1e6


def crew(pairs: int, calls: int) -> tuple[list[Caller], asyncio.Event]:
    done, left = asyncio.Event(), [pairs]

    def one() -> None:
        left[0] -= 1
        if not left[0]:
            done.set()

    return [Caller(calls // pairs, one) for _ in range(pairs)], done


async def through_proxy(port: int, pid: int, pairs: int, in_flight: int, calls: int) -> float:
    callers, done = crew(pairs, calls)
    wired: list[tuple[Caller, Peer]] = []
    peers: list[Peer] = []
    for number, caller in enumerate(callers):
        extension, client = await join(port, f"user{number}", caller.answered)
        peers += [extension, client]
        wired.append((caller, client))
    cost = await drive(wired, in_flight, pid, calls, done)
    for peer in peers:
        peer.transport.abort()
    return cost


async def join(port: int, user: str, heard: Callable[[Peer, bytes], bytes | None]) -> tuple[Peer, Peer]:
    """An extension that answers everything, and a client connected to it."""
    queue, put = mailbox()

    def on_extension(_: Peer, data: bytes) -> bytes | None:
        if b'"method":"click"' in data:
            return reply(data, masked)
        put(_, data)
        return None

    extension = await dial(port, "/extension", on_extension)
    assert (await queue.get())["id"] == "proxy:1"
    result = {"name": "bench", "accessToken": token("extension", user)}
    extension.transport.write(masked(json.dumps({"jsonrpc": "2.0", "id": "proxy:1", "result": result}).encode()))
    extension_id = (await queue.get())["params"]["extension_id"]
    answers, note = mailbox()
    ready = False

    def on_client(peer: Peer, data: bytes) -> bytes | None:
        return heard(peer, data) if ready else note(peer, data)

    client = await dial(port, "/mcp", on_client)
    for number, (method, params) in enumerate(
        (("mcp_handshake", {"accessToken": token("mcp", user)}), ("connect", {"extension_id": extension_id}))
    ):
        client.transport.write(
            masked(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode())
        )
        assert "result" in await answers.get()
    ready = True
    return extension, client


async def through_haproxy(port: int, pid: int, target: int, pairs: int, in_flight: int, calls: int) -> float:
    callers, done = crew(pairs, calls)
    server = await asyncio.get_running_loop().create_server(
        lambda: Peer(lambda _, data: reply(data, bare), serves=True), "127.0.0.1", target
    )
    wired = [(caller, await dial(port, "/mcp", caller.answered)) for caller in callers]
    cost = await drive(wired, in_flight, pid, calls, done)
    for _, peer in wired:
        peer.transport.abort()
    server.close()
    return cost


async def idle(port: int, pid: int, count: int, seconds: float) -> tuple[float, float, float]:
    """KB each, % of a core while they do nothing but answer pings, seconds until all were in."""
    before, began = resident_kb(pid), time.monotonic()
    peers: list[Peer] = []
    gate = asyncio.Semaphore(200)
    made = token("extension", "idle")

    async def one() -> None:
        async with gate:
            joined = asyncio.get_running_loop().create_future()

            def on_frame(peer: Peer, data: bytes) -> bytes | None:
                if b'"authenticate"' in data:
                    result = {"name": "idle", "accessToken": made}
                    return masked(json.dumps({"jsonrpc": "2.0", "id": "proxy:1", "result": result}).encode())
                joined.set_result(None)
                return None

            async with asyncio.timeout(30):
                peers.append(await dial(port, "/extension", on_frame))
                await joined

    async with asyncio.timeout(180):
        await asyncio.gather(*(one() for _ in range(count)))
    took = time.monotonic() - began
    await asyncio.sleep(1)
    used = cpu_s(pid)
    await asyncio.sleep(seconds)
    core = (cpu_s(pid) - used) / seconds * 100
    each = (resident_kb(pid) - before) / count
    lost = sum(peer.transport.is_closing() for peer in peers)
    assert not lost, f"{lost} were lost"
    for peer in peers:
        peer.transport.abort()
    return each, core, took


def free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start_proxy(folder: Path) -> tuple["subprocess.Popen[str]", int]:
    (folder / "secret").write_text(SECRET)
    port = free_port()
    quiet = ("--strangers-per-address", "10000", "--log-level", "warning")
    limits = ("--rate", "100000000", "--user-peers", "1000000", "--connects-per-address", "0", "--strangers", "10000")
    process = subprocess.Popen(
        [TABWRIGHT, "proxy", "--port", str(port), "--jwt-secret-file", str(folder / "secret"), *limits, *quiet],
        env={**os.environ, "TABWRIGHT_HOME": str(folder)},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline().startswith("tabwright proxy ready"), "the proxy did not start"
    return process, port


def start_haproxy(folder: Path, target: int) -> tuple["subprocess.Popen[bytes]", int]:
    port = free_port()
    (folder / "haproxy.cfg").write_text(HAPROXY.format(port=port, target=target))
    process = subprocess.Popen(["haproxy", "-f", str(folder / "haproxy.cfg"), "-db"], stderr=subprocess.DEVNULL)
    import socket

    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return process, port
        except OSError:
            time.sleep(0.02)
    raise AssertionError("haproxy did not start")


async def measure(folder: Path, options: argparse.Namespace) -> bool:
    target = free_port()
    proxy, port = start_proxy(folder)
    beside = start_haproxy(folder, target) if shutil.which("haproxy") else None
    good = True
    try:
        for label, pairs, in_flight in (("1 in flight", 1, 1), ("64 in flight", 64, 1), ("64, 8 by 8", 8, 8)):
            ours: list[float] = []
            theirs: list[float] = []
            calls = options.calls if pairs > 1 else options.calls // 4
            for _ in range(options.runs):
                ours.append(await through_proxy(port, proxy.pid, pairs, in_flight, calls))
                if beside is not None:
                    theirs.append(await through_haproxy(beside[1], beside[0].pid, target, pairs, in_flight, calls))
            line = f"{label:14} proxy {median(ours):6.1f} µs a call ({min(ours):.1f}-{max(ours):.1f})"
            if theirs:
                ratio = median(ours) / median(theirs)
                line += f"   haproxy {median(theirs):6.1f} ({min(theirs):.1f}-{max(theirs):.1f})   ratio {ratio:.2f}"
                good &= pairs != 64 or ratio <= GOAL_RATIO
            print(line)  # noqa: T201 - a bench talks to a person
        if options.idle:
            each, core, took = await idle(port, proxy.pid, options.idle, options.idle_seconds)
            good &= each <= GOAL_KB and core <= GOAL_CORE
            print(f"{options.idle} idle extensions: {each:.1f} KB each, {core:.1f} % of a core, in after {took:.1f} s")  # noqa: T201
    finally:
        proxy.terminate()
        sys.stderr.write(proxy.communicate(timeout=20)[1] or "")
        if beside is not None:
            beside[0].terminate()
            beside[0].wait(10)
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=40_000, help="a run (default 40000; a quarter one at a time)")
    parser.add_argument("--runs", type=int, default=3, help="of each, in turns (default 3)")
    parser.add_argument("--idle", type=int, default=10_000, help="extensions that only stay (default 10000; 0: none)")
    parser.add_argument("--idle-seconds", type=float, default=45.0)
    options = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with tempfile.TemporaryDirectory(prefix="tabwright-bench-") as folder:
        return 0 if uvloop.run(measure(Path(folder), options)) else 1


if __name__ == "__main__":
    sys.exit(main())
