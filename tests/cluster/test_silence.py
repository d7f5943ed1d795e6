"""A replica that was silent for so long that it was given up, and only slept: nothing is left over on either side."""

import pytest

from tests.cluster.test_core import answer, call, word
from tests.cluster.world import Node, World

LONG_S = 10.0
"""Longer than either side waits for the other."""


def sleep(node: Node, seconds: float) -> None:
    node.frozen = True
    node.world.wait(seconds)
    node.frozen = False
    node.world.run()


def test_calls_of_a_replica_that_slept_end_though_it_was_given_up() -> None:
    world = World(2)
    extension, client, _ = world.pair(*world.nodes)
    call(world, client)
    sleep(world.nodes[0], LONG_S)
    world.wait(2)
    told = world.heard(client)
    assert word(told[0]) == "outcome_unknown"
    assert [message["method"] for message in told[1:]] == ["disconnected"]
    assert world.nodes[0].cluster.aways.pending == 0
    [asked] = [message for message in world.heard(extension) if "id" in message]
    world.say(extension, {"jsonrpc": "2.0", "id": asked["id"], "result": {"too": "late"}})
    world.run()
    assert world.heard(client) == []


def test_a_replica_that_slept_and_is_told_to_leave_does_not_wait_for_calls_that_nobody_answers() -> None:
    world = World(2)
    _, client, _ = world.pair(*world.nodes)
    call(world, client)
    near = world.nodes[0]
    sleep(near, LONG_S)
    near.perform(near.router.drain(world.now))
    world.wait(3)
    assert client in world.closed


def test_a_replica_that_slept_itself_does_not_take_the_others_for_gone() -> None:
    world = World(2)
    extension, client, _ = world.pair(*world.nodes)
    near = world.nodes[0]
    call(world, client)
    near.frozen = True
    world.wait(6)
    near.frozen = False
    # timers come first, and what has arrived meanwhile after them
    near.perform(near.cluster.tick(world.now))
    world.run()
    answer(world, extension, {"in": "time"})
    assert world.heard(client) == [{"jsonrpc": "2.0", "id": 1, "result": {"in": "time"}}]


def test_a_replica_that_gets_few_turns_still_notices_one_that_hangs() -> None:
    world = World(2)
    _, client, _ = world.pair(*world.nodes)
    near, far = world.nodes
    call(world, client)
    far.frozen = True
    for _ in range(10):
        world.now += 2
        near.perform(near.cluster.tick(world.now))
        world.run()
    assert word(world.heard(client)[0]) == "outcome_unknown"


@pytest.mark.parametrize(("seconds", "given_up"), [(5.0, False), (LONG_S, True)])
def test_a_client_that_gave_a_browser_up_is_not_counted_there_when_its_replica_awakes(
    seconds: float, given_up: bool
) -> None:
    world = World(2)
    extension, client, _ = world.pair(*world.nodes)
    near, far = world.nodes
    sleep(far, seconds)
    world.wait(3)
    assert [message["method"] for message in world.heard(client)] == ["disconnected"] * given_up
    assert [message["params"]["peer_count"] for message in world.heard(extension)] == [0] * given_up
    assert far.cluster.guests.replicas == (set() if given_up else {near.name})
