"""Requests as an attacker writes them: raw bytes on a socket, from whatever user."""

import json
import os
import socket
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPResponse
from typing import Any, Final

import pytest

from tabwright.edges.commands.control_client import ask
from tabwright.edges.runtime import Home
from tests.gateway import GatewayProcess

NOBODY: Final = 65534
TIMEOUT_S: Final = 5.0
INITIALIZE: Final[dict[str, Any]] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}
MCP: Final = ("Content-Type: application/json", "Accept: application/json, text/event-stream")

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name), None)

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def allows_cors(self) -> bool:
        return any(key.lower().startswith("access-control-") for key, _ in self.headers)


def request(
    port: int,
    method: str = "GET",
    target: str = "/health",
    *headers: str,
    body: bytes | dict[str, Any] = b"",
    host: str | None = None,
) -> Answer:
    """One request. `host`: another Host line than the right one; an empty one sends none."""
    sent = json.dumps(body).encode() if isinstance(body, dict) else body
    lines = [
        f"{method} {target} HTTP/1.1",
        *([f"Host: 127.0.0.1:{port}"] if host is None else [host] if host else []),
        "Connection: close",
        *headers,
        *([f"Content-Length: {len(sent)}"] if sent or method == "POST" else []),
    ]
    return exchange(port, "\r\n".join([*lines, "", ""]).encode("latin-1") + sent, method)


def upgrade(port: int, *headers: str, target: str = "/", host: str | None = None) -> Answer:
    """A WebSocket handshake; 101 means the door is open."""
    return request(
        port,
        "GET",
        target,
        *("Upgrade: websocket", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13"),
        "Connection: Upgrade",
        *headers,
        host=host,
    )


def exchange(port: int, data: bytes, method: str = "GET") -> Answer:
    with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S) as peer:
        peer.sendall(data)
        with closing(HTTPResponse(peer, method=method)) as response:
            response.begin()
            # what follows a handshake or opens a session has no end
            endless = response.status == 101 or response.getheader("x-session-id") is not None
            body = b"" if endless else response.read()
            return Answer(response.status, tuple(response.getheaders()), body)


def as_nobody(code: str, *arguments: str) -> str:
    """Run Python as another user of this machine: what it prints. `peer(port)` there connects a socket."""
    # the interpreter may lie where that user cannot go, so it starts first and drops its rights then
    prelude = (
        "import os, socket, sys\n"
        f"os.setgroups([]); os.setgid({NOBODY}); os.setuid({NOBODY})\n"
        "def peer(port):\n"
        "    made = socket.socket(); made.settimeout(5); made.connect(('127.0.0.1', int(port))); return made\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", prelude + code, *arguments], capture_output=True, text=True, timeout=20, cwd="/"
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def sockets_of(pid: int) -> set[str]:
    """The inodes of a process's sockets."""
    found: set[str] = set()
    for name in os.listdir(f"/proc/{pid}/fd"):
        target = os.readlink(f"/proc/{pid}/fd/{name}")
        if target.startswith("socket:["):
            found.add(target[8:-1])
    return found


def listening(pid: int) -> list[tuple[str, int]]:
    """Address and port, as the kernel spells them, of each TCP listener of a process."""
    inodes, found = sockets_of(pid), list[tuple[str, int]]()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        if not os.path.exists(table):
            continue
        with open(table, encoding="ascii") as rows:
            for fields in map(str.split, list(rows)[1:]):
                if fields[3] == "0A" and fields[9] in inodes:
                    address, _, port = fields[1].rpartition(":")
                    found.append((address, int(port, 16)))
    return found


def status(gateway: GatewayProcess) -> dict[str, Any]:
    """What `tabwright status --json` prints, without starting a process for it."""
    return ask(Home(gateway.home), "status")


def nothing_came_of_it(gateway: GatewayProcess) -> bool:
    """No browser is registered and no session was opened."""
    told = status(gateway)
    return told["browsers"] == [] and told["sessions"] == []
