"""A browser of the bench's own, commanded over its debugging pipe: what a command takes with nothing in between."""

import fcntl
import itertools
import json
import os
import select
import signal
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from bench.servers import chromium

ANSWER_S: Final = 30.0
ABOVE: Final = 10
"""Our ends are moved beyond 3 and 4, which are the browser's."""
FLAGS: Final = ("--headless=new", "--no-sandbox", "--no-first-run", "--remote-debugging-pipe", "about:blank")


class Pipe:
    """One page in a browser that ends with it."""

    def __init__(self, folder: Path) -> None:
        self._ids = itertools.count(1)
        self._read = b""
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, ABOVE) for pair in (os.pipe(), os.pipe()) for end in pair]
        theirs, self._commands, self._answers, their_answers = ends
        command = [chromium(), f"--user-data-dir={folder}", *FLAGS]
        moved = [(os.POSIX_SPAWN_DUP2, theirs, 3), (os.POSIX_SPAWN_DUP2, their_answers, 4)]
        silent = (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)
        self._pid = os.posix_spawn(command[0], command, os.environ, file_actions=[*moved, silent], setpgroup=0)
        os.close(theirs)
        os.close(their_answers)
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.killpg(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._commands)
        os.close(self._answers)

    def evaluated(self, expression: str) -> tuple[Any, float]:
        """The value, and seconds from the command to its answer."""
        began = time.perf_counter()
        told = self.send("Runtime.evaluate", self._session, expression=expression, returnByValue=True)
        return told["result"]["value"], time.perf_counter() - began

    def send(self, method: str, session: str = "", **params: Any) -> dict[str, Any]:
        number = next(self._ids)
        command = {"id": number, "method": method, "params": params, **({"sessionId": session} if session else {})}
        os.write(self._commands, json.dumps(command).encode() + b"\0")
        deadline = time.monotonic() + ANSWER_S
        while (told := self._message(deadline)).get("id") != number:
            pass
        return told["result"]

    def _message(self, deadline: float) -> dict[str, Any]:
        while b"\0" not in self._read:
            ready = select.select([self._answers], [], [], max(0.0, deadline - time.monotonic()))[0]
            piece = os.read(self._answers, 1 << 20) if ready else b""
            if not piece:
                raise SystemExit("The browser on the pipe did not answer.")
            self._read += piece
        message, _, self._read = self._read.partition(b"\0")
        return json.loads(message)
