"""Attacks by what is in messages and frames (T39 to T41, T43), with a healthy pair beside that must not feel it."""

import json
import socket
import struct
import time
import zlib
from pathlib import Path

import pytest

from tests.gateway import until
from tests.proxy.server import (
    ProxyProcess,
    closing,
    frame,
    handshake,
    healthy_beside,
    proxying,
    token,
    upgraded,
)

pytestmark = pytest.mark.usefixtures("beside")


@pytest.mark.rule("T39")
def test_bad_json_is_answered_and_the_socket_lives(proxy: ProxyProcess) -> None:
    client = proxy.client("attacker")
    for text in (
        "[" * 100_000 + "]" * 100_000,
        '{"jsonrpc":"2.0","id":1,"method":"m","params":' + "[" * 500 + "]" * 500 + "}",
        '{"jsonrpc":"2.0","id":1,"method":"m","params":NaN}',
        '{"jsonrpc":"2.0","id":' + "1" * 5_000 + ',"method":"m"}',
        '{"jsonrpc":"2.0","id":1e400,"method":"m"}',
        '{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}',
        '{"jsonrpc":"2.0","id":1,"method":"m","params":"\\ud800"}',
        "\ufeff{}",
        "{} junk",
        "",
        "\x00",
        "[" + ",".join(['{"jsonrpc":"2.0","id":1,"method":"list_extensions"}'] * 10_000) + "]",
    ):
        client.say(text)
        assert client.hear()["error"]["code"] in (-32700, -32600), text[:60]
    assert client.ask("list_extensions") == {"extensions": []}
    assert "RecursionError" not in proxy.log
    assert "Traceback" not in proxy.log


@pytest.mark.rule("T39")
@pytest.mark.parametrize("data", [b'{"a":"\xff"}', '{"a":1}'.encode("utf-16"), b"\xed\xa0\x80"])
def test_text_that_is_not_utf_8_closes_with_1007(proxy: ProxyProcess, data: bytes) -> None:
    with upgraded(proxy) as peer:
        handshake(peer)
        peer.sendall(frame(data))
        assert closing(peer) == 1007


@pytest.mark.rule("T40")
def test_bombs_and_giants_are_refused_at_once(proxy: ProxyProcess) -> None:
    before = proxy.resident_mb
    bomb = zlib.compressobj(9, zlib.DEFLATED, -15).compress(bytes(100_000_000))
    offer = "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n"
    with upgraded(proxy, more=offer) as peer:
        handshake(peer)
        peer.sendall(frame(bomb[:60_000], rsv=4))
        assert closing(peer) == 1002
    for claimed in (2**62, 9 << 20):
        with upgraded(proxy) as peer:
            handshake(peer)
            began = time.monotonic()
            peer.sendall(b"\x81\xff" + claimed.to_bytes(8, "big") + b"\0\0\0\0xx")
            assert closing(peer) == 1009
            assert time.monotonic() - began < 5
    assert proxy.resident_mb - before < 16


@pytest.mark.rule("T40")
def test_endless_headers_are_refused(proxy: ProxyProcess) -> None:
    before = proxy.resident_mb
    with proxy.raw() as peer:
        try:
            peer.sendall(b"GET /mcp HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 10_000_000 + b"\r\n\r\n")
            answer = peer.recv(100)
        except OSError:
            answer = b""
        assert b" 101 " not in answer
    assert proxy.resident_mb - before < 16


@pytest.mark.rule("T41")
@pytest.mark.parametrize("piece", [b"", b"x"])
def test_a_message_in_crumbs_is_refused_cheaply(proxy: ProxyProcess, piece: bytes) -> None:
    with upgraded(proxy) as peer:
        handshake(peer)
        used = proxy.cpu_s
        crumbs = frame(b"{", fin=False) + frame(piece, 0, fin=False) * 20_000
        try:
            for _ in range(40):
                peer.sendall(crumbs)
        except OSError:
            pass
        assert closing(peer) in (1009, 0)
        assert proxy.cpu_s - used < 1


@pytest.mark.rule("T41")
def test_a_message_without_end_is_not_waited_for(tmp_path: Path) -> None:
    made = proxying(tmp_path / "home", "--silence-s", "2")
    with made as proxy, healthy_beside(proxy), upgraded(proxy, timeout=40) as peer:
        handshake(peer)
        peer.sendall(frame(b"{", fin=False))
        began = time.monotonic()
        assert closing(peer, 35) == 1008
        assert time.monotonic() - began > 2


@pytest.mark.rule("T43")
@pytest.mark.parametrize(
    ("data", "code"),
    [
        (frame(b"{}", mask=False), 1002),
        (frame(b"{}", rsv=2), 1002),
        (frame(b"{}", 3), 1002),
        (frame(b"x" * 126, 9), 1002),
        (frame(b"x", 9, fin=False), 1002),
        (frame(struct.pack("!H", 999), 8), 1002),
        (frame(b"x", 8), 1002),
        (frame(b"x", 0), 1002),
        (frame(b"\x00\x01", 2), 1003),
    ],
)
def test_broken_frames_close_the_socket(proxy: ProxyProcess, data: bytes, code: int) -> None:
    with upgraded(proxy) as peer:
        handshake(peer)
        peer.sendall(data)
        assert closing(peer) == code


@pytest.mark.rule("T43")
def test_what_comes_after_a_close_counts_for_nothing(proxy: ProxyProcess) -> None:
    with upgraded(proxy) as peer:
        handshake(peer)
        list_ = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "list_extensions"}).encode()
        peer.sendall(frame(struct.pack("!H", 1000), 8) + frame(list_))
        assert closing(peer) == 1000


@pytest.mark.rule("T43")
def test_pings_of_one_who_does_not_listen_fill_no_memory(proxy: ProxyProcess) -> None:
    before = proxy.resident_mb
    with upgraded(proxy) as peer:
        handshake(peer)
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        pings = frame(b"x" * 100, 9) * 1_000
        peer.settimeout(0.3)
        sent = 0
        try:
            for _ in range(1_500):
                sent += peer.send(pings)
        except TimeoutError:
            pass
        assert sent < len(pings) * 1_500, "nobody stopped it"
        assert proxy.resident_mb - before < 8


@pytest.mark.rule("T41")
def test_a_browser_that_speaks_without_a_pause_is_heard(tmp_path: Path) -> None:
    """Whatever is read ends within a message, but none of them is long under way."""
    event = frame(json.dumps({"jsonrpc": "2.0", "method": "tabUpdated", "params": {"text": "x" * 2_000}}).encode())
    with proxying(tmp_path / "home", "--silence-s", "2") as proxy, upgraded(proxy, "/extension", timeout=5) as peer:
        answer = {"jsonrpc": "2.0", "id": "proxy:1", "result": {"name": "busy", "accessToken": token("busy")}}
        peer.sendall(frame(json.dumps(answer).encode()) + event[:1_000])
        client = proxy.client("busy")
        [row] = until(lambda: client.ask("list_extensions")["extensions"])
        client.ask("connect", {"extension_id": row["id"]})
        assert client.hear()["method"] == "status"
        began = time.monotonic()
        while time.monotonic() - began < 6:
            peer.sendall(event[1_000:] + event[:1_000])
            assert client.hear()["method"] == "tabUpdated"
            time.sleep(0.02)  # it is the time that such a stream lasts
