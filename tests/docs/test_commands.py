"""The commands of the pages, run as they stand there, with a real gateway and browser where they need one."""

import asyncio
import json
import os
import pty
import re
import shutil
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from tests.clients import connect
from tests.cluster.broker import free_port
from tests.conftest import Site
from tests.docs.blocks import ROOT, blocks
from tests.gateway import TABWRIGHT, GatewayProcess, until
from tests.proxy.server import proxying, token

REPORTS = """<title>Reports</title><form onsubmit="done.textContent = 'Report of ' + month.value; return false">
<label>Month <input name=month></label><button>Download</button></form><p id=done></p>"""

# Debian's package puts it where only root looks
NATS_PATH = f"{os.environ['PATH']}:/usr/sbin"


def documented(page: str, start: str) -> list[str]:
    """The commands of a page that begin like this."""
    found = [
        command
        for block in blocks()
        if block.place.startswith(f"{page}#")
        for command in block.commands
        if command.startswith(start)
    ]
    assert found, f"{page} has no {start}"
    return found


class Shell:
    """A shell in a folder of its own, where `tabwright` and `.venv` are those under test."""

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        self.folder = folder
        self._env = {**env, "PATH": f"{Path(TABWRIGHT).parent}:{os.environ['PATH']}", "HOME": str(folder)}
        (folder / ".venv").symlink_to(Path(TABWRIGHT).parents[1])

    def run(self, command: str, keys: str = "") -> str:
        """What it prints; `keys` are what somebody at a terminal presses."""
        terminal, end = pty.openpty()
        os.write(terminal, keys.encode())
        with os.fdopen(terminal), os.fdopen(end) as stdin:
            done = subprocess.run(
                ["bash", "-c", command],
                cwd=self.folder, env=self._env, stdin=stdin if keys else subprocess.DEVNULL,
                capture_output=True, text=True, timeout=50,
            )  # fmt: skip
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def begin(self, command: str) -> subprocess.Popen[bytes]:
        """What runs until it is ended."""
        quiet = subprocess.DEVNULL
        return subprocess.Popen(
            ["bash", "-c", command], cwd=self.folder, env=self._env, stdin=quiet, stdout=quiet, stderr=quiet
        )


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """One without a gateway."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("TABWRIGHT_", "CLAUDE_"))}
    return Shell(tmp_path, {**env, "TABWRIGHT_HOME": str(tmp_path / "home")})


@pytest.fixture
def beside(gateway: GatewayProcess, tmp_path: Path) -> Shell:
    """One beside a running gateway."""
    return Shell(tmp_path, gateway.env)


@pytest.mark.browser
@pytest.mark.timeout(240)
def test_make_run_starts_the_gateway_with_a_browser_and_says_how_to_connect(tmp_path: Path) -> None:
    assert {"make run"} == {*documented("README.md", "make run"), *documented("docs/getting-started.md", "make run")}
    if (ROOT / ".venv").is_symlink() or not (ROOT / ".venv" / ".stamp-project").exists():
        pytest.skip("this checkout was not set up by itself: make run would change the environment of another")
    env = {**os.environ, "TABWRIGHT_HOME": str(tmp_path), "TABWRIGHT_PORT": "0", "TABWRIGHT_EXTENSION_PORT": "0"}
    with subprocess.Popen(["make", "run"], cwd=ROOT, env=env, stderr=subprocess.PIPE, text=True) as made:
        assert made.stderr is not None
        told = ""
        for line in made.stderr:
            told += line
            if "--transport http" in line:
                break
        assert re.search(r"tabwright ready http://127\.0\.0\.1:\d+\n", told)
        assert re.search(rf"claude mcp add tabwright .*-- {ROOT / '.venv/bin/tabwright'}\n", told)
        status = [TABWRIGHT, "status", "--json"]
        until(lambda: json.loads(subprocess.run(status, env=env, capture_output=True).stdout)["browsers"], 60)
        subprocess.run([TABWRIGHT, "stop"], env=env, check=True, capture_output=True, timeout=30)
        made.send_signal(signal.SIGTERM)


def test_what_a_newcomer_is_told_to_make_sets_up_first() -> None:
    told = set(re.findall(r"(?:^|`)make ([a-z]+)", (ROOT / "README.md").read_text(), re.MULTILINE))
    assert {"run", "test", "site"} <= told
    for target in sorted(told):
        steps = subprocess.run(
            ["make", "--dry-run", "--no-print-directory", target], cwd=ROOT, check=True, capture_output=True, text=True
        )
        assert steps.stdout.startswith("scripts/setup"), target


def test_make_alone_lists_the_targets() -> None:
    told = subprocess.run(["make"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for target in ("run", "test", "check", "docs", "site", "pictures", "lock"):
        assert re.search(rf"^  make {target} +\w", told, re.MULTILINE)


def test_install_names_the_folder_of_the_extension_and_what_a_client_needs(shell: Shell) -> None:
    plain, printed = documented("docs/getting-started.md", ".venv/bin/tabwright install")
    folder = re.search(r"^\s+(/\S+)$", shell.run(plain, keys="y\n" * 9), re.MULTILINE)
    assert folder
    assert (Path(folder[1]) / "manifest.json").exists()
    entry = shell.run(printed)
    command = json.JSONDecoder().raw_decode(entry[entry.index("{") :])[0]["mcpServers"]["tabwright"]["command"]
    assert os.access(command, os.X_OK)


def test_dashboard_doctor_and_status_answer(beside: Shell) -> None:
    for start in ("dashboard", "doctor", "status"):
        for command in documented("docs/getting-started.md", f".venv/bin/tabwright {start}"):
            told = beside.run(command)
            assert "http://127.0.0.1:" in told or "ok" in told


def test_grants_are_given_listed_and_revoked(beside: Shell) -> None:
    listing, revoking, giving = documented("docs/policy.md", "tabwright grant")
    assert "https://example.com" not in beside.run(listing)
    start, _, ways = revoking.partition(" ID ")
    values = {"URL": "https://example.com", "NAME": "claude-code"}
    for way in ways.strip("| ").split(" | "):
        beside.run(giving)
        assert "script on https://example.com for claude-code" in beside.run(listing)
        beside.run(f"{start} {re.sub('URL|NAME', lambda word: values[word[0]], way)}")
        assert "https://example.com" not in beside.run(listing)
    beside.run(giving)
    grant = re.search(r"^\s*(\S+)", beside.run(listing).splitlines()[0])
    assert grant
    beside.run(f"{start} {grant[1]}")
    assert "https://example.com" not in beside.run(listing)


async def test_the_record_is_shown_and_checked(gateway: GatewayProcess, beside: Shell) -> None:
    async with connect(gateway) as agent:
        await agent.call("connect_browser")
    told = [
        beside.run(command.replace("claude-code", "mcp")) for command in documented("docs/policy.md", "tabwright audit")
    ]
    assert "connect_browser" in told[0]
    assert all(json.loads(line) for line in told[1].splitlines())
    assert "whole" in told[2]


def test_the_proxy_s_tokens_are_made_looked_at_and_revoked(shell: Shell) -> None:
    for command in documented("docs/proxy.md", "tabwright proxy init"):
        assert shell.run(command).count("\neyJ") == 2
    issue, inspect, by_id, by_user = documented("docs/proxy.md", "tabwright token")
    (shell.folder / "token").write_text(shell.run(issue))
    told = shell.run(inspect)
    assert "anna" in told
    jti = re.search(r"\b[0-9a-f]{32}\b", told)
    assert jti, told
    assert "Revoked" in shell.run(by_id.replace("JTI", jti[0]))
    assert "Revoked" in shell.run(by_user)
    assert "no: revoked" in shell.run(inspect)


def test_a_gateway_finds_its_proxy_with_the_token_of_a_file(shell: Shell) -> None:
    [command] = documented("docs/proxy.md", "tabwright serve --via")
    file = shell.folder / "proxy-token"
    with proxying(shell.folder / "proxy") as proxy:
        url = f"ws://127.0.0.1:{proxy.port}"
        file.write_text(token("me", "mcp", connection_url=f"{url}/mcp", scope="cdp"))
        file.chmod(0o600)
        serving = shell.begin(f"exec {command.replace('wss://proxy.example.com', url)} --port 0 --extension-port 0")
        try:
            until(lambda: "connected as me" in shell.run("tabwright status || true"), 40, 0.2)
        finally:
            serving.terminate()
            serving.wait(10)


def test_the_broker_starts_with_its_configuration(shell: Shell) -> None:
    if shutil.which("nats-server", path=NATS_PATH) is None:
        pytest.skip("no nats-server on this machine, and no right to install it")
    [command] = set(documented("docs/scaling.md", "nats-server"))
    port = free_port()
    (shell.folder / "deploy").mkdir()
    told = (ROOT / "deploy" / "nats.conf").read_text()
    assert "/tmp/tabwright-nats" in told
    (shell.folder / "deploy" / "nats.conf").write_text(told.replace("/tmp/tabwright-nats", str(shell.folder / "store")))
    secrets = "REPLICA_PASSWORD=r1 STATUS_PASSWORD=s1"
    server = shell.begin(f"PATH={NATS_PATH} {secrets} exec {command} --addr 127.0.0.1 --port {port}")
    try:
        until(lambda: _greeting(port).startswith("INFO "))
        assert json.loads(_greeting(port).removeprefix("INFO "))["auth_required"] is True
    finally:
        server.terminate()
        server.wait(10)


def _greeting(port: int) -> str:
    try:
        with socket.create_connection(("127.0.0.1", port), 2) as peer, peer.makefile() as told:
            return told.readline()
    except OSError:
        return ""


def test_every_lock_is_resolved_anew_as_asked(shell: Shell) -> None:
    """With a resolver that notes what it is asked: the real one needs the network."""
    (shell.folder / "scripts").mkdir()
    (shell.folder / "scripts" / "lock").symlink_to(ROOT / "scripts" / "lock")
    (shell.folder / "requirements").mkdir()
    (shell.folder / "requirements" / "none.txt").touch()
    resolver = shell.folder / "uv"
    resolver.write_text('#!/bin/sh\necho "$@" >> asked\n')
    resolver.chmod(0o755)
    [command] = documented("CONTRIBUTING.md", "scripts/lock")
    shell.run(f"PATH=$PWD:$PATH {command}")
    asked = (shell.folder / "asked").read_text().splitlines()
    assert all("pip compile" in line and "--upgrade" in line for line in asked)
    written = {word for line in asked for word in line.split() if word.startswith("requirements/")}
    assert written == {f"requirements/{path.name}" for path in (ROOT / "requirements").glob("*.txt")}


@pytest.mark.browser
@pytest.mark.timeout(180)
async def test_shortcuts_are_saved_run_and_removed(shared: GatewayProcess, site: Site, tmp_path: Path) -> None:
    site.pages["/reports"] = REPORTS
    [steps] = [each.text for each in blocks() if each.place.startswith("docs/shortcuts.md") and each.language == "json"]
    (tmp_path / "report.json").write_text(steps.replace("https://books.example", site.url))
    shell = Shell(tmp_path, shared.env)
    commands = {command.split()[2]: command for command in documented("docs/shortcuts.md", "tabwright shortcuts")}

    async def told(name: str) -> str:
        return await asyncio.to_thread(shell.run, commands.pop(name))

    await told("add")
    listing = commands["list"]
    assert "report" in await told("list")
    assert json.loads(await told("show"))["steps"][0]["tool"] == "navigate"
    assert "Report of May" in await told("run")
    await told("remove")
    assert "report" not in await asyncio.to_thread(shell.run, listing)
    async with connect(shared) as agent:
        await agent.result("navigate", url=f"{site.url}/reports")
        await told("record")
        assert "report" in await asyncio.to_thread(shell.run, listing)
    assert not commands, "each of them was run"
