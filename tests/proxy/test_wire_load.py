"""Attacks by how much and how fast (T44 to T46), with a healthy pair beside them that must not feel it."""

import time
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from tests.proxy.server import (
    UPGRADE,
    Bare,
    frame,
    handshake,
    healthy_beside,
    proxying,
    token,
    upgraded,
)

pytestmark = pytest.mark.usefixtures("beside")


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
        for _ in range(1_000):
            with proxy.raw() as peer:
                peer.sendall(UPGRADE.format(path="/mcp", port=proxy.port, more="").encode())
                answers.append(peer.recv(4096).split(b"\r\n")[0])
        assert sum(b" 429 " in answer for answer in answers) > 500
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
