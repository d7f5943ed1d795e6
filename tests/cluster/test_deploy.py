"""deploy/ as it is written: haproxy, three replicas and NATS on this machine, and a rolling restart under way."""

import json
import os
import re
import shutil
import signal
import ssl
import subprocess
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from tabwright.proxy_settings import ProxySettings, load_proxy
from tests.cluster.broker import DEPLOY, NatsProcess, Relay, certify, free_port, listens
from tests.cluster.peers import SturdyBrowser, SturdyClient
from tests.gateway import TABWRIGHT, until
from tests.proxy.server import ProxyProcess

FLAGS: Final = ("--behind-proxy", "--public-url", "wss://proxy.example.com", "--connects-per-address", "0")


@dataclass
class Fleet:
    """Three replicas behind haproxy."""

    folder: Path
    broker: NatsProcess
    ports: list[int]
    url: str = ""
    tls: ssl.SSLContext | None = None
    replicas: list[ProxyProcess] = field(default_factory=list[ProxyProcess])
    cables: list[Relay] = field(default_factory=list[Relay])
    """Where each replica meets the broker; none: directly."""

    def start(self, port: int) -> ProxyProcess:
        met = self.cables[self.ports.index(port)].url if self.cables else self.broker.url
        flags = ("--broker", met, *self.broker.shown())
        return ProxyProcess(self.folder / str(port), "--port", str(port), *flags, *FLAGS)

    def restart(self, number: int) -> None:
        """As a service manager does: SIGTERM, wait, start."""
        assert self.replicas[number].stop(signal.SIGTERM) == 0
        self.replicas[number] = self.start(self.ports[number])


@pytest.fixture
def fleet(tmp_path: Path, broker: NatsProcess) -> Iterator[Fleet]:
    if shutil.which("haproxy", path=f"{os.environ['PATH']}:/usr/sbin") is None:
        pytest.skip("no haproxy on this machine, and no right to install it")
    with fleet_on(tmp_path, broker) as made:
        yield made


@contextmanager
def fleet_on(folder: Path, broker: NatsProcess, *, cabled: bool = False) -> Generator[Fleet]:
    """`cabled`: each replica meets the broker through a relay that can be cut."""
    made = Fleet(folder, broker, [free_port() for _ in range(3)])
    made.cables += [Relay(broker.port) for _ in made.ports if cabled]
    bundle, certificate = certify(folder)
    made.tls = ssl.create_default_context(cafile=str(certificate))
    try:
        for port in made.ports:
            made.replicas.append(made.start(port))
        with fronting(made, bundle) as made.url:
            yield made
    finally:
        for replica in made.replicas:
            replica.stop()
        for cable in made.cables:
            cable.close()


@contextmanager
def fronting(fleet: Fleet, bundle: Path) -> Generator[str]:
    """haproxy as deploy/ has it: where it listens."""
    front = free_port()
    places = dict(zip(("ONE", "TWO", "THREE"), (f"127.0.0.1:{port}" for port in fleet.ports), strict=True))
    env = {**os.environ, "LISTEN": f"127.0.0.1:{front}", "TLS_PEM": str(bundle), **places}
    with subprocess.Popen(
        ["haproxy", "-db", "-f", str(DEPLOY / "haproxy-replicas.cfg")],
        env={**env, "PATH": f"{os.environ['PATH']}:/usr/sbin"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as haproxy:
        try:
            until(lambda: listens(front))
            yield f"wss://localhost:{front}"
        finally:
            haproxy.terminate()


@pytest.mark.timeout(120)
def test_a_rolling_restart_behind_haproxy_fails_no_call(fleet: Fleet) -> None:
    browsers = [SturdyBrowser(fleet.url, fleet.tls, f"user{n}", f"ext-rolling-{n}") for n in range(4)]
    clients = [SturdyClient(fleet.url, fleet.tls, f"user{n % 4}", f"ext-rolling-{n % 4}") for n in range(6)]
    try:
        until(lambda: all(client.outcomes["result"] for client in clients), 20)
        for number in range(3):
            fleet.restart(number)
            served = [client.outcomes["result"] for client in clients]
            until(lambda: all(c.outcomes["result"] > before for c, before in zip(clients, served, strict=True)), 20)  # noqa: B023 - called at once
    finally:
        for peer in (*clients, *browsers):
            peer.stop()
    for client in clients:
        assert set(client.outcomes) == {"result"}, client.outcomes
        assert set(client.ends.values()) == {1}
    for browser in browsers:
        assert max(browser.executed.values()) == 1, "executed twice"
    assert sum(peer.sockets for peer in (*clients, *browsers)) > 10, "nobody was ever sent away"


def test_the_status_of_all_replicas_is_shown_to_people_and_programs(fleet: Fleet) -> None:
    browser = SturdyBrowser(fleet.url, fleet.tls, "seen", "ext-status-1")
    until(lambda: sum(row["extensions"] for row in status(fleet)) == 1)
    assert len(status(fleet)) == 3
    told = run_status(fleet)
    assert "3 replicas" in told.stdout
    browser.stop()


def test_the_front_starts_while_the_name_of_a_replica_is_not_known(tmp_path: Path) -> None:
    if shutil.which("haproxy", path=f"{os.environ['PATH']}:/usr/sbin") is None:
        pytest.skip("no haproxy on this machine, and no right to install it")
    bundle, _ = certify(tmp_path)
    env = {"LISTEN": "127.0.0.1:8443", "TLS_PEM": str(bundle), "ONE": "127.0.0.1:1", "TWO": "127.0.0.1:2"}
    told = subprocess.run(
        ["haproxy", "-c", "-f", str(DEPLOY / "haproxy-replicas.cfg")],
        env={**env, "THREE": "replica.invalid:3", "PATH": f"{os.environ['PATH']}:/usr/sbin"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert told.returncode == 0, told.stderr
    assert "disabling server" in told.stderr


def run_status(fleet: Fleet, *more: str) -> "subprocess.CompletedProcess[str]":
    command = [TABWRIGHT, "proxy", "status", *fleet.broker.flags("status"), *more]
    return subprocess.run(command, env=fleet.replicas[0].env, check=True, capture_output=True, text=True, timeout=30)


def status(fleet: Fleet) -> list[dict[str, int]]:
    return json.loads(run_status(fleet, "--json").stdout)


def test_status_names_the_next_step_when_nobody_answers(tmp_path: Path) -> None:
    env = {**os.environ, "TABWRIGHT_HOME": str(tmp_path)}
    for flags, hint in (
        ((), "--broker"),
        (("--broker", "nats://127.0.0.1:9"), "--broker-credentials"),
        (("--metrics-port", "9"), "--metrics-port"),
    ):
        told = subprocess.run(
            [TABWRIGHT, "proxy", "status", *flags], env=env, capture_output=True, text=True, timeout=30
        )
        assert told.returncode in (1, 2)
        assert hint in told.stderr
        assert "Traceback" not in told.stderr


@pytest.mark.parametrize("name", ["compose/compose.yaml", "kubernetes/proxy.yaml"])
def test_the_manifests_start_what_exists_and_give_it_time_to_drain(name: str) -> None:
    text = (DEPLOY / name).read_text()
    [told] = re.findall(r"^ *(?:command|args): (\[.*--behind-proxy.*\])$", text, re.M)
    settings = load_proxy(flags(json.loads(told)), {})
    assert settings.broker
    assert settings.port == 8787
    [grace] = re.findall(r"(?:stop_grace_period|terminationGracePeriodSeconds): (\d+)", text)
    assert int(grace) > settings.drain_s + 3


def flags(words: list[str]) -> dict[str, object]:
    found: dict[str, object] = {}
    names = iter(words)
    for flag in names:
        name = flag.removeprefix("--").replace("-", "_")
        assert name in ProxySettings.model_fields
        found[name] = True if ProxySettings.model_fields[name].annotation is bool else next(names)
    return found


def test_the_brokers_carry_the_largest_answer() -> None:
    for name in ("nats.conf", "kubernetes/broker.yaml"):
        [told] = re.findall(r"max_payload: (\d+)", (DEPLOY / name).read_text())
        assert int(told) >= ProxySettings().extension_frame_bytes + 4096
