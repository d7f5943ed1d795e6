"""A replica that leaves: calls that cross with the news of it come back as not done; none is left without an end."""

from tabwright.proxy.model import PeerId
from tests.cluster.peers import SAFE
from tests.cluster.test_core import call, word
from tests.cluster.world import Node, World


def leave(node: Node) -> None:
    """Everybody without a call is sent away; the other replicas do not know yet."""
    node.perform(node.router.drain(node.world.now))


def say_click(world: World, client: PeerId) -> None:
    """A call that is on its way."""
    world.say(client, {"jsonrpc": "2.0", "id": 1, "method": "click", "params": {}})


def ends(world: World, client: PeerId) -> list[str]:
    return [word(message) for message in world.heard(client) if "id" in message]


def test_a_call_that_arrives_between_a_farewell_and_its_being_told_is_not_done() -> None:
    world = World(2)
    extension, client, name = world.pair(*world.nodes)
    far = world.nodes[1]
    other = world.client(far)
    world.request(other, "connect", {"extension_id": name})
    # the browser stays, as somebody waits for its answer; only the client elsewhere is sent away
    call(world, other)
    say_click(world, client)
    leave(far)
    assert world.bus.deliver()
    world.wait(3)
    assert ends(world, client) in [[code] for code in SAFE]
    assert len([message for message in world.heard(extension) if "id" in message]) == 1, "it was done all the same"


def test_a_call_that_crosses_with_a_replicas_goodbye_is_not_done() -> None:
    world = World(2)
    _, client, _ = world.pair(*world.nodes)
    far = world.nodes[1]
    leave(far)
    far.settle()
    far.perform(far.cluster.farewell())
    far.dead = True
    say_click(world, client)
    world.wait(3)
    assert ends(world, client) in [[code] for code in SAFE]


def test_a_call_that_crosses_with_a_goodbye_and_is_never_answered_ends_unknown_within_two_seconds() -> None:
    world = World(2)
    _, client, _ = world.pair(*world.nodes)
    near, far = world.nodes
    say_click(world, client)
    world.bus.queue.clear()
    leave(far)
    far.settle()
    far.perform(far.cluster.farewell())
    world.kill(far)
    assert near.cluster.aways.pending == 1
    world.wait(2)
    assert ends(world, client) == ["outcome_unknown"]


def test_a_replica_that_leaves_waits_for_the_calls_of_clients_elsewhere() -> None:
    world = World(2)
    extension, client, _ = world.pair(*world.nodes)
    call(world, client)
    leave(world.nodes[1])
    world.wait(3)
    [asked] = [message for message in world.heard(extension) if "id" in message]
    world.say(extension, {"jsonrpc": "2.0", "id": asked["id"], "result": {"in": "time"}})
    world.wait(1)
    told = world.heard(client)
    assert told[0] == {"jsonrpc": "2.0", "id": 1, "result": {"in": "time"}}
    assert [message["method"] for message in told[1:]] == ["disconnected"]


def test_a_replica_that_leaves_waits_for_the_calls_of_its_clients_to_browsers_elsewhere() -> None:
    world = World(2)
    extension, client, _ = world.pair(*world.nodes)
    call(world, client)
    leave(world.nodes[0])
    world.wait(3)
    assert client not in world.closed
    [asked] = [message for message in world.heard(extension) if "id" in message]
    world.say(extension, {"jsonrpc": "2.0", "id": asked["id"], "result": {"in": "time"}})
    world.wait(1)
    assert world.heard(client)[0] == {"jsonrpc": "2.0", "id": 1, "result": {"in": "time"}}
    assert client in world.closed
