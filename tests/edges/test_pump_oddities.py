"""Odd ways to start the pump: closed descriptors, a vanished folder, an interrupt, a home that is none."""

import json
import os
import resource
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attacks.wire import INITIALIZE
from tests.clients import connect
from tests.gateway import TABWRIGHT, GatewayProcess, running


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    with running(tmp_path_factory.mktemp("pump") / "home") as gateway:
        yield gateway


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_descriptor_does_not_hang_it(served: GatewayProcess, closed: str) -> None:
    command = f"exec {TABWRIGHT} {'</dev/null' if '<&-' not in closed else ''} {closed}"
    done = subprocess.run(["sh", "-c", command], env=served.env, timeout=5, check=False)
    assert done.returncode == 0


def test_an_interrupt_ends_it_without_a_word(served: GatewayProcess) -> None:
    with subprocess.Popen(
        [TABWRIGHT], env=served.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as pump:
        assert pump.stdin is not None
        assert pump.stdout is not None
        pump.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        pump.stdin.flush()
        assert pump.stdout.readline().startswith(b"{"), "it is at work"
        pump.send_signal(signal.SIGINT)
        assert pump.wait(5) == 130
        assert pump.stderr is not None
        assert pump.stderr.read() == b""


def test_a_folder_that_is_gone_is_no_hindrance(served: GatewayProcess, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    command = f"cd {gone} && rmdir {gone} && exec {TABWRIGHT} </dev/null"
    done = subprocess.run(["sh", "-c", command], env=served.env, timeout=5, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_home_that_cannot_be_is_told_in_one_line(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("a file")
    env = {**os.environ, "TABWRIGHT_HOME": str(home)}
    done = subprocess.run([TABWRIGHT], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=10)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert str(home) in done.stderr


async def test_a_gateway_with_dynamic_lists_refuses_the_modern_era_to_all(tmp_path: Path) -> None:
    with running(tmp_path / "home", "--list", "dynamic") as gateway:
        async with connect(gateway, "stdio", "legacy") as agent:
            assert await agent.names() == ["connect_browser"]
        with pytest.raises(BaseExceptionGroup):
            async with connect(gateway, "stdio", "modern") as agent:
                await agent.names()


async def test_options_of_a_modern_request_over_http_are_its_own(served: GatewayProcess) -> None:
    async with connect(served, "http", "modern") as agent:
        assert "page_tools" in await agent.names()
    async with connect(served, "http", "modern", toolsets="automation") as agent:
        assert "page_tools" not in await agent.names()


def test_a_gateway_that_cannot_write_why_it_did_not_start_is_told_of(tmp_path: Path) -> None:
    done = subprocess.run(
        [TABWRIGHT],
        env={**os.environ, "TABWRIGHT_HOME": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=20,
        # as on a full disk: files can be made, but nothing written into them
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
    )
    assert done.returncode == 1
    assert f"did not start and left no word in {tmp_path / 'logs' / 'gateway.err'}: is the disk full?" in done.stderr
