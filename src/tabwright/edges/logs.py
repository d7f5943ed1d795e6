"""Logs go to a file and, in the foreground, to stderr; stdout belongs to stdio."""

import contextlib
import logging
import os
import queue
import sys
import threading
from collections.abc import Callable
from io import TextIOWrapper
from pathlib import Path
from typing import Final

from tabwright.edges.runtime import create_private

MAX_RECORD: Final = 2_000
MAX_WAITING: Final = 1_000
FULL: Final = 5_000_000
"""Characters after which a log's file is set aside."""
_FORMAT: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"
# libraries that tell of every message
_QUIET: Final = ("mcp", "websockets", "uvicorn", "asyncio", "sse_starlette")


class OneLine(logging.Formatter):
    """One record, one line: what a peer sends can neither forge records nor drive a terminal."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        line = super().formatMessage(record)
        safe = line[:MAX_RECORD]
        if not safe.isprintable():
            safe = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in safe)
        return safe if len(line) <= MAX_RECORD else f"{safe}…"


class Stderr:
    """Lines on stderr, written by a thread: a pipe that nobody reads fills up and must not stop the gateway."""

    def __init__(self) -> None:
        self._waiting: queue.Queue[str] = queue.Queue(MAX_WAITING)
        # a daemon, and no log handler: blocked in its write it holds no lock that the end would wait for
        threading.Thread(target=self._write, name="stderr", daemon=True).start()

    def say(self, line: str) -> None:
        with contextlib.suppress(queue.Full):
            self._waiting.put_nowait(line)

    def _write(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                os.write(2, f"{self._waiting.get()}\n".encode(errors="replace"))


class Kept(logging.FileHandler):
    """Records in a file. A full one is set aside as `.1`, and what was `.1` as `.2`. That records are lost is told
    once, until one is written again.

    The standard library's has `pickle` and more with it, which a gateway would hold for as long as it serves.
    """

    def __init__(self, path: Path, tell: Callable[[str], None]) -> None:
        super().__init__(path, encoding="utf-8")
        self.setFormatter(OneLine(_FORMAT))
        self._path = path
        self._tell = tell
        self._failed = self._told = False

    def emit(self, record: logging.LogRecord) -> None:
        self._failed = False
        try:
            if self.stream is not None and self.stream.tell() >= FULL:
                self._set_aside(self.stream)
        except OSError:
            self.handleError(record)
        super().emit(record)
        self._told = self._failed

    def handleError(self, record: logging.LogRecord) -> None:
        # not a traceback on stderr for each record, as the library does: on a full disk they would fill the pipe there
        self._failed = True
        if not self._told:
            self._told = True
            self._tell(f"{self._path}: {sys.exc_info()[1]}")

    def _set_aside(self, full: TextIOWrapper) -> None:
        former, older = (self._path.with_name(f"{self._path.name}.{number}") for number in (1, 2))
        with contextlib.suppress(FileNotFoundError):
            former.replace(older)
        self._path.replace(former)
        # what cannot be begun anew is gone on with
        self.stream = self._open()
        full.close()


class Shown(logging.Handler):
    """Records on stderr."""

    def __init__(self, stderr: Stderr) -> None:
        super().__init__()
        self.setFormatter(OneLine(_FORMAT))
        self._stderr = stderr

    def emit(self, record: logging.LogRecord) -> None:
        self._stderr.say(self.format(record))


def set_up_logs(path: Path, level: str, *, foreground: bool) -> None:
    create_private(path)
    root = logging.getLogger()
    root.setLevel(level.upper())
    stderr = Stderr()
    root.addHandler(Kept(path, stderr.say))
    if foreground:
        shown = Shown(stderr)
        shown.setLevel(logging.DEBUG if level == "debug" else logging.WARNING)
        root.addHandler(shown)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
