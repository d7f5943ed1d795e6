"""How much anybody may say, and what nonsense gets (proxy.md in virtual time)."""

import pytest

from tabwright.proxy.model import (
    CloseCode,
    Limits,
)
from tests.proxy.world import World, error


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


def test_too_many_messages_without_id_are_dropped_without_a_word() -> None:
    world = World(Limits(user_rate=10))
    _, client, _ = world.pair()
    for _ in range(50):
        world.say(client, {"jsonrpc": "2.0", "method": "click"})
    assert world.heard(client) == []
    assert world.router.counts.limited > 0
