"""`tabwright doctor`: every finding, in a situation that was made for real."""

import asyncio
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import tabwright
from tabwright.edges.chrome.chrome import Chrome, LaunchPlan
from tabwright.edges.chrome.extension_files import extension_id, unpack_extension
from tabwright.edges.chrome.profile import prepare_profile
from tabwright.edges.commands.native_files import put_up_host
from tabwright.edges.runtime import Home
from tabwright.install.troubles import TROUBLES
from tests.cdp import Cdp
from tests.gateway import TABWRIGHT, alive, browser_with_port, until

IDS = {trouble.id for trouble in TROUBLES}
TOKEN, OTHER_TOKEN = "the-token-of-the-gateway-0123", "some-other-token-0123456789"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@dataclass
class Machine:
    """A person's home folder, with tabwright's own in it, and the gateways that were started there."""

    user: Path
    port: int = field(default_factory=free_port)
    extension_port: int = field(default_factory=free_port)
    started: list["subprocess.Popen[str]"] = field(default_factory=list["subprocess.Popen[str]"])

    @property
    def home(self) -> Home:
        return Home(self.user / "tabwright")

    def env(self, **variables: str) -> dict[str, str]:
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("TABWRIGHT_", "CLAUDE_", "XDG_"))
        }
        ports = {"TABWRIGHT_PORT": str(self.port), "TABWRIGHT_EXTENSION_PORT": str(self.extension_port)}
        return {**kept, "HOME": str(self.user), "TABWRIGHT_HOME": str(self.home.path), **ports, **variables}

    def serve(self, *flags: str, **variables: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "tabwright", "serve", *flags],
            env=self.env(**variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.started.append(process)
        assert process.stderr is not None
        assert any(line.startswith("tabwright ready") for line in process.stderr)
        return process

    def diagnose(self, **variables: str) -> dict[str, dict[str, Any]]:
        """The troubles that were found, by their id; a trouble to fix makes the command fail."""
        done = subprocess.run(
            [TABWRIGHT, "doctor", "--json"], env=self.env(**variables), capture_output=True, text=True, timeout=50
        )
        told = json.loads(done.stdout)
        assert told["ok"] == (done.returncode == 0), done.stderr
        found = {finding["id"]: finding for finding in told["findings"] if finding["level"] != "ok"}
        assert told["ok"] == all(finding["level"] == "note" for finding in found.values())
        assert set(found) <= IDS
        assert all(finding["explanation"] and finding["fix"] for finding in found.values())
        return found

    def end(self) -> None:
        for process in self.started:
            process.send_signal(signal.SIGCONT)
            process.kill()
            process.wait(10)
            assert process.stderr is not None
            process.stderr.close()


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    made = Machine(tmp_path)
    made.home.prepare()
    yield made
    made.end()


def test_a_fresh_machine_has_nothing_to_fix(machine: Machine) -> None:
    found = machine.diagnose()
    assert {finding["level"] for finding in found.values()} == {"note"}
    assert set(found) == {"extension-missing", "not-paired", "clients-none"}


def test_no_browser(machine: Machine) -> None:
    found = machine.diagnose(TABWRIGHT_BROWSER="/no/such/browser")
    assert "/no/such/browser" in found["no-browser"]["what"]


def link_home(home: Home) -> None:
    shutil.rmtree(home.path)
    home.path.with_name("real").mkdir()
    home.path.symlink_to(home.path.with_name("real"))


def damage_store(home: Home) -> None:
    home.database.write_bytes(b"this is no database, and never was one" * 100)
    home.database.chmod(0o600)


def open_home(home: Home) -> None:
    home.path.chmod(0o755)


def break_settings(home: Home) -> None:
    home.settings_file.write_text("prot = 3456\n")


def break_policy(home: Home) -> None:
    home.policy_file.write_text("[nonsense\n")


@pytest.mark.parametrize(
    ("harm", "trouble"),
    [
        (link_home, "home-unusable"),
        (open_home, "home-open"),
        (break_settings, "settings-wrong"),
        (break_policy, "policy-wrong"),
        (damage_store, "store-damaged"),
    ],
)
def test_a_home_that_is_not_in_order(machine: Machine, harm: Callable[[Home], object], trouble: str) -> None:
    harm(machine.home)
    assert machine.diagnose()[trouble]["level"] == "fix"


def test_a_home_that_cannot_be_made(machine: Machine) -> None:
    machine.home.settings_file.touch()
    nowhere = machine.home.settings_file / "home"
    assert str(nowhere) in machine.diagnose(TABWRIGHT_HOME=str(nowhere))["home-unusable"]["what"]


def test_a_store_that_another_program_has_locked_is_not_taken_for_damaged(machine: Machine) -> None:
    with closing(sqlite3.connect(machine.home.database, isolation_level=None)) as other:
        other.execute("CREATE TABLE pairings (key BLOB)")
        other.execute("BEGIN EXCLUSIVE")
        assert "store-damaged" not in machine.diagnose()


def test_a_taken_port_is_told_with_who_has_it(machine: Machine) -> None:
    with socket.create_server(("127.0.0.1", machine.extension_port)):
        found = machine.diagnose()
    assert f"(pid {os.getpid()})" in found["port-taken"]["what"]


def test_a_port_is_taken_though_nobody_may_see_by_whom(machine: Machine) -> None:
    with socket.socket() as hidden:
        hidden.bind(("127.0.0.1", 0))
        found = machine.diagnose(TABWRIGHT_PORT=str(hidden.getsockname()[1]))
    assert "another process" in found["port-taken"]["what"]


@pytest.mark.timeout(150)
def test_a_gateway_that_hangs_was_killed_or_cannot_be_reached(machine: Machine) -> None:
    process = machine.serve()
    assert "gateway-hung" not in machine.diagnose()
    process.send_signal(signal.SIGSTOP)
    assert str(process.pid) in machine.diagnose()["gateway-hung"]["what"]
    process.send_signal(signal.SIGCONT)
    machine.home.socket.unlink()
    assert str(process.pid) in machine.diagnose()["gateway-hung"]["what"]
    process.kill()
    process.wait(10)
    found = machine.diagnose()
    assert found["gateway-dead"]["level"] == "note"
    assert "gateway-hung" not in found


def test_a_gateway_of_another_version(machine: Machine, tmp_path: Path) -> None:
    package = tmp_path / "older" / "tabwright"
    shutil.copytree(Path(tabwright.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "__init__.py").write_text('__version__ = "0.0.9"\n')
    machine.serve(PYTHONPATH=str(package.parent))
    assert "0.0.9" in machine.diagnose()["gateway-other-version"]["what"]


@pytest.mark.timeout(150)
def test_a_token_that_is_not_the_gateways(machine: Machine) -> None:
    machine.serve(TABWRIGHT_AUTH_TOKEN=TOKEN)
    assert "token-wrong" not in machine.diagnose(TABWRIGHT_AUTH_TOKEN=TOKEN)
    assert "set here" in machine.diagnose(TABWRIGHT_AUTH_TOKEN=OTHER_TOKEN)["token-wrong"]["what"]
    config = machine.user / ".cursor/mcp.json"
    config.parent.mkdir()

    def entry(port: int, **headers: str) -> None:
        server = {"url": f"http://127.0.0.1:{port}/mcp", "headers": headers}
        config.write_text(json.dumps({"mcpServers": {"tabwright": server}}))

    entry(machine.port, Authorization=f"Bearer {OTHER_TOKEN}")
    assert "Cursor has a token" in machine.diagnose()["token-wrong"]["what"]
    entry(machine.port)
    assert "no token" in machine.diagnose()["token-wrong"]["what"]
    entry(machine.port, Authorization=f"Bearer {TOKEN}")
    assert set(machine.diagnose()) <= {"extension-missing", "not-paired"}
    entry(1)
    assert "port 1," in machine.diagnose()["client-broken"]["what"]


def test_a_client_whose_program_is_gone(machine: Machine) -> None:
    config = machine.user / ".gemini/settings.json"
    config.parent.mkdir()
    config.write_text(json.dumps({"mcpServers": {"tabwright": {"command": "/gone/tabwright", "args": []}}}))
    assert "/gone/tabwright" in machine.diagnose()["client-broken"]["what"]


def test_a_proxy_that_is_not_there(machine: Machine) -> None:
    machine.serve("--via", f"ws://127.0.0.1:{free_port()}")
    found = machine.diagnose()
    assert {"proxy-away", "proxy-empty"} <= set(found)


def test_a_host_that_does_not_run(machine: Machine) -> None:
    put_up_host(machine.home, [machine.user / ".config/chromium"], {})
    assert "host-broken" not in machine.diagnose()
    launcher = machine.home.native_launcher
    launcher.write_text(launcher.read_text().replace(sys.executable, "/gone/python"))
    assert "/gone/python" in machine.diagnose()["host-broken"]["what"]
    launcher.unlink()
    assert "not there" in machine.diagnose()["host-broken"]["what"]


@pytest.mark.browser
@pytest.mark.timeout(150)
async def test_the_extension_in_the_persons_own_browser(machine: Machine, tmp_path: Path) -> None:
    """One browser, in the place where Chromium has its profiles, from its first start to its end."""
    profile, extension = machine.user / ".config/chromium", machine.home.extension
    prepare_profile(profile)
    unpack_extension(extension)
    chrome = await Chrome.launch(LaunchPlan(browser_with_port(tmp_path), profile, extension, headless=True))
    try:
        with Cdp(profile) as cdp:
            found = await asyncio.to_thread(until, lambda: _with(machine, "host-missing"), 40)
            assert found["not-paired"]["level"] == "fix", "it has the extension"
            assert not {"extension-missing", "extension-outdated", "extension-disabled"} & set(found)

            manifest = extension / "manifest.json"
            manifest.write_text(
                manifest.read_text().replace(f'"version": "{tabwright.__version__}"', '"version": "0.0.9"')
            )
            put_up_host(machine.home, [profile], machine.env(PYTHONPATH=os.environ.get("PYTHONPATH", "")))
            cdp.send("Target.createTarget", url=f"chrome-extension://{extension_id()}/ui/popup.html")
            await asyncio.to_thread(until, lambda: machine.home.running(), 40)
            found = await asyncio.to_thread(until, lambda: _without(machine, "not-paired"), 40)
            assert found["extension-outdated"]["level"] == "fix"
            assert "host-missing" not in found

            cdp.send("Target.createTarget", url="chrome://extensions")
            off = f"globalThis.chrome?.management?.setEnabled({extension_id()!r}, false).then(() => true) ?? false"
            await asyncio.to_thread(until, lambda: cdp.in_page("chrome://extensions", off))
    finally:
        await chrome.close()
    # it might have come back
    found = await asyncio.to_thread(until, lambda: _with(machine, "browser-away"), 20)
    assert "switched off" in found["extension-disabled"]["what"]
    shutil.rmtree(extension)
    assert "gone" in machine.diagnose()["extension-missing"]["what"]
    told = machine.home.running()
    assert told is not None
    os.kill(told["pid"], signal.SIGKILL)
    until(lambda: not alive(told["pid"]))


def _with(machine: Machine, trouble: str) -> dict[str, Any] | None:
    found = machine.diagnose()
    return found if trouble in found else None


def _without(machine: Machine, trouble: str) -> dict[str, Any] | None:
    found = machine.diagnose()
    return found if trouble not in found else None


@pytest.mark.browser
@pytest.mark.timeout(150)
async def test_a_linked_browser_whose_extension_is_another_version(machine: Machine, tmp_path: Path) -> None:
    profile, extension = tmp_path / "profile", tmp_path / "extension"
    prepare_profile(profile)
    unpack_extension(extension)
    manifest = extension / "manifest.json"
    manifest.write_text(manifest.read_text().replace(f'"version": "{tabwright.__version__}"', '"version": "0.0.9"'))
    put_up_host(machine.home, [profile], machine.env(PYTHONPATH=os.environ.get("PYTHONPATH", "")))
    machine.serve()
    chrome = await Chrome.launch(LaunchPlan(browser_with_port(tmp_path), profile, extension, headless=True))
    try:
        found = await asyncio.to_thread(until, lambda: _with(machine, "extension-outdated"), 40)
    finally:
        await chrome.close()
    assert "runs the extension 0.0.9" in found["extension-outdated"]["what"]
