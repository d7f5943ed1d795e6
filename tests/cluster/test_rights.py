"""The users of deploy/nats.conf: a replica uses tabwright's subjects alone, `status` may ask, a stranger nothing."""

import asyncio
import subprocess
from pathlib import Path
from typing import Any, Final

import nats.errors
import pytest
from nats.aio.client import Client

from tabwright.proxy.cluster_wire import ASK, EVERYBODY, Bye, Leave, Revoked, encode, inbox
from tests.cluster.broker import PASSWORDS, NatsProcess, reach
from tests.cluster.conftest import Start
from tests.cluster.test_calls import Replicas, far_pair
from tests.gateway import TABWRIGHT, until
from tests.proxy.server import serve_forever

FRAMES: Final = ("tabwright.>", "tabwright.x.*", "tabwright.all", "tabwright.r.>", "tabwright.i.>", ">", "$KV.>")


class Intruder:
    """Somebody on the broker, and what it is told there."""

    def __init__(self, link: Any) -> None:
        self.link = link
        self.denied: list[str] = []
        self.heard: list[tuple[str, bytes]] = []

    async def try_publish(self, subject: str, data: bytes, reply: str = "") -> None:
        await self.link.publish(subject, data, reply=reply)
        await reach(self.link)

    async def try_listen(self, subject: str) -> None:
        async def note(message: Any) -> None:
            self.heard.append((message.subject, message.data))

        await self.link.subscribe(subject, cb=note)
        await reach(self.link)


async def intrude(url: str) -> Intruder:
    made: Any = Client()
    intruder = Intruder(made)

    async def note(exc: Exception) -> None:
        intruder.denied.append(str(exc))

    try:
        await made.connect(url, error_cb=note, allow_reconnect=False, inbox_prefix="tabwright.s")
    except nats.errors.Error:
        await made.close()
        raise
    return intruder


@pytest.mark.rule("T35")
def test_whoever_may_ask_for_the_status_neither_calls_browsers_nor_sees_frames(
    broker: NatsProcess, pair_of_replicas: Replicas
) -> None:
    extension, client, _ = far_pair(pair_of_replicas, "rights")
    subjects: list[str] = []

    async def spy() -> Intruder:
        allowed: Any = Client()
        await allowed.connect(broker.url_as("replica"))

        async def note(message: Any) -> None:
            subjects.append(message.subject)

        await allowed.subscribe("tabwright.x.*", cb=note)
        await reach(allowed)
        intruder = await intrude(broker.url_as("status"))
        for subject in FRAMES:
            await intruder.try_listen(subject)
        call: dict[str, Any] = {"jsonrpc": "2.0", "id": 9, "method": "click", "params": {}}
        await asyncio.to_thread(client.say, call)
        await asyncio.to_thread(until, lambda: bool(subjects))
        [subject] = set(subjects)
        replica = (await _asked(intruder))[0]
        for target in (subject, EVERYBODY, inbox(replica, "e"), f"tabwright.n.{replica}"):
            await intruder.try_publish(target, encode(Leave("0" * 32)))
        await intruder.try_publish(EVERYBODY, encode(Bye(replica)))
        await intruder.try_publish(EVERYBODY, encode(Revoked(["user:rights"])))
        await intruder.try_publish("$JS.API.STREAM.DELETE.KV_tabwright_presence", b"")
        await intruder.link.close()
        await allowed.close()
        return intruder

    intruder = asyncio.run(spy())
    assert len(intruder.denied) == len(FRAMES) + 7, intruder.denied
    assert intruder.heard == []
    assert len(subjects) == 1, "the call alone"
    held = extension.hear()
    extension.say({"jsonrpc": "2.0", "id": held["id"], "result": {"still": "here"}})
    assert client.hear()["result"] == {"still": "here"}


async def _asked(intruder: Intruder) -> list[str]:
    """The replicas that answer; what they tell names no user."""
    from tabwright.proxy.cluster_wire import Beat, broadcast

    told = await intruder.link.subscribe("tabwright.s.mine")
    await intruder.link.publish(ASK, b"", reply="tabwright.s.mine")
    found: list[str] = []
    for _ in range(2):
        beat = broadcast.decode((await told.next_msg(timeout=5)).data)
        assert isinstance(beat, Beat)
        assert beat.spent == beat.peers == {}
        found.append(beat.replica)
    return found


@pytest.mark.rule("T35")
def test_an_answer_goes_only_where_answers_go(broker: NatsProcess, pair_of_replicas: Replicas) -> None:
    """Replicas may do more than whoever asks them: they are not made to speak for it."""
    del pair_of_replicas

    async def ask() -> list[tuple[str, bytes]]:
        witness = await intrude(broker.url_as("replica"))
        asker = await intrude(broker.url_as("status"))
        for subject in ("tabwright.x.*", "tabwright.n.mine", "tabwright.s.mine"):
            await witness.try_listen(subject)
        for reply in ("tabwright.x.0", "tabwright.n.mine", "$JS.API.STREAM.DELETE.KV_tabwright_presence"):
            await asker.try_publish(ASK, b"", reply)
        await asker.try_publish(ASK, b"", "tabwright.s.mine")
        await asyncio.to_thread(until, lambda: len(witness.heard) >= 2)
        for who in (witness, asker):
            await who.link.close()
        return witness.heard

    assert [subject for subject, _ in asyncio.run(ask())] == ["tabwright.s.mine"] * 2


@pytest.mark.rule("T35")
@pytest.mark.parametrize(
    "who",
    ["", "status:guessed@", f"replica:{PASSWORDS['status']}@", "somebody:else@"],
    ids=["nobody", "a guess", "another role", "another"],
)
def test_a_stranger_is_not_let_in(broker: NatsProcess, who: str) -> None:
    with pytest.raises(nats.errors.Error):
        asyncio.run(intrude(f"nats://{who}127.0.0.1:{broker.port}"))


def test_replicas_need_no_right_that_they_do_not_have(broker: NatsProcess, pair_of_replicas: Replicas) -> None:
    extension, client, _ = far_pair(pair_of_replicas, "needs")
    serve_forever(extension)
    client.ask("click")
    extension.close()
    until(lambda: client.ask("list_extensions")["extensions"] == [])
    for replica in pair_of_replicas:
        assert "forbids" not in replica.log


@pytest.mark.parametrize("role", ["status", "nobody"])
def test_a_replica_without_the_rights_says_so_at_start_and_serves_its_own(
    broker: NatsProcess, start: Start, tmp_path: Path, role: str
) -> None:
    (tmp_path / "wrong").write_text("nobody:knows")
    shown = broker.shown("status") if role == "status" else ("--broker-credentials", str(tmp_path / "wrong"))
    proxy = start("--broker", broker.url, *shown)
    said = "forbids our user" if role == "status" else "does not let us in: look at broker_credentials"
    until(lambda: said in proxy.log)
    if role == "status":
        assert "deploy/nats.conf" in proxy.log
        until(lambda: "$js.api" in proxy.log)
    extension, client, _ = proxy.pair("alone")
    serve_forever(extension)
    assert client.ask("click", {"n": 1}) == {"echo": {"n": 1}}


def test_status_without_the_right_to_ask_says_so(tmp_path: Path) -> None:
    deaf = 'authorization { users: [ { user: deaf, password: p4ss, permissions: { publish: "x", subscribe: "x" } } ] }'
    broker = NatsProcess(tmp_path / "nats", auth=deaf)
    (tmp_path / "deaf").write_text("deaf:p4ss")
    try:
        told = subprocess.run(
            [TABWRIGHT, "proxy", "status", "--broker", broker.url, "--broker-credentials", str(tmp_path / "deaf")],
            capture_output=True,
            text=True,
            timeout=30,
        )
    finally:
        broker.stop()
    assert told.returncode == 1
    assert "forbids our user" in told.stderr
    assert "status" in told.stderr
    assert "Traceback" not in told.stderr


def test_a_broker_without_jetstream_or_with_small_messages_is_told_at_start(tmp_path: Path, start: Start) -> None:
    broker = NatsProcess(tmp_path / "nats", auth="jetstream: disabled\nmax_payload: 65536")
    try:
        proxy = start("--broker", broker.url)
        until(lambda: "broker has no JetStream" in proxy.log)
        assert "set max_payload: 8392704" in proxy.log
    finally:
        broker.stop()
