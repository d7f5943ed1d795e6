"""A pump that had to start the gateway is in the end like one that found it, and its client notices nothing of that."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from tabwright.edges.pump.stdio_pump import CONNECTED
from tests.attacks.wire import INITIALIZE
from tests.edges.test_pump import FREE_PORTS, LIST, ask, environment, pump
from tests.gateway import TABWRIGHT, until

BURST = 50


@pytest.fixture(autouse=True)
def stopped(tmp_path: Path) -> Iterator[None]:
    """The gateway that a pump started would stay until it has been idle for ten minutes."""
    yield
    subprocess.run([TABWRIGHT, "stop"], env=environment(tmp_path), check=True, capture_output=True, timeout=30)


def is_small(process: subprocess.Popen[bytes]) -> bool:
    """Whether it has executed itself again."""
    return f"{CONNECTED}=".encode() in Path(f"/proc/{process.pid}/environ").read_bytes()


def ping(number: int) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": "ping"}


def test_once_its_client_has_a_list_it_holds_no_more_than_any_other(tmp_path: Path) -> None:
    with pump(tmp_path, **FREE_PORTS) as process:
        ask(process, INITIALIZE)
        ask(process, LIST)
        until(lambda: is_small(process))
        assert ask(process, ping(3))["id"] == 3
        mapped = Path(f"/proc/{process.pid}/maps").read_text()
        assert "_posixsubprocess" not in mapped
        command = Path(f"/proc/{process.pid}/cmdline").read_bytes().split(b"\0")
        assert command[1].endswith(b"/tabwright"), "it is found under the same name as before"
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(5) == 0


def test_what_is_said_meanwhile_is_answered_once(tmp_path: Path) -> None:
    with pump(tmp_path, **FREE_PORTS) as process:
        ask(process, INITIALIZE)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(LIST).encode() + b"\n")
        asked, answered, after = 2, [1], 0
        while after < BURST:
            after += is_small(process)
            # some are always under way
            while asked < len(answered) + BURST:
                asked += 1
                process.stdin.write(json.dumps(ping(asked)).encode() + b"\n")
            process.stdin.flush()
            answered += answers(process.stdout, 1)
        answered += answers(process.stdout, asked - len(answered))
        assert sorted(answered) == list(range(1, asked + 1))


def answers(stdout: IO[bytes], many: int) -> list[int]:
    """The ids of so many; notifications between them are passed over."""
    found: list[int] = []
    while len(found) < many:
        told = json.loads(stdout.readline())
        found += [told["id"]] if "id" in told else []
    return found
