"""Attacks on the handshake: smuggled requests, foreign hosts and pages (T01, T03, T09, T47)."""

from pathlib import Path

import pytest

from tabwright.edges.chrome.extension_files import extension_id
from tests.proxy.server import (
    UPGRADE,
    ProxyProcess,
    proxying,
    upgraded,
)

pytestmark = pytest.mark.usefixtures("beside")


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


def test_a_library_that_sends_the_address_it_connects_to_as_origin_is_let_in(proxy: ProxyProcess) -> None:
    # websocket-client, ws4py and others do so unasked
    for scheme in ("http", "https"):
        upgraded(proxy, "/mcp", f"Origin: {scheme}://127.0.0.1:{proxy.port}\r\n").close()
    with proxy.raw() as peer:
        more = f"Origin: http://localhost:{proxy.port}\r\n"
        peer.sendall(UPGRADE.format(path="/mcp", port=proxy.port, more=more).encode())
        assert b" 403 " in peer.recv(100)


@pytest.mark.rule("T09")
def test_without_tokens_only_our_own_extension_is_let_in(tmp_path: Path) -> None:
    with proxying(tmp_path / "home", auth=False) as proxy:
        for origin in (f"chrome-extension://{'a' * 32}", f"http://127.0.0.1:{proxy.port}"):
            with proxy.raw() as peer:
                peer.sendall(UPGRADE.format(path="/extension", port=proxy.port, more=f"Origin: {origin}\r\n").encode())
                assert b" 403 " in peer.recv(100)
        upgraded(proxy, "/extension", f"Origin: chrome-extension://{extension_id()}\r\n").close()
