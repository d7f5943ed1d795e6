"""Gateways born of a process that has imported them already: a second of processor time less for each.

`python -m tests.nursery` imports what `tabwright serve` does and forks for every command line it is asked for. A child
has its own environment, standard files and working folder, and runs the console script's `main`. Commands that a test
runs through `GatewayProcess.run`, an MCP client or a browser are executed as ever, and so are gateways of
`executed`.
"""

import array
import atexit
import functools
import gc
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import Future
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, Final

LARGEST: Final = 1 << 18
BIRTH_S: Final = 30.0
PRELOADED: Final = ("uvloop", "tabwright.cli", "tabwright.app", "tabwright.edges.http.face", "tabwright.edges.logs")
DESCRIPTOR: Final = "TABWRIGHT_TEST_NURSERY"


class Child:
    """A process of the nursery, in the words of `subprocess.Popen` that tests use."""

    def __init__(self, pid: int, stderr: int, ended: "Future[int]") -> None:
        self.pid = pid
        self.stderr = os.fdopen(stderr)
        self._ended = ended

    def poll(self) -> int | None:
        return self._ended.result() if self._ended.done() else None

    def wait(self, timeout: float | None = None) -> int:
        try:
            return self._ended.result(timeout)
        except TimeoutError:
            raise subprocess.TimeoutExpired(f"gateway {self.pid}", timeout or 0) from None

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class Nursery:
    """The process that forks, and who has been born of it."""

    def __init__(self) -> None:
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.nursery"],
                cwd=Path(__file__).parent.parent,
                env={**os.environ, DESCRIPTOR: str(theirs.fileno())},
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
        self._numbers = count()
        self._births: dict[int, Future[int]] = {}
        self._ends: dict[int, Future[int]] = {}
        threading.Thread(target=self._listen, daemon=True).start()
        atexit.register(self._close)

    def bear(self, command: list[str], env: dict[str, str]) -> Child:
        """A child that runs this; its standard error is a pipe, and nothing is at its standard input."""
        number, birth, end = next(self._numbers), Future[int](), Future[int]()
        self._births[number], self._ends[number] = birth, end
        asked = json.dumps({"number": number, "command": command, "env": env, "cwd": os.getcwd()}).encode()
        ours, theirs = os.pipe()
        try:
            self._ours.sendmsg([asked], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [theirs]))])
        finally:
            os.close(theirs)
        return Child(birth.result(BIRTH_S), ours, end)

    def _listen(self) -> None:
        with suppress(OSError):
            while told := self._ours.recv(LARGEST):
                message: dict[str, int] = json.loads(told)
                if "pid" in message:
                    self._births.pop(message["number"]).set_result(message["pid"])
                else:
                    self._ends.pop(message["number"]).set_result(message["code"])

    def _close(self) -> None:
        self._ours.shutdown(socket.SHUT_RDWR)
        self._process.wait(10)


@functools.cache
def nursery() -> Nursery:
    """The one of this process, made when it is first needed."""
    return Nursery()


# --- the process itself


def attend(control: socket.socket) -> dict[str, Any] | None:
    """Fork whenever asked to and tell how children end. Returns what to run in a child, None when nobody will ask."""
    children: dict[int, int] = {}
    woken, waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(waker)
    while True:
        ready, _, _ = select.select([control, woken], [], [])
        if woken in ready:
            os.read(woken, 1000)
            _tell_ends(control, children)
        if control in ready:
            told, descriptors, _, _ = socket.recv_fds(control, LARGEST, 1)
            if not told:
                return None
            asked: dict[str, Any] = json.loads(told)
            pid = os.fork()
            if pid == 0:
                return {**asked, "stderr": descriptors[0]}
            os.close(descriptors[0])
            children[pid] = asked["number"]
            control.send(json.dumps({"number": asked["number"], "pid": pid}).encode())


def _tell_ends(control: socket.socket, children: dict[int, int]) -> None:
    for pid, number in list(children.items()):
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            del children[pid]
            control.send(json.dumps({"number": number, "code": os.waitstatus_to_exitcode(status)}).encode())


def become(asked: dict[str, Any]) -> None:
    """Be like a process that was executed: its files, signals, environment and arguments."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.dup2(asked["stderr"], 2)
    os.closerange(3, os.sysconf("SC_OPEN_MAX") if os.sysconf("SC_OPEN_MAX") < 1 << 16 else 1 << 16)
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["env"])
    sys.argv = asked["command"]


def main() -> None:
    from tabwright.edges.mcp.lean_packages import use_lean_packages

    gc.disable()
    use_lean_packages()
    for name in PRELOADED:
        importlib.import_module(name)
    from tabwright.__main__ import main as run

    gc.freeze()
    gc.enable()
    control = socket.socket(fileno=int(os.environ[DESCRIPTOR]))
    asked = attend(control)
    if asked is not None:
        control.detach()
        become(asked)
        run()


if __name__ == "__main__":
    main()
