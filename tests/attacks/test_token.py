"""T07, T12, T13: with `--auth token` the token decides, and it is seen nowhere."""

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from tests.attacks.command import refused_start
from tests.attacks.conftest import keep_reading
from tests.attacks.wire import INITIALIZE, MCP, Answer, request
from tests.gateway import GatewayProcess, executed, running

CHOSEN = "chosen-by-the-person-0123456789"


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    """A gateway that asks everyone for the token of its file."""
    home = tmp_path_factory.mktemp("locked") / "home"
    with executed(home, "--auth", "token", "--log-level", "debug") as made:
        keep_reading(made)
        yield made


@pytest.fixture(scope="module")
def token(locked: GatewayProcess) -> str:
    told = (locked.home / "token").read_text().strip()
    assert len(told) >= 22, "128 bits or more"
    return told


def initialize(gateway: GatewayProcess, *headers: str, query: str = "") -> Answer:
    return request(gateway.port, "POST", f"/mcp{query}", *MCP, *headers, body=INITIALIZE)


def test_who_has_no_token_gets_nothing(locked: GatewayProcess, token: str) -> None:
    for headers in (
        (),
        ("Authorization: Bearer",),
        ("Authorization: Bearer wrong",),
        (f"Authorization: Bearer {token}x",),
        (f"Authorization: Bearer {token[:-1]}",),
        (f"Authorization: Bearer  {token}",),
        (f"Authorization: Bearer {token} {token}",),
        (f"Authorization: Basic {token}",),
        (f"Authorization: {token}",),
        (f"Authorization: Bearer {token}", "Authorization: Bearer wrong"),
        ("Authorization: Bearer \xff\xfe",),
        (f"X-Auth-Token: {token}", f"Cookie: token={token}"),
    ):
        answer = initialize(locked, *headers)
        assert answer.status == 401, headers
        assert answer.header("www-authenticate") == "Bearer"
        assert token.encode() not in answer.body


def test_a_token_in_the_address_is_refused(locked: GatewayProcess, token: str) -> None:
    for name in ("token", "access_token", "auth_token", "authorization"):
        assert initialize(locked, query=f"?{name}={token}").status == 401


def test_unknown_routes_are_not_told_apart_without_it(locked: GatewayProcess, token: str) -> None:
    for route in ("/tools", "/metrics", "/sse", "/message", "/nowhere", "/api/state"):
        assert request(locked.port, "GET", route).status == 401
    assert request(locked.port, "GET", "/nowhere", f"Authorization: Bearer {token}").status == 404


def test_health_says_no_more_than_ok_to_strangers(locked: GatewayProcess, token: str) -> None:
    assert request(locked.port).json == {"status": "ok"}
    assert request(locked.port, "GET", "/health", "Authorization: Bearer wrong").json == {"status": "ok"}
    known = request(locked.port, "GET", "/health", f"Authorization: bearer {token}").json
    assert {"status", "version", "activeSessions"} <= set(known)


async def test_the_right_token_works_in_a_real_client(locked: GatewayProcess) -> None:
    printed = locked.run("config", "--token").stdout.strip()
    client = httpx2.AsyncClient(headers={"Authorization": f"Bearer {printed}"})
    async with Client(streamable_http_client(locked.url, http_client=client), mode="legacy") as agent:
        assert [tool.name for tool in (await agent.list_tools()).tools] == ["connect_browser"]
    await client.aclose()


def test_the_token_is_seen_nowhere(locked: GatewayProcess, token: str) -> None:
    """After all that was tried above, at the most talkative log level."""
    initialize(locked, query=f"?token={token}")
    initialize(locked, f"Authorization: Bearer {token}x")
    assert token not in locked.log()
    assert token.encode() not in Path(f"/proc/{locked.pid}/cmdline").read_bytes()
    assert token not in (locked.home / "run" / "gateway.json").read_text()
    assert token not in locked.run("status", "--json").stdout
    assert token not in locked.run("config", "--json").stdout


def test_a_token_of_ones_own_means_auth_by_token(tmp_path: Path) -> None:
    with running(tmp_path / "home", CLAUDE_BROWSER_AUTH_TOKEN=CHOSEN) as gateway:
        assert initialize(gateway).status == 401
        assert initialize(gateway, f"Authorization: Bearer {CHOSEN}").status == 200
        assert CHOSEN not in gateway.run("config").stdout
        assert CHOSEN not in gateway.run("config", "--json").stdout
        assert CHOSEN not in gateway.log()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TABWRIGHT_CORS_ORIGINS", "*"),
        ("TABWRIGHT_CORS_ORIGINS", "http://localhost:*"),
        ("TABWRIGHT_CORS_ORIGINS", "https://good.test,null"),
        ("TABWRIGHT_AUTH_TOKEN", "twenty-one-characters"),
        ("TABWRIGHT_AUTH", "none"),
    ],
)
def test_an_unsafe_setting_ends_the_start(tmp_path: Path, name: str, value: str) -> None:
    told = refused_start(tmp_path, **{name: value})
    assert told.code == 2
    assert name in told.line
    assert name != "TABWRIGHT_AUTH_TOKEN" or value not in told.line, "a secret is not repeated"


def test_an_empty_token_in_the_file_ends_the_start(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text('auth_token = ""\n')
    told = refused_start(tmp_path)
    assert (told.code, "auth_token" in told.line) == (2, True)


def test_auth_off_is_said_aloud(tmp_path: Path) -> None:
    gateway = GatewayProcess(tmp_path / "home", "--auth", "off")
    assert gateway.process is not None
    assert gateway.process.stderr is not None
    assert "auth = off" in gateway.process.stderr.readline()
    assert request(gateway.port, "POST", "/mcp", *MCP, "Origin: http://evil.test", body=INITIALIZE).status == 403
    assert gateway.stop() == 0
