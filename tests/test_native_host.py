"""A person's own browser that pairs by itself and wakes the gateway, through the native messaging host."""

import asyncio
import json
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from websockets.sync.client import connect

from tabwright import __version__
from tabwright.edges.chrome.chrome import Chrome, LaunchPlan
from tabwright.edges.chrome.extension_files import extension_id, unpack_extension
from tabwright.edges.chrome.profile import prepare_profile
from tabwright.edges.commands.native_files import fault_of_host, put_up_host, take_down_host
from tabwright.edges.runtime import Home
from tests.attacks.test_pairing import PROFILE, Refused, shake
from tests.cdp import Cdp
from tests.conftest import Site
from tests.gateway import TABWRIGHT, alive, browser_with_port, until

POPUP = f"chrome-extension://{extension_id()}/ui/popup.html"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """A home with ports of its own and no gateway; the one that comes up is stopped at the end."""
    made = Home(tmp_path / "home")
    made.prepare()
    made.settings_file.write_text(f"port = {free_port()}\nextension_port = {free_port()}\nconnect_wait_s = 10\n")
    yield made
    if (told := made.running()) is not None:
        os.kill(told["pid"], signal.SIGKILL)
        until(lambda: not alive(told["pid"]))


def command(home: Home, *arguments: str) -> str:
    env = {**os.environ, "TABWRIGHT_HOME": str(home.path)}
    return subprocess.run([TABWRIGHT, *arguments], env=env, capture_output=True, text=True, timeout=30).stdout


def ask_host(home: Home, message: Any) -> dict[str, Any]:
    """One message to the host, as a browser sends it."""
    data = message if isinstance(message, bytes) else json.dumps(message).encode()
    done = subprocess.run(
        [home.native_launcher, f"chrome-extension://{extension_id()}/"],
        input=len(data).to_bytes(4, sys.byteorder) + data,
        capture_output=True,
        timeout=30,
    )
    assert int.from_bytes(done.stdout[:4], sys.byteorder) == len(done.stdout) - 4
    return json.loads(done.stdout[4:])


def put_up(home: Home, *folders: Path) -> list[Path]:
    return put_up_host(home, folders, {"TABWRIGHT_HOME": str(home.path)})


@asynccontextmanager
async def own_browser(folder: Path, home: Home, *, host: bool = True) -> AsyncGenerator[Cdp]:
    """A fresh profile of the person's, our extension loaded unpacked, as `tabwright install` left things.

    Without `host` nobody has run it.
    """
    profile, extension = folder / "profile", folder / "extension"
    prepare_profile(profile)
    if host:
        put_up(home, profile)
    unpack_extension(extension)
    chrome = await Chrome.launch(LaunchPlan(browser_with_port(folder), profile, extension, headless=True))
    try:
        with Cdp(profile) as cdp:
            yield cdp
    finally:
        await chrome.close()


def linked(home: Home) -> bool:
    with suppress(ValueError):
        return bool(json.loads(command(home, "status", "--json"))["browsers"])
    return False


async def popup_says(cdp: Cdp, headline: str) -> None:
    """Wait until the popup, which is open, has this headline."""
    shown = "document.getElementById('headline')?.textContent ?? ''"
    await asyncio.to_thread(until, lambda: cdp.in_page("popup.html", shown) == headline, 20)


async def page_says(cdp: Cdp, page: str, *words: str) -> None:
    """Wait until that page of the extension, which is open, shows all this."""
    shown = "document.body?.innerText ?? ''"
    await asyncio.to_thread(until, lambda: all(word in cdp.in_page(page, shown) for word in words), 20)


def ask_for_bootstrap(cdp: Cdp) -> dict[str, Any]:
    """What the popup is shown after it asked."""
    asked = """new Promise((resolve) => {
        const port = chrome.runtime.connect({name: 'popup'});
        let shown = 0;
        port.onMessage.addListener((view) => { shown += 1; if (shown > 1) { port.disconnect(); resolve(view); } });
        port.postMessage({press: 'bootstrap'});
    })"""
    return cdp.in_page("popup.html", asked)


@pytest.mark.browser
@pytest.mark.timeout(150)
async def test_a_fresh_browser_pairs_by_itself_and_an_agent_works_in_it(tmp_path: Path, home: Home, site: Site) -> None:
    async with own_browser(tmp_path, home) as cdp:
        await asyncio.to_thread(until, lambda: linked(home), 30)
        told = home.running()
        assert told is not None, "the extension had the gateway started"
        env = {**os.environ, "TABWRIGHT_HOME": str(home.path)}
        async with Client(stdio_client(StdioServerParameters(command=TABWRIGHT, env=env))) as client:
            await client.call_tool("connect_browser")
            opened = await client.call_tool("open_tab", {"url": site.url})
        assert not opened.is_error, opened.content
        assert cdp.targets("page", site.url)

        # a killed gateway is not started again for nobody ...
        os.kill(told["pid"], signal.SIGKILL)
        await asyncio.to_thread(until, lambda: not alive(told["pid"]))
        assert home.running() is None
        # ... but when the person looks
        cdp.send("Target.createTarget", url=POPUP)
        await asyncio.to_thread(until, lambda: linked(home), 30)
        again = home.running()
        assert again is not None
        assert again["pid"] != told["pid"]
        await popup_says(cdp, "Connected")


@pytest.mark.browser
@pytest.mark.timeout(150)
async def test_a_browser_that_was_disconnected_starts_nothing(tmp_path: Path, home: Home) -> None:
    async with own_browser(tmp_path, home) as cdp:
        await asyncio.to_thread(until, lambda: linked(home), 30)
        cdp.send("Target.createTarget", url=POPUP)
        await popup_says(cdp, "Connected")
        cdp.in_page("popup.html", "document.getElementById('switch').click()")
        await popup_says(cdp, "Disconnected")
        told = home.running()
        assert told is not None
        os.kill(told["pid"], signal.SIGKILL)
        until(lambda: not alive(told["pid"]))
        # the popup looks again and asks for it outright
        view = await asyncio.to_thread(ask_for_bootstrap, cdp)
        assert (view["state"], view["bootstrap"]) == ("off", {"state": "idle", "reason": ""})
        assert home.running() is None


@pytest.mark.browser
@pytest.mark.timeout(150)
async def test_why_the_gateway_does_not_start_is_told_in_the_browser(tmp_path: Path, home: Home) -> None:
    with socket.create_server(("127.0.0.1", 0)) as squatter:
        taken = squatter.getsockname()[1]
        home.settings_file.write_text(f"port = {free_port()}\nextension_port = {taken}\n")
        async with own_browser(tmp_path, home) as cdp:
            cdp.send("Target.createTarget", url=POPUP)
            await popup_says(cdp, "Not paired yet")
            failed = f"Port {taken} is taken"
            await asyncio.to_thread(until, lambda: failed in ask_for_bootstrap(cdp)["bootstrap"]["reason"], 30, 0.5)
            assert ask_for_bootstrap(cdp)["state"] == "unpaired"
            for page in ("popup.html", "welcome.html"):
                await page_says(cdp, page, "could not pair by itself", failed, "Run tabwright doctor.")


@pytest.mark.browser
@pytest.mark.timeout(150)
async def test_where_nothing_was_installed_the_pages_say_what_would_pair_it(tmp_path: Path, home: Home) -> None:
    async with own_browser(tmp_path, home, host=False) as cdp:
        cdp.send("Target.createTarget", url=POPUP)
        await popup_says(cdp, "Not paired yet")
        await page_says(cdp, "popup.html", "tabwright pair", "Run tabwright install once, and it pairs by itself.")
        await page_says(cdp, "welcome.html", "tabwright serve", "Run tabwright install once, and it pairs by itself.")
        assert home.running() is None


def use_key(told: dict[str, Any]) -> str:
    """Pair as the extension does, in a browser that is called PROFILE."""
    origin: Any = f"chrome-extension://{extension_id()}"
    with connect(f"ws://127.0.0.1:{told['port']}", origin=origin, compression=None, proxy=None) as socket:
        return shake(socket, bytes.fromhex(told["key"]), pairing=True)[1]["type"]


def test_the_key_is_good_once_and_for_one_browser(home: Home) -> None:
    put_up(home)
    with pytest.raises(Refused):
        use_key(ask_host(home, {"ask": "pair", "profileId": "of-another-browser"}))
    told = ask_host(home, {"ask": "pair", "profileId": PROFILE})
    assert use_key(told) == "welcome"
    with pytest.raises(Refused):
        use_key(told)


def test_a_second_question_finds_the_gateway_that_runs(home: Home) -> None:
    put_up(home)
    first, second = (ask_host(home, {"ask": "start"}) for _ in range(2))
    assert first == second
    running = home.running()
    assert running is not None
    assert first == {"port": running["extensionPort"], "httpPort": running["port"]}


@pytest.mark.parametrize("message", [b"{", {"ask": "everything"}, {"ask": "pair"}, b"x" * 5000, b"[" * 4000])
def test_what_makes_no_sense_is_answered_and_starts_nothing(home: Home, message: Any) -> None:
    put_up(home)
    assert "error" in ask_host(home, message)
    assert home.running() is None


def test_what_lies_in_the_home_is_not_run(home: Home) -> None:
    put_up(home)
    (home.path / "tabwright").mkdir()
    (home.path / "tabwright" / "__init__.py").write_text(f"open({str(home.path / 'was run')!r}, 'w').close()")
    assert "port" in ask_host(home, {"ask": "start"})
    assert not (home.path / "was run").exists()


def test_only_this_user_and_our_extension_may_run_the_host(tmp_path: Path, home: Home) -> None:
    [manifest] = put_up(home, tmp_path / "browser")
    told = json.loads(manifest.read_text())
    assert told["allowed_origins"] == [f"chrome-extension://{extension_id()}/"]
    assert manifest == tmp_path / "browser/NativeMessagingHosts/tabwright.gateway.json"
    assert stat.S_IMODE(Path(told["path"]).stat().st_mode) == 0o700
    assert put_up(home, tmp_path / "browser") == [], "a second time changes nothing"
    assert ask_host(home, {"ask": "ping"}) == {"version": __version__}
    assert fault_of_host(tmp_path / "browser") is None


def test_the_host_of_another_home_is_left_alone(tmp_path: Path, home: Home) -> None:
    other = Home(tmp_path / "other")
    other.prepare()
    put_up(home, tmp_path / "browser")
    assert take_down_host(other, [tmp_path / "browser"]) == []
    [manifest] = take_down_host(home, [tmp_path / "browser"])
    assert not manifest.exists()
    assert not home.native_launcher.exists()
