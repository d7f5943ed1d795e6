"""proxy.md in virtual time: who may speak, what each side is told, and every error with its code and words."""

import json
from typing import Any

import pytest

from tabwright.proxy.model import (
    CloseCode,
    Effect,
    Endpoint,
    ExtensionId,
    Gone,
    Identity,
    Limits,
    PeerId,
    Role,
    UserId,
    Verify,
)
from tests.proxy.world import TIMESTAMP, World


def error(message: dict[str, Any]) -> tuple[int, str]:
    return message["error"]["code"], message["error"]["message"]


# --- strangers


@pytest.mark.rule("T15")
def test_whoever_does_not_authenticate_in_time_is_closed() -> None:
    world = World()
    peers = [world.open(endpoint) for endpoint in Endpoint]
    world.wait(4)
    assert not world.closed
    world.wait(2)
    assert {world.closed[peer][0] for peer in peers} == {CloseCode.TOO_LATE}


@pytest.mark.rule("T15")
def test_nothing_is_done_for_a_client_before_its_handshake() -> None:
    world = World()
    _, extension_id = world.extension()
    client = world.open(Endpoint.MCP)
    for method in ("getTabs", "list_extensions", "connect", "disconnect"):
        assert error(world.ask(client, method, {"extension_id": extension_id})) == (-32000, "Not authenticated")
    assert error(world.ask(client, "mcp_handshake")) == (-32602, "Invalid params: accessToken is missing or no string")
    world.say(client, {"id": 1, "method": "mcp_handshake", "params": {"accessToken": "alice"}})
    assert error(world.heard(client)[0])[0] == -32600
    assert world.verified[1:] == []


def test_a_refused_client_is_told_and_closed() -> None:
    world = World()
    client = world.open(Endpoint.MCP)
    told = world.ask(client, "mcp_handshake", {"accessToken": "bad"}, 9)
    assert told == {
        "jsonrpc": "2.0",
        "id": 9,
        "error": {"code": -32000, "message": "Authentication failed: Invalid token"},
    }
    assert world.closed[client] == (CloseCode.UNAUTHORIZED, "Authentication failed: Invalid token")


def test_a_refused_extension_is_closed() -> None:
    world = World()
    peer = world.open(Endpoint.EXTENSION)
    world.say(peer, {"jsonrpc": "2.0", "id": "proxy:1", "result": {"name": "Chrome", "accessToken": "bad"}})
    assert world.closed[peer][0] is CloseCode.UNAUTHORIZED


@pytest.mark.parametrize(
    "result", [{}, {"name": "Chrome"}, {"accessToken": "alice"}, {"name": 1, "accessToken": "alice"}, []]
)
def test_an_extension_gives_its_name_and_a_token(result: Any) -> None:
    world = World()
    peer = world.open(Endpoint.EXTENSION)
    world.say(peer, {"jsonrpc": "2.0", "id": "proxy:1", "result": result})
    assert world.closed[peer][0] is CloseCode.UNAUTHORIZED


@pytest.mark.rule("T16")
@pytest.mark.parametrize("wire_id", ["proxy:2", 1, "proxy:1 ", None])
def test_only_the_answer_to_authenticate_authenticates(wire_id: object) -> None:
    world = World()
    peer = world.open(Endpoint.EXTENSION)
    world.say(peer, {"jsonrpc": "2.0", "id": wire_id, "result": {"name": "Chrome", "accessToken": "alice"}})
    assert world.closed[peer][0] is CloseCode.POLICY
    assert not world.verified


@pytest.mark.rule("T16")
def test_a_live_socket_can_never_become_somebody_else() -> None:
    world = World()
    extension, _ = world.extension("alice")
    world.say(extension, {"jsonrpc": "2.0", "id": "proxy:1", "result": {"name": "Chrome", "accessToken": "bob"}})
    assert world.closed[extension][0] is CloseCode.POLICY
    client = world.client("alice")
    told = world.ask(client, "mcp_handshake", {"accessToken": "bob"})
    assert error(told) == (-32600, "Invalid Request: already authenticated")
    world.extension("bob")
    assert world.ask(client, "list_extensions")["result"]["extensions"] == []


@pytest.mark.rule("T18")
def test_what_the_handshake_claims_besides_its_token_counts_for_nothing() -> None:
    world = World()
    world.extension("bob")
    client = world.open(Endpoint.MCP)
    params = {
        "accessToken": "alice",
        "user_id": "bob",
        "scopes": ["cdp"],
        "extension_id": "x",
        "__proto__": {"user_id": "bob"},
    }
    assert world.ask(client, "mcp_handshake", params)["result"]["user_id"] == "alice"
    assert world.ask(client, "list_extensions")["result"]["extensions"] == []


@pytest.mark.rule("T19")
def test_each_endpoint_asks_for_its_own_role() -> None:
    world = World()
    world.extension()
    world.client()
    assert [asked.role for asked in world.verified] == [Role.EXTENSION, Role.MCP]


# --- connections


def test_a_client_sees_the_extensions_of_its_user_alone() -> None:
    world = World()
    _, mine = world.extension("alice", "Chrome 141")
    world.extension("bob", "Chrome 140")
    listed = world.ask(world.client("alice"), "list_extensions")["result"]["extensions"]
    assert listed == [{"id": mine, "name": "Chrome 141", "connected": True}]


@pytest.mark.rule("T30")
def test_a_foreign_extension_is_as_unknown_as_a_random_one() -> None:
    world = World()
    _, foreign = world.extension("bob")
    client = world.client("alice")
    answers = [world.ask(client, "connect", {"extension_id": told}) for told in (foreign, "ext-random", "")]
    assert [error(answer) for answer in answers] == [(-32000, "Extension not found or not accessible")] * 3


@pytest.mark.rule("T31")
def test_connect_says_what_is_wrong_with_it() -> None:
    world = World()
    _, client, _ = world.pair()
    assert error(world.ask(client, "connect", {"extension_id": "x"})) == (
        -32001,
        "MCP client already connected to an extension",
    )
    lone = world.client()
    for params in ({}, {"extension_id": 7}, {"extensionId": "x"}):
        assert world.ask(lone, "connect", params)["error"]["code"] == -32602
    world.say(lone, '{"jsonrpc":"2.0","id":1,"method":"connect","params":[]}')
    assert world.heard(lone)[0]["error"]["code"] == -32602


def test_disconnect_is_safe_without_a_connection_and_frees_for_another() -> None:
    world = World()
    client = world.client()
    assert world.ask(client, "disconnect")["result"] == {"disconnected": True}
    _, first = world.extension()
    _, second = world.extension()
    world.connect(client, first)
    assert world.ask(client, "disconnect", request_id=4) == {
        "jsonrpc": "2.0",
        "id": 4,
        "result": {"disconnected": True},
    }
    world.connect(client, second)


def test_both_are_told_of_each_connect_and_disconnect() -> None:
    world = World()
    extension, extension_id = world.extension()
    first, second = world.client(), world.client()

    def status(connected: bool, peers: int) -> dict[str, Any]:
        params = {"connected": connected, "peer_count": peers, "timestamp": TIMESTAMP}
        return {"jsonrpc": "2.0", "method": "status", "params": params}

    for client, peers in ((first, 1), (second, 2)):
        world.say(client, {"jsonrpc": "2.0", "id": 3, "method": "connect", "params": {"extension_id": extension_id}})
        assert world.heard(client)[1:] == [status(True, peers)]
        assert world.heard(extension) == [status(True, peers)]
    world.say(first, {"jsonrpc": "2.0", "id": 4, "method": "disconnect", "params": {}})
    assert world.heard(first)[1:] == [status(False, 1)]
    assert world.heard(extension) == [status(True, 1)]
    world.leave(second)
    assert world.heard(extension) == [status(False, 0)]


@pytest.mark.rule("T33")
def test_a_call_without_a_connection_reaches_no_browser_and_names_the_choices() -> None:
    world = World()
    extensions = [world.extension(name=name) for name in ("Chrome 141", "Edge")]
    client = world.client()
    code, message = error(world.ask(client, "createTab"))
    assert code == -32010
    assert all(extension_id in message for _, extension_id in extensions)
    assert [world.heard(peer) for peer, _ in extensions] == [[], []]


# --- calls


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


# --- ends


@pytest.mark.rule("T81")
@pytest.mark.parametrize("why", list(Gone))
def test_when_the_extension_is_gone_calls_end_first_and_then_the_connection(why: Gone) -> None:
    world = World()
    extension, client, connection = world.pair()
    world.say(client, {"jsonrpc": "2.0", "id": 7, "method": "click"})
    world.leave(extension, why)
    lost, notice = world.heard(client)
    assert (lost["id"], lost["error"]["code"], lost["error"]["data"]) == (7, -32011, {"code": "outcome_unknown"})
    params = {"connection_id": connection, "reason": why.value}
    assert notice == {"jsonrpc": "2.0", "method": "disconnected", "params": params}
    assert world.ask(client, "click")["error"]["code"] == -32010
    assert world.ask(client, "list_extensions")["result"]["extensions"] == []


def test_when_a_client_is_gone_its_extension_serves_the_others() -> None:
    world = World()
    extension, client, connection = world.pair()
    world.say(client, {"jsonrpc": "2.0", "id": 1, "method": "click"})
    world.leave(client)
    other = world.client()
    world.connect(other, world.ask(other, "list_extensions")["result"]["extensions"][0]["id"])
    world.say(extension, {"id": f"{connection}:1", "result": {"secret": 1}})
    world.heard(extension)
    assert [message["method"] for message in world.heard(other)] == []
    world.say(other, {"jsonrpc": "2.0", "id": 1, "method": "click"})
    world.answer(extension)
    assert world.heard(other)[-1]["result"] == {}


def test_disconnecting_in_mid_call_ends_the_call() -> None:
    world = World()
    extension, client, connection = world.pair()
    world.say(client, {"jsonrpc": "2.0", "id": 1, "method": "click"})
    world.say(client, {"jsonrpc": "2.0", "id": 2, "method": "disconnect"})
    lost, left, _ = world.heard(client)
    assert (lost["id"], lost["error"]["code"], left["id"]) == (1, -32011, 2)
    world.say(extension, {"id": f"{connection}:1", "result": {}})
    assert world.heard(client) == []


@pytest.mark.rule("T25")
@pytest.mark.parametrize("side", ["client", "extension"])
def test_an_expired_token_closes_its_socket_and_tells_of_calls_under_way(side: str) -> None:
    world = World()
    world.identities["brief"] = Identity(UserId("alice"), lives_s=60)
    extension, extension_id = world.extension("brief" if side == "extension" else "alice")
    client = world.client("brief" if side == "client" else "alice")
    world.connect(client, extension_id)
    world.say(client, {"jsonrpc": "2.0", "id": 1, "method": "click"})
    world.wait(59)
    assert not world.closed
    world.heard(client)
    world.wait(3)
    ended = client if side == "client" else extension
    assert world.closed == {ended: (CloseCode.UNAUTHORIZED, "Token expired")}
    assert world.heard(client)[0]["error"]["code"] == -32011


@pytest.mark.rule("T25")
@pytest.mark.parametrize("entry", ["token-1", "user:alice"])
def test_a_revoked_token_closes_its_socket(entry: str) -> None:
    world = World()
    world.identities["listed"] = Identity(UserId("alice"), token_id="token-1")
    client, other = world.client("listed"), world.client("bob")
    world.perform(world.router.revoked(frozenset({entry})))
    assert world.closed == {client: (CloseCode.UNAUTHORIZED, "Token revoked")}
    assert "error" not in world.ask(other, "list_extensions")


@pytest.mark.rule("T82")
def test_an_extension_that_comes_twice_replaces_itself_but_not_for_ever() -> None:
    world = World()
    world.identities["fixed"] = Identity(UserId("alice"), extension_id=ExtensionId("ext-fixed-name"))
    former, extension_id = world.extension("fixed")
    assert extension_id == "ext-fixed-name"
    client = world.client()
    world.connect(client, extension_id)
    world.say(client, {"jsonrpc": "2.0", "id": 1, "method": "click"})
    world.heard(client)
    world.extension("fixed")
    assert world.closed[former] == (CloseCode.REPLACED, "Replaced")
    lost, notice = world.heard(client)
    assert (lost["error"]["code"], notice["params"]["reason"]) == (-32011, "Replaced")
    for _ in range(4):
        world.extension("fixed")
    late = world.open(Endpoint.EXTENSION)
    world.say(late, {"jsonrpc": "2.0", "id": "proxy:1", "result": {"name": "x", "accessToken": "fixed"}})
    assert world.closed[late][0] is CloseCode.REPLACED
    world.wait(61)
    world.extension("fixed")


@pytest.mark.rule("T46")
def test_a_user_has_so_many_sockets_and_no_more() -> None:
    world = World(Limits(user_peers=3))
    clients = [world.client("alice") for _ in range(3)]
    extra = world.open(Endpoint.MCP)
    world.say(extra, {"jsonrpc": "2.0", "id": 1, "method": "mcp_handshake", "params": {"accessToken": "alice"}})
    assert world.closed[extra][0] is CloseCode.TOO_MANY
    world.client("bob")
    world.leave(clients[0])
    world.client("alice")


# --- events


@pytest.mark.rule("T29")
def test_browser_wide_events_reach_the_clients_of_that_extension_alone() -> None:
    world = World()
    extension, client, _ = world.pair()
    bystander = world.client()
    _, foreign, _ = world.pair("bob")
    for method in ("tabCreated", "tabUpdated", "tabClosed", "toolsChanged", "tabMessage"):
        event = {"jsonrpc": "2.0", "method": method, "params": {"tabId": 5}}
        world.say(extension, event)
        assert world.heard(client) == [event]
    assert (world.heard(bystander), world.heard(foreign)) == ([], [])


@pytest.mark.rule("T29")
def test_devtools_events_reach_those_who_named_the_tab() -> None:
    world = World()
    extension, client, _ = world.pair()
    other = world.client()
    world.connect(other, world.ask(other, "list_extensions")["result"]["extensions"][0]["id"])
    for peer in (extension, client, other):
        world.heard(peer)

    def event(tab: int) -> None:
        params: dict[str, Any] = {"tabId": tab, "method": "Page.loadEventFired", "params": {}}
        world.say(extension, {"jsonrpc": "2.0", "method": "forwardCDPEvent", "params": params})

    event(42)
    assert (world.heard(client), world.heard(other)) == ([], [])
    world.say(client, {"jsonrpc": "2.0", "id": 1, "method": "createTab", "params": {}})
    world.answer(extension, {"tabId": 42})
    world.say(other, {"jsonrpc": "2.0", "id": 1, "method": "click", "params": {"tabId": 7}})
    world.heard(client)
    event(42)
    event(7)
    event(8)
    assert [message["params"]["tabId"] for message in world.heard(client)] == [42]
    assert [message["params"]["tabId"] for message in world.heard(other)] == [7]


@pytest.mark.rule("T32")
def test_late_events_of_a_tabs_former_client_do_not_reach_its_next() -> None:
    world = World()
    extension, former, _ = world.pair()
    world.say(former, {"jsonrpc": "2.0", "id": 1, "method": "click", "params": {"tabId": 7}})
    world.answer(extension)
    world.leave(former)
    heir = world.client()
    world.connect(heir, world.ask(heir, "list_extensions")["result"]["extensions"][0]["id"])
    world.heard(extension)
    world.say(heir, {"jsonrpc": "2.0", "id": 1, "method": "click", "params": {"tabId": 7}})
    world.heard(heir)
    event = {"jsonrpc": "2.0", "method": "forwardCDPEvent", "params": {"tabId": 7}}
    world.say(extension, event)
    assert world.heard(heir) == []
    world.answer(extension)
    world.heard(heir)
    world.say(extension, event)
    assert world.heard(heir) == [event]


@pytest.mark.rule("T29")
def test_an_extension_can_neither_ask_nor_speak_for_the_proxy() -> None:
    world = World()
    extension, client, connection = world.pair()
    world.say(extension, {"jsonrpc": "2.0", "id": "ext:1", "method": "connect", "params": {}})
    assert error(world.heard(extension)[0])[0] == -32601
    for method in ("disconnected", "status", "authenticated", "connect"):
        world.say(extension, {"jsonrpc": "2.0", "method": method, "params": {"connection_id": connection}})
    assert world.heard(client) == []
    assert not world.closed


# --- limits


@pytest.mark.rule("T44")
def test_a_burst_passes_and_the_rest_is_told_when_to_come_back() -> None:
    world = World(Limits(user_rate=100))
    client = world.client()
    answers = [world.ask(client, "list_extensions") for _ in range(1_000)]
    refused = [answer["error"] for answer in answers if "error" in answer]
    assert len(refused) == 800
    assert {(failure["code"], failure["data"]["code"]) for failure in refused} == {(-32013, "limit")}
    assert 0 < refused[0]["data"]["retryAfter"] <= 0.05
    world.wait(1)
    assert sum("result" in world.ask(client, "list_extensions") for _ in range(100)) == 20


@pytest.mark.rule("T44")
def test_coming_back_or_coming_twice_gives_no_fresh_allowance() -> None:
    world = World(Limits(user_rate=100))
    passed = 0
    for _ in range(5):
        client = world.client()
        passed += sum("result" in world.ask(client, "list_extensions") for _ in range(300))
        world.leave(client)
        world.wait(0.1)
    assert 200 <= passed <= 260
    assert "result" in world.ask(world.client("bob"), "list_extensions")


def test_shape_errors_are_answered_and_the_socket_lives() -> None:
    world = World()
    _, client, _ = world.pair()
    for data, code, told in (
        ("{", -32700, None),
        ("[]", -32600, None),
        ('{"id":1,"method":"getTabs"}', -32600, 1),
        ('{"jsonrpc":"1.0","id":1,"method":"getTabs"}', -32600, 1),
        ('{"jsonrpc":"2.0","id":"a"}', -32600, "a"),
        ('{"jsonrpc":"2.0","id":1.5,"method":"getTabs"}', -32600, None),
        ('{"jsonrpc":"2.0","id":null,"method":"getTabs"}', -32600, None),
        ('{"jsonrpc":"2.0","id":3,"result":{}}', -32600, 3),
    ):
        world.say(client, data)
        [answer] = world.heard(client)
        assert (answer["error"]["code"], answer["id"]) == (code, told), data
    assert not world.closed


# --- the end of the server


@pytest.mark.rule("T85")
def test_a_drain_lets_calls_end_and_sends_everybody_away() -> None:
    world = World()
    extension, client, connection = world.pair()
    _, idle, idle_connection = world.pair("bob")
    world.say(client, {"jsonrpc": "2.0", "id": 1, "method": "click"})
    world.perform(world.router.drain(world.now))
    assert world.closed[idle][0] is CloseCode.RESTART
    assert world.heard(idle)[0]["params"] == {"connection_id": idle_connection, "reason": "Server shutting down"}
    assert client not in world.closed
    assert world.ask(client, "click", request_id=2)["error"]["data"] == {"code": "shutting_down"}
    world.answer(extension)
    assert world.heard(client)[0]["result"] == {}
    world.wait(0.1)
    assert world.router.drained
    assert world.heard(client)[0]["params"] == {"connection_id": connection, "reason": "Server shutting down"}
    assert {code for code, _ in world.closed.values()} == {CloseCode.RESTART}


@pytest.mark.rule("T85")
def test_a_drain_does_not_wait_for_ever() -> None:
    world = World()
    _, client, _ = world.pair()
    world.say(client, {"jsonrpc": "2.0", "id": 1, "method": "click"})
    world.perform(world.router.drain(world.now))
    world.wait(9)
    assert not world.router.drained
    world.wait(2)
    assert world.router.drained
    assert world.heard(client)[0]["error"]["code"] == -32011


@pytest.mark.rule("T49")
def test_a_browsers_name_is_one_clean_line() -> None:
    world = World()
    world.extension(name="Chrome\r\n\x1b[31m141\u202e" + "x" * 1000)
    [row] = world.ask(world.client(), "list_extensions")["result"]["extensions"]
    assert row["name"].isprintable()
    assert len(row["name"]) <= 200


def test_an_unknown_peer_is_nobody() -> None:
    world = World()
    world.say(PeerId(99), json.dumps({"jsonrpc": "2.0", "id": 1, "method": "getTabs"}))
    world.leave(PeerId(99))
    assert not world.inbox


# --- order of things


class Slow(World):
    """Tokens take their time: the test says when."""

    def perform(self, effects: list[Effect]) -> None:
        super().perform([effect for effect in effects if not isinstance(effect, Verify)])


def slow_client() -> tuple[Slow, PeerId]:
    world = Slow()
    client = world.open(Endpoint.MCP)
    world.say(client, {"jsonrpc": "2.0", "id": 1, "method": "mcp_handshake", "params": {"accessToken": "alice"}})
    return world, client


def test_whoever_speaks_while_its_token_is_checked_is_closed() -> None:
    world, client = slow_client()
    world.say(client, {"jsonrpc": "2.0", "id": 2, "method": "list_extensions"})
    assert world.closed[client][0] is CloseCode.POLICY


def test_a_check_that_ends_too_late_lets_nobody_in() -> None:
    world, client = slow_client()
    world.wait(6)
    assert world.closed[client][0] is CloseCode.TOO_LATE
    world.perform(world.router.verified(client, Identity(UserId("alice")), world.now))
    assert not world.router.knows(client)


def test_a_server_that_shuts_down_lets_nobody_in() -> None:
    world, client = slow_client()
    stranger = world.open(Endpoint.MCP)
    world.perform(world.router.drain(world.now))
    assert world.closed == {stranger: (CloseCode.RESTART, "Server shutting down")}
    world.perform(world.router.verified(client, Identity(UserId("alice")), world.now))
    assert world.closed[client][0] is CloseCode.RESTART
    assert world.router.drained


def test_an_idle_extension_is_sent_away_at_once_when_the_server_shuts_down() -> None:
    world = World()
    extension, _ = world.extension()
    world.perform(world.router.drain(world.now))
    assert world.closed[extension][0] is CloseCode.RESTART


def test_a_stranger_without_jsonrpc_is_told_what_is_missing() -> None:
    world = World()
    client = world.open(Endpoint.MCP)
    for data in ('{"id":1,"method":"getTabs"}', '{"jsonrpc":"2.0","id":1}'):
        world.say(client, data)
        assert error(world.heard(client)[0])[0] == -32600


def test_nonsense_counts_against_the_rate_too() -> None:
    world = World(Limits(user_rate=10))
    client = world.client()
    codes: list[int] = []
    for _ in range(50):
        world.say(client, "nonsense")
        codes.append(error(world.heard(client)[0])[0])
    assert (codes.count(-32700), codes.count(-32013)) == (20, 30)


def test_an_extension_that_asks_all_the_time_is_not_answered_all_the_time() -> None:
    world = World(Limits(user_rate=10))
    extension, _ = world.extension()
    for _ in range(50):
        world.say(extension, {"jsonrpc": "2.0", "id": {"no": "id"}, "method": "connect"})
    answers = world.heard(extension)
    assert len(answers) == 20
    assert {(answer["id"], answer["error"]["code"]) for answer in answers} == {(None, -32601)}


def test_an_extension_that_tells_all_the_time_is_not_heard_all_the_time() -> None:
    world = World(Limits(user_rate=10))
    extension, client, _ = world.pair()
    for _ in range(50):
        world.say(extension, {"jsonrpc": "2.0", "method": "tabUpdated"})
    assert world.heard(client) == [{"jsonrpc": "2.0", "method": "tabUpdated"}] * 20


def test_nonsense_from_an_extension_is_answered_and_in_the_end_closes_it() -> None:
    world = World()
    extension, _ = world.extension()
    for _ in range(19):
        world.say(extension, "nonsense")
    assert {error(answer)[0] for answer in world.heard(extension)} == {-32700}
    world.say(extension, "nonsense")
    assert world.closed[extension][0] is CloseCode.POLICY


def test_only_so_many_tabs_of_former_clients_are_remembered() -> None:
    world = World(Limits(user_rate=0, tabs_per_connection=3_000))
    extension, client, _ = world.pair()
    for tab in range(2_000):
        world.say(client, {"jsonrpc": "2.0", "method": "click", "params": {"tabId": tab}})
    world.leave(client)
    heir = world.client()
    world.connect(heir, world.ask(heir, "list_extensions")["result"]["extensions"][0]["id"])
    heard: list[int] = []
    for tab in (0, 1_999):
        world.say(heir, {"jsonrpc": "2.0", "method": "click", "params": {"tabId": tab}})
        world.heard(heir)
        world.say(extension, {"jsonrpc": "2.0", "method": "forwardCDPEvent", "params": {"tabId": tab}})
        heard += [message["params"]["tabId"] for message in world.heard(heir)]
    assert heard == [0]


def test_whichever_came_first_both_ends_of_a_connection_are_sent_away() -> None:
    world = World()
    client = world.client()
    extension, extension_id = world.extension()
    connection = world.connect(client, extension_id)
    world.heard(client)
    world.perform(world.router.drain(world.now))
    assert world.heard(client)[0]["params"] == {"connection_id": connection, "reason": "Server shutting down"}
    assert set(world.closed) == {client, extension}
