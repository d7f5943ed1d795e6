"""A call goes out, comes back, or is refused; nobody else can answer it (proxy.md in virtual time)."""

from typing import Any

import pytest

from tabwright.proxy.model import (
    CloseCode,
    Endpoint,
    Identity,
    Limits,
    UserId,
)
from tests.proxy.world import World, error


def test_a_call_goes_out_under_the_connections_name_and_comes_back_under_its_own() -> None:
    world = World()
    extension, client, connection = world.pair()
    for raw_id, wire in ((1, "1"), ("1", '"1"'), (0, "0"), ("a:b", '"a:b"'), ("proxy:1", '"proxy:1"')):
        world.say(client, {"jsonrpc": "2.0", "id": raw_id, "method": "createTab", "params": {"url": "u"}})
        asked = world.answer(extension, {"tabId": 42})
        assert asked == {"jsonrpc": "2.0", "id": f"{connection}:{wire}", "method": "createTab", "params": {"url": "u"}}
        assert world.heard(client) == [{"jsonrpc": "2.0", "id": raw_id, "result": {"tabId": 42}}]


def test_bodies_pass_to_the_byte() -> None:
    world = World()
    extension, client, connection = world.pair()
    body = '{ "big":123456789012345678901234567890,  "f":1.10, "s":"\\u00e9\\/" }'
    world.say(client, f'{{"jsonrpc":"2.0","id":1,"method":"type","params":{body}}}')
    assert body.encode() in world.inbox.pop(extension)[0]
    world.say(extension, f'{{"id":"{connection}:1","result":{body}}}')
    assert body.encode() in world.inbox.pop(client)[0]


def test_any_method_is_forwarded_unread_and_errors_come_back() -> None:
    world = World()
    extension, client, _ = world.pair()
    world.say(client, {"jsonrpc": "2.0", "id": 1, "method": "no/such", "params": [1, 2]})
    assert world.answer(extension, code=-32601, message="?", data=[1])["params"] == [1, 2]
    assert world.heard(client) == [{"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "?", "data": [1]}}]


def test_a_message_without_id_is_forwarded_and_answered_by_nobody() -> None:
    world = World()
    extension, client, connection = world.pair()
    world.say(client, {"jsonrpc": "2.0", "method": "activateTab", "params": {"tabId": 1}, "connectionId": connection})
    assert world.heard(extension) == [{"jsonrpc": "2.0", "method": "activateTab", "params": {"tabId": 1}}]
    world.leave(extension)
    assert [message["method"] for message in world.heard(client)] == ["disconnected"]
    world.say(client, {"jsonrpc": "2.0", "method": "activateTab", "params": {}})
    assert world.heard(client) == []


@pytest.mark.rule("T30")
def test_a_connection_id_is_optional_and_must_be_the_clients_own() -> None:
    world = World()
    extension, client, connection = world.pair()
    _, _, foreign = world.pair("bob")
    world.say(client, {"jsonrpc": "2.0", "id": 1, "method": "getTabs", "connectionId": connection})
    assert "connectionId" not in world.answer(extension)
    assert world.heard(client)[0]["result"] == {}
    for told in (foreign, "conn-random"):
        answer = world.ask(client, "getTabs", connectionId=told)
        assert error(answer) == (-32010, "Connection not found or not accessible")
    assert world.ask(client, "getTabs", connectionId=7)["error"]["code"] == -32600
    assert world.ask(client, "disconnect", connectionId=foreign)["error"]["code"] == -32010
    assert world.heard(extension) == []


@pytest.mark.rule("T31")
def test_an_id_in_use_and_too_many_calls_are_refused() -> None:
    world = World(Limits(pending_per_client=3))
    extension, client, _ = world.pair()
    for number in range(3):
        world.say(client, {"jsonrpc": "2.0", "id": number, "method": "getTabs"})
    assert world.ask(client, "getTabs", request_id=2)["error"]["code"] == -32600
    told = world.ask(client, "getTabs", request_id=3)
    assert (told["error"]["code"], told["error"]["data"]["code"]) == (-32013, "limit")
    assert len(world.heard(extension)) == 3


@pytest.mark.rule("T28")
def test_an_answer_nobody_waits_for_reaches_nobody() -> None:
    world = World()
    extension, client, connection = world.pair()
    other = world.client()
    other_connection = world.connect(other, world.ask(other, "list_extensions")["result"]["extensions"][0]["id"])
    foreign_extension, foreign, foreign_connection = world.pair("bob")
    for caller in (client, other, foreign):
        world.heard(caller)
        world.say(caller, {"jsonrpc": "2.0", "id": 1, "method": "getTabs"})
    forged: list[dict[str, Any]] = [
        {"id": f"{foreign_connection}:1", "result": {}},
        {"id": f"{connection}:2", "result": {}},
        {"id": f"{connection}:01", "result": {}},
        {"id": 1, "result": {}},
        {"id": "1", "result": {}},
        {"id": f"{connection}:1", "result": {}, "error": {}},
        {"id": f"{connection}:1"},
        {"result": {}},
    ]
    for message in forged:
        world.say(extension, message)
    assert [world.heard(peer) for peer in (client, other, foreign)] == [[], [], []]
    world.say(foreign_extension, {"id": f"{connection}:1", "result": {}})
    assert world.heard(client) == []
    for caller_connection, caller in ((connection, client), (other_connection, other)):
        world.say(extension, {"id": f"{caller_connection}:1", "result": {"for": caller}})
        assert world.heard(caller)[0]["result"] == {"for": caller}
    world.say(extension, {"id": f"{connection}:1", "result": {"late": True}})
    assert world.heard(client) == []
    assert world.router.counts.late_answers == 1


@pytest.mark.rule("T28")
def test_a_forger_is_closed_but_a_dawdler_is_not() -> None:
    world = World()
    extension, client, connection = world.pair()
    world.say(client, {"jsonrpc": "2.0", "id": 1, "method": "getTabs"})
    for _ in range(100):
        world.say(extension, {"id": f"{connection}:1", "result": {}})
    assert not world.closed
    for _ in range(20):
        world.say(extension, {"id": "conn-x:1", "result": {}})
    assert world.closed[extension][0] is CloseCode.POLICY


def test_a_few_forged_answers_over_time_close_nobody() -> None:
    world = World()
    extension, _, _ = world.pair()
    for _ in range(40):
        world.wait(1)
        world.say(extension, {"id": "conn-x:1", "result": {}})
    assert not world.closed


def test_a_call_that_takes_too_long_ends_and_its_answer_is_dropped() -> None:
    world = World(Limits(call_s=10))
    extension, client, connection = world.pair()
    world.say(client, {"jsonrpc": "2.0", "id": 1, "method": "getTabs"})
    world.wait(9)
    assert world.heard(client) == []
    world.wait(2)
    assert world.heard(client)[0]["error"]["data"] == {"code": "timeout"}
    world.say(extension, {"id": f"{connection}:1", "result": {}})
    assert world.heard(client) == []


def test_raw_devtools_commands_need_their_scope() -> None:
    world = World(allow_cdp=False)
    world.identities["agent"] = Identity(UserId("alice"), frozenset({"cdp"}))
    extension, plain, _ = world.pair()
    answer = world.ask(plain, "forwardCDPCommand", {"method": "Runtime.evaluate"})
    assert (answer["error"]["code"], answer["error"]["data"]["code"]) == (-32006, "denied")
    world.say(plain, {"jsonrpc": "2.0", "method": "forwardCDPCommand", "params": {}})
    assert world.heard(extension) == []
    trusted = world.open(Endpoint.MCP)
    listed = None
    world.ask(trusted, "mcp_handshake", {"accessToken": "agent"})
    listed = world.ask(trusted, "list_extensions")["result"]["extensions"]
    world.connect(trusted, listed[0]["id"])
    world.heard(extension)
    world.say(
        trusted, {"jsonrpc": "2.0", "id": 1, "method": "forwardCDPCommand", "params": {"method": "Runtime.evaluate"}}
    )
    assert world.answer(extension)["method"] == "forwardCDPCommand"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"result": {"a": 1}, "error": None}, {"result": {"a": 1}}),
        ({"result": None, "error": None}, {"result": None}),
        ({"result": None}, {"result": None}),
        ({"result": None, "error": {"code": 1, "message": "x"}}, {"error": {"code": 1, "message": "x"}}),
    ],
)
def test_a_member_that_is_null_beside_the_other_says_nothing(said: dict[str, Any], told: dict[str, Any]) -> None:
    world = World()
    extension, client, connection = world.pair()
    world.say(client, {"jsonrpc": "2.0", "id": 1, "method": "click"})
    world.say(extension, {"id": f"{connection}:1", **said})
    assert world.heard(client) == [{"jsonrpc": "2.0", "id": 1, **told}]
    assert (world.router.counts.forged_answers, world.router.counts.malformed) == (0, 0)


def test_a_bad_answer_to_what_was_asked_is_no_forgery() -> None:
    world = World()
    extension, client, connection = world.pair()
    world.say(client, {"jsonrpc": "2.0", "id": 1, "method": "click"})
    for _ in range(30):
        world.say(extension, {"id": f"{connection}:1", "error": None})
        world.say(extension, {"id": f"{connection}:1", "result": {}, "error": {}})
    assert not world.closed
    assert world.heard(client) == []
    world.say(extension, {"id": f"{connection}:1", "result": {}})
    assert world.heard(client)[0]["result"] == {}


@pytest.mark.rule("T29")
@pytest.mark.parametrize("method", ["authenticate", "authenticated", "extension_handshake", "status", "disconnected"])
def test_the_proxys_own_words_are_not_forwarded(method: str) -> None:
    world = World()
    extension, client, _ = world.pair()
    assert error(world.ask(client, method))[0] == -32601
    world.say(client, {"jsonrpc": "2.0", "method": method})
    assert (world.heard(client), world.heard(extension)) == ([], [])


def test_what_comes_without_id_is_done_and_not_answered() -> None:
    world = World()
    extension, extension_id = world.extension()
    client = world.client()
    connect = {"jsonrpc": "2.0", "method": "connect", "params": {"extension_id": extension_id}}
    for method in ("list_extensions", "mcp_handshake", "connect", "click"):
        world.say(client, {"jsonrpc": "2.0", "method": method, "params": {}})
    world.say(client, {**connect, "params": []})
    assert world.heard(client) == []
    world.say(client, connect)
    assert [message["method"] for message in world.heard(client)] == ["status"]
    world.heard(extension)
    world.say(client, {"jsonrpc": "2.0", "id": 1, "method": "click"})
    world.answer(extension)
    assert world.heard(client)[0]["result"] == {}
    world.say(client, {"jsonrpc": "2.0", "method": "disconnect", "connectionId": "conn-none"})
    assert world.heard(client) == []
    world.say(client, {"jsonrpc": "2.0", "method": "disconnect"})
    assert [message["method"] for message in world.heard(client)] == ["status"]
