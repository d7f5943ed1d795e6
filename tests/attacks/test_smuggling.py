"""T47: a request of whose end two readers may think differently is the last on its connection."""

import socket

import pytest

from tests.attacks.wire import nothing_came_of_it
from tests.gateway import GatewayProcess

JSON = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"


@pytest.mark.rule("T47")
@pytest.mark.parametrize("path", ["/mcp", "/message?sessionId=session_x", "/health", "/", "/api/enter", "/nowhere"])
@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ("Content-Length: 4\r\nTransfer-Encoding: chunked", "0\r\n\r\n"),
        ("Transfer-Encoding: chunked\r\nContent-Length: 5", "0\r\n\r\n"),
        ("Content-Length: 1\r\nContent-Length: 2", "xx"),
        ("Transfer-Encoding: xchunked", "0\r\n\r\n"),
        ("Transfer-Encoding: chunked, identity", "0\r\n\r\n"),
        ("Transfer-Encoding : chunked", "0\r\n\r\n"),
        ("Transfer-Encoding: chunked", "-1\r\n\r\n"),
        ("Content-Length: +4", "xxxx"),
    ],
)
def test_what_has_two_ends_gets_one_error_and_the_end(
    target: GatewayProcess, path: str, headers: str, body: str
) -> None:
    host = f"Host: 127.0.0.1:{target.port}\r\n"
    follow_up = f"GET /health HTTP/1.1\r\n{host}\r\n"
    with socket.create_connection(("127.0.0.1", target.port), timeout=5) as peer:
        peer.sendall(f"POST {path} HTTP/1.1\r\n{host}{JSON}{headers}\r\n\r\n{body}{follow_up}".encode())
        heard = b""
        try:
            while data := peer.recv(4096):
                heard += data
        except ConnectionResetError:
            pass
    assert heard.startswith(b"HTTP/1.1 400 ")
    assert heard.count(b"HTTP/1.1") == 1


def test_after_all_this_nothing_is_registered(target: GatewayProcess) -> None:
    assert nothing_came_of_it(target)
