"""Starting a gateway in the background, detached from whoever needs it first.

Imported by programs that people wait for: nothing heavy at the top.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time

from tabwright.edges.pump.local_socket import connect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from typing import Final

START_TIMEOUT_S: Final = 20.0


class NotStarted(Exception):
    """No gateway came up; the text says why."""


def start_and_connect(home: str, options: dict[str, str]) -> socket:
    """The socket of the gateway that runs, or of one that is started with these options.

    Raises:
        NotStarted: it ended, took too long, or has no home to start in.
    """
    found = connect(home)
    if found is not None:
        return found
    try:
        started = StartedGateway(home, options)
    except OSError as exc:
        raise NotStarted(
            f"{exc.filename} cannot be used: {exc.strerror}. Set TABWRIGHT_HOME to a folder of your own."
        ) from None
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        found = connect(home)
        if found is not None:
            return found
        failure = started.failure()
        if failure is not None:
            raise NotStarted(failure)
        time.sleep(0.01)
    log = os.path.join(home, "logs", "gateway.log")
    raise NotStarted(f"the gateway did not start within {START_TIMEOUT_S:g} s; see {log}")


class StartedGateway:
    """A gateway on its way up, and its words should it not get there.

    Of several clients that need one at the same time, one starts it and the others wait: that one holds a lock until
    it is connected or gone. Should two start one all the same, the second gateway finds the first's lock and leaves.
    """

    def __init__(self, home: str, options: dict[str, str]) -> None:
        self._home = home
        self._flags = [part for name, value in options.items() for part in _flag(name, value)]
        self._logs = os.path.join(home, "logs")
        os.makedirs(self._logs, mode=0o700, exist_ok=True)
        self._errors = os.path.join(self._logs, "gateway.err")
        self._said_before = 0
        self._lock = os.open(os.path.join(self._logs, "start.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._process: subprocess.Popen[bytes] | None = None
        self._start_unless_another_does()

    def failure(self) -> str | None:
        """Why it ended before it could serve; None while it runs, or when it left to another that does."""
        if self._process is None:
            self._start_unless_another_does()
            return None
        code = self._process.poll()
        if not code:
            return None
        with open(self._errors, "rb") as errors:
            errors.seek(self._said_before)
            said = errors.read().decode(errors="replace").strip()
        return said.splitlines()[-1].removeprefix("tabwright: ") if said else self._in_silence(code)

    def _in_silence(self, code: int) -> str:
        how = f"was killed (signal {-code}) while it started" if code < 0 else "did not start"
        return f"the gateway {how} and left no word in {self._errors}: is the disk full? `tabwright serve` tells more"

    def _start_unless_another_does(self) -> None:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        with os.fdopen(os.open(self._errors, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as errors:
            errors.seek(0, os.SEEK_END)
            self._said_before = errors.tell()
            # -P: the home is not looked at yet, and must not supply modules
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "tabwright", "serve", "--started-by-pump", *self._flags],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                cwd=self._home,
                start_new_session=True,
                env={**os.environ, "TABWRIGHT_HOME": self._home},
            )


def _flag(name: str, value: str) -> list[str]:
    return [f"--{name}"] if value == "true" else [f"--{name}", value]
