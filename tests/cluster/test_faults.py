"""Replicas and brokers die, hang and come back: callers are told, and what needs no broker never notices.

The bounds are the promised ones with room for a busy machine; `python -m tests.cluster.soak` holds them exactly.
"""

import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.cluster.broker import NatsProcess, Relay, listens
from tests.cluster.conftest import Start
from tests.cluster.test_calls import Replicas, far_pair, listed
from tests.gateway import until
from tests.proxy.server import Bare, Message, healthy_beside, serve_forever, token

ROOM: Final = 3.0


def say(client: Bare, number: int) -> None:
    client.say({"jsonrpc": "2.0", "id": number, "method": "click", "params": {"n": number}})


def outcome(message: Message) -> str:
    return "result" if "result" in message else message["error"]["data"]["code"]


def works_again(client: Bare, seconds: float = 10.0) -> float:
    """Seconds until a call is answered; until then it is refused, and never hangs."""
    began = time.monotonic()
    refused = {"unavailable", "not_connected"}

    def call() -> bool:
        answer = client.request("click", {"again": True})
        assert outcome(answer) in {"result", *refused}, answer
        return "result" in answer

    until(call, seconds)
    return time.monotonic() - began


def test_callers_are_told_when_the_replica_with_the_browser_is_killed(
    broker: NatsProcess, pair_of_replicas: Replicas, start: Start
) -> None:
    near, far = pair_of_replicas[0], start(*broker.flags())
    extension, client, connection = far_pair((near, far), "kill")
    for number in range(20):
        say(client, 100 + number)
        extension.hear()
    far.process.send_signal(signal.SIGKILL)
    began = time.monotonic()
    assert {outcome(client.hear()) for _ in range(20)} == {"outcome_unknown"}
    assert time.monotonic() - began < 2 + ROOM
    until(lambda: listed(client) == [])
    told = client.hear()
    assert (told["method"], told["params"]["connection_id"]) == ("disconnected", connection)
    _, again = near.extension("kill")
    assert client.ask("connect", {"extension_id": again})["extension_id"] == again


def test_a_client_may_connect_again_as_soon_as_its_browser_has_arrived_elsewhere(
    broker: NatsProcess, pair_of_replicas: Replicas, start: Start
) -> None:
    near, other = pair_of_replicas
    far = start(*broker.flags())
    _, name = far.extension("moved", extension_id="ext-moved-browser")
    client = near.client("moved")
    until(lambda: listed(client) == [name])
    connection = client.ask("connect", {"extension_id": name})["connection_id"]
    browser = other.bare("/extension")
    asked = browser.hear()
    far.process.send_signal(signal.SIGKILL)
    shown = {"name": "Chrome", "accessToken": token("moved", extension_id=name)}
    browser.say({"jsonrpc": "2.0", "id": asked["id"], "result": shown})
    serve_forever(browser)
    while (told := client.hear())["method"] != "disconnected":
        pass
    # one that is waited for in vain would be called closed
    assert told["params"] == {"connection_id": connection, "reason": "Replaced"}
    client.ask("connect", {"extension_id": name})
    assert client.ask("click", {"n": 1}) == {"echo": {"n": 1}}


def test_a_browser_is_told_when_the_replica_with_its_client_is_killed(
    broker: NatsProcess, pair_of_replicas: Replicas, start: Start
) -> None:
    near, far = start(*broker.flags()), pair_of_replicas[1]
    extension, _, _ = far_pair((near, far), "kill2")
    near.process.send_signal(signal.SIGKILL)
    assert extension.hear(10)["params"]["peer_count"] == 0


def test_a_replica_that_leaves_lets_calls_end_and_says_goodbye(
    broker: NatsProcess, pair_of_replicas: Replicas, start: Start
) -> None:
    near, far = pair_of_replicas[0], start(*broker.flags())
    extension, client, connection = far_pair((near, far), "term")
    say(client, 7)
    call = extension.hear()
    far.process.send_signal(signal.SIGTERM)
    until(lambda: not listens(far.port))
    assert outcome(client.request("click")) == "shutting_down"
    extension.say({"jsonrpc": "2.0", "id": call["id"], "result": {"ended": True}})
    assert client.hear() == {"jsonrpc": "2.0", "id": 7, "result": {"ended": True}}
    assert client.hear()["params"] == {"connection_id": connection, "reason": "Server shutting down"}
    assert extension.close_code() == 1012


def test_a_client_elsewhere_loses_no_call_when_a_leaving_replica_waits_for_somebody_else(
    broker: NatsProcess, pair_of_replicas: Replicas, start: Start
) -> None:
    near, far = pair_of_replicas[0], start(*broker.flags())
    extension, client, _ = far_pair((near, far), "crossing")
    beside = far.client("crossing")
    beside.ask("connect", {"extension_id": listed(beside)[0]})
    say(beside, 8)
    while "id" not in (call := extension.hear()):
        pass
    far.process.send_signal(signal.SIGTERM)
    until(lambda: not listens(far.port))
    # nothing of its own is under way, so it is sent away at once; the browser is not
    assert outcome(client.request("click")) in {"shutting_down", "not_connected"}
    extension.say({"jsonrpc": "2.0", "id": call["id"], "result": {"ended": True}})
    while "id" not in (told := beside.hear()):
        pass
    assert told["result"] == {"ended": True}


def test_a_killed_broker_costs_only_calls_between_replicas_and_only_while_it_is_gone(
    broker: NatsProcess, pair_of_replicas: Replicas
) -> None:
    near, far = pair_of_replicas
    extension, client, _ = far_pair((near, far), "broker")
    with healthy_beside(near), healthy_beside(far):
        say(client, 1000)
        held = extension.hear()
        broker.kill()
        assert outcome(client.hear()) == "outcome_unknown"
        refused = client.request("click")
        assert outcome(refused) == "unavailable"
        assert refused["error"]["data"]["retryAfter"] > 0
        assert client.request("connect", {"extension_id": "ext-0"})["error"]["code"] == -32001
        # a late answer is nobody's
        extension.say({"jsonrpc": "2.0", "id": held["id"], "result": {"late": True}})
        serve_forever(extension)
        broker.start()
        assert works_again(client) < 1 + ROOM
        until(lambda: len(listed(client)) == 1)


def test_a_broker_that_hangs_is_noticed_and_survived(broker: NatsProcess, pair_of_replicas: Replicas) -> None:
    near, far = pair_of_replicas
    extension, client, _ = far_pair((near, far), "hang")
    with healthy_beside(near):
        say(client, 1000)
        extension.hear()
        broker.freeze()
        try:
            began = time.monotonic()
            assert outcome(client.hear(5 + ROOM)) == "outcome_unknown"
            assert time.monotonic() - began < 5 + ROOM
            assert outcome(client.request("click")) == "unavailable"
        finally:
            broker.thaw()
        serve_forever(extension)
        works_again(client)


@pytest.fixture
def cable(broker: NatsProcess) -> Iterator[Relay]:
    made = Relay(broker.port)
    yield made
    made.close()


def test_a_replica_cut_off_from_the_broker_serves_its_own_and_is_back_when_it_can(
    broker: NatsProcess, pair_of_replicas: Replicas, cable: Relay, start: Start
) -> None:
    near, far = pair_of_replicas[0], start("--broker", cable.url, *broker.shown())
    extension, client, _ = far_pair((near, far), "cut")
    with healthy_beside(far):
        say(client, 1000)
        extension.hear()
        cable.cut()
        began = time.monotonic()
        assert outcome(client.hear()) == "outcome_unknown"
        assert time.monotonic() - began < 2 + ROOM
        assert outcome(client.request("click")) == "unavailable"
        serve_forever(extension)
        cable.mend()
        works_again(client)


def test_a_broker_that_is_slow_is_not_taken_for_one_that_is_gone(
    broker: NatsProcess, pair_of_replicas: Replicas, cable: Relay, start: Start
) -> None:
    near, far = pair_of_replicas[0], start("--broker", cable.url, *broker.shown())
    extension, client, _ = far_pair((near, far), "slow")
    serve_forever(extension)
    cable.delay_s = 0.2
    with healthy_beside(far):
        for number in range(10):
            assert client.ask("click", {"n": number}) == {"echo": {"n": number}}
    assert "broker is gone" not in far.log


def test_of_two_replicas_that_have_one_browser_only_the_later_keeps_it(
    broker: NatsProcess, pair_of_replicas: Replicas, cable: Relay, start: Start
) -> None:
    near, cut, other = pair_of_replicas[0], start("--broker", cable.url, *broker.shown()), pair_of_replicas[1]
    old, name = cut.extension("split", extension_id="ext-split-browser")
    client = near.client("split")
    until(lambda: listed(client) == [name])
    cable.cut()
    until(lambda: listed(client) == [])
    new, same = other.extension("split", extension_id="ext-split-browser")
    assert same == name
    until(lambda: listed(client) == [name])
    client.ask("connect", {"extension_id": name})
    serve_forever(new)
    assert client.ask("click", {"n": 1}) == {"echo": {"n": 1}}
    cable.mend()
    assert old.close_code(10) == 4409
    assert client.ask("click", {"n": 2}) == {"echo": {"n": 2}}
    assert listed(client) == [name]


def test_a_browser_that_moves_is_let_go_by_the_replica_it_left(pair_of_replicas: Replicas) -> None:
    near, far = pair_of_replicas
    old, name = far.extension("move", extension_id="ext-move-browser")
    client = near.client("move")
    until(lambda: listed(client) == [name])
    client.ask("connect", {"extension_id": name})
    new, _ = near.extension("move", extension_id="ext-move-browser")
    assert old.close_code(10) == 4409
    until(lambda: client.hear()["method"] == "disconnected")
    serve_forever(new)
    client.ask("connect", {"extension_id": name})
    assert client.ask("click") == {"echo": {}}


def test_a_broker_whose_password_changes_is_joined_again_when_it_is_right(tmp_path: Path, start: Start) -> None:
    right, wrong = (f"authorization {{ user: proxy, password: {word} }}" for word in ("hunter-2", "hunter-3"))
    (tmp_path / "credentials").write_text("proxy:hunter-2\n")
    broker = NatsProcess(tmp_path / "nats", auth=right)
    try:
        flags = ("--broker", broker.url, "--broker-credentials", str(tmp_path / "credentials"))
        near, far = start(*flags), start(*flags)
        extension, client, _ = far_pair((near, far), "password")
        serve_forever(extension)
        with healthy_beside(near):
            broker.configure(wrong)
            broker.reload()
            until(lambda: outcome(client.request("click")) == "unavailable")
            broker.configure(right)
            broker.reload()
            works_again(client)
        broker.kill()
        broker.configure(wrong)
        broker.start()
        until(lambda: outcome(client.request("click")) == "unavailable")
        broker.kill()
        broker.configure(right)
        broker.start()
        works_again(client)
        assert "hunter" not in near.log + far.log
    finally:
        broker.stop()
