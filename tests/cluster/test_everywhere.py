"""What holds on all replicas at once: revocations, rates, secrecy; and what a proxy alone does without."""

import asyncio
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from nats.aio.client import Client
from nats.aio.msg import Msg

from tabwright.proxy.cluster_wire import Told, encode, inbox
from tabwright.proxy_settings import load_proxy
from tabwright.settings import SettingsError
from tests.cluster.broker import NatsProcess, reach
from tests.cluster.conftest import Start
from tests.cluster.test_calls import Replicas, far_pair
from tests.gateway import TABWRIGHT, until
from tests.proxy.server import Bare, serve_forever

SUBJECT = re.compile(
    r"tabwright\.(x\.[0-9a-f]{32}|r\.[0-9a-f]{16}\.([0-9a-f]{32}|e|p-[0-9a-f]{16})|n\.[0-9a-f]{16}|all)"
    r"|tabwright\.i\.\w+"
)


def test_a_token_revoked_on_one_replica_ends_on_all_and_stays_so_for_those_that_join(
    broker: NatsProcess, pair_of_replicas: Replicas, start: Start
) -> None:
    one, two = pair_of_replicas
    sockets = [replica.client("victor", jti="stolen") for replica in (one, two)]
    other = two.client("victor", jti="kept")
    subprocess.run([TABWRIGHT, "token", "revoke", "stolen"], env=one.env, check=True, capture_output=True)
    began = time.monotonic()
    assert [socket.close_code(10) for socket in sockets] == [4401, 4401]
    assert time.monotonic() - began < 5
    other.ask("list_extensions")
    late = start(*broker.flags())
    until(lambda: refused(late.bare(), "victor"))


def refused(peer: Bare, user: str) -> bool:
    from tests.proxy.server import token

    peer.say(
        {"jsonrpc": "2.0", "id": 1, "method": "mcp_handshake", "params": {"accessToken": token(user, jti="stolen")}}
    )
    return "Token revoked" in str(peer.hear())


@pytest.mark.rule("T35")
def test_forged_answers_and_events_on_the_broker_reach_nobody(pair_of_replicas: Replicas, broker: NatsProcess) -> None:
    extension, client, _ = far_pair(pair_of_replicas, "forge")
    client.say({"jsonrpc": "2.0", "id": 1, "method": "click", "params": {}})
    call = extension.hear()
    asyncio.run(forge(broker.url_as("replica")))
    extension.say({"jsonrpc": "2.0", "id": call["id"], "result": {"real": True}})
    assert client.hear() == {"jsonrpc": "2.0", "id": 1, "result": {"real": True}}
    serve_forever(extension)
    assert client.ask("click", {"n": 2}) == {"echo": {"n": 2}}


async def join(url: str) -> Any:
    """Somebody else on the broker."""
    made: Any = Client()
    await made.connect(url)
    return made


async def forge(url: str) -> None:
    """Everything that can be sent without knowing a call's token."""
    attacker = await join(url)
    asked = await attacker.subscribe("tabwright.n.*")
    # both ask one another, as one has a client of the other
    for subject in {(await asked.next_msg(timeout=5)).subject for _ in range(4)}:
        replica = subject.rpartition(".")[2]
        lie = b'{"jsonrpc":"2.0","id":1,"result":{"real":false}}'
        for token in ("0" * 32, "e", "p-0123456789abcdef", ""):
            if token:
                await attacker.publish(inbox(replica, token), lie)
        await attacker.publish(inbox(replica, "e"), encode(Told("0" * 32, lie)))
        await attacker.publish(subject, b"\xff" * 100)
    await attacker.publish("tabwright.all", b"\xff\x00garbage")
    await reach(attacker)
    await attacker.close()


def test_only_hashes_and_random_tokens_are_seen_on_the_broker(pair_of_replicas: Replicas, broker: NatsProcess) -> None:
    seen = asyncio.run(overheard(broker.url_as("replica"), lambda: use(pair_of_replicas)))
    assert any(subject.startswith("tabwright.x.") for subject, _ in seen)
    assert [subject for subject, _ in seen if not SUBJECT.match(subject)] == []
    assert not any(b"eyJ" in data for _, data in seen), "a token was passed on"


def use(replicas: Replicas) -> None:
    for user in ("spy|a:b=c/d~e@f", "*", ">", "tabwright.>", "Zoë 漢字 🦊"):
        extension, client, _ = far_pair(replicas, user)
        serve_forever(extension)
        assert client.ask("click", {"user": user}) == {"echo": {"user": user}}


async def overheard(url: str, act: Callable[[], None]) -> list[tuple[str, bytes]]:
    seen: list[tuple[str, bytes]] = []
    spy = await join(url)

    async def note(message: Msg) -> None:
        seen.append((message.subject, message.data))

    await spy.subscribe("tabwright.>", cb=note)
    await reach(spy)
    await asyncio.to_thread(act)
    await reach(spy)
    await spy.close()
    return seen


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ({"broker": "http://broker"}, "nats://"),
        ({"broker": "nats://user:secret@broker"}, "broker_credentials"),
        ({"broker_ca": "ca.pem"}, "without broker"),
        ({"broker": "nats://broker", "broker_cert": "cert.pem"}, "go together"),
    ],
)
def test_a_broker_that_cannot_be_meant_is_refused(flags: dict[str, object], said: str) -> None:
    with pytest.raises(SettingsError) as refused:
        load_proxy(flags, {})
    assert said in str(refused.value)
    assert "secret" not in str(refused.value)


def test_a_proxy_alone_imports_nothing_of_nats(tmp_path: Path) -> None:
    code = (
        "import asyncio, sys, pathlib\n"
        "from tabwright import cli_proxy, proxy_app\n"
        "from tabwright.proxy_settings import load_proxy\n"
        "async def main():\n"
        "    proxy_app.Proxy(load_proxy({'auth': False}, {}), proxy_app.ProxyFolder(pathlib.Path(sys.argv[1])))\n"
        "asyncio.run(main())\n"
        "assert not [name for name in sys.modules if name.partition('.')[0] == 'nats']\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)


def test_a_proxy_starts_and_serves_while_its_broker_is_not_there(start: Start) -> None:
    proxy = start("--broker", "nats://127.0.0.1:9")
    extension, client, _ = proxy.pair("alone")
    serve_forever(extension)
    assert client.ask("click", {"n": 1}) == {"echo": {"n": 1}}
    assert len(client.ask("list_extensions")["extensions"]) == 1
    other = proxy.client("alone")
    answer = other.request("connect", {"extension_id": "ext-elsewhere"})
    assert "try again" in answer["error"]["message"]
