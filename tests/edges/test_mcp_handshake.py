"""A stream whose client never says `initialize`: it did so on another stream, or somebody tries us by hand."""

import json
import subprocess
from collections.abc import Iterator
from typing import Any

import mcp_types as types
import pytest

from tabwright.edges.mcp.handshake import Handshake
from tests.gateway import TABWRIGHT, GatewayProcess, running
from tests.streams import stream

META: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    with running(tmp_path_factory.mktemp("served") / "home", TABWRIGHT_CONNECT_WAIT_S="0") as made:
        yield made


def asking(method: str, **params: Any) -> types.JSONRPCRequest:
    return types.JSONRPCRequest(jsonrpc="2.0", id=1, method=method, params=params)


@pytest.mark.parametrize("listing", ["auto", "dynamic", "stable"])
def test_requests_are_served_without_a_handshake(served: GatewayProcess, listing: str) -> None:
    with stream(served.port, f"?toolsets=focus&list={listing}") as opened:
        assert opened.ask("ping")["result"] == {}
        names = [tool["name"] for tool in opened.ask("tools/list", 2)["result"]["tools"]]
        assert "connect_browser" in names
        called = opened.ask("tools/call", 3, name="connect_browser", arguments={})["result"]
        assert "No browser" in called["content"][0]["text"]
        assert opened.ask("no/such", 4)["error"]["code"] == -32601
        answers = [json.loads(line[6:]) for line in opened.seen.decode().splitlines() if line.startswith("data: {")]
        told = [answer["id"] for answer in answers if "id" in answer]
        assert told == [1, 2, 3, 4], "of the handshake made in its place the client hears nothing"


def test_requests_piped_into_stdio_are_answered_without_a_handshake(served: GatewayProcess) -> None:
    asked = [asking("tools/list"), asking("tools/call", name="connect_browser").model_copy(update={"id": 2})]
    lines = "".join(f"{request.model_dump_json()}\n" for request in asked)
    told = subprocess.run(
        [TABWRIGHT, "stdio"], env=served.env, input=lines, stdout=subprocess.PIPE, text=True, timeout=10
    )
    answers = [json.loads(line) for line in told.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [1, 2]
    assert [tool["name"] for tool in answers[0]["result"]["tools"]] == ["connect_browser"]
    assert answers[1]["result"]["structuredContent"]["connected"] is False


def test_many_first_requests_at_once_are_all_served(served: GatewayProcess) -> None:
    with stream(served.port) as opened:
        batch = [{"jsonrpc": "2.0", "id": number, "method": "tools/list"} for number in range(30)]
        assert opened.post(batch).status == 202
        answers = opened.message()
        assert {answer["id"] for answer in answers if "result" in answer} == set(range(30))


@pytest.mark.parametrize(
    ("told", "spoken"),
    [(None, "2024-11-05"), ("2025-06-18", "2025-06-18"), ("2026-07-28", "2024-11-05"), ("x", "2024-11-05")],
)
def test_the_version_agreed_on_before_is_spoken_and_the_oldest_if_none_is_told(told: str | None, spoken: str) -> None:
    hello, _ = Handshake(told).ahead_of(asking("tools/list"))
    assert isinstance(hello, types.JSONRPCRequest)
    assert (hello.params or {})["protocolVersion"] == spoken


def test_a_late_handshake_counts(served: GatewayProcess) -> None:
    with stream(served.port) as opened:
        opened.ask("tools/list")
        assert opened.initialize("2025-06-18")["protocolVersion"] == "2025-06-18"
        assert opened.ask("tools/call", 2, name="connect_browser")["result"]["structuredContent"]["connected"] is False


def test_the_modern_era_needs_none(served: GatewayProcess) -> None:
    with stream(served.port, "?toolsets=focus&list=stable") as opened:
        for number in range(2):
            assert opened.ask("tools/list", number, _meta=META)["result"]["resultType"] == "complete"


def test_nothing_is_said_for_a_client_that_speaks_for_itself() -> None:
    handshake = Handshake()
    for message in (asking("ping"), asking("tools/list", _meta=META), asking("initialize"), asking("tools/list")):
        assert handshake.ahead_of(message) == ()


def test_a_handshake_is_made_once_and_its_answer_known() -> None:
    handshake = Handshake("2025-03-26")
    note = types.JSONRPCNotification(jsonrpc="2.0", method="notifications/x")
    assert handshake.ahead_of(note) == ()
    hello, done = handshake.ahead_of(asking("tools/list"))
    assert isinstance(hello, types.JSONRPCRequest)
    assert (hello.method, (hello.params or {})["protocolVersion"]) == ("initialize", "2025-03-26")
    assert isinstance(done, types.JSONRPCNotification)
    assert handshake.ahead_of(asking("tools/list")) == ()
    assert handshake.answers_us(types.JSONRPCResponse(jsonrpc="2.0", id=hello.id, result={}))
    assert not handshake.answers_us(types.JSONRPCResponse(jsonrpc="2.0", id=1, result={}))
