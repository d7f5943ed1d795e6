"""Slow readers (T45): the honest lose nothing, those that stop are cut, and nobody else feels either."""

import json
import re
import socket
import threading
import time
from collections.abc import Callable

import pytest

from tests.gateway import until
from tests.proxy.server import (
    UPGRADE,
    Bare,
    ProxyProcess,
    closing,
    frame,
    handshake,
    serve_forever,
    token,
)

pytestmark = pytest.mark.usefixtures("beside")

PICTURE = "x" * 100_000


def narrow(proxy: ProxyProcess, path: str = "/mcp") -> socket.socket:
    """A raw socket after its handshake, which takes little before it is read."""
    peer = socket.socket()
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    peer.settimeout(20)
    peer.connect(("127.0.0.1", proxy.port))
    peer.sendall(UPGRADE.format(path=path, port=proxy.port, more="").encode())
    head = b""
    while b"\r\n\r\n" not in head:
        head += peer.recv(1)
    return peer


def attach(peer: socket.socket, extension_id: str) -> None:
    connect = {"jsonrpc": "2.0", "id": 2, "method": "connect", "params": {"extension_id": extension_id}}
    peer.sendall(frame(json.dumps(connect).encode()))


def screenshots(first: int, last: int) -> bytes:
    return b"".join(frame(b'{"jsonrpc":"2.0","id":%d,"method":"screenshot"}' % number) for number in range(first, last))


def camera(call: dict[str, object]) -> dict[str, object]:
    return {"data": PICTURE} if call["method"] == "screenshot" else {}


def read_until(peer: socket.socket, done: Callable[[bytes], bool]) -> bytes:
    heard = bytearray()
    while not done(bytes(heard[-200_000:])):
        data = peer.recv(65536)
        assert data, "cut"
        heard += data
    return bytes(heard)


@pytest.mark.rule("T45")
def test_a_reader_that_stops_is_cut_and_the_other_client_of_the_same_browser_served(proxy: ProxyProcess) -> None:
    extension, client, _ = proxy.pair("slow")
    serve_forever(extension, camera)
    before = proxy.resident_mb
    listed = client.ask("list_extensions")["extensions"]
    with narrow(proxy) as stalled:
        handshake(stalled, "slow")
        attach(stalled, listed[0]["id"])
        stalled.sendall(screenshots(10, 110))
        began = time.monotonic()
        slowest = 0.0
        while "cannot keep up" not in proxy.log:
            start = time.monotonic()
            client.ask("click")
            slowest = max(slowest, time.monotonic() - start)
            assert time.monotonic() - began < 20
        assert slowest < 5
        assert proxy.resident_mb - before < 16
    assert client.ask("click") == {}


@pytest.mark.rule("T45")
def test_a_slow_reader_gets_everything_and_its_browser_waits(proxy: ProxyProcess) -> None:
    extension, extension_id = proxy.extension("patient")
    answered: list[object] = []
    serve_forever(extension, lambda call: answered.append(call["id"]) or camera(call))
    before = proxy.resident_mb
    with narrow(proxy) as reader:
        handshake(reader, "patient")
        attach(reader, extension_id)
        reader.sendall(screenshots(10, 210))
        # 20 MB for a queue of one: the browser is not read any more, and cannot answer more
        until(lambda: _at_rest(lambda: len(answered)), 20)
        assert 5 < len(answered) < 190
        assert proxy.resident_mb - before < 16
        heard = read_until(reader, lambda end: b'"id":209' in end and end.endswith(b'"}}'))
    numbers = [int(found) for found in re.findall(rb'"id":(\d+)', heard)]
    assert sorted(numbers) == [2, *range(10, 210)]
    assert heard.count(b"x" * 100_000) == 200


def _at_rest(value: Callable[[], int], seconds: float = 0.5) -> bool:
    """Whether something has begun and does not grow any more."""
    first = value()
    time.sleep(seconds)  # that nothing happens takes time to see
    return first > 0 and value() == first


@pytest.mark.rule("T45")
def test_a_slow_browser_gets_everything_and_its_client_waits(proxy: ProxyProcess) -> None:
    with narrow(proxy, "/extension") as extension:
        credentials = {"name": "slow", "accessToken": token("busy")}
        extension.sendall(frame(json.dumps({"jsonrpc": "2.0", "id": "proxy:1", "result": credentials}).encode()))
        told = read_until(extension, lambda end: b'"authenticated"' in end)
        client = proxy.client("busy")
        [row] = client.ask("list_extensions")["extensions"]
        assert row["id"].encode() in told
        client.ask("connect", {"extension_id": row["id"]})
        sent: list[int] = []
        thread = threading.Thread(target=_type_much, args=(client, sent), daemon=True)
        thread.start()
        until(lambda: _at_rest(lambda: len(sent)), 20)
        assert len(sent) < 200
        heard = read_until(extension, lambda end: b":199" in end[-150_000:] and end.endswith(b"}}"))
        thread.join(10)
    assert heard.count(PICTURE.encode()) == 200
    assert len(sent) == 200


def _type_much(client: Bare, sent: list[int]) -> None:
    for number in range(200):
        client.say({"jsonrpc": "2.0", "id": number, "method": "type", "params": {"text": PICTURE}})
        sent.append(number)


@pytest.mark.rule("T45")
def test_one_that_reads_nothing_is_cut_though_nobody_else_is_there(proxy: ProxyProcess) -> None:
    extension, extension_id = proxy.extension("alone")
    serve_forever(extension, camera)
    with narrow(proxy) as stalled:
        handshake(stalled, "alone")
        attach(stalled, extension_id)
        began = time.monotonic()
        stalled.sendall(screenshots(10, 110))
        other = proxy.client("alone")
        until(lambda: _closed_for(other, extension_id), 20)
        assert time.monotonic() - began < 15
        # the reason lies behind what was never read
        assert closing(stalled, 10) in (0, 1013)
    # and the browser that was waiting for it serves again
    other.ask("connect", {"extension_id": extension_id})
    assert other.ask("click") == {}


def _closed_for(other: Bare, extension_id: str) -> bool:
    """Whether nobody but the one who asks is connected to an extension."""
    other.say({"jsonrpc": "2.0", "id": "c", "method": "connect", "params": {"extension_id": extension_id}})
    count = 0
    while not count:
        message = other.hear()
        count = message.get("params", {}).get("peer_count", 0)
    other.ask("disconnect")
    assert other.hear()["method"] == "status"
    time.sleep(0.2)  # polled, and a poll costs
    return count == 1
