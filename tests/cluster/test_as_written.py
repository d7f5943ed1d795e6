"""What deploy/ says is what is run: compose, Kubernetes, systemd and the image, as far as this machine can."""

import configparser
import importlib
import re
import shlex
import ssl
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.broker import DEPLOY, NatsProcess, certify, free_port, listens
from tests.cluster.manifests import (
    Keys,
    Running,
    a_pair,
    brokers,
    call,
    composed,
    dockerfile,
    documents,
    entry_point,
    kind,
    probe,
)
from tests.gateway import TABWRIGHT, until

ROOT = DEPLOY.parent
kubernetes: Any = importlib.import_module("kubernetes_validate")  # it has no types
pytestmark = pytest.mark.timeout(150)


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    (tmp_path / "keys").mkdir()
    return Keys(tmp_path / "keys")


def test_compose_carries_a_call_through_its_front_and_drains_in_its_time(tmp_path: Path, keys: Keys) -> None:
    bundle, certificate = certify(tmp_path)
    tls = ssl.create_default_context(cafile=str(certificate))
    with composed(tmp_path, keys, bundle) as (url, running):
        for name in ("one", "two", "three"):
            until(lambda: running[name].said("broker is there"))  # noqa: B023 - called at once
        with a_pair(keys, url, url, ssl=tls) as (extension, client):
            call(extension, client)
            [told] = documents("compose/compose.yaml")
            for name in ("one", "two", "three"):
                grace = float(told["services"][name]["stop_grace_period"].removesuffix("s"))
                assert running[name].stop(grace) < grace
            assert {extension.close_code(), client.close_code()} == {1012}


def test_kubernetes_starts_its_pods_answers_their_probes_and_carries_a_call(tmp_path: Path, keys: Keys) -> None:
    pod = kind("kubernetes/proxy.yaml", "Deployment")["spec"]["template"]["spec"]
    [container] = pod["containers"]
    [told_broker] = kind("kubernetes/broker.yaml", "StatefulSet")["spec"]["template"]["spec"]["containers"]
    with brokers(tmp_path) as (clients, monitors):
        for port in monitors:
            until(lambda: probe(port, told_broker["readinessProbe"]) == 200, 30)  # noqa: B023 - called at once
        pods = [start_pod(tmp_path, container, keys, clients, number) for number in range(3)]
        try:
            for port, running in pods:
                until(lambda: probe(port, container["readinessProbe"]) == 200)  # noqa: B023 - called at once
                assert probe(port, container["livenessProbe"]) == 200
                until(lambda: running.said("broker is there"), 20)  # noqa: B023 - called at once
            near, far = f"ws://127.0.0.1:{pods[0][0]}", f"ws://127.0.0.1:{pods[1][0]}"
            with a_pair(keys, near, far) as (extension, client):
                call(extension, client)
                grace = pod["terminationGracePeriodSeconds"]
                before = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
                assert pods[1][1].stop(grace - before) < grace - before
                assert extension.close_code() == 1012
        finally:
            for _, running in pods:
                running.stop()


def start_pod(
    folder: Path, container: dict[str, Any], keys: Keys, clients: list[int], number: int
) -> tuple[int, Running]:
    port = free_port()
    places = {
        "0.0.0.0": "127.0.0.1",
        "8787": str(port),
        "/etc/tabwright/public.pem": str(keys.public),
        "/etc/tabwright/broker-credentials": str(keys.credentials),
        # the name of a Service without address of its own stands for all of its pods
        "nats://tabwright-broker:4222": ",".join(f"nats://127.0.0.1:{client}" for client in clients),
    }
    assert set(places) <= set(container["args"])
    words = [str(places.get(word, word)) for word in container["args"]]
    (folder / f"pod-{number}").mkdir()
    env = {"TABWRIGHT_HOME": str(folder / f"pod-{number}")}
    running = Running([*entry_point(), *words], env, folder / f"pod-{number}.log")
    until(lambda: listens(port), 20)
    return port, running


@pytest.mark.parametrize("name", ["kubernetes/proxy.yaml", "kubernetes/broker.yaml"])
def test_kubernetes_knows_every_field_of_the_manifests(name: str) -> None:
    found = documents(name)
    for document in found:
        kubernetes.validate(document, "1.33", strict=True)
    assert len(found) > 2


def test_the_manifests_agree_with_one_another() -> None:
    deployment = kind("kubernetes/proxy.yaml", "Deployment")["spec"]
    pod = deployment["template"]["spec"]
    [container] = pod["containers"]
    labels = deployment["template"]["metadata"]["labels"]
    for what in ("Service", "PodDisruptionBudget"):
        spec = kind("kubernetes/proxy.yaml", what)["spec"]
        assert (spec["selector"].get("matchLabels") or spec["selector"]) == labels
    assert deployment["selector"]["matchLabels"] == labels
    [user] = [rest.split() for word, rest in dockerfile() if word == "RUN" and "useradd" in rest]
    assert pod["securityContext"]["runAsUser"] == int(user[user.index("--uid") + 1])
    [port] = [int(rest) for word, rest in dockerfile() if word == "EXPOSE"]
    assert (
        port == container["ports"][0]["containerPort"] == int(container["args"][container["args"].index("--port") + 1])
    )
    mounts = {volume["name"] for volume in pod["volumes"]}
    assert {mount["name"] for mount in container["volumeMounts"]} == mounts


def test_the_brokers_of_both_deployments_give_the_same_rights() -> None:
    config = kind("kubernetes/broker.yaml", "ConfigMap")["data"]["nats.conf"]
    rights = [text[text.index("authorization {") :].strip() for text in (config, (DEPLOY / "nats.conf").read_text())]
    assert rights[0] == rights[1]


def test_the_unit_starts_serves_and_stops_in_its_time(tmp_path: Path, keys: Keys, broker: NatsProcess) -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(DEPLOY / "tabwright-proxy.service")
    service = unit["Service"]
    program, *words = shlex.split(service["ExecStart"])
    assert Path(program).name == Path(TABWRIGHT).name
    port, metrics = free_port(), free_port()
    places = {"8787": str(port), "9787": str(metrics)}
    assert service["Environment"] == "TABWRIGHT_HOME=/var/lib/tabwright"
    # docs/scaling.md: the same for many, with `broker` in proxy.toml
    more = {"broker": broker.url, "broker_credentials": str(broker.credentials["replica"])}
    with (keys.home / "proxy.toml").open("a") as file:
        file.writelines(f'{name} = "{value}"\n' for name, value in more.items())
    running = Running(
        [TABWRIGHT, *(places.get(word, word) for word in words)], {"TABWRIGHT_HOME": str(keys.home)}, tmp_path / "log"
    )
    try:
        until(lambda: listens(port), 20)
        until(lambda: running.said("broker is there"))
        url = f"ws://127.0.0.1:{port}"
        with a_pair(keys, url, url) as (extension, client):
            call(extension, client)
            assert service["KillSignal"] == "SIGTERM"
            assert running.stop(float(service["TimeoutStopSec"])) < float(service["TimeoutStopSec"])
    finally:
        running.stop()


def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path) -> None:
    text = (DEPLOY / "tabwright-proxy.service").read_text().replace("/usr/local/bin/tabwright", TABWRIGHT)
    (tmp_path / "tabwright-proxy.service").write_text(text)
    try:
        told = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", str(tmp_path / "tabwright-proxy.service")],
            capture_output=True,
            text=True,
            timeout=60,
        )
    except FileNotFoundError:
        pytest.skip("no systemd on this machine, and no right to install it")
    ours = [line for line in told.stderr.splitlines() if "tabwright-proxy.service" in line]
    assert ours == []


def test_the_image_is_built_from_what_is_there_and_ends_without_rights() -> None:
    steps = dockerfile()
    assert [rest.partition(" ")[0] for word, rest in steps if word == "FROM"] == ["python:3.12-slim"] * 2
    for word, rest in steps:
        if word == "COPY" and not rest.startswith("--from"):
            assert all((ROOT / source).exists() for source in rest.split()[:-1]), rest
        assert word in {"FROM", "WORKDIR", "COPY", "RUN", "USER", "ENV", "EXPOSE", "ENTRYPOINT"}
        if word == "RUN" and "pip install" in rest:
            assert "--no-cache-dir" in rest
            assert "--require-hashes" in rest or "--no-deps" in rest
    last = steps[max(at for at, (word, _) in enumerate(steps) if word == "FROM") :]
    assert ("USER", "tabwright") in last
    assert not any("root" in rest for word, rest in last if word == "USER")


def test_the_images_steps_make_a_proxy_that_answers(tmp_path: Path) -> None:
    """Its RUN steps in a folder of ours; what they would download is taken from where the tests have it."""
    copied = [rest.split()[:-1] for word, rest in dockerfile() if word == "COPY" and not rest.startswith("--from")]
    source = tmp_path / "src"
    source.mkdir()
    for name in {name.partition("/")[0] for names in copied for name in names}:
        (source / name).symlink_to(ROOT / name)
    told = " ".join(rest for word, rest in dockerfile() if word == "RUN")
    assert re.search(r"pip wheel .*--no-deps --no-build-isolation --wheel-dir /wheel \.", told)
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "wheel")]
    subprocess.run(build, cwd=source, check=True, capture_output=True, timeout=60)
    [wheel] = (tmp_path / "wheel").glob("*.whl")
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    quiet = ["--quiet", "--no-cache-dir", "--no-deps", "--no-index", "--disable-pip-version-check"]
    subprocess.run([python, "-m", "pip", "install", *quiet, wheel], check=True, capture_output=True, timeout=100)
    [site] = (tmp_path / "venv" / "lib").glob("python*/site-packages")
    paths = [path for path in sys.path if path.endswith("site-packages")]
    env = {"PATH": f"{tmp_path / 'venv' / 'bin'}", "PYTHONPATH": ":".join([str(site), *paths]), "HOME": str(tmp_path)}
    told = subprocess.run(
        [tmp_path / "venv" / "bin" / "tabwright", "proxy", "--help"],
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
    ).stdout
    assert "--broker-credentials" in told
