"""deploy/ run as it is written: commands, flags, environment and configuration out of its files.

Only places are others: addresses and ports are free ones of this machine, paths lie in the test's folder.
"""

import importlib
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.cluster.broker import DEPLOY, PASSWORDS, free_port, listens
from tests.gateway import TABWRIGHT, until
from tests.proxy.server import Bare

yaml: Any = importlib.import_module("yaml")  # it has no types
PROGRAMS: Final = f"{os.environ['PATH']}:/usr/sbin"
ENV: Final = {f"{name.upper()}_PASSWORD": word for name, word in PASSWORDS.items()}
PUBLIC_URL: Final = "wss://proxy.example.com"


def documents(name: str) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((DEPLOY / name).read_text()))


def kind(name: str, what: str) -> dict[str, Any]:
    [found] = [document for document in documents(name) if document["kind"] == what]
    return found


def placed(text: str, places: Mapping[str, str]) -> str:
    """With addresses and paths of ours, each of which must be there to be replaced."""
    for theirs, ours in places.items():
        assert theirs in text, theirs
        text = text.replace(theirs, ours)
    return text


def dockerfile() -> list[tuple[str, str]]:
    """Its instructions, in order."""
    text = re.sub(r"\\\n\s*", "", (DEPLOY / "compose" / "Dockerfile").read_text())
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]


def entry_point() -> list[str]:
    """As the image starts: `tabwright` is the one of this checkout."""
    [told] = [rest for word, rest in dockerfile() if word == "ENTRYPOINT"]
    program, *words = json.loads(told)
    assert program == "tabwright"
    return [TABWRIGHT, *words]


class Running:
    """A process of the deployment, and all that it says."""

    def __init__(self, command: list[str], env: Mapping[str, str], log: Path) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("TABWRIGHT_")}
        self.log = log
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                command,
                env={**kept, "PATH": PROGRAMS, **env},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def said(self, text: str) -> bool:
        assert self.process.poll() is None, self.log.read_text()
        return text in self.log.read_text()

    def stop(self, seconds: float = 20) -> float:
        """As a service manager does; how long it took."""
        began = time.monotonic()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(5)
            raise AssertionError(f"not gone within {seconds:g} s") from None
        return time.monotonic() - began


@dataclass
class Keys:
    """`tabwright proxy init` as the files say, and tokens made with it."""

    home: Path

    def __post_init__(self) -> None:
        self._run("proxy", "init", "--url", PUBLIC_URL)
        self.public = self.home / "proxy" / "public.pem"
        self.credentials = self.home / "broker-credentials"
        self.credentials.write_text(f"replica:{PASSWORDS['replica']}\n")
        # before a socket is open, which has five seconds to show one
        self.tokens = {
            role: self._run("token", "issue", "--user", "alice", "--role", role).strip()
            for role in ("extension", "mcp")
        }

    def _run(self, *words: str) -> str:
        env = {**os.environ, "TABWRIGHT_HOME": str(self.home)}
        done = subprocess.run([TABWRIGHT, *words], env=env, check=True, capture_output=True, text=True, timeout=60)
        return done.stdout


@contextmanager
def a_pair(keys: Keys, near: str, far: str, **more: Any) -> Generator[tuple[Bare, Bare]]:
    """An extension and a client connected to it, wherever each of them arrived."""
    with ExitStack() as stack:
        extension = Bare(f"{far}/extension", **more)
        stack.callback(extension.close)
        assert extension.hear()["method"] == "authenticate"
        shown = {"name": "Chrome", "accessToken": keys.tokens["extension"]}
        extension.say({"jsonrpc": "2.0", "id": "proxy:1", "result": shown})
        name = extension.hear()["params"]["extension_id"]
        client = Bare(f"{near}/mcp", **more)
        stack.callback(client.close)
        client.ask("mcp_handshake", {"accessToken": keys.tokens["mcp"]})
        until(lambda: "result" in client.request("connect", {"extension_id": name}))
        until(lambda: extension.hear()["method"] == "status")
        yield extension, client


def call(extension: Bare, client: Bare) -> None:
    client.say({"jsonrpc": "2.0", "id": 77, "method": "click", "params": {"n": 1}})
    asked = extension.hear()
    extension.say({"jsonrpc": "2.0", "id": asked["id"], "result": {"clicked": asked["params"]}})
    until(lambda: client.hear().get("result") == {"clicked": {"n": 1}})


@contextmanager
def composed(folder: Path, keys: Keys, bundle: Path) -> Generator[tuple[str, dict[str, Running]]]:
    """deploy/compose, all services: where the front listens, and each of them."""
    told = yaml.safe_load((DEPLOY / "compose" / "compose.yaml").read_text())
    services = told["services"]
    ports = {name: free_port() for name in services}
    secrets = {"public_key": keys.public, "broker_credentials": keys.credentials, "tls": bundle}
    assert set(secrets) == set(told["secrets"])
    running: dict[str, Running] = {}
    with ExitStack() as stack:
        for name in ("broker", "one", "two", "three", "front"):
            service = services[name]
            command, env = _composed(name, service, told, ports, secrets, folder)
            running[name] = Running(command, env, folder / f"{name}.log")
            stack.callback(running[name].stop)
            until(lambda: listens(ports[name]), 20)  # noqa: B023 - called at once
        yield f"wss://localhost:{ports['front']}", running


def _composed(
    name: str,
    service: dict[str, Any],
    told: dict[str, Any],
    ports: dict[str, int],
    secrets: dict[str, Path],
    folder: Path,
) -> tuple[list[str], dict[str, str]]:
    if name == "broker":
        config = (DEPLOY / "compose" / told["configs"]["broker"]["file"]).read_text()
        here = {"0.0.0.0:4222": f"127.0.0.1:{ports['broker']}", "/tmp/tabwright-nats": str(folder / "js")}
        (folder / "nats.conf").write_text(placed(config, here))
        words = [placed(word, {"/etc": str(folder)}) if "/" in word else word for word in service["command"]]
        return ["nats-server", *words], {variable: _filled(value) for variable, value in service["environment"].items()}
    if name == "front":
        config = DEPLOY / "compose" / told["configs"]["front"]["file"]
        env = dict(service["environment"])
        env = {**env, "LISTEN": f"127.0.0.1:{ports['front']}", "TLS_PEM": str(secrets["tls"])}
        for replica in ("one", "two", "three"):
            assert env[replica.upper()] == f"{replica}:8787"
            env[replica.upper()] = f"127.0.0.1:{ports[replica]}"
        # as the image starts it
        return ["haproxy", "-W", "-db", "-f", str(config)], env
    places = {
        "0.0.0.0": "127.0.0.1",
        "8787": str(ports[name]),
        "nats://broker:4222": f"nats://127.0.0.1:{ports['broker']}",
        **{f"/run/secrets/{secret}": str(secrets[secret]) for secret in service["secrets"]},
    }
    words = [str(places.get(word, word)) for word in service["command"]]
    assert set(places) <= set(service["command"])
    (folder / name).mkdir()
    return [*entry_point(), *words], {"TABWRIGHT_HOME": str(folder / name)}


def _filled(value: str) -> str:
    found = re.fullmatch(r"\$\{(\w+):\?.*\}", value)
    assert found is not None, "a password stands in compose.yaml"
    return ENV[found[1]]


@contextmanager
def brokers(folder: Path) -> Generator[tuple[list[int], list[int]]]:
    """The NATS servers of deploy/kubernetes/broker.yaml: their ports for clients, and for probes."""
    stateful = kind("kubernetes/broker.yaml", "StatefulSet")
    [container] = stateful["spec"]["template"]["spec"]["containers"]
    config = kind("kubernetes/broker.yaml", "ConfigMap")["data"]["nats.conf"]
    name, service, count = stateful["metadata"]["name"], stateful["spec"]["serviceName"], stateful["spec"]["replicas"]
    clients, routes, monitors = ([free_port() for _ in range(count)] for _ in range(3))
    with ExitStack() as stack:
        for number in range(count):
            home = folder / f"broker-{number}"
            home.mkdir()
            places = {
                "0.0.0.0:4222": f"127.0.0.1:{clients[number]}",
                "0.0.0.0:6222": f"127.0.0.1:{routes[number]}",
                "http_port: 8222": f"http: 127.0.0.1:{monitors[number]}",
                "/tmp/nats": str(home / "js"),
                **{f"{name}-{other}.{service}:6222": f"127.0.0.1:{port}" for other, port in enumerate(routes)},
            }
            (home / "nats.conf").write_text(placed(config, places))
            words = [placed(word, {"/etc/nats": str(home)}) if "/" in word else word for word in container["args"]]
            env = {variable["name"]: _secret(variable, number) for variable in container["env"]}
            running = Running(["nats-server", *words], env, home / "log")
            stack.callback(running.stop)
        yield clients, monitors


def _secret(variable: dict[str, Any], number: int) -> str:
    source = variable["valueFrom"]
    if "fieldRef" in source:
        return f"tabwright-broker-{number}"
    role = source["secretKeyRef"]["key"].removesuffix("-password")
    return PASSWORDS[role]


def probe(port: int, told: dict[str, Any]) -> int:
    """What an httpGet of Kubernetes gets."""
    import http.client

    headers = {header["name"]: header["value"] for header in told["httpGet"].get("httpHeaders", [])}
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=told.get("timeoutSeconds", 1) + 4)
    try:
        link.request("GET", told["httpGet"]["path"], headers=headers)
        return link.getresponse().status
    except OSError:
        return 0
    finally:
        link.close()
