"""What listens at a port of this machine, by what it says."""

import pytest

from tabwright.policy.listeners import Listener, listener

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n"


@pytest.mark.rule("T66")
@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (HEAD + b'{"Browser": "Chrome/156.0", "Protocol-Version": "1.3", "User-Agent": "x"}', Listener.DEBUGGER),
        (b'HTTP/1.0 200 OK\r\n\r\n{\n  "Browser": "node.js/v22", "Protocol-Version": "1.1"}', Listener.DEBUGGER),
        (b'INFO {"server_id":"N"}\r\n', Listener.OTHER),
        (b"-ERR wrong number of arguments\r\n", Listener.OTHER),
        (b"SSH-2.0-OpenSSH_9\r\n", Listener.OTHER),
        (b"", Listener.WEB),
        (b"\x15\x03\x01\x00\x02\x02\x46", Listener.WEB),
        (b"HTTP/1.1 404 Not Found\r\n\r\nno such page", Listener.WEB),
        (HEAD + b'{"version": "2"}', Listener.WEB),
        (HEAD + b"[" * 16_000, Listener.WEB),
        (HEAD + b'["Browser", "Protocol-Version"]', Listener.WEB),
        (HEAD + b"\xff\xfe", Listener.WEB),
    ],
)
def test_debuggers_and_brokers_are_told_from_web_servers(answer: bytes, found: Listener) -> None:
    assert listener(answer) is found
