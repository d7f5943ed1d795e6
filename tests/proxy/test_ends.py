"""What becomes of calls and peers when a socket, a token or the server ends (proxy.md in virtual time)."""

import pytest

from tabwright.proxy.model import (
    CloseCode,
    Endpoint,
    ExtensionId,
    Gone,
    Identity,
    Limits,
    UserId,
)
from tests.proxy.world import World


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
    world.perform(world.router.roster.revoked(frozenset({entry})))
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


def test_an_idle_extension_is_sent_away_at_once_when_the_server_shuts_down() -> None:
    world = World()
    extension, _ = world.extension()
    world.perform(world.router.drain(world.now))
    assert world.closed[extension][0] is CloseCode.RESTART


def test_whichever_came_first_both_ends_of_a_connection_are_sent_away() -> None:
    world = World()
    client = world.client()
    extension, extension_id = world.extension()
    connection = world.connect(client, extension_id)
    world.heard(client)
    world.perform(world.router.drain(world.now))
    assert world.heard(client)[0]["params"] == {"connection_id": connection, "reason": "Server shutting down"}
    assert set(world.closed) == {client, extension}
