"""The extension's options page and popup, used as a person does, with a real proxy at the other end."""

import json
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cdp import Cdp
from tests.gateway import TABWRIGHT, running, until
from tests.proxy.far import EXTENSION, SLOW_S, Behind, OptionsPage, behind
from tests.proxy.server import ProxyProcess

pytestmark = pytest.mark.browser


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Behind]:
    with behind(tmp_path_factory.mktemp("behind")) as made:
        yield made


@pytest.fixture
def page(world: Behind) -> Iterator[OptionsPage]:
    """The page with no server on it."""
    with world.cdp() as cdp:
        cdp.in_extension(EXTENSION, "chrome.storage.local.remove('servers')")
        cdp.stop_workers(EXTENSION)
        made = OptionsPage(cdp)
        made.shows("No server yet")
        yield made
        made.close()


def stored(cdp: Cdp) -> list[dict[str, object]]:
    return cdp.in_extension(EXTENSION, "chrome.storage.local.get('servers').then(({ servers = [] }) => servers)")


def test_what_is_wrong_is_said_at_its_field(world: Behind, page: OptionsPage) -> None:
    page.enter("ws://proxy.example.com", world.extension_token())
    assert "unencrypted" in page.error("url")
    page.enter(world.url, "half a token")
    assert "not a token" in page.error("token")
    page.enter(world.url, world.extension_token(connection_url="wss://other.example/extension"))
    until(lambda: "wss://other.example" in page.error("token"))
    assert page.run("document.activeElement.id") == "token"
    assert page.run("document.getElementById('token').getAttribute('aria-invalid')") == "true"
    with world.cdp() as cdp:
        assert stored(cdp) == []


def test_a_server_that_refuses_is_shown_with_its_reason(world: Behind, page: OptionsPage) -> None:
    page.enter(world.url, world.extension_token(secret="x" * 64))
    page.shows("Refused")
    page.shows("Invalid token. Next try in")


def test_a_server_that_is_away_is_shown_with_the_next_try(page: OptionsPage) -> None:
    page.enter("ws://127.0.0.1:9", "")
    page.shows("No answer")
    page.shows("Next try in")


def test_a_token_is_never_shown_again(world: Behind, page: OptionsPage) -> None:
    token = world.extension_token()
    page.enter(world.url, token)
    page.shows("Connected as alice")
    page.press("#servers .edit")
    assert page.run("document.getElementById('token').value") == ""
    assert token not in page.run("document.documentElement.outerHTML")
    assert f"…{token[-4:]}" in page.text
    page.press("#save")
    page.shows("was saved")
    page.shows("Connected as alice")
    with world.cdp() as cdp:
        assert [server["token"] for server in stored(cdp)] == [token]


def test_a_removed_server_is_left_and_forgotten(world: Behind, page: OptionsPage) -> None:
    page.enter(world.url, world.extension_token())
    page.shows("Connected as alice")
    page.run("window.confirm = () => true")
    page.press("#servers .remove")
    page.shows("No server yet")
    client = world.proxy.client()
    until(lambda: client.ask("list_extensions")["extensions"] == [])
    with world.cdp() as cdp:
        assert stored(cdp) == []


def test_the_popup_shows_servers_and_its_switch_leaves_them_too(world: Behind, page: OptionsPage) -> None:
    page.enter(world.url, world.extension_token())
    page.shows("Connected as alice")
    with world.cdp() as cdp:
        popup = OptionsPage(cdp, "popup.html", "#servers")
        popup.shows("Connected as alice")
        popup.press("#switch")
        popup.shows("Disconnected")
        page.shows("no server is contacted")
        page.shows("Off")
        client = world.proxy.client()
        until(lambda: client.ask("list_extensions")["extensions"] == [])
        popup.press("#switch")
        popup.shows("Connected as alice")
        popup.close()


def test_on_one_machine_it_works_without_tokens(
    page: OptionsPage, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    open_proxy = ProxyProcess(tmp_path / "open", auth=False)
    request.addfinalizer(open_proxy.stop)
    url = f"ws://127.0.0.1:{open_proxy.port}"
    page.enter(url, "")
    page.shows("Connected as")
    with running(tmp_path / "far", "--via", url) as far:
        until(lambda: far.status()["browsers"], SLOW_S)
        page.shows("1 client uses this browser")
        told = far.run("doctor")
        assert f"proxy {url}/mcp: connected" in told.stdout
        assert "linked: Chromium" in told.stdout


def test_what_proxy_init_prints_leads_from_end_to_end(
    world: Behind, page: OptionsPage, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    home, port = tmp_path / "hosted", free_port()
    url = f"ws://127.0.0.1:{port}"
    made = subprocess.run(
        [TABWRIGHT, "proxy", "init", "--user", "ada", "--url", url],
        env={**world.proxy.env, "TABWRIGHT_HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert f"`tabwright proxy --port {port}`" in made
    own = ProxyProcess(home, "--public-key", str(home / "proxy" / "public.pem"), port=port)
    request.addfinalizer(own.stop)
    assert f"--via {url} --via-token-file" in made
    browser, gateway = (line for line in made.splitlines() if line.count(".") == 2 and " " not in line)
    # the token alone says where it belongs
    page.run(
        f"(() => {{ const field = document.getElementById('token'); field.value = {json.dumps(browser)};"
        " field.dispatchEvent(new Event('input')); document.getElementById('save').click(); })()"
    )
    page.shows("Connected as ada")
    with running(tmp_path / "far", "--via", url, TABWRIGHT_VIA_TOKEN=gateway) as far:
        until(lambda: far.status()["browsers"], SLOW_S)
        assert "connected as ada" in far.run("status").stdout
