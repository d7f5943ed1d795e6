"""What is posted to /mcp: batches of 2025-03-26 are answered message by message, others refused in a sentence."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.attacks.wire import INITIALIZE, MCP, Answer, request
from tests.gateway import GatewayProcess, running

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
NOTE = {"jsonrpc": "2.0", "method": "notifications/x"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    with running(tmp_path_factory.mktemp("served") / "home", TABWRIGHT_CONNECT_WAIT_S="0") as made:
        yield made


@pytest.fixture(scope="module")
def session(served: GatewayProcess) -> str:
    hello = {**INITIALIZE, "params": {**INITIALIZE["params"], "protocolVersion": "2025-03-26"}}
    told = request(served.port, "POST", "/mcp", *MCP, body=hello).header("mcp-session-id")
    assert told is not None
    header = f"Mcp-Session-Id: {told}"
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert request(served.port, "POST", "/mcp", *MCP, header, body=note).status == 202
    return header


def post(gateway: GatewayProcess, body: Any, *headers: str) -> Answer:
    return request(gateway.port, "POST", "/mcp", *MCP, *headers, body=json.dumps(body).encode())


def answers(answer: Answer) -> dict[Any, Any]:
    assert (answer.status, answer.header("content-type")) == (200, "text/event-stream")
    told = [json.loads(line[6:]) for line in answer.body.decode().splitlines() if line.startswith("data: {")]
    by_id = {message["id"]: message for message in told if "id" in message}
    assert len(by_id) == sum("id" in message for message in told), "each is answered once"
    return by_id


def refused(answer: Answer) -> str:
    assert (answer.status, answer.json["error"]["code"]) == (400, -32600)
    assert len(answer.body) < 300
    return answer.json["error"]["message"]


def test_every_request_of_a_batch_is_answered(served: GatewayProcess, session: str) -> None:
    call = {"jsonrpc": "2.0", "id": "call", "method": "tools/call", "params": {"name": "connect_browser"}}
    batch = [PING, NOTE, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}, call, {"jsonrpc": "2.0", "id": 9}]
    told = answers(post(served, batch, session))
    assert told.keys() == {1, 2, "call", 9}
    assert told[1]["result"] == {}
    assert told[2]["result"]["tools"]
    assert told["call"]["result"]["content"]
    assert told[9]["error"]["code"] == -32600


def test_a_hundred_requests_are_answered_once_each(served: GatewayProcess, session: str) -> None:
    assert answers(post(served, [{**PING, "id": n} for n in range(100)], session)).keys() == set(range(100))


def test_notifications_alone_are_accepted(served: GatewayProcess, session: str) -> None:
    accepted = post(served, [NOTE, NOTE], session)
    assert (accepted.status, accepted.body) == (202, b"")


def test_what_refuses_one_message_refuses_the_batch(served: GatewayProcess) -> None:
    single = post(served, PING, "Mcp-Session-Id: 0123")
    batch = post(served, [PING, {**PING, "id": 2}], "Mcp-Session-Id: 0123")
    assert (batch.status, batch.json) == (single.status, single.json)
    assert batch.status == 404


def test_other_batches_are_refused_in_a_sentence(served: GatewayProcess, session: str) -> None:
    assert "one message" in refused(post(served, [PING], session, "MCP-Protocol-Version: 2025-11-25"))
    assert "one message" in refused(post(served, [PING]))
    assert "id of its own" in refused(post(served, [PING, PING], session))
    assert "initialize" in refused(post(served, [INITIALIZE], session))
    assert "1 to 100" in refused(post(served, [], session))
    assert "1 to 100" in refused(post(served, [{**PING, "id": n} for n in range(101)], session))
    assert post(served, PING, session).status == 200, "and the session goes on"


def test_white_space_before_a_message_changes_nothing(served: GatewayProcess, session: str) -> None:
    for body in (json.dumps(PING), json.dumps([PING])):
        told = request(served.port, "POST", "/mcp", *MCP, session, body=b" \r\n\t" + body.encode())
        assert answers(told)[1]["result"] == {}


@pytest.mark.parametrize("wrong", ["null", "true", "1.5", "1e3", "[]", "{}"])
def test_a_request_with_no_right_id_is_refused_and_not_taken_for_a_notification(
    served: GatewayProcess, session: str, wrong: str
) -> None:
    body = f'{{"jsonrpc": "2.0", "id": {wrong}, "method": "ping"}}'.encode()
    assert "id" in refused(request(served.port, "POST", "/mcp", *MCP, session, body=body))


def test_half_a_character_does_not_spoil_a_message(served: GatewayProcess, session: str) -> None:
    body = (
        b'{"jsonrpc": "2.0", "id": "\\ud83d", "method": "ping", "params": {"_meta": {"x": "\\ud83d\\ude00 \\ude00"}}}'
    )
    assert answers(request(served.port, "POST", "/mcp", *MCP, session, body=body)).keys() == {"\ufffd"}


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1e999", "[" * 5_000 + "]" * 5_000])
def test_what_could_not_be_sent_on_is_no_json(served: GatewayProcess, session: str, value: str) -> None:
    body = f'{{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {{"x": {value}}}}}'.encode()
    answer = request(served.port, "POST", "/mcp", *MCP, session, body=body)
    assert (answer.status, answer.json["error"]["code"]) == (400, -32700)


@pytest.mark.rule("T39")
@pytest.mark.parametrize(
    "body",
    [
        b'{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call","params":{"name":"list_tabs"}}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_tabs","name":"close_tab"}}',
        b'[{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}]',
    ],
)
def test_what_names_a_member_twice_means_neither(served: GatewayProcess, session: str, body: bytes) -> None:
    assert "twice" in refused(request(served.port, "POST", "/mcp", *MCP, session, body=body))
