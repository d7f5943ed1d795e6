"""Sessions on `/mcp` whose clients never end them."""

import json
import socket
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

from tabwright.edges.mcp.sessions import MAX_SESSIONS
from tests.attacks.wire import INITIALIZE, MCP, TIMEOUT_S, request, status
from tests.conftest import Site
from tests.gateway import GatewayProcess, running, until

PING = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
CONNECT = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "connect_browser"}}


@pytest.fixture
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    """Of each test, as sessions are counted."""
    with running(tmp_path_factory.mktemp("served") / "home", TABWRIGHT_CONNECT_WAIT_S="30") as made:
        yield made


def opened(gateway: GatewayProcess) -> str:
    answer = request(gateway.port, "POST", "/mcp", *MCP, body=INITIALIZE)
    assert answer.status == 200
    session = answer.header("mcp-session-id")
    assert session is not None
    return session


def asked(gateway: GatewayProcess, session: str) -> int:
    """The status of a request of this session."""
    return request(gateway.port, "POST", "/mcp", *MCP, f"Mcp-Session-Id: {session}", body=PING).status


def called(gateway: GatewayProcess, session: str, params: dict[str, Any]) -> bytes:
    call = {"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": params}
    return request(gateway.port, "POST", "/mcp?list=stable", *MCP, f"Mcp-Session-Id: {session}", body=call).body


@contextmanager
def under_way(gateway: GatewayProcess, method: str, session: str, body: bytes = b"") -> Generator[socket.socket]:
    """A request that goes on, from the beginning of its answer."""
    lines = (
        f"{method} /mcp HTTP/1.1",
        f"Host: 127.0.0.1:{gateway.port}",
        "Connection: close",
        f"Mcp-Session-Id: {session}",
        f"Content-Length: {len(body)}",
        *MCP,
    )
    with socket.create_connection(("127.0.0.1", gateway.port), timeout=TIMEOUT_S) as stream:
        stream.sendall("\r\n".join([*lines, "", ""]).encode() + body)
        assert stream.recv(65_536).startswith(b"HTTP/1.1 200 ")
        yield stream


def test_a_peer_keeps_the_sessions_it_used_last(served: GatewayProcess) -> None:
    sessions = [opened(served) for _ in range(MAX_SESSIONS)]
    assert asked(served, sessions[0]) == 200
    newest = [opened(served) for _ in range(2)]
    assert [asked(served, session) for session in sessions[:4]] == [200, 404, 404, 200]
    assert [asked(served, session) for session in newest] == [200, 200]


def test_sessions_that_their_clients_end_do_not_count(served: GatewayProcess) -> None:
    kept = opened(served)
    for _ in range(MAX_SESSIONS + 1):
        ended = opened(served)
        assert request(served.port, "DELETE", "/mcp", f"Mcp-Session-Id: {ended}").status == 200
    assert asked(served, kept) == 200


def test_requests_without_a_session_end_none(served: GatewayProcess) -> None:
    kept = opened(served)
    for _ in range(MAX_SESSIONS + 1):
        assert request(served.port, "POST", "/mcp", *MCP, body=PING).status == 400
    assert asked(served, kept) == 200


def test_a_session_that_waits_for_an_answer_or_listens_stays(served: GatewayProcess) -> None:
    listening, waiting = opened(served), opened(served)
    with under_way(served, "GET", listening), under_way(served, "POST", waiting, json.dumps(CONNECT).encode()):
        idle = opened(served)
        for _ in range(MAX_SESSIONS - 2):
            opened(served)
        assert [asked(served, session) for session in (listening, waiting, idle)] == [200, 200, 404]


def test_of_sessions_that_all_listen_the_one_used_longest_ago_is_ended(served: GatewayProcess) -> None:
    with ExitStack() as streams:
        sessions = [opened(served) for _ in range(MAX_SESSIONS)]
        listening = [streams.enter_context(under_way(served, "GET", session)) for session in sessions]
        opened(served)
        while listening[0].recv(65_536):
            pass
        assert [asked(served, session) for session in sessions[:2]] == [404, 200]


def test_a_session_with_tabs_stays_and_one_without_is_ended_as_by_its_client(
    shared: GatewayProcess, site: Site
) -> None:
    with_tab, without = opened(shared), opened(shared)
    navigate = {"name": "navigate", "arguments": {"url": site.url}}
    assert b"Loaded" in called(shared, with_tab, navigate)
    called(shared, without, {"name": "list_tabs"})
    assert len(status(shared)["sessions"]) == 2
    for _ in range(MAX_SESSIONS):
        opened(shared)
    assert b"Home" in called(shared, with_tab, {"name": "tabs_context"})
    assert asked(shared, without) == 404
    until(lambda: len(status(shared)["sessions"]) == 1)
