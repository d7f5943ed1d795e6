"""Before anybody is known: who may become a peer, and what is refused (proxy.md in virtual time)."""

import json
from typing import Any

import pytest

from tabwright.proxy.model import (
    CloseCode,
    Effect,
    Endpoint,
    Identity,
    PeerId,
    Role,
    UserId,
    Verify,
)
from tests.proxy.world import World, error


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
    assert not world.router.roster.knows(client)


def test_a_server_that_shuts_down_lets_nobody_in() -> None:
    world, client = slow_client()
    stranger = world.open(Endpoint.MCP)
    world.perform(world.router.drain(world.now))
    assert world.closed == {stranger: (CloseCode.RESTART, "Server shutting down")}
    world.perform(world.router.verified(client, Identity(UserId("alice")), world.now))
    assert world.closed[client][0] is CloseCode.RESTART
    assert world.router.drained


def test_a_stranger_without_jsonrpc_is_told_what_is_missing() -> None:
    world = World()
    client = world.open(Endpoint.MCP)
    for data in ('{"id":1,"method":"getTabs"}', '{"jsonrpc":"2.0","id":1}'):
        world.say(client, data)
        assert error(world.heard(client)[0])[0] == -32600


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


@pytest.mark.parametrize("versioned", [True, False])
def test_whoever_is_at_the_wrong_door_is_told_the_right_one(versioned: bool) -> None:
    world = World()
    version = {"jsonrpc": "2.0", "id": 1} if versioned else {}
    extension = world.open(Endpoint.MCP)
    world.say(extension, {**version, "method": "extension_handshake", "params": {"name": "x", "accessToken": "alice"}})
    [told] = world.heard(extension)
    assert "/extension" in (told["error"]["message"] if versioned else told["error"])
    assert world.closed[extension] == (CloseCode.POLICY, "extensions connect to /extension")
    client = world.open(Endpoint.EXTENSION)
    world.say(client, {**version, "method": "mcp_handshake", "params": {"accessToken": "alice"}})
    assert world.closed[client] == (CloseCode.POLICY, "MCP clients connect to /mcp")
    assert not world.verified


def test_a_stranger_that_asks_for_no_answer_gets_none() -> None:
    world = World()
    client = world.open(Endpoint.MCP)
    world.say(client, {"jsonrpc": "2.0", "method": "list_extensions"})
    assert world.heard(client) == []
