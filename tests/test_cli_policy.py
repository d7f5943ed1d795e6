"""`tabwright policy`, `grant`, `grants` and `audit` without a gateway: rules explained, grants kept, a record shown."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.gateway import TABWRIGHT


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "TABWRIGHT_HOME": str(home)}
    return subprocess.run([TABWRIGHT, *arguments], env=env, capture_output=True, text=True, timeout=30)


def test_a_policy_is_begun_understood_and_explained(home: Path) -> None:
    assert run(home, "policy", "init").stdout == f"wrote {home / 'policy.toml'}\n"
    again = run(home, "policy", "init")
    assert (again.returncode, "exists already" in again.stderr) == (1, True)
    assert run(home, "policy", "check").stdout == "policy.toml is valid.\n"
    (home / "policy.toml").write_text('[categories]\nbanking = "deny"\n[[site]]\nmatch = "a.test"\nact = "ask"\n')
    told = run(home, "policy", "check", "https://www.paypal.com/x").stdout
    assert told.count("deny   (policy.toml: category banking)") == 8
    told = run(home, "policy", "check", "a.test", "--launched").stdout
    assert "act           ask    (policy.toml: site a.test)" in told
    assert "script        allow  (default: scripts are allowed in a launched browser)" in told
    assert "category banking: deny" in run(home, "policy", "show").stdout


def test_a_policy_that_makes_no_sense_stops_the_start(home: Path) -> None:
    home.mkdir(mode=0o700)
    (home / "policy.toml").write_text('[default]\nact = "perhaps"\n')
    for command in (("policy", "check"), ("serve", "--port", "0", "--extension-port", "0")):
        failed = run(home, *command)
        assert failed.returncode == 1
        assert "[default] act is one of allow, ask, deny. Correct policy.toml." in failed.stderr


def test_grants_are_given_listed_and_revoked_and_that_is_on_record(home: Path) -> None:
    assert run(home, "grants").stdout == "No grants. Whatever needs your consent, you are asked about.\n"
    nobody = run(home, "grant", "https://a.test", "script")
    assert (nobody.returncode, "--client NAME" in nobody.stderr) == (1, True)
    assert "There is no class 'fly'" in run(home, "grant", "https://a.test", "fly", "--client", "x").stderr
    assert "is not a web site" in run(home, "grant", "file:///etc", "read", "--client", "x").stderr
    assert "exactly one. Write a rule" in run(home, "grant", "*.a.test", "read", "--client", "x").stderr
    given = run(home, "grant", "https://a.test/path", "script", "act", "--client", "codex").stdout
    assert given.count("on https://a.test for codex in any browser, always") == 2
    [act, script] = json.loads(run(home, "grants", "--json").stdout)
    assert (act["class"], script["class"], script["origin"]) == ("act", "script", "https://a.test")
    assert f"allow  (grant {script['id']}: you allowed it always)" in run(
        home, "policy", "check", "https://a.test", "--client", "codex"
    ).stdout.replace("script        ", "")
    assert "script" in run(home, "grants", "revoke", script["id"]).stdout
    assert [grant["id"] for grant in json.loads(run(home, "grants", "--json").stdout)] == [act["id"]]
    assert run(home, "grants", "revoke").returncode == 1, "not all by saying nothing"
    assert run(home, "grants", "revoke", "--all").returncode == 0
    kept = [json.loads(line) for line in run(home, "audit", "--json").stdout.splitlines()]
    assert [entry["what"] for entry in kept] == ["given", "given", "revoked", "revoked"]
    assert run(home, "audit", "--client", "nobody").stdout == "No entry matches.\n"
    assert run(home, "audit", "--client", "nobody", "--json").stdout == ""
    for never in ("yesterday", "²d"):
        assert (
            run(home, "audit", "--since", never).stderr
            == f"tabwright: {never!r} is not a time. Write it like 30m, 12h or 7d.\n"
        )
    assert 'Choose from: "allow", "ask", "deny"' in run(home, "audit", "--decision", "maybe").stderr
    assert run(home, "audit", "--verify").stdout == "The record is whole.\n"


def test_without_a_record_that_is_said(home: Path) -> None:
    assert "Nothing has been recorded yet" in run(home, "audit").stderr
