"""`tabwright dashboard` says that the page is open when it is, and gives its address when it is not."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gateway import GatewayProcess, running
from tests.test_cli import run

VISITOR = f"""#!{sys.executable}
import json, sys, urllib.request
address, _, code = sys.argv[1].partition("#")
headers = {{"Content-Type": "application/json", "Origin": address.rstrip("/")}}
urllib.request.urlopen(urllib.request.Request(f"{{address}}api/enter", json.dumps({{"code": code}}).encode(), headers))
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    with running(tmp_path_factory.mktemp("served") / "home") as made:
        yield made


def opened_by(served: GatewayProcess, program: Path, script: str) -> tuple[str, str]:
    """What is said when pages are opened by this program."""
    program.write_text(script)
    program.chmod(0o755)
    told = run(served.home, "dashboard", seconds=40, DISPLAY=":0", BROWSER=str(program))
    assert told.returncode == 0, told.stderr
    return told.stdout, told.stderr


def test_once_a_browser_has_come_it_is_open(served: GatewayProcess, tmp_path: Path) -> None:
    said, aside = opened_by(served, tmp_path / "browser", VISITOR)
    assert said.splitlines()[-1] == "It is open."
    assert "#" not in said + aside


def test_where_none_comes_the_person_gets_the_address(served: GatewayProcess, tmp_path: Path) -> None:
    said, aside = opened_by(served, tmp_path / "browser", "#!/bin/sh\nexit 0\n")
    assert "within two minutes" in aside
    assert said.splitlines()[-1].startswith("http://127.0.0.1:")
