"""A browser that arrives elsewhere while its replica cannot be reached: its clients may connect to it there at once."""

import pytest

from tabwright.proxy.cluster_wire import MOVES, Arrived, arrival_subject, encode
from tabwright.proxy.model import PeerId
from tests.cluster.test_core import answer, call, word
from tests.cluster.world import Node, World

NAME = "ext-moves"
TOKEN = f"alice/{NAME}"


def told(world: World, client: PeerId) -> list[str]:
    """Answers by their words, and notices by their method and reason."""
    return [
        word(message) if "error" in message else f"{message['method']}: {message['params'].get('reason', '')}"
        for message in world.heard(client)
    ]


def works(world: World, client: PeerId, extension: PeerId) -> None:
    assert "result" in world.request(client, "connect", {"extension_id": NAME})
    world.heard(extension)
    call(world, client, 99)
    answer(world, extension, {"back": True})
    assert world.heard(client)[-1]["result"] == {"back": True}


def listening(node: Node) -> set[str]:
    return {subject for subject in node.listening if subject.startswith(MOVES)}


@pytest.mark.parametrize("home", [0, 2], ids=["where its client is", "on a third replica"])
def test_a_client_is_free_to_connect_as_soon_as_its_browser_has_arrived_elsewhere(home: int) -> None:
    world = World(3)
    _, client, _ = world.pair(world.nodes[0], world.nodes[1], token=TOKEN)
    world.kill(world.nodes[1])
    world.wait(0.75)
    call(world, client)
    assert told(world, client) == ["unavailable"]
    extension, _ = world.extension(world.nodes[home], TOKEN)
    world.run()
    assert told(world, client) == ["disconnected: Replaced"]
    works(world, client, extension)


def test_a_browser_may_arrive_before_anybody_has_noticed_that_its_replica_is_gone() -> None:
    world = World(3)
    near, far, third = world.nodes
    _, client, _ = world.pair(near, far, token=TOKEN)
    world.kill(far)
    extension, _ = world.extension(third, TOKEN)
    world.run()
    call(world, client)
    assert told(world, client) == ["not_connected", "disconnected: Replaced"]
    works(world, client, extension)


def test_a_client_that_asks_for_nothing_is_told_when_the_old_replica_is_found_gone() -> None:
    world = World(3)
    near, far, third = world.nodes
    _, client, _ = world.pair(near, far, token=TOKEN)
    world.kill(far)
    world.extension(third, TOKEN)
    world.run()
    world.wait(0.75)
    assert told(world, client) == ["disconnected: Replaced"]


def test_calls_that_were_under_way_end_before_the_client_is_told() -> None:
    world = World(3)
    near, far, third = world.nodes
    old, client, _ = world.pair(near, far, token=TOKEN)
    call(world, client, 1)
    call(world, client, 2)
    world.kill(far)
    call(world, client, 3)
    extension, _ = world.extension(third, TOKEN)
    world.run()
    assert told(world, client) == ["unavailable"], "what became of the others is not known yet"
    world.wait(0.75)
    assert told(world, client) == ["outcome_unknown", "outcome_unknown", "disconnected: Replaced"]
    works(world, client, extension)
    del old


def test_an_answer_that_was_on_its_way_when_the_browser_moved_is_not_lost() -> None:
    world = World(3)
    near, far, third = world.nodes
    old, client, _ = world.pair(near, far, token=TOKEN)
    call(world, client, 1)
    [asked] = [message for message in world.heard(old) if "id" in message]
    world.say(old, {"jsonrpc": "2.0", "id": asked["id"], "result": {"late": True}})
    late = world.bus.queue.popleft()
    world.kill(far)
    call(world, client, 2)
    world.extension(third, TOKEN)
    world.run()
    assert told(world, client) == ["unavailable"]
    world.bus.queue.append(late)
    world.run()
    assert world.heard(client)[-1]["result"] == {"late": True}
    world.wait(0.25)
    assert told(world, client) == ["disconnected: Replaced"]


def test_a_browser_whose_record_was_cleared_away_meanwhile_is_still_known_to_have_moved() -> None:
    world = World(3)
    near, far, third = world.nodes
    _, client, _ = world.pair(near, far, token=TOKEN)
    world.kill(far)
    world.wait(0.75)
    world.extension(third, "alice/ext-another")
    world.run()
    assert told(world, client) == []
    world.extension(third, TOKEN)
    world.run()
    assert told(world, client) == ["disconnected: Replaced"]


def test_a_replica_that_can_be_reached_tells_itself_what_became_of_calls_to_a_browser_that_moved() -> None:
    world = World(3)
    near, far, third = world.nodes
    old, client, _ = world.pair(near, far, token=TOKEN)
    call(world, client)
    extension, _ = world.extension(third, TOKEN)
    # the answer and the news of the arrival cross
    answer(world, old, {"in": "time"})
    heard = world.heard(client)
    assert heard[0]["result"] == {"in": "time"}
    assert [message.get("method") for message in heard[1:]] == ["disconnected"]
    works(world, client, extension)


def test_an_arrival_that_is_not_later_changes_nothing() -> None:
    world = World(2)
    near, far = world.nodes
    extension, client, _ = world.pair(near, far, token=TOKEN)
    [epoch] = {entry.epoch for entry in world.read(next(iter(world.bus.records))).values()}
    far.cabled = False
    world.run()
    near.perform(near.cluster.received(arrival_subject("alice", NAME), "", encode(Arrived(epoch)), world.now))
    far.cabled = True
    world.run()
    assert told(world, client) == []
    call(world, client)
    answer(world, extension, {"ok": 1})
    assert world.heard(client)[-1]["result"] == {"ok": 1}


def test_each_arrival_is_told_once_and_heard_only_where_somebody_is_connected() -> None:
    world = World(3)
    near, far, third = world.nodes
    _, client, _ = world.pair(near, far, token=TOKEN)
    second = world.client(near)
    assert "result" in world.request(second, "connect", {"extension_id": NAME})
    assert [len(listening(node)) for node in world.nodes] == [1, 0, 0]
    before = world.bus.published[MOVES]
    world.kill(far)
    world.wait(0.75)
    world.extension(third, TOKEN)
    world.run()
    # what is written again, as after a break of the broker's, is no arrival
    third.perform(third.cluster.broker_up(1 << 20, world.now))
    world.run()
    assert world.bus.published[MOVES] == before + 1
    for peer in (client, second):
        assert told(world, peer) == ["disconnected: Replaced"]
    assert listening(near) == set()
