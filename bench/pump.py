"""How long a client waits for its first list: `tabwright` against a bare Python script, gateway running.

Both are started anew for every run, in turns, by the same interpreter, and send the same bytes to the same gateway;
the bare script does nothing but open the Unix socket, send and read. Prints the medians and their ratio. The third
line is the floor: the bare script again, with the C half of `socket` alone, as the pump imports it.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles
from typing import Final

from bench.handover import Handover

GOAL: Final = 1.6
RUNS: Final = 40
WARM_UP: Final = 5
TABWRIGHT: Final = str(Path(sys.executable).with_name("tabwright"))
HELLO: Final = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
}
LIST: Final = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
REQUESTS: Final = "".join(f"{json.dumps(message)}\n" for message in (HELLO, LIST)).encode()

BARE: Final = """
import socket, sys
gateway = socket.socket(socket.AF_UNIX)
gateway.connect(sys.argv[1])
gateway.sendall(bytes.fromhex(sys.argv[2]))
lines = b""
while lines.count(b"\\n") < 3:
    lines += gateway.recv(65536)
sys.stdout.buffer.write(lines)
sys.stdout.flush()
"""


FLOOR: Final = BARE.replace("import socket, sys", "import _socket as socket, sys")


def timed(command: list[str], env: dict[str, str], answers: int, sent: bytes = b"") -> float:
    """Seconds from the spawn to the last of the answer lines."""
    began = time.perf_counter()
    with subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(sent)
        process.stdin.flush()
        lines = [process.stdout.readline() for _ in range(answers)]
        took = time.perf_counter() - began
        assert b'"connect_browser"' in lines[-1], lines
        process.stdin.close()
    return took


def script(home: Path, name: str, text: str) -> list[str]:
    """The command that runs such a script against the gateway of this home."""
    version = json.loads((home / "run" / "gateway.json").read_text())["version"]
    greeting: dict[str, object] = {
        "tabwright": 1,
        "version": version,
        "pid": 1,
        "cwd": "/",
        "options": {},
        "gateway": {},
    }
    sent = (json.dumps(greeting).encode() + b"\n" + REQUESTS).hex()
    (home / name).write_text(text)
    return [sys.executable, str(home / name), str(home / "run" / "gateway.sock"), sent]


def measure(home: Path, runs: int) -> tuple[list[float], list[float], list[float]]:
    env = {**os.environ, "TABWRIGHT_HOME": str(home)}
    bare, floor = script(home, "bare.py", BARE), script(home, "floor.py", FLOOR)
    contenders: tuple[Callable[[], float], ...] = (
        lambda: timed([TABWRIGHT], env, 2, REQUESTS),
        lambda: timed(bare, env, 3),
        lambda: timed(floor, env, 3),
    )
    times: tuple[list[float], list[float], list[float]] = ([], [], [])
    for number in range(WARM_UP + runs):
        # in turns, each first every third time: whatever slows the machine slows all
        for index in ((number + turn) % 3 for turn in range(3)):
            took = contenders[index]()
            if number >= WARM_UP:
                times[index].append(took)
    return times


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=RUNS, help=f"of each, in turns (default {RUNS})")
    runs: int = parser.parse_args().runs
    with tempfile.TemporaryDirectory(prefix="tabwright-bench-") as folder:
        home = Path(folder)
        gateway = subprocess.Popen(
            [TABWRIGHT, "serve", "--port", "0", "--extension-port", "0"],
            env={**os.environ, "TABWRIGHT_HOME": folder},
            stderr=subprocess.PIPE,
        )
        assert gateway.stderr is not None
        try:
            while not gateway.stderr.readline().startswith(b"tabwright ready"):
                assert gateway.poll() is None, "the gateway did not start"
            ours, bare, floor = measure(home, runs)
        finally:
            gateway.terminate()
            gateway.wait(10)
    for name, times in (("the pump", ours), ("bare script", bare), ("floor", floor)):
        low, *_, high = quantiles(times, n=10)
        print(f"{name:12} {median(times) * 1000:6.1f} ms   (p10 {low * 1000:.1f}, p90 {high * 1000:.1f})")  # noqa: T201
    ratio = median(ours) / median(bare)
    print(f"ratio        {ratio:6.2f}      (goal <= {GOAL})")  # noqa: T201 - a bench talks to a person
    to = Handover()
    to.most("the pump, to a bare Python script", ratio, GOAL, "times")
    return to.status()


if __name__ == "__main__":
    sys.exit(main())
