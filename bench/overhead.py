"""What the gateway adds to a command of the debugger: a call of a tool by stdio, less that command on the link.

Both times are of the same call, so that whatever the browser or the machine takes is in both. In turns with it the same
command goes to another browser over its debugging pipe, with nothing in between.
"""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path
from statistics import median
from typing import Final

from bench.driver import Command
from bench.pipe import Pipe
from bench.records import Record, timed
from bench.servers import Tabwright
from bench.serving import ROOT
from bench.session import Session
from bench.undisturbed import MOST, Undisturbed, stolen_s

PART: Final = "overhead"
CALL, LINK, ADDED = "evaluate, by stdio", "the same command on the link", "added"
PIPE, SHARE = "the same command on a pipe, without tabwright", "the pipe's share of the call"
METHOD: Final = "Runtime.evaluate"
WARM: Final = 20
STARTING_S: Final = 60.0
NOTED_S: Final = 5.0


def measure(folder: Path, rounds: int) -> list[Record]:
    adapter, place = Tabwright(), folder / "overhead"
    place.mkdir()
    notes = place / "link.txt"
    with (
        _gateway(adapter.command(place), place, notes),
        Session(adapter, place) as session,
        Pipe(place / "bare") as pipe,
    ):
        session.do(adapter.open("about:blank"))
        turns = _turns(session, notes, pipe, rounds)
    calls, links, pipes = ([turn[column] for turn in turns] for column in range(3))
    added = [call - link for call, link in zip(calls, links, strict=True)]
    took = {CALL: calls, LINK: links, ADDED: added, PIPE: pipes}
    records = [timed(PART, row, adapter.name, seconds) for row, seconds in took.items()]
    return [*records, Record(PART, SHARE, adapter.name, median(pipes) / median(calls), "share")]


def _turns(session: Session, notes: Path, pipe: Pipe, rounds: int) -> list[tuple[float, float, float]]:
    """Seconds of each call, its command on the link, and the same on the pipe."""
    found = Undisturbed[tuple[float, float, float]](rounds)
    for number in range(WARM + rounds * MOST):
        before = stolen_s()
        turn = (*_paired(session, notes), _piped(pipe))
        if number >= WARM:
            found.add(turn, turn[0] + turn[2], stolen_s() - before)
        if found.are_enough:
            break
    return found.kept


def _paired(session: Session, notes: Path) -> tuple[float, float]:
    """Seconds of one call, and of its command on the link."""
    before = len(_noted(notes))
    call = session.do(session.adapter.evaluate("6 * 7"))
    assert call.text == "42", call.text
    # more would make them different things
    [link] = _noted(notes, before + 1)[before:]
    return call.seconds, link


def _piped(pipe: Pipe) -> float:
    value, seconds = pipe.evaluated("6 * 7")
    assert value == 42, value
    return seconds


def _noted(notes: Path, least: int = 0) -> list[float]:
    """The commands that were noted, which are a moment after their call was answered."""
    deadline = time.monotonic() + NOTED_S
    while True:
        lines = (line.split() for line in notes.read_text().splitlines())
        noted = [float(seconds) for method, seconds in lines if method == METHOD]
        if len(noted) >= least or time.monotonic() > deadline:
            return noted
        time.sleep(0.002)


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
