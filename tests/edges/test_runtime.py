"""One gateway per home: what it finds there, what it leaves behind, and how it ends."""

import asyncio
import fcntl
import json
import os
import signal
import socket
import sqlite3
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tabwright.edges.runtime import Home, wait_for_end
from tabwright.settings import MIN_TOKEN_CHARS
from tests.attacks.command import refused, refused_start
from tests.attacks.wire import INITIALIZE, MCP, request, status
from tests.clients import connect
from tests.gateway import TABWRIGHT, GatewayProcess, alive, running, until


def pump(gateway: GatewayProcess) -> subprocess.Popen[str]:
    """A stdio client with an open session."""
    process = subprocess.Popen(
        [TABWRIGHT],
        env=gateway.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        bufsize=1,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    for message in (INITIALIZE, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}):
        process.stdin.write(json.dumps(message) + "\n")
        assert json.loads(process.stdout.readline())["id"] == message["id"]
    return process


def test_a_second_gateway_of_the_same_home_is_told_of_the_first(gateway: GatewayProcess) -> None:
    told = refused_start(gateway.home)
    assert told.code == 3
    assert f"pid {gateway.pid}" in told.line
    assert "tabwright stop" in told.line
    assert request(gateway.port).status == 200
    assert status(gateway)["pid"] == gateway.pid, "the first one's files are untouched"


def test_a_gateway_that_has_ended_is_not_taken_for_the_next(gateway: GatewayProcess) -> None:
    with subprocess.Popen(["true"]) as former:
        former.wait()
    assert wait_for_end(Home(gateway.home), former.pid, 1)
    assert not wait_for_end(Home(gateway.home), gateway.pid, 0.1)


def test_gateways_of_two_homes_live_side_by_side(gateway: GatewayProcess, tmp_path: Path) -> None:
    with running(tmp_path / "a home with späces") as other:
        assert other.pid != gateway.pid
        assert status(other)["pid"] == other.pid
        assert status(gateway)["pid"] == gateway.pid


def test_what_a_killed_gateway_left_does_not_hinder_the_next(gateway: GatewayProcess) -> None:
    gateway.kill()
    left = sorted(path.name for path in (gateway.home / "run").iterdir())
    assert {"gateway.json", "gateway.sock", "gateway.lock"} <= set(left)
    assert refused(gateway.home, "status").code == 1

    # by now its number may be another's
    stale = {"pid": os.getpid(), "version": "0.0.1", "port": 1, "extensionPort": 2, "startedAt": "long ago"}
    (gateway.home / "run" / "gateway.json").write_text(json.dumps(stale))
    assert refused(gateway.home, "stop").code == 1
    (gateway.home / "run" / "gateway.json").write_text("{half a file")
    gateway.start()
    assert status(gateway)["pid"] == gateway.pid


def damage_all(path: Path) -> None:
    path.write_bytes(b"this is no database\n" * 1000)


def damage_a_page(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE IF NOT EXISTS big (text TEXT)")
        db.executemany("INSERT INTO big VALUES (?)", [("x" * 3000,)] * 50)
    db.close()
    content = bytearray(path.read_bytes())
    content[4096 : len(content) - 4096] = b"\xff" * (len(content) - 8192)
    path.write_bytes(content)


@pytest.mark.parametrize("damage", [damage_all, damage_a_page])
def test_a_damaged_store_is_set_aside(gateway: GatewayProcess, damage: Callable[[Path], None]) -> None:
    assert status(gateway)["paired"] is False
    assert gateway.stop() == 0
    store = gateway.home / "tabwright.db"
    damage(store)
    broken = store.read_bytes()
    gateway.start()
    [aside] = gateway.home.glob("tabwright.db.damaged-*")
    assert aside.read_bytes() == broken, "whoever wants to read it by hand still can"
    assert aside.stat().st_mode & 0o077 == 0
    assert "is damaged" in gateway.log()
    assert status(gateway)["paired"] is False


async def test_a_profile_that_cannot_be_written_is_told(own: GatewayProcess) -> None:
    """As it is on a full disk."""
    own.home.joinpath("profiles", "default").write_text("no folder")
    async with connect(own, "stdio", list="stable") as agent:
        error = await agent.refused("connect_browser", launch=True)
        assert error["code"] == "launch_failed"
        assert "profiles/default" in error["message"]


async def test_sigterm_ends_it_under_open_sessions_of_every_kind(own: GatewayProcess) -> None:
    """A browser, two stdio clients, an HTTP client with its event stream, half a request and a half-open socket."""
    pumps = [pump(own) for _ in range(2)]
    async with connect(own, "stdio") as agent:
        await agent.call("connect_browser", launch=True)
        browser = status(own)["browserPid"]
        opened = request(own.port, "POST", "/mcp", *MCP, body=INITIALIZE)
        half = await asyncio.to_thread(socket.create_connection, ("127.0.0.1", own.port), 5)
        bare = await asyncio.to_thread(socket.create_connection, ("127.0.0.1", own.extension_port), 5)
        stream = await asyncio.to_thread(socket.create_connection, ("127.0.0.1", own.port), 5)
        with half, bare, stream:
            half.sendall(f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{own.port}\r\nContent-Length: 9\r\n\r\n".encode())
            known = f"Mcp-Session-Id: {opened.header('mcp-session-id')}\r\nMCP-Protocol-Version: 2025-11-25\r\n"
            stream.sendall(
                f"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:{own.port}\r\nAccept: text/event-stream\r\n{known}\r\n".encode()
            )
            assert (await asyncio.to_thread(stream.recv, 65536)).startswith(b"HTTP/1.1 200")
            began = time.monotonic()
            assert await asyncio.to_thread(own.stop) == 0
            assert time.monotonic() - began < 8
    for process in pumps:
        assert process.wait(5) == 4
        process.communicate()
    until(lambda: not alive(browser), 2)
    assert sorted(path.name for path in (own.home / "run").iterdir() if path.is_file()) == ["gateway.lock"]


def test_sigint_is_a_quiet_end_too(gateway: GatewayProcess) -> None:
    assert gateway.process is not None
    assert gateway.process.stderr is not None
    assert status(gateway)["pid"] == gateway.pid
    gateway.process.send_signal(signal.SIGINT)
    assert gateway.process.wait(3) == 0
    assert "Traceback" not in gateway.process.stderr.read()


def test_a_signal_at_the_very_moment_it_is_ready_is_no_crash(gateway: GatewayProcess) -> None:
    assert status(gateway)["pid"] == gateway.pid
    assert gateway.stop() == 0
    published = gateway.home / "run" / "gateway.json"
    process = subprocess.Popen(
        [TABWRIGHT, "serve", "--port", "0", "--extension-port", "0"], env=gateway.env, stderr=subprocess.DEVNULL
    )
    until(published.exists, every=0.0001)
    process.send_signal(signal.SIGTERM)
    assert process.wait(5) == 0
    assert not published.exists()


def test_a_home_deep_in_the_tree_works(tmp_path: Path) -> None:
    home = tmp_path / ("d" * 70) / ("e" * 79)
    assert len(str(home)) >= 150
    with running(home) as gateway:
        assert status(gateway)["pid"] == gateway.pid
        process = pump(gateway)
        process.communicate(timeout=10)
        assert process.returncode == 0


def test_nobody_reading_its_stderr_does_not_stop_it(gateway: GatewayProcess) -> None:
    """Every refusal is a line there, and any page can cause as many as it likes."""
    assert gateway.process is not None
    assert gateway.process.stderr is not None
    unread = gateway.process.stderr.fileno()
    fcntl.fcntl(unread, fcntl.F_SETPIPE_SZ, 4096)
    try:
        for _ in range(100):
            assert refuses(gateway.port)
    finally:
        # or it could not even end
        os.set_blocking(unread, False)
        while os.read(unread, 65536):
            if refuses(gateway.port):
                break


def refuses(port: int) -> bool:
    with socket.create_connection(("127.0.0.1", port), timeout=1) as peer:
        peer.sendall(f"GET /{'x' * 90} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://evil.test\r\n\r\n".encode())
        try:
            return peer.recv(12) == b"HTTP/1.1 403"
        except TimeoutError:
            return False


def test_all_who_ask_at_first_get_the_same_token(tmp_path: Path) -> None:
    """A gateway that starts and a person who asks for the token at that moment."""
    for number in range(30):
        home = Home(tmp_path / str(number))
        home.prepare()
        with ThreadPoolExecutor(4) as people:
            tokens = {asked.result() for asked in [people.submit(home.token) for _ in range(4)]}
        assert tokens == {home.token_file.read_text().strip()}


@pytest.mark.parametrize("damaged", [b"", b"short\n", b"\xff" * 40, "тайна".encode() * 10])
def test_what_is_no_token_is_replaced(tmp_path: Path, damaged: bytes) -> None:
    home = Home(tmp_path)
    home.token_file.write_bytes(damaged)
    made = home.token()
    assert len(made) >= MIN_TOKEN_CHARS
    assert home.token_file.read_text() == f"{made}\n"
    assert home.token() == made


def test_files_from_editors_that_begin_with_a_mark_are_read(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("port = 0\nextension_port = 0\n", encoding="utf-8-sig")
    (tmp_path / "policy.toml").write_text("# nothing yet\n", encoding="utf-8-sig")
    with running(tmp_path) as gateway:
        assert request(gateway.port).status == 200
