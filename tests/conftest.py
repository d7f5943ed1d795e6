"""Fixtures shared by all: gateways with and without a browser, and a site to visit."""

import contextlib
import os
import queue
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.cdp import Cdp
from tests.gateway import GatewayProcess, browser_with_port, running


def pytest_configure() -> None:
    # whoever is started in the background by a shell is deaf to interrupts, and so would be all that tests start
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


class Site:
    """A web site of inline pages on a loopback port."""

    def __init__(self) -> None:
        pages: dict[str, str] = {"/": "<title>Home</title><h1>Home</h1>"}
        delays: dict[str, tuple[float, queue.Queue[str]]] = {}
        self.pages = pages
        self._delays = delays

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                seconds, visits = delays.get(self.path, (0.0, None))
                if visits is not None:
                    visits.put(self.path)
                    threading.Event().wait(seconds)
                body = pages.get(self.path.partition("?")[0])
                data = (body or f"<title>{self.path}</title>").encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                # a tab may have left before its page came
                with contextlib.suppress(ConnectionError):
                    self.wfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:
                """Quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def slow(self, path: str, seconds: float) -> "queue.Queue[str]":
        """A page that takes its time; each visit to it is put on the queue."""
        visits: queue.Queue[str] = queue.Queue()
        self._delays[path] = (seconds, visits)
        return visits

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """A site for a module: what one puts at an address, no other meets there."""
    made = Site()
    yield made
    made.close()


@pytest.fixture
def gateway(tmp_path: Path) -> Iterator[GatewayProcess]:
    """A gateway of the test's own, without a browser."""
    with running(tmp_path / "home", TABWRIGHT_CONNECT_WAIT_S="0.5") as made:
        yield made


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    """One gateway for a module; each of its tests brings its own sessions. Its browser has a debugging port."""
    folder = tmp_path_factory.mktemp("shared")
    with running(folder / "home", TABWRIGHT_BROWSER=str(browser_with_port(folder))) as made:
        yield made


@pytest.fixture
def own(tmp_path: Path) -> Iterator[GatewayProcess]:
    """A gateway whose browser the test may break."""
    gateway = GatewayProcess(tmp_path / "home", TABWRIGHT_BROWSER=str(browser_with_port(tmp_path)))
    yield gateway
    if gateway.process is not None and gateway.process.poll() is None:
        gateway.stop()


@pytest.fixture
def display(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A virtual screen, for browsers with windows."""
    if shutil.which("Xvfb") is None:
        pytest.skip("no Xvfb on this machine, and no right to install it")
    ours, theirs = os.pipe()
    command = ["Xvfb", "-displayfd", str(theirs), "-screen", "0", "1280x800x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=(theirs,), stderr=subprocess.DEVNULL) as server:
        os.close(theirs)
        with open(ours) as number:
            name = f":{number.readline().strip()}"
        monkeypatch.setenv("DISPLAY", name)
        yield name
        server.terminate()


def cdp_of(gateway: GatewayProcess) -> Cdp:
    return Cdp(gateway.home / "profiles" / "default")
