"""Limits of HTTP+SSE and /mcp: how often, how many at once, how slowly; and that nobody pays for another."""

import json
import resource
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabwright.edges.http.connection import READ_S, REQUEST_S
from tabwright.edges.http.sse import MAX_STREAMS
from tests.attacks.wire import INITIALIZE, MCP, TIMEOUT_S, Answer, request
from tests.gateway import GatewayProcess, running, until
from tests.streams import JSON, Stream, stream

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
LISTING = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


@pytest.fixture(scope="module")
def unlimited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    home = tmp_path_factory.mktemp("unlimited") / "home"
    with running(home, TABWRIGHT_MESSAGE_RATE="0", TABWRIGHT_MCP_RATE="0") as made:
        yield made


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    home = tmp_path_factory.mktemp("limited") / "home"
    with running(home, TABWRIGHT_MESSAGE_RATE="10", TABWRIGHT_MCP_RATE="20") as made:
        yield made


def is_refused(answer: Answer) -> bool:
    if answer.status != 429:
        return False
    assert 1 <= int(answer.header("retry-after") or "0") <= 120
    assert answer.json["error"]["code"] == -32013
    return True


def served_before_refusal(ask: Any, at_most: int) -> int:
    return next(count for count in range(at_most) if is_refused(ask(count)))


def test_messages_are_counted_by_session_whatever_the_headers_say(limited: GatewayProcess) -> None:
    with stream(limited.port) as one, stream(limited.port) as other:

        def post(count: int) -> Answer:
            return one.post(PING, f"X-Forwarded-For: 10.0.0.{count}", f"Forwarded: for=10.0.0.{count}")

        # a window's turn in between lets a few more through
        assert 10 <= served_before_refusal(post, 25) <= 20
        other.initialize()
        assert other.ask("ping")["result"] == {}, "another session has its own count"
    until(lambda: one.post(PING).status == 404)


def test_requests_to_mcp_are_counted_by_peer_whatever_the_headers_say(limited: GatewayProcess) -> None:
    def post(count: int) -> Answer:
        forged = (f"X-Forwarded-For: 10.0.0.{count}", f"Mcp-Session-Id: {count}", f"User-Agent: {count}")
        return request(limited.port, "POST", "/mcp", *MCP, *forged, body=INITIALIZE)

    assert 20 <= served_before_refusal(post, 50) <= 40
    assert request(limited.port).status == 200, "health is for everyone at any time"
    with stream(limited.port) as opened:
        opened.initialize()


def test_a_peer_has_so_many_streams_and_no_more(unlimited: GatewayProcess) -> None:
    with ExitStack() as opened:
        streams = [opened.enter_context(stream(unlimited.port)) for _ in range(MAX_STREAMS)]
        assert {each.status for each in streams} == {200}
        refused = request(unlimited.port, "GET", "/sse")
        assert is_refused(refused)
        streams[0].close()
        until(lambda: request(unlimited.port, "GET", "/sse").status == 200)
    until(lambda: request(unlimited.port).json["activeSessions"] == 0)


def test_thousands_of_posts_are_each_answered_once(unlimited: GatewayProcess) -> None:
    """Eight senders on one session, as fast as they can; the reader counts."""
    senders, each = 8, 400
    with stream(unlimited.port, seconds=20) as opened:
        opened.initialize()
        answers = Counter[str]()

        def send(sender: int) -> None:
            connection = HTTPConnection("127.0.0.1", unlimited.port, timeout=20)
            for turn in range(each):
                body = json.dumps({**PING, "id": f"{sender}-{turn}"})
                connection.request(
                    "POST", f"/message?sessionId={opened.id}", body, {"Content-Type": "application/json"}
                )
                response = connection.getresponse()
                assert (response.status, response.read()) == (202, b'{"status": "accepted"}')
            connection.close()

        threads = [threading.Thread(target=send, args=(sender,)) for sender in range(senders)]
        for thread in threads:
            thread.start()
        for _ in range(senders * each):
            answers[opened.message()["id"]] += 1
        for thread in threads:
            thread.join(20)
        assert answers == Counter(f"{sender}-{turn}" for sender in range(senders) for turn in range(each))


JSONISH = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
METHODS = st.sampled_from(
    ["ping", "tools/list", "tools/call", "initialize", "notifications/cancelled", "logging/x", ""]
)
MESSAGES = st.fixed_dictionaries(
    {"jsonrpc": st.sampled_from(["2.0", "1.0"]) | JSONISH},
    optional={
        "id": st.integers(1000, 1005) | JSONISH,
        "method": METHODS | JSONISH,
        "params": JSONISH,
        "result": JSONISH,
    },
)
BODIES = (
    st.binary(max_size=60)
    | JSONISH.map(lambda value: json.dumps(value).encode())
    | MESSAGES.map(lambda value: json.dumps(value).encode())
    | st.lists(MESSAGES, max_size=4).map(lambda value: json.dumps(value).encode())
)


def test_whatever_is_posted_is_accepted_or_refused_and_the_session_lives(unlimited: GatewayProcess) -> None:
    with stream(unlimited.port) as opened, closing(HTTPConnection("127.0.0.1", unlimited.port, timeout=5)) as sender:
        opened.initialize()

        @settings(max_examples=300, deadline=None)
        @given(body=BODIES)
        def post(body: bytes) -> None:
            kind = {"Content-Type": "application/json"}
            sender.request("POST", f"/message?sessionId={opened.id}", body, kind)
            response = sender.getresponse()
            told = json.loads(response.read())
            if response.status != 202:
                assert (response.status, told["error"]["code"]) in ((400, -32700), (400, -32600))

        post()
        assert opened.ask("ping", "still here")["result"] == {}
    assert "Traceback" not in unlimited.log()


def test_who_neither_reads_nor_finishes_is_cut_and_nobody_else_notices(unlimited: GatewayProcess) -> None:
    """A reader that stopped reading, headers that never end, and a body that drips, beside an ordinary client."""
    before, memory = request(unlimited.port).json["activeSessions"], _resident(unlimited.pid)
    with (
        ExitStack() as halves,
        stream(unlimited.port, seconds=20) as ordinary,
        stream(unlimited.port, "?toolsets=focus&list=stable") as deaf,
    ):
        ordinary.initialize()
        deaf.initialize()
        lines = (f"POST /message?sessionId={ordinary.id} HTTP/1.1", f"Host: localhost:{unlimited.port}", JSON)
        head = "\r\n".join(lines).encode()
        half = [head, head + b"\r\nContent-Length: 100\r\n\r\n{", b"G", b""]
        peers = [halves.enter_context(_connected(unlimited.port)) for _ in half]
        for peer, sent in zip(peers, half, strict=True):
            peer.sendall(sent)
        slowest = 0.0
        deadline = time.monotonic() + REQUEST_S + READ_S + 5
        while request(unlimited.port).json["activeSessions"] > before + 1 and time.monotonic() < deadline:
            # until its buffers are full, the deaf one is given more to read than it will ever take
            _flood(deaf)
            began = time.monotonic()
            assert ordinary.ask("ping")["result"] == {}
            slowest = max(slowest, time.monotonic() - began)
        assert request(unlimited.port).json["activeSessions"] == before + 1, "the deaf one is gone"
        assert slowest < 5, "and was nobody's burden"
        assert _resident(unlimited.pid) - memory < 16 * 1024 * 1024
        for peer in peers:
            peer.settimeout(REQUEST_S)
            assert _is_cut(peer)
        assert ordinary.ask("tools/list")["result"]["tools"]


def _connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S)


def _resident(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()


def _flood(deaf: Stream) -> None:
    """Ask much without reading. Refusals are fine: they are what bounds it."""
    body = json.dumps([{**LISTING, "id": f"{number}"} for number in range(100)]).encode()
    target = f"/message?sessionId={deaf.id}"
    try:
        answer = request(deaf.port, "POST", target, JSON, body=body)
    except TimeoutError:
        return
    assert answer.status in (202, 404, 429)


def _is_cut(peer: socket.socket) -> bool:
    try:
        return peer.recv(1) == b""
    except ConnectionResetError:
        return True


def test_rates_are_settings_and_zero_is_none(tmp_path: Path) -> None:
    with running(tmp_path / "home", "--message-rate", "1") as gateway, stream(gateway.port) as opened:
        assert opened.post(PING).status == 202
        statuses = [opened.post(PING).status for _ in range(3)]
        assert 429 in statuses
