"""Attacks of those who never prove who they are (T15, T42), with a healthy pair beside them that must not feel it."""

import contextlib
import socket
import threading
import time
from pathlib import Path

import pytest

from tests.gateway import until
from tests.proxy.server import (
    UPGRADE,
    ProxyProcess,
    closing,
    frame,
    healthy_beside,
    proxying,
    upgraded,
)

pytestmark = pytest.mark.usefixtures("beside")


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
    try:
        # the drops alone would take 24 s: it is not they that end it
        assert closing(silent, 15) == 4408
        assert closing(dripping, 5) == 4408
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


@pytest.mark.rule("T15")
def test_five_thousand_strangers_get_no_more_places_than_there_are(proxy: ProxyProcess) -> None:
    before = proxy.resident_mb
    peers: list[socket.socket] = []
    for _ in range(5_000):
        peer = proxy.raw()
        peers.append(peer)
        with contextlib.suppress(OSError):
            peer.sendall(UPGRADE.format(path="/mcp", port=proxy.port, more="").encode())
    heads = [_head(peer) for peer in peers]
    let_in = sum(b" 101 " in head for head in heads)
    # a place is free again after five seconds
    assert 0 < let_in < 2_000
    assert sum(b" 429 " in head for head in heads) > 3_000
    assert proxy.resident_mb - before < 64
    for peer in peers:
        peer.close()


def _head(peer: socket.socket) -> bytes:
    try:
        return peer.recv(4096).split(b"\r\n")[0]
    except OSError:
        return b""


@pytest.mark.rule("T42")
def test_a_dripping_header_ends_in_time(proxy: ProxyProcess) -> None:
    peers = [proxy.raw() for _ in range(2_000)]
    for peer in peers:
        with contextlib.suppress(OSError):
            peer.sendall(b"GET /mcp HTTP/1.1\r\nHo")
    began = time.monotonic()
    until(lambda: all(_is_over(peer) for peer in peers), 10, 0.1)
    assert time.monotonic() - began < 10
    for peer in peers:
        peer.close()
