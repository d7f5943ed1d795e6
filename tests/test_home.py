"""Where the state lives: the fast answer agrees with platformdirs, and long socket paths stay reachable."""

import os
import socket
import sys
from pathlib import Path

import platformdirs
import pytest

from tabwright.home import SOCKET_PATH_LIMIT, cache_folder, home_folder, reachable, socket_path

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has a short cut")


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TABWRIGHT_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    "data_home",
    [
        None,
        "",
        "  ",
        "/srv/data",
        "/srv/data/",
        " /srv/data ",
        "~/data",
        "relative",
    ],
)
def test_the_fast_answer_agrees_with_platformdirs(data_home: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if data_home is not None:
        monkeypatch.setenv("XDG_DATA_HOME", data_home)
        monkeypatch.setenv("XDG_CACHE_HOME", data_home)
    assert home_folder() == platformdirs.user_data_dir("tabwright", appauthor=False)
    assert cache_folder() == platformdirs.user_cache_dir("tabwright", appauthor=False)


def test_another_home_of_the_user_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    assert home_folder() == platformdirs.user_data_dir("tabwright", appauthor=False)


def test_a_home_told_is_made_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TABWRIGHT_HOME", "here")
    assert home_folder() == str(tmp_path / "here")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TABWRIGHT_HOME", "~/there")
    assert home_folder() == str(tmp_path / "there")


def test_the_socket_lies_in_the_run_folder() -> None:
    assert socket_path("/home/somebody/t") == "/home/somebody/t/run/gateway.sock"


def test_a_short_path_is_used_as_it_is() -> None:
    assert reachable("/tmp/t/run/gateway.sock") == "/tmp/t/run/gateway.sock"


@linux
def test_a_socket_deep_in_the_tree_is_reached_by_a_short_path(tmp_path: Path) -> None:
    folder = tmp_path / ("deep" * 20) / ("deeper" * 20)
    folder.mkdir(parents=True)
    path = reachable(str(folder / "gateway.sock"))
    descriptor = int(path.split("/")[4])
    try:
        assert len(path) <= SOCKET_PATH_LIMIT
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
        assert (folder / "gateway.sock").exists()
    finally:
        os.close(descriptor)
