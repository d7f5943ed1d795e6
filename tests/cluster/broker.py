"""A real nats-server that can be killed, frozen and brought back, and a relay whose cable can be cut."""

import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.gateway import until

DEPLOY: Final = Path(__file__).parents[2] / "deploy"
PASSWORDS: Final = {"replica": f"r{secrets.token_hex(16)}", "status": f"s{secrets.token_hex(16)}"}
"""Of the users in deploy/nats.conf."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def certify(folder: Path) -> tuple[Path, Path]:
    """Certificate and key in one file, and the certificate alone, for localhost."""
    key, certificate, bundle = folder / "key.pem", folder / "cert.pem", folder / "bundle.pem"
    subject = ("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost")
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    subprocess.run(
        [*command, "-keyout", str(key), "-out", str(certificate), "-days", "2", *subject],
        check=True,
        capture_output=True,
    )
    bundle.write_bytes(certificate.read_bytes() + key.read_bytes())
    return bundle, certificate


class NatsProcess:
    """deploy/nats.conf on a port of ours; what it knew is gone after a restart, as it is kept in memory."""

    def __init__(self, folder: Path, more: str = "", *, auth: str | None = None) -> None:
        """`auth`: instead of the users of deploy/nats.conf."""
        self.program = shutil.which("nats-server") or "/usr/sbin/nats-server"
        if not Path(self.program).exists():
            pytest.skip("no nats-server on this machine, and no right to install it")
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.port = free_port()
        self._config = folder / "nats.conf"
        told = (DEPLOY / "nats.conf").read_text()
        told = told.replace("0.0.0.0:4222", f"127.0.0.1:{self.port}").replace("/tmp/tabwright-nats", str(folder / "js"))
        self._told = told if auth is None else told[: told.index("authorization {")]
        self.credentials = {name: folder / name for name in PASSWORDS} if auth is None else {}
        for name, path in self.credentials.items():
            path.write_text(f"{name}:{PASSWORDS[name]}\n")
        self.configure(f"{more}\n{auth or ''}")
        self.start()

    def configure(self, more: str) -> None:
        """What else is in its configuration, from its next start or `reload` on."""
        self._config.write_text(f"{self._told}\n{more}\n")

    def flags(self, role: str = "replica") -> tuple[str, ...]:
        """What a proxy, or `proxy status`, is told of it."""
        return ("--broker", self.url, *self.shown(role))

    def shown(self, role: str = "replica") -> tuple[str, ...]:
        return ("--broker-credentials", str(self.credentials[role])) if self.credentials else ()

    def url_as(self, role: str) -> str:
        """For bare NATS clients."""
        return f"nats://{role}:{PASSWORDS[role]}@127.0.0.1:{self.port}"

    def reload(self) -> None:
        self.process.send_signal(signal.SIGHUP)

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    def start(self) -> None:
        self.process = subprocess.Popen(
            [self.program, "-c", str(self._config)],
            env={**os.environ, **{f"{name.upper()}_PASSWORD": word for name, word in PASSWORDS.items()}},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            until(lambda: listens(self.port))
        except AssertionError:
            self.kill()
            raise

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(5)

    def freeze(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        if self.process.poll() is None:
            self.thaw()
            self.kill()


@contextlib.contextmanager
def broking(folder: Path) -> Generator[NatsProcess]:
    made = NatsProcess(folder)
    try:
        yield made
    finally:
        made.stop()


async def reach(link: Any) -> None:
    """All that was said has reached the broker, and what it says to that is heard.

    nats-py writes a flush's question before what it has queued: only the second one comes after that.
    """
    await link.flush()
    await link.flush()


class Relay:
    """Passes bytes on to the broker, until `cut`; `mend` lets new connections through again."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._open: set[socket.socket] = set()
        self._whole = True
        self.delay_s = 0.0
        """Of everything, in each direction."""
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    def cut(self) -> None:
        with self._lock:
            self._whole = False
            for end in self._open:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
            self._open.clear()

    def mend(self) -> None:
        self._whole = True

    def close(self) -> None:
        self.cut()
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                if not self._whole:
                    near.close()
                    continue
                try:
                    far = socket.create_connection(("127.0.0.1", self._target), 1)
                except OSError:
                    near.close()
                    continue
                far.settimeout(None)
                with self._lock:
                    self._open |= {near, far}
                threading.Thread(target=self._pump, args=(near, far), daemon=True).start()
                threading.Thread(target=self._pump, args=(far, near), daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                time.sleep(self.delay_s)
                target.sendall(data)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_RDWR)
        source.close()
        with self._lock:
            self._open.discard(source)
