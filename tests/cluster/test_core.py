"""The replicas' core in virtual time: fencing, lost answers, rates, and what is promised to callers."""

from typing import Any

import pytest

from tabwright.proxy.cluster_beat import PEERS_TOLD
from tabwright.proxy.cluster_wire import Record, Superseded, encode, user_key
from tabwright.proxy.model import Announce, CloseCode, Endpoint, Limits, PeerId, Publish, UserId
from tests.cluster.world import MAX_BYTES, Node, World


def word(message: dict[str, Any]) -> str:
    return message["error"]["data"]["code"]


def call(world: World, client: PeerId, number: int = 1) -> None:
    world.say(client, {"jsonrpc": "2.0", "id": number, "method": "click", "params": {"n": number}})
    world.run()


def answer(world: World, extension: PeerId, result: dict[str, Any]) -> None:
    [asked] = [message for message in world.heard(extension) if "id" in message]
    world.say(extension, {"jsonrpc": "2.0", "id": asked["id"], "result": result})
    world.run()


def test_a_call_and_its_answer_cross_replicas() -> None:
    world = World(2)
    extension, client, _ = world.pair(*world.nodes)
    call(world, client)
    answer(world, extension, {"ok": 1})
    assert world.heard(client) == [{"jsonrpc": "2.0", "id": 1, "result": {"ok": 1}}]
    assert [node.cluster.aways.pending for node in world.nodes] == [0, 0]


@pytest.mark.parametrize("number", [0, -7, "a", "", 'with "quotes" and \\', "ünï", '1,"result":2', "x" * 200])
def test_an_answer_finds_its_caller_on_another_replica_whatever_its_id(number: int | str) -> None:
    world = World(2)
    extension, client, _ = world.pair(*world.nodes)
    world.say(client, {"jsonrpc": "2.0", "id": number, "method": "click", "params": {}})
    world.run()
    answer(world, extension, {"id": "another", "method": "of the result"})
    result = {"id": "another", "method": "of the result"}
    assert world.heard(client) == [{"jsonrpc": "2.0", "id": number, "result": result}]
    assert [node.cluster.aways.pending for node in world.nodes] == [0, 0]


def test_an_answer_lost_with_a_short_break_of_the_other_replica_is_told_as_unknown() -> None:
    world = World(2)
    extension, client, _ = world.pair(*world.nodes)
    call(world, client)
    far = world.nodes[1]
    far.cabled = False
    far.look()
    answer(world, extension, {"lost": True})
    far.cabled = True
    world.run()
    assert [word(message) for message in world.heard(client)] == ["outcome_unknown"]
    call(world, client, 1)
    answer(world, extension, {"ok": 2})
    assert world.heard(client) == [{"jsonrpc": "2.0", "id": 1, "result": {"ok": 2}}]


def test_a_client_is_told_once_that_a_replica_does_not_come_back() -> None:
    world = World(2)
    extension, client, _ = world.pair(*world.nodes)
    call(world, client)
    world.kill(world.nodes[1])
    world.wait(1)
    assert [word(message) for message in world.heard(client)] == ["outcome_unknown"]
    call(world, client, 2)
    assert [word(message) for message in world.heard(client)] == ["unavailable"]
    world.wait(3)
    assert [message["method"] for message in world.heard(client)] == ["disconnected"]
    call(world, client, 3)
    assert [word(message) for message in world.heard(client)] == ["not_connected"]
    del extension


def test_a_replica_that_hangs_is_given_up_within_five_seconds() -> None:
    world = World(2)
    _, client, _ = world.pair(*world.nodes)
    call(world, client)
    world.nodes[1].frozen = True
    world.wait(5)
    assert word(world.heard(client)[0]) == "outcome_unknown"


def test_guests_of_a_replica_that_is_gone_leave() -> None:
    world = World(2)
    extension, _, _ = world.pair(*world.nodes)
    world.kill(world.nodes[0])
    world.wait(7)
    assert world.heard(extension)[-1]["params"]["peer_count"] == 0
    assert world.nodes[1].router.pending == 0


def test_of_two_that_hold_an_extension_the_earlier_lets_go_and_serves_nobody_before() -> None:
    world = World(3)
    near, cut, other = world.nodes
    old, client, name = world.pair(near, cut, token="alice/ext-fixed")
    cut.cabled = False
    world.run()
    new, same = world.extension(other, "alice/ext-fixed")
    assert same == name
    world.run()
    # the one that was cut off is back, and asked before it has seen the record
    cut.cabled = True
    cut.look()
    arrival = cut.cluster.arrivals.of(UserId("alice"))[0]
    assert not arrival.confirmed
    world.run()
    assert world.closed[old] is CloseCode.REPLACED
    assert "disconnected" in [message.get("method") for message in world.heard(client)]
    assert "result" in world.request(client, "connect", {"extension_id": name})
    call(world, client, 5)
    answer(world, new, {"by": "new"})
    assert world.heard(client)[-1]["result"] == {"by": "new"}


@pytest.mark.rule("T86")
@pytest.mark.parametrize("skew_s", [-3600.0, -45.0, 45.0, 3600.0])
def test_whose_a_browser_is_does_not_hang_on_clocks(skew_s: float) -> None:
    world = World(3)
    one, two, three = world.nodes
    two.skew_s = skew_s
    client = world.client(three)
    peer = PeerId(0)
    for node in (one, two, one, two):
        former = peer
        peer, name = world.extension(node, "alice/ext-moves")
        world.run()
        assert former == PeerId(0) or world.closed[former] is CloseCode.REPLACED
        assert peer not in world.closed
        assert [row["id"] for row in world.request(client, "list_extensions")["result"]["extensions"]] == [name]
        world.wait(15)


def test_a_user_with_a_thousand_browsers_sees_them_all_on_every_replica() -> None:
    world = World(2, Limits(user_peers=5_000))
    for number in range(1_000):
        world.extension(world.nodes[number % 2], f"alice/ext-{number:04}")
    world.run()
    names = {f"ext-{number:04}" for number in range(1_000)}
    for node in world.nodes:
        told = world.request(world.client(node), "list_extensions")["result"]["extensions"]
        assert {row["id"] for row in told} == names
    assert len(world.bus.records[UserId("alice")]) < MAX_BYTES / 4, "a record fits the smallest broker"


def test_only_a_later_epoch_takes_an_extension_away() -> None:
    world = World(2)
    extension, _, _ = world.pair(*world.nodes, token="alice/ext-fixed")
    far = world.nodes[1]
    arrival = far.cluster.arrivals.of(UserId("alice"))[0]
    for epoch in (0, arrival.epoch):
        world.bus.publish(world.nodes[0], Publish(arrival.subject, encode(Superseded(epoch))))
        world.run()
        assert extension not in world.closed
    world.bus.publish(world.nodes[0], Publish(arrival.subject, encode(Superseded(arrival.epoch + 1))))
    world.run()
    assert world.closed[extension] is CloseCode.REPLACED


def test_presence_is_written_again_after_the_broker_lost_everything() -> None:
    world = World(3)
    _, client, name = world.pair(world.nodes[0], world.nodes[1])
    world.bus.up = False
    world.run()
    world.bus.records.clear()
    world.bus.queue.clear()
    world.bus.up = True
    world.run()
    rows = world.request(client, "list_extensions")["result"]["extensions"]
    assert [row["id"] for row in rows] == [name]
    call(world, client, 9)
    assert world.heard(client) == []


def test_when_the_broker_is_back_the_record_of_whom_others_wait_for_is_written_first_and_the_rest_not_at_once() -> None:
    world = World(2)
    world.pair(*world.nodes)
    far = world.nodes[1]
    for user in ("bob", "carol"):
        world.extension(far, user)
    world.run()
    told = [effect for effect in far.cluster.broker_up(MAX_BYTES, world.now) if isinstance(effect, Announce)]
    assert [(effect.user, effect.within_s > 0) for effect in told] == [("alice", False), ("bob", True), ("carol", True)]
    assert max(effect.within_s for effect in told) <= 0.5, "all is as before within a second"


def test_records_of_the_dead_are_not_shown_and_are_cleared_away() -> None:
    world = World(2)
    _, client, _ = world.pair(*world.nodes)
    world.kill(world.nodes[1])
    world.wait(2.5)
    assert world.request(client, "list_extensions")["result"]["extensions"] == []
    _, mine = world.extension(world.nodes[0])
    world.run()
    found: Record = world.read(UserId("alice"))
    assert list(found) == [mine]


def test_what_a_user_spends_on_one_replica_is_gone_on_the_other() -> None:
    world = World(2, Limits(user_rate=50))
    one, two = world.nodes
    spenders = [world.client(one) for _ in range(20)]
    other = world.client(two)
    for _ in range(5):
        for spender in spenders:
            world.say(spender, {"jsonrpc": "2.0", "id": 1, "method": "disconnect"})
    world.wait(1.25)
    passed = sum("result" in world.request(other, "disconnect") for _ in range(100))
    # a user alone on it would have had 100
    assert passed <= 75


def is_full(world: World, node: Node, user: str = "alice") -> bool:
    peer = world.open(node, Endpoint.MCP)
    world.say(peer, {"jsonrpc": "2.0", "id": 1, "method": "mcp_handshake", "params": {"accessToken": user}})
    full = world.closed.get(peer) is CloseCode.TOO_MANY
    world.leave(peer)
    return full


def test_sockets_of_a_user_count_on_all_replicas_together() -> None:
    world = World(3, Limits(user_peers=6))
    one, two, three = world.nodes
    crowd = [world.client(one) for _ in range(4)]
    more = [world.client(two) for _ in range(2)]
    world.wait(1.25)
    assert [is_full(world, node) for node in world.nodes] == [True, True, True]
    assert not is_full(world, three, "bob")
    world.leave(crowd.pop())
    world.wait(1.25)
    assert not is_full(world, three)
    world.leave(more.pop())
    world.kill(one)
    world.wait(5)
    for _ in range(5):
        world.client(three)


def test_while_the_broker_is_away_each_replica_counts_sockets_by_itself() -> None:
    world = World(2, Limits(user_peers=4))
    for _ in range(4):
        world.client(world.nodes[0])
    world.wait(1.25)
    assert is_full(world, world.nodes[1])
    world.bus.up = False
    world.run()
    assert not is_full(world, world.nodes[1])
    assert is_full(world, world.nodes[0])


def test_no_more_than_half_of_a_users_sockets_go_untold() -> None:
    world = World(4, Limits(user_peers=40))
    sockets = 0
    for node in world.nodes:
        # as many as can be had without being told of, then all that can be had
        while not is_full(world, node) and (sockets % 4 or node is world.nodes[-1] or not len(node.sockets)):
            world.client(node)
            sockets += 1
        world.wait(1.25)
    assert 40 < sockets <= 40 * 1.5


def test_the_beat_of_a_replica_with_a_crowd_of_users_stays_small() -> None:
    world = World(2, Limits(user_peers=4))
    for number in range(PEERS_TOLD + 100):
        for _ in range(2):
            world.client(world.nodes[0], f"user{number}")
    for _ in range(3):
        world.client(world.nodes[0], "crowd")
    world.wait(1.25)
    [beat] = world.nodes[1].cluster.replicas
    assert len(beat.peers) == PEERS_TOLD
    assert beat.peers[user_key(UserId("crowd"))] == 3


def test_an_answer_too_big_for_the_broker_is_told_as_such() -> None:
    world = World(2)
    extension, client, _ = world.pair(*world.nodes)
    call(world, client)
    answer(world, extension, {"data": "x" * (1 << 20)})
    [told] = world.heard(client)
    assert word(told) == "limit"
    assert "max_payload" in told["error"]["message"]


def test_whatever_arrives_from_the_broker_is_survived() -> None:
    world = World(2)
    extension, client, _ = world.pair(*world.nodes)
    near = world.nodes[0]
    subjects = ("all", f"r.{near.name}.e", f"r.{near.name}.0", f"n.{near.name}", "x.0", "", "q.1", "r", "r.x")
    for subject in subjects:
        for data in (b"", b"\x00", b"\xff\xff", b"[]", encode(["b"]), encode({"a": 1}), None):
            near.perform(near.cluster.received(f"tabwright.{subject}", "", data, world.now))
    call(world, client)
    answer(world, extension, {"ok": 1})
    assert world.heard(client)[-1]["result"] == {"ok": 1}


def test_two_browsers_with_one_name_on_two_replicas_do_not_throw_each_other_out_for_ever() -> None:
    world = World(2, Limits(replaced=3))
    for number in range(9):
        peer = world.open(world.nodes[number % 2], Endpoint.EXTENSION)
        result = {"name": "Chrome", "accessToken": "alice/ext-fixed"}
        world.say(peer, {"jsonrpc": "2.0", "id": "proxy:1", "result": result})
        world.run()
        if world.closed.get(peer) is CloseCode.REPLACED:
            break
    else:
        raise AssertionError("for ever")
    world.wait(70)
    _, name = world.extension(world.nodes[number % 2], "alice/ext-fixed")
    assert name == "ext-fixed"
