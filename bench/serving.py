"""Web servers of the bench on loopback ports: pages made here, files of a folder, applications started for it."""

import contextlib
import functools
import http.cookiejar
import os
import re
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Generator
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
LAB: Final = ROOT / ".venv-apps" / "bin" / "python"
LAB_FLAGS: Final = (
    *("--no-browser", "--allow-root", "--ip=127.0.0.1", "--port=0", "--IdentityProvider.token="),
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
)
LAB_NEWS: Final = "settings/@jupyterlab/apputils-extension/notification.jupyterlab-settings"
STARTING_S: Final = 60.0

Respond = Callable[[str, bytes], str]
"""From a path (and what was posted to it) to the page."""


class Quiet(BaseHTTPRequestHandler):
    """Connections are kept and nothing is held back, as by real servers, and nothing is logged."""

    protocol_version = "HTTP/1.1"
    # a body would wait for the browser to acknowledge the headers, 40 ms every now and then
    disable_nagle_algorithm = True

    def answer(self, data: bytes, kind: str = "text/html; charset=utf-8", status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""


@contextlib.contextmanager
def listening(handler: Any) -> Generator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@contextlib.contextmanager
def pages(respond: Respond) -> Generator[str]:
    """A site whose pages a function writes."""

    class Handler(Quiet):
        def do_GET(self) -> None:
            self.answer(respond(self.path, b"").encode())

        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            self.answer(respond(self.path, sent).encode())

    with listening(Handler) as url:
        yield url


@contextlib.contextmanager
def folder(path: Path) -> Generator[str]:
    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            """Quiet."""

    with listening(functools.partial(Handler, directory=str(path))) as url:
        yield url


@contextlib.contextmanager
def django(database: Path) -> Generator[str]:
    """The admin of 200 users."""
    command = [sys.executable, "-u", "-m", "tests.apps.django_site", str(database)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as site:
        assert site.stdout is not None
        try:
            line = next(line for line in site.stdout if line.startswith("Starting development server at "))
            yield line.split()[-1].rstrip("/")
        finally:
            site.terminate()


@contextlib.contextmanager
def door(upstream: str) -> Generator[str]:
    """The same admin, always logged in, so that every browser sees the same."""
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in log_in(upstream)[1])

    class Door(Quiet):
        def do_GET(self) -> None:
            request = urllib.request.Request(upstream + self.path, headers={"Cookie": cookies})
            try:
                answer = urllib.request.urlopen(request)
            except urllib.error.HTTPError as refused:
                answer = refused
            with answer:
                self.answer(answer.read(), answer.headers["Content-Type"], int(answer.status or 502))

    with listening(Door) as url:
        yield url


def log_in(upstream: str) -> tuple[urllib.request.OpenerDirector, http.cookiejar.CookieJar]:
    """What opens pages of the admin as Ada."""
    jar = http.cookiejar.CookieJar()
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
    page = opener.open(f"{upstream}/admin/login/").read().decode()
    found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert found is not None
    form = {"csrfmiddlewaretoken": found[1], "username": "ada", "password": "countess", "next": "/admin/"}
    opener.open(f"{upstream}/admin/login/", urllib.parse.urlencode(form).encode())
    return opener, jar


@contextlib.contextmanager
def lab(home: Path) -> Generator[str]:
    """JupyterLab over a folder of two files."""
    work = home / "work"
    work.mkdir(parents=True)
    (work / "prices.csv").write_text("what;price\npear;2\nfig;3\n")
    (work / "notes.md").write_text("# Notes\n")
    (home / LAB_NEWS).parent.mkdir(parents=True)
    (home / LAB_NEWS).write_text('{"fetchNews": "false"}')
    command = [str(LAB), "-m", "jupyterlab", *LAB_FLAGS, f"--ServerApp.root_dir={work}"]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, cwd=home, env=_lab_environment(home), stdout=quiet, stderr=quiet) as server:
        try:
            yield f"{_lab_url(server, home)}lab"
        finally:
            server.terminate()


def _lab_environment(home: Path) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "PYTHON"))}
    places = {"CONFIG_DIR": "config", "DATA_DIR": "data", "RUNTIME_DIR": "runtime"}
    return {
        **inherited,
        **{f"JUPYTER_{name}": str(home / place) for name, place in places.items()},
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "IPYTHONDIR": str(home / "ipython"),
    }


def _lab_url(server: subprocess.Popen[bytes], home: Path) -> str:
    """Written once it listens."""
    deadline = time.monotonic() + STARTING_S
    while time.monotonic() < deadline and server.poll() is None:
        for told in (home / "runtime").glob("jpserver-*.json"):
            if found := re.search(r'"port": (\d+)', told.read_text()):
                return f"http://127.0.0.1:{found[1]}/"
        time.sleep(0.05)
    raise RuntimeError("JupyterLab did not start")
