"""What the gateway adds to a command of the debugger: a call of a tool by stdio, less that command on the link.

Both times are of the same call, so that whatever the browser or the machine takes is in both.
"""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import Final

from bench.driver import Command
from bench.records import Record, timed
from bench.servers import Tabwright
from bench.serving import ROOT
from bench.session import Session

PART: Final = "overhead"
CALL, LINK, ADDED = "evaluate, by stdio", "the same command on the link", "added"
METHOD: Final = "Runtime.evaluate"
WARM: Final = 20
STARTING_S: Final = 60.0


def measure(folder: Path, rounds: int) -> list[Record]:
    adapter, place = Tabwright(), folder / "overhead"
    place.mkdir()
    notes = place / "link.txt"
    with _gateway(adapter.command(place), place, notes), Session(adapter, place) as session:
        session.do(adapter.open("about:blank"))
        pairs = [_paired(session, notes) for _ in range(rounds + WARM)][WARM:]
    took = {CALL: [call for call, _ in pairs], LINK: [link for _, link in pairs]}
    took[ADDED] = [call - link for call, link in pairs]
    return [timed(PART, row, adapter.name, seconds) for row, seconds in took.items()]


def _paired(session: Session, notes: Path) -> tuple[float, float]:
    """Seconds of one call, and of its command on the link."""
    before = len(_noted(notes))
    call = session.do(session.adapter.evaluate("6 * 7"))
    assert call.text == "42", call.text
    # anything else would make them different things
    [link] = _noted(notes)[before:]
    return call.seconds, link


def _noted(notes: Path) -> list[float]:
    lines = (line.split() for line in notes.read_text().splitlines())
    return [float(seconds) for method, seconds in lines if method == METHOD]


@contextlib.contextmanager
def _gateway(command: Command, folder: Path, notes: Path) -> Generator[None]:
    """A gateway in the home that the client will use."""
    with (folder / "gateway.log").open("w") as log:
        line = (sys.executable, "-m", "bench.timed_gateway", str(notes))
        environment = {**os.environ, **command.variables}
        process = subprocess.Popen(line, cwd=ROOT, env=environment, stdout=log, stderr=log)
        try:
            _await(process, Path(command.variables["TABWRIGHT_HOME"]) / "run" / "gateway.json")
            yield
        finally:
            process.terminate()
            process.wait(STARTING_S)


def _await(process: subprocess.Popen[bytes], told: Path) -> None:
    deadline = time.monotonic() + STARTING_S
    while not told.exists():
        if process.poll() is not None or time.monotonic() > deadline:
            raise SystemExit("The gateway of the overhead part did not start.")
        time.sleep(0.02)
