"""Clients and extensions find each other, and what both are told of it (proxy.md in virtual time)."""

from typing import Any

import pytest

from tests.proxy.world import TIMESTAMP, World, error


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


@pytest.mark.parametrize("wrong", [7, None, ["conn-1"]])
def test_to_disconnect_what_is_no_connection_disconnects_nothing(wrong: object) -> None:
    world = World()
    extension, client, connection = world.pair()
    refused = world.ask(client, "disconnect", request_id=4, connectionId=wrong)
    assert (refused["error"]["code"], world.heard(extension)) == (-32600, [])
    world.say(client, {"jsonrpc": "2.0", "id": 5, "method": "click", "connectionId": connection})
    assert len(world.heard(extension)) == 1


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
