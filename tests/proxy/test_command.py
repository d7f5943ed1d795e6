"""`tabwright proxy init` and `tabwright token`, as a newcomer types them."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.attacks.command import refused
from tests.gateway import TABWRIGHT
from tests.proxy.server import proxying


def run(home: Path, *arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith("TABWRIGHT_")}
    return subprocess.run(
        [TABWRIGHT, *arguments],
        env={**env, "TABWRIGHT_HOME": str(home)},
        input=text,
        capture_output=True,
        text=True,
        timeout=20,
    )


def test_init_makes_keys_and_two_tokens_that_work_and_can_be_revoked(tmp_path: Path) -> None:
    made = run(tmp_path, "proxy", "init", "--user", "me")
    assert made.returncode == 0
    browser, gateway = (line for line in made.stdout.splitlines() if line.count(".") == 2 and " " not in line)
    assert (tmp_path / "proxy" / "key.pem").stat().st_mode & 0o777 == 0o600
    again = run(tmp_path, "proxy", "init")
    assert "Kept" in again.stdout
    told = json.loads(run(tmp_path, "token", "inspect", text=gateway).stdout)
    assert told["accepted_as"] == {"extension": "no: role is not extension", "mcp": "yes"}
    assert (told["claims"]["user_id"], told["claims"]["scope"]) == ("me", "cdp")
    with proxying(tmp_path, "--public-key", str(tmp_path / "proxy" / "public.pem")) as proxy:
        extension = proxy.bare("/extension")
        extension.hear()
        extension.say({"jsonrpc": "2.0", "id": "proxy:1", "result": {"name": "Chrome", "accessToken": browser}})
        extension_id = extension.hear()["params"]["extension_id"]
        client = proxy.bare()
        assert client.ask("mcp_handshake", {"accessToken": gateway})["user_id"] == "me"
        client.ask("connect", {"extension_id": extension_id})
        assert client.hear()["method"] == "status"
        client.say({"jsonrpc": "2.0", "id": 50, "method": "forwardCDPCommand", "params": {"method": "Page.enable"}})
        assert extension.hear()["method"] == "status"
        assert extension.hear()["method"] == "forwardCDPCommand"
        assert run(tmp_path, "token", "revoke", told["claims"]["jti"]).returncode == 0
        assert client.close_code(8) == 4401
    told = json.loads(run(tmp_path, "token", "inspect", text=gateway).stdout)
    assert told["accepted_as"]["mcp"] == "no: revoked"


@pytest.mark.parametrize(
    ("url", "command"),
    [
        ("ws://127.0.0.1:9901", "`tabwright proxy --port 9901`"),
        ("ws://127.0.0.1:8787", "`tabwright proxy`"),
        ("wss://proxy.example.com:8443", "`tabwright proxy --host 0.0.0.0 --port 8443 --tls-cert FILE"),
        ("wss://proxy.example.com", "`tabwright proxy --host 0.0.0.0 --port 443 --tls-cert FILE"),
    ],
)
def test_init_names_the_command_that_listens_where_its_tokens_say(tmp_path: Path, url: str, command: str) -> None:
    assert command in run(tmp_path, "proxy", "init", "--url", url).stdout


def test_no_token_is_made_for_an_address_to_which_nobody_would_send_it(tmp_path: Path) -> None:
    told = run(tmp_path, "proxy", "init", "--url", "ws://proxy.example.com")
    assert (told.returncode, told.stdout) == (2, "")
    assert "Say wss://proxy.example.com" in told.stderr
    assert not (tmp_path / "proxy" / "key.pem").exists()


def test_token_issue_prints_one_token_and_refuses_nonsense(tmp_path: Path) -> None:
    run(tmp_path, "proxy", "init")
    made = run(tmp_path, "token", "issue", "--user", "bob", "--role", "mcp", "--ttl", "2h", "--scope", "cdp")
    assert (made.returncode, made.stderr, len(made.stdout.splitlines())) == (0, "", 1)
    told = json.loads(run(tmp_path, "token", "inspect", text=made.stdout).stdout)
    assert 7_190 < told["seconds_left"] <= 7_200
    for arguments in (
        ("--user", "a\nb", "--role", "mcp"),
        ("--user", "", "--role", "mcp"),
        ("--user", "bob", "--role", "mcp", "--url", "https://proxy.example.com"),
        ("--user", "bob", "--role", "admin"),
        ("--user", "bob", "--role", "mcp", "--ttl", "soon"),
        ("--user", "bob", "--role", "mcp", "--ttl", "0s"),
        ("--role", "mcp"),
    ):
        assert refused(tmp_path, "token", "issue", *arguments).code == 2
    assert refused(tmp_path, "token", "revoke").code == 2
    assert "not a token" in run(tmp_path, "token", "inspect", text="nonsense").stderr
    missing = run(tmp_path, "token", "inspect", "--token-file", str(tmp_path / "nowhere")).stderr
    assert missing.startswith("tabwright: ")
    assert "No such file" in missing


def test_an_hs256_secret_signs_and_checks(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s" * 40)
    (tmp_path / "proxy.toml").write_text(f"jwt-secret-file = '{tmp_path / 'secret'}'\naudience = 'here'\n")
    made = run(tmp_path, "token", "issue", "--user", "bob", "--role", "extension")
    told = json.loads(run(tmp_path, "token", "inspect", text=made.stdout).stdout)
    assert (told["header"]["alg"], told["claims"]["aud"], told["accepted_as"]["extension"]) == ("HS256", "here", "yes")


@pytest.mark.parametrize("lost", ["public.pem", "key.pem"])
def test_half_a_pair_of_keys_is_never_overwritten(tmp_path: Path, lost: str) -> None:
    environ = {**os.environ, "TABWRIGHT_HOME": str(tmp_path)}
    init = [TABWRIGHT, "proxy", "init"]
    subprocess.run(init, env=environ, check=True, capture_output=True)
    [kept] = [file for file in (tmp_path / "proxy").glob("*.pem") if file.name != lost]
    (tmp_path / "proxy" / lost).unlink()
    before = kept.read_bytes()
    again = subprocess.run(init, env=environ, capture_output=True, text=True)
    assert again.returncode == 2
    assert "without its other half" in " ".join(again.stderr.split())
    assert kept.read_bytes() == before


def claims(home: Path, token: str) -> dict[str, Any]:
    return json.loads(run(home, "token", "inspect", text=token).stdout)["claims"]


def test_init_notes_where_the_proxy_is_reached_and_later_tokens_say_so(tmp_path: Path) -> None:
    (tmp_path / "proxy.toml").write_text("rate = 5\n# mine\n")
    made = run(tmp_path, "proxy", "init", "--user", "anna@example.org", "--url", "wss://proxy.example.com")
    assert 'now says public_url = "wss://proxy.example.com"' in made.stdout
    assert "--behind-proxy" in made.stdout
    text = (tmp_path / "proxy.toml").read_text()
    assert text == 'public_url = "wss://proxy.example.com"\nrate = 5\n# mine\n'
    issued = run(tmp_path, "token", "issue", "--user", "bob.b@example.org", "--role", "mcp").stdout
    told = claims(tmp_path, issued)
    assert (told["connection_url"], told["sub"]) == ("wss://proxy.example.com/mcp", "bob.b@example.org")
    again = run(tmp_path, "proxy", "init")
    assert ' says public_url = "wss://proxy.example.com"' in again.stdout
    run(tmp_path, "proxy", "init", "--url", "ws://127.0.0.1:9999")
    assert (tmp_path / "proxy.toml").read_text().startswith('public_url = "ws://127.0.0.1:9999"\nrate = 5\n')


def test_a_newcomer_is_told_what_to_do_first(tmp_path: Path) -> None:
    issue = ("token", "issue", "--user", "bob", "--role", "mcp")
    assert "Run `tabwright proxy init` first" in refused(tmp_path, *issue).line
    assert "Run `tabwright proxy init`" in refused(tmp_path, "proxy").line
    (tmp_path / "proxy.toml").write_text('public_key = "/some/public.pem"\n')
    assert "--key-file" in refused(tmp_path, *issue).line
    (tmp_path / "proxy.toml").write_text('host = "0.0.0.0"\nbehind_proxy = true\n')
    assert "--url" in refused(tmp_path, "proxy", "init").line
    for url in ("https://proxy.example.com", "wss://proxy.example.com/mcp", "proxy.example.com", "wss://"):
        assert "wss://proxy.example.com" in refused(tmp_path, "proxy", "init", "--url", url).line
    assert not (tmp_path / "proxy").exists()


def test_any_user_can_be_revoked(tmp_path: Path) -> None:
    run(tmp_path, "proxy", "init", "--user", "Ann Müller")
    made = run(tmp_path, "token", "issue", "--user", "Ann Müller", "--role", "mcp").stdout
    assert run(tmp_path, "token", "revoke", "--user", "Ann Müller").returncode == 0
    told = json.loads(run(tmp_path, "token", "inspect", text=made).stdout)
    assert told["accepted_as"]["mcp"] == "no: revoked"
    for arguments in ((), ("a b",), ("--user", "a\nb"), ("some-id", "--user", "bob")):
        assert refused(tmp_path, "token", "revoke", *arguments).code == 2


def test_an_ipv6_address_is_told_as_urls_spell_it(tmp_path: Path) -> None:
    with proxying(tmp_path, "--host", "::1") as proxy:
        assert f"ready ws://[::1]:{proxy.port}" in proxy.log
