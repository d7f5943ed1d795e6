"""Attacks on the wire (T15, T39 to T47), each with a healthy pair of another user beside it that must not feel it."""

import contextlib
import json
import socket
import struct
import threading
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from tabwright.edges.extension_files import extension_id
from tests.gateway import until
from tests.proxy.server import (
    UPGRADE,
    Bare,
    ProxyProcess,
    closing,
    frame,
    handshake,
    healthy_beside,
    proxying,
    serve_forever,
    token,
    upgraded,
)


@pytest.fixture(autouse=True)
def _beside(proxy: ProxyProcess) -> Iterator[None]:
    with healthy_beside(proxy):
        yield


# --- T15: strangers


@pytest.mark.rule("T15")
@pytest.mark.parametrize("path", ["/extension", "/mcp", "/"])
def test_silence_and_dripping_end_in_time(proxy: ProxyProcess, path: str) -> None:
    silent, dripping = upgraded(proxy, path), upgraded(proxy, path)
    stop = threading.Event()

    def drip() -> None:
        message = frame(b'{"jsonrpc":"2.0"' + b" " * 100)
        for byte in message:
            if stop.wait(0.2):
                return
            try:
                dripping.send(bytes((byte,)))
            except OSError:
                return

    thread = threading.Thread(target=drip)
    thread.start()
    began = time.monotonic()
    try:
        assert closing(silent, 8) == 4408
        assert closing(dripping, 4) == 4408
        assert time.monotonic() - began < 7.5
    finally:
        stop.set()
        thread.join(5)
        silent.close()
        dripping.close()


@pytest.mark.rule("T15")
def test_a_stranger_gets_no_large_buffers(proxy: ProxyProcess) -> None:
    before = proxy.resident_mb
    for size in (20_000, 900_000):
        with upgraded(proxy) as peer:
            with contextlib.suppress(OSError):
                peer.sendall(frame(b'{"a":"' + b"x" * size + b'"}'))
            assert closing(peer) in (1009, 0)
    for _ in range(50):
        peer = upgraded(proxy)
        with peer:
            peer.sendall(b"\x81\xff" + (900_000).to_bytes(8, "big") + b"\0\0\0\0" + b"x" * 60_000)
    assert proxy.resident_mb - before < 16


@pytest.mark.rule("T15")
def test_strangers_are_counted_and_the_rest_refused(tmp_path: Path) -> None:
    with (
        proxying(tmp_path / "home", "--strangers-per-address", "20", "--strangers", "30") as proxy,
        healthy_beside(proxy),
    ):
        peers = [proxy.raw() for _ in range(25)]
        answers: list[bytes] = []
        for peer in peers:
            peer.sendall(UPGRADE.format(path="/mcp", port=proxy.port, more="").encode())
            answers.append(peer.recv(4096).split(b"\r\n")[0])
        assert sum(b" 101 " in answer for answer in answers) == 20
        assert sum(b" 429 " in answer for answer in answers) == 5
        for peer in peers:
            peer.close()
        until(lambda: _opens(proxy))


def _opens(proxy: ProxyProcess) -> bool:
    with proxy.raw() as peer:
        peer.sendall(UPGRADE.format(path="/mcp", port=proxy.port, more="").encode())
        return b" 101 " in peer.recv(4096)


@pytest.mark.rule("T15")
def test_sockets_that_never_even_ask_are_bounded_too(tmp_path: Path) -> None:
    with proxying(tmp_path / "home", "--strangers", "40") as proxy, healthy_beside(proxy):
        peers = [proxy.raw() for _ in range(100)]
        until(lambda: sum(_is_over(peer) for peer in peers) >= 55)
        for peer in peers:
            peer.close()


def _is_over(peer: socket.socket) -> bool:
    peer.setblocking(False)
    try:
        return peer.recv(1) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


# --- T39: JSON


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


# --- T40, T41: sizes


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
            assert time.monotonic() - began < 1
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
@pytest.mark.timeout(90)
def test_a_message_without_end_is_not_waited_for(proxy: ProxyProcess) -> None:
    with upgraded(proxy, timeout=40) as peer:
        handshake(peer)
        peer.sendall(frame(b"{", fin=False))
        began = time.monotonic()
        assert closing(peer, 35) == 1008
        assert time.monotonic() - began < 30


# --- T42: slowloris


@pytest.mark.rule("T42")
def test_a_dripping_header_ends_in_time(proxy: ProxyProcess) -> None:
    peers = [proxy.raw() for _ in range(200)]
    began = time.monotonic()
    for peer in peers:
        peer.sendall(b"GET /mcp HTTP/1.1\r\nHo")
    until(lambda: all(_is_over(peer) for peer in peers[:20]), 10, 0.1)
    assert time.monotonic() - began < 10
    for peer in peers:
        peer.close()


# --- T43: frames


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


# --- T44, T46: rates


@pytest.mark.rule("T44")
def test_a_burst_is_cut_to_its_allowance_whatever_headers_say(tmp_path: Path) -> None:
    with proxying(tmp_path / "home", "--rate", "50") as proxy, healthy_beside(proxy):
        passed = 0
        for number in range(3):
            with upgraded(proxy, more=f"X-Forwarded-For: 10.0.0.{number}\r\nX-Client-Id: {number}\r\n") as peer:
                handshake(peer)
                call = frame(b'{"jsonrpc":"2.0","id":5,"method":"list_extensions"}')
                peer.sendall(call * 300)
                heard = b""
                while heard.count(b'"id":5') < 300:
                    heard += peer.recv(65536)
                passed += heard.count(b'"extensions"')
                assert heard.count(b"-32013") == 300 - heard.count(b'"extensions"')
        assert 100 <= passed <= 160


@pytest.mark.rule("T46")
def test_a_flood_of_connects_is_slowed_and_a_users_sockets_are_bounded(tmp_path: Path) -> None:
    flags = ("--connects-per-address", "20", "--user-peers", "5")
    with proxying(tmp_path / "home", *flags) as proxy, healthy_beside(proxy):
        answers: list[bytes] = []
        for _ in range(300):
            with proxy.raw() as peer:
                peer.sendall(UPGRADE.format(path="/mcp", port=proxy.port, more="").encode())
                answers.append(peer.recv(4096).split(b"\r\n")[0])
        assert sum(b" 429 " in answer for answer in answers) > 100
        time.sleep(1)  # the door's allowance fills with real time
        ends: list[int | None] = []
        for _ in range(7):
            peer = proxy.bare()
            peer.say({"jsonrpc": "2.0", "id": 1, "method": "mcp_handshake", "params": {"accessToken": token("crowd")}})
            ends.append(_refusal(peer))
        assert ends == [None] * 5 + [4429] * 2


def _refusal(peer: Bare) -> int | None:
    """The close code a peer got instead of an answer."""
    try:
        peer.hear()
    except ConnectionClosed as exc:
        return exc.rcvd.code if exc.rcvd is not None else 1006
    return None


# --- T45: slow readers


@pytest.mark.rule("T45")
def test_a_reader_that_stops_is_cut_and_the_other_client_of_the_same_browser_served(proxy: ProxyProcess) -> None:
    extension, client, _ = proxy.pair("slow")
    serve_forever(extension, lambda call: {"data": "x" * 100_000} if call["method"] == "screenshot" else {})
    before = proxy.resident_mb
    listed = client.ask("list_extensions")["extensions"]
    with upgraded(proxy) as stalled:
        stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        handshake(stalled, "slow")
        connect = {"jsonrpc": "2.0", "id": 2, "method": "connect", "params": {"extension_id": listed[0]["id"]}}
        stalled.sendall(frame(json.dumps(connect).encode()))
        calls = b"".join(
            frame(b'{"jsonrpc":"2.0","id":%d,"method":"screenshot"}' % number) for number in range(10, 1010)
        )
        stalled.sendall(calls)
        began = time.monotonic()
        slowest = 0.0
        while "cannot keep up" not in proxy.log:
            start = time.monotonic()
            client.ask("click")
            slowest = max(slowest, time.monotonic() - start)
            assert time.monotonic() - began < 20
        assert slowest < 2
        assert proxy.resident_mb - before < 16
    assert client.ask("click") == {}


# --- T47: HTTP


@pytest.mark.rule("T47")
@pytest.mark.parametrize(
    "request_",
    [
        b"POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nX",
        b"POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
        b"GET /mcp HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        b"GET /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Length: 4\r\n\r\nabcd",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /mcp HTTP/1.1\r\nHost: {host}\r\nUpgrade: h2c\r\nConnection: Upgrade\r\nHTTP2-Settings: AA\r\n\r\n",
        b"GET /mcp HTTP/1.0\r\nHost: {host}\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ],
)
def test_smuggled_requests_get_one_error_and_the_end(proxy: ProxyProcess, request_: bytes) -> None:
    follow_up = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with proxy.raw(8) as peer:
        peer.sendall(request_.replace(b"{host}", b"127.0.0.1:%d" % proxy.port) + follow_up)
        heard = b""
        try:
            while data := peer.recv(4096):
                heard += data
        except ConnectionResetError:
            pass
    assert b"200 OK" not in heard
    assert heard == b"" or heard.startswith((b"HTTP/1.1 4", b"HTTP/1.1 5"))
    assert heard.count(b"HTTP/1.1") <= 1


# --- doors


@pytest.mark.rule("T03")
@pytest.mark.parametrize("path", ["/mcp", "/extension", "/", "/health", "/ready", "/metrics", "/none"])
def test_a_foreign_host_is_served_nowhere(proxy: ProxyProcess, path: str) -> None:
    ours = f"127.0.0.1:{proxy.port}"
    for host in ("evil.test", "evil.test:80", "localhost:evil.test", "localhost.", "127.1:80", "0.0.0.0:80", ""):
        with proxy.raw() as peer:
            peer.sendall(UPGRADE.format(path=path, port=proxy.port, more="").replace(ours, host).encode())
            assert b" 421 " in peer.recv(100)
    with proxy.raw() as peer:
        peer.sendall(UPGRADE.format(path=path, port=proxy.port, more=f"Host: {ours}\r\n").encode())
        assert b" 400 " in peer.recv(100)


@pytest.mark.rule("T01")
def test_pages_are_refused_and_extensions_are_not(proxy: ProxyProcess) -> None:
    for origin in ("http://evil.test", "null", "http://localhost:3000", "file://", "", "chrome-extension://short"):
        with proxy.raw() as peer:
            peer.sendall(UPGRADE.format(path="/extension", port=proxy.port, more=f"Origin: {origin}\r\n").encode())
            assert b" 403 " in peer.recv(100), origin
    upgraded(proxy, "/extension", f"Origin: chrome-extension://{'a' * 32}\r\n").close()


@pytest.mark.rule("T09")
def test_without_tokens_only_our_own_extension_is_let_in(tmp_path: Path) -> None:
    with proxying(tmp_path / "home", auth=False) as proxy:
        with proxy.raw() as peer:
            more = f"Origin: chrome-extension://{'a' * 32}\r\n"
            peer.sendall(UPGRADE.format(path="/extension", port=proxy.port, more=more).encode())
            assert b" 403 " in peer.recv(100)
        upgraded(proxy, "/extension", f"Origin: chrome-extension://{extension_id()}\r\n").close()
