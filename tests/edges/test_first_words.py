"""A client of a new home hears at once, from the pump, what the gateway would say; the rest is left to the gateway."""

import fcntl
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from tabwright import first_words
from tabwright.edges.pump.early_answers import EarlyAnswers, Memory
from tabwright.first_words import FirstWords
from tabwright.settings import load
from tests.attacks.wire import INITIALIZE
from tests.edges.test_early_answers import line
from tests.edges.test_pump import FREE_PORTS, LIST, ask, pump
from tests.gateway import running

HELLO: dict[str, Any] = INITIALIZE["params"]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The home of a gateway that runs, so that its pumps pass on what it says."""
    home = tmp_path_factory.mktemp("served") / "home"
    with running(home):
        yield home


@pytest.mark.parametrize("mode", [None, "auto", "dynamic"])
@pytest.mark.parametrize("version", [*HANDSHAKE_PROTOCOL_VERSIONS, "1999-01-01", "2026-07-28"])
def test_they_are_the_gateways_own(served: Path, mode: str | None, version: str) -> None:
    hello = {**HELLO, "protocolVersion": version}
    settings = {} if mode is None else {"list": mode}
    with pump(served, **{f"TABWRIGHT_{name.upper()}": value for name, value in settings.items()}) as process:
        said = [ask(process, {**INITIALIZE, "params": hello})["result"], ask(process, LIST)["result"]]
    words = FirstWords(settings)
    assert [words.answer("initialize", hello), words.answer("tools/list", None)] == said


def test_every_version_that_the_handshake_knows_is_known() -> None:
    assert first_words.HANDSHAKES == HANDSHAKE_PROTOCOL_VERSIONS


@pytest.mark.parametrize(
    "settings",
    [
        {"list": "stable"},
        {"list": ""},
        {"toolsets": "focus"},
        {"port": "many"},
        {"log-level": "loud"},
        {"upload-dirs": "here"},
        {"via": "wss://proxy.example.com"},
        {"nonsense": "1"},
    ],
)
def test_other_lists_and_odd_settings_are_left_to_the_gateway(settings: dict[str, str]) -> None:
    assert FirstWords(settings).answer("initialize", HELLO) is None


@pytest.mark.parametrize(
    ("given", "is_sure"),
    [
        ("--lang=fr", True),
        ("--window-size=1280,987 --lang=fr", True),
        ("fr", False),
        ("--lang='fr", False),
        ("--lang=fr --headless=old", False),
        ("--user-data-dir=/x", False),
        ("--disable-extensions-except=/x", False),
    ],
)
def test_arguments_of_a_browser_that_the_gateway_is_sure_to_take_change_nothing(given: str, is_sure: bool) -> None:
    assert (FirstWords({"browser-args": given}).answer("initialize", HELLO) is not None) is is_sure
    if is_sure:
        assert load({"browser_args": given}).browser_args == tuple(given.split())


@pytest.mark.parametrize("name", ["port", "extension-port"])
def test_nobody_is_welcomed_to_a_gateway_that_would_not_get_its_ports(tmp_path: Path, name: str) -> None:
    free = {"port": "0", "extension-port": "0"}
    assert EarlyAnswers(Memory(str(tmp_path), free)).heard(line(INITIALIZE), alone=True) != b""
    with socket.create_server(("127.0.0.1", 0)) as squatter:
        taken = {**free, name: str(squatter.getsockname()[1])}
        assert EarlyAnswers(Memory(str(tmp_path), taken)).heard(line(INITIALIZE), alone=True) == b""


@pytest.mark.parametrize(
    "spoilt",
    [
        None,
        {},
        {**HELLO, "protocolVersion": 1},
        {**HELLO, "capabilities": None},
        {**HELLO, "clientInfo": "me"},
        {**HELLO, "clientInfo": {"name": "me"}},
        {**HELLO, "_meta": {}},
    ],
)
def test_an_odd_hello_is_left_to_the_gateway_with_all_that_follows(spoilt: Any) -> None:
    words = FirstWords({})
    assert words.answer("initialize", spoilt) is None
    assert words.answer("initialize", HELLO) is None
    assert words.answer("tools/list", None) is None


def test_nobody_is_listed_anything_before_the_hello_nor_greeted_twice() -> None:
    words = FirstWords({})
    assert words.answer("tools/list", {}) is None
    assert words.answer("initialize", HELLO) is not None
    assert words.answer("tools/list", {"_meta": {"progressToken": 1}}) is not None
    assert words.answer("tools/list", {"cursor": "x"}) is None
    assert words.answer("tools/list", {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}) is None
    assert words.answer("initialize", HELLO) is None
    assert words.answer("tools/list", {}) is None


@pytest.mark.parametrize("trace", ["tabwright.db", "settings.toml"])
def test_a_home_that_was_used_has_more_to_say(tmp_path: Path, trace: str) -> None:
    free = {"port": "0", "extension-port": "0"}
    assert EarlyAnswers(Memory(str(tmp_path), free)).heard(line(INITIALIZE), alone=True) != b""
    (tmp_path / trace).touch()
    assert EarlyAnswers(Memory(str(tmp_path), free)).heard(line(INITIALIZE), alone=True) == b""


def test_the_very_first_client_has_its_list_before_the_gateway_is_there(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    # nothing can be started here, so nobody but the pump can have answered
    with (tmp_path / "logs" / "start.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pump(tmp_path, XDG_CACHE_HOME=os.environ["XDG_CACHE_HOME"], **FREE_PORTS) as process:
            assert ask(process, INITIALIZE)["result"]["serverInfo"]["name"] == "tabwright"
            assert [tool["name"] for tool in ask(process, LIST)["result"]["tools"]] == ["connect_browser"]
