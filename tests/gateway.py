"""A real gateway in a process and a home of its own, and the browser it launches, within a test's reach."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar

from tests.nursery import Child, nursery

WAIT_S: Final = 10.0
TABWRIGHT: Final = str(Path(sys.executable).with_name("tabwright"))

T = TypeVar("T")


def until(what: Callable[[], T | bool | None], seconds: float = WAIT_S, every: float = 0.01) -> T:
    """Poll until something is there; fail when it is not in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = what()
        if found:
            return found  # pyright: ignore[reportReturnType] - True only where T is bool
        time.sleep(every)
    raise AssertionError(f"not within {seconds:g} s")


def alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class GatewayProcess:
    """`tabwright serve` on free ports under its own home."""

    # a measurement outside of pytest is of the whole thing
    born: ClassVar[bool] = sys.platform == "linux" and "PYTEST_VERSION" in os.environ
    """Whether it is a child of the nursery; else it is executed by itself."""

    def __init__(self, home: Path, *flags: str, **variables: str) -> None:
        self.home = home
        self.env = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("TABWRIGHT_", "CLAUDE_"))},
            "TABWRIGHT_HOME": str(home),
            "TABWRIGHT_HEADLESS": "true",
            **variables,
        }
        self._flags = flags
        self._ports = ("0", "0")
        self.process: subprocess.Popen[str] | Child | None = None
        self.start()

    def start(self) -> None:
        """Start it, on the ports it had before if it had any."""
        port, extension_port = self._ports
        command = [TABWRIGHT, "serve", "--port", port, "--extension-port", extension_port, *self._flags]
        self.process = nursery().bear(command, self.env) if self.born else self._execute(command)
        assert self.process.stderr is not None
        lines: list[str] = []
        for line in self.process.stderr:
            lines.append(line)
            if line.startswith("tabwright ready"):
                break
        else:
            raise AssertionError(f"the gateway did not start: {''.join(lines)}")
        told = json.loads((self.home / "run" / "gateway.json").read_text())
        self.pid: int = told["pid"]
        self.port: int = told["port"]
        self.extension_port: int = told["extensionPort"]
        self._ports = (str(self.port), str(self.extension_port))

    def _execute(self, command: list[str]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    @property
    def sse_url(self) -> str:
        return f"http://localhost:{self.port}/sse"

    def run(self, *arguments: str, seconds: float = 30, **variables: str) -> subprocess.CompletedProcess[str]:
        """A command line of this home."""
        return subprocess.run(
            [TABWRIGHT, *arguments],
            env={**self.env, **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
        )

    def status(self) -> dict[str, Any]:
        return json.loads(self.run("status", "--json").stdout)

    def log(self) -> str:
        return (self.home / "logs" / "gateway.log").read_text()

    def told(self, *words: str) -> bool:
        """Whether a line of the log holds all of this."""
        return any(all(word in line for word in words) for line in self.log().splitlines())

    def stop(self) -> int:
        """SIGTERM and its exit code; SIGKILL and a failure if it hangs."""
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(WAIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError("the gateway does not end on SIGTERM") from None
        finally:
            assert self.process.stderr is not None
            self.process.stderr.close()
        return code

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait(WAIT_S)
        assert self.process.stderr is not None
        self.process.stderr.close()


class ExecutedGateway(GatewayProcess):
    """Not born of the nursery."""

    born = False


@contextmanager
def running(home: Path, *flags: str, **variables: str) -> Generator[GatewayProcess]:
    with _until_done(GatewayProcess(home, *flags, **variables)) as gateway:
        yield gateway


@contextmanager
def executed(home: Path, *flags: str, **variables: str) -> Generator[GatewayProcess]:
    """The same with a process of its own from the start, for whoever looks at its command line or environment."""
    with _until_done(ExecutedGateway(home, *flags, **variables)) as gateway:
        yield gateway


@contextmanager
def _until_done(gateway: GatewayProcess) -> Generator[GatewayProcess]:
    try:
        yield gateway
    finally:
        gateway.stop()


def browser_with_port(folder: Path) -> Path:
    """The installed browser with a debugging port besides our pipe, so that a test sees what the person would."""
    found = next(path for name in ("google-chrome", "chromium", "chromium-browser") if (path := shutil.which(name)))
    script = folder / "chromium"
    # names under .test are sites of this machine, which no rule about this machine's own pages is meant for;
    # those under .nip.io say which address they are
    flags = '--remote-debugging-port=0 --host-resolver-rules="MAP *.test 127.0.0.1, MAP *.nip.io 127.0.0.1"'
    script.write_text(f'#!/bin/sh\nexec {found} {flags} "$@"\n')
    script.chmod(0o755)
    return script
