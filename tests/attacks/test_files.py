"""T08: what lies under the home folder is this user's alone, or the gateway does not start."""

import os
import stat
from pathlib import Path

import pytest

from tests.attacks.command import refused_start
from tests.attacks.wire import INITIALIZE, MCP, NOBODY, as_root, request
from tests.gateway import GatewayProcess, running

TOKEN = "0123456789-0123456789-0123\n"


def modes(home: Path) -> dict[str, int]:
    return {str(path.relative_to(home)): stat.S_IMODE(path.lstat().st_mode) for path in (home, *home.rglob("*"))}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """The modes of everything a gateway made under the most careless umask."""
    before = os.umask(0)
    try:
        gateway = GatewayProcess(tmp_path_factory.mktemp("umask") / "home")
    finally:
        os.umask(before)
    try:
        return modes(gateway.home)
    finally:
        gateway.stop()


def test_folders_and_secrets_are_private_whatever_the_umask(found: dict[str, int]) -> None:
    for name in (".", "run", "logs", "profiles", "output"):
        assert found[name] == 0o700, name
    for name in ("token", "run/gateway.lock", "run/gateway.sock", "tabwright.db", "logs/gateway.log"):
        assert found[name] == 0o600, name


def test_so_is_every_other_file(found: dict[str, int]) -> None:
    assert {name: oct(mode) for name, mode in found.items() if mode & 0o077} == {}


def test_a_home_left_open_is_closed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "run").mkdir(parents=True)
    (home / "token").write_text(TOKEN)
    for path in (home, home / "run", home / "token"):
        path.chmod(0o777)
    with running(home):
        found = modes(home)
        assert (found["."], found["run"], found["token"]) == (0o700, 0o700, 0o600)


@pytest.mark.parametrize("name", ["home", "run", "token", "tabwright.db", "logs/gateway.log", "run/gateway.lock"])
def test_a_symbolic_link_is_not_followed(tmp_path: Path, name: str) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    planted = home if name == "home" else home / name
    planted.parent.mkdir(parents=True, exist_ok=True)
    planted.symlink_to(elsewhere)
    if name in ("home", "run"):
        elsewhere.mkdir()
    else:
        elsewhere.write_text(TOKEN)
    told = refused_start(home)
    assert (told.code, str(planted) in told.line) == (1, True), told.line
    assert elsewhere.is_dir() or elsewhere.read_text() == TOKEN, "nothing was written through it"


@as_root
@pytest.mark.parametrize("name", ["home", "run", "token"])
def test_what_belongs_to_another_user_is_not_used(tmp_path: Path, name: str) -> None:
    home = tmp_path / "home"
    (home / "run").mkdir(parents=True)
    (home / "token").write_text(TOKEN)
    planted = home if name == "home" else home / name
    os.chown(planted, NOBODY, NOBODY)
    told = refused_start(home)
    assert (told.code, str(planted) in told.line) == (1, True), told.line


def test_an_empty_token_file_is_no_token(tmp_path: Path) -> None:
    """Left by a process that died between making and writing it; an empty bearer would fit."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "token").touch()
    with running(home, "--auth", "token") as gateway:
        for header in ("Authorization: Bearer", "Authorization: Bearer ", "Authorization: bearer"):
            assert request(gateway.port, "POST", "/mcp", *MCP, header, body=INITIALIZE).status == 401
        assert len((home / "token").read_text().strip()) >= 22
