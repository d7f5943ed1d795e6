"""How many tokens one reading of a page costs, beside other servers, and whether it holds every visible control.

Pages: Django's admin with 200 users, Swagger UI, an index of 1,679 links, a table of 10,000 rows, and with `--docs DIR`
(HTML documentation of Python) `library/functions.html`. `npm ci` in bench/peers brings the other servers and the
tokenizer (o200k). Ends with status 1 when a goal is missed.
"""

import asyncio
import contextlib
import functools
import http.cookiejar
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import AsyncGenerator, Generator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import mcp_types as types
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.apps.test_swagger import PetShop
from tests.clients import Agent, connect
from tests.gateway import GatewayProcess, browser_with_port, running
from tests.tools.ax import Inspector, without_ref

HERE = Path(__file__).parent
PEERS = HERE / "peers"
WIDE = {"width": 1280, "height": 900}
ROUNDS = 5
GOALS = {"Python docs": 6_000, "Django admin, 200 rows": 8_000}
COUNT = """import { encode } from 'gpt-tokenizer/encoding/o200k_base';
const texts = JSON.parse(await new Response(process.stdin).text());
console.log(JSON.stringify(texts.map((text) => encode(text).length)));"""


@dataclass
class Row:
    page: str
    texts: dict[str, str] = field(default_factory=dict[str, str])
    ms: float = 0.0
    controls: int = 0
    missing: int = 0


async def main() -> int:
    docs = sys.argv[sys.argv.index("--docs") + 1] if "--docs" in sys.argv else None
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as open_:
        pages = _pages(Path(name), docs, open_)
        rows = [Row(page) for page in pages]
        await _measure_ours(Path(name), pages, rows)
        for peer, session, open_page, snapshot in _peers(Path(name)):
            async with session as client:
                await _measure_peer(client, peer, open_page, snapshot, pages, rows)
    return _report(rows)


def _pages(folder: Path, docs: str | None, open_: contextlib.ExitStack) -> dict[str, str]:
    shop = PetShop()
    open_.callback(shop.close)
    links = "".join(f"<li><a href='/{n}'>Topic number {n}</a>" for n in range(1_679))
    table = "".join(f"<tr><td><a href=#>user{n:05}</a><td>user{n}@example.org" for n in range(10_000))
    made = open_.enter_context(_serving({"/links": f"<ul>{links}</ul>", "/rows": f"<table>{table}</table>"}))
    pages = {
        "Django admin, 200 rows": f"{open_.enter_context(_django(folder))}/admin/auth/user/?all=",
        "Swagger UI": f"{shop.url}/",
        "1,679 links": f"{made}/links",
        "10,000 rows": f"{made}/rows",
    }
    if docs:
        pages["Python docs"] = f"{open_.enter_context(_folder(docs))}/library/functions.html"
    return pages


async def _measure_ours(folder: Path, pages: dict[str, str], rows: list[Row]) -> None:
    with running(folder / "home", TABWRIGHT_BROWSER=str(browser_with_port(folder))) as gateway:
        async with connect(gateway, toolsets="automation", list="stable") as agent:
            for row in rows:
                await agent.result("navigate", url=pages[row.page])
                await agent.result("resize_window", **WIDE)
                await asyncio.sleep(1)
                times = [await _timed(agent, row) for _ in range(ROUNDS)]
                row.ms = min(times) * 1000
                if row.page != "10,000 rows":
                    row.controls, row.missing = await asyncio.to_thread(_recall, gateway, pages[row.page])


async def _timed(agent: Agent, row: Row) -> float:
    began = time.monotonic()
    result = await agent.result("read_page")
    took = time.monotonic() - began
    row.texts["tabwright"] = _text(result)
    assert not result.is_error, row.texts["tabwright"]
    return took


def _recall(gateway: GatewayProcess, url: str) -> tuple[int, int]:
    with Inspector(gateway.home / "profiles" / "default") as cdp:
        found, missing = without_ref(cdp, url)
    for each in missing:
        sys.stderr.write(f"  without a ref: {each}\n")
    return found, len(missing)


def _peers(folder: Path) -> list[tuple[str, Any, tuple[str, str], list[tuple[str, str, dict[str, Any]]]]]:
    chromium = shutil.which("chromium") or shutil.which("google-chrome") or ""
    if not (PEERS / "node_modules").exists():
        raise SystemExit(
            "Run `npm ci` in bench/peers first: it brings the tokenizer, and the servers to measure against."
        )
    flags = ["--headless", "--isolated", "--no-sandbox", "--executable-path", chromium, "--viewport-size", "1280,900"]
    home = {"AGENT_BROWSER_EXECUTABLE_PATH": chromium, "AGENT_BROWSER_ARGS": "--no-sandbox", "HOME": str(folder)}
    every: dict[str, Any] = {"interactive": False}
    return [
        (
            "playwright",
            _server("playwright-mcp", flags, {}, folder),
            ("browser_navigate", "url"),
            [("playwright", "browser_snapshot", {})],
        ),
        (
            "agent-browser",
            _server("agent-browser", ["mcp"], home, folder),
            ("agent_browser_open", "url"),
            [
                ("agent-browser", "agent_browser_snapshot", {}),
                ("agent-browser all", "agent_browser_snapshot", every),
            ],
        ),
    ]


@contextlib.asynccontextmanager
async def _server(name: str, flags: list[str], variables: dict[str, str], folder: Path) -> AsyncGenerator[Client]:
    command = str(PEERS / "node_modules" / ".bin" / name)
    # what servers write to where they stand goes with the folder
    started = StdioServerParameters(command=command, args=flags, env={**os.environ, **variables}, cwd=folder)
    source = stdio_client(started)
    async with Client(source, mode="legacy") as client:
        yield client


async def _measure_peer(
    client: Client,
    peer: str,
    open_page: tuple[str, str],
    snapshots: list[tuple[str, str, dict[str, Any]]],
    pages: dict[str, str],
    rows: list[Row],
) -> None:
    for row in rows:
        opened = await client.call_tool(open_page[0], {open_page[1]: pages[row.page]})
        assert isinstance(opened, types.CallToolResult)
        if opened.is_error:
            sys.stderr.write(f"  {peer} did not open {row.page}: {_text(opened)[:200]}\n")
            continue
        await asyncio.sleep(1)
        for label, tool, arguments in snapshots:
            result = await client.call_tool(tool, arguments)
            assert isinstance(result, types.CallToolResult)
            if not result.is_error:
                row.texts[label] = _text(result)
    # its browser outlives the server otherwise
    await client.call_tool("browser_close" if peer == "playwright" else "agent_browser_close", {})


def _text(result: types.CallToolResult) -> str:
    return "\n".join(each.text for each in result.content if isinstance(each, types.TextContent))


def _report(rows: list[Row]) -> int:
    labels = ["tabwright", "agent-browser", "agent-browser all", "playwright"]
    flat = [row.texts.get(label, "") for row in rows for label in labels]
    told = subprocess.run(
        ["node", "--input-type=module", "-e", COUNT], cwd=PEERS, input=json.dumps(flat), capture_output=True, text=True
    )
    assert told.returncode == 0, told.stderr
    tokens = iter(json.loads(told.stdout))
    missed = 0
    titles = "".join(f"{label:>19}" for label in labels)
    sys.stdout.write(f"{'page':24}{titles}    ms  controls (without ref)\n")
    for row in rows:
        own, interactive, every, playwright = (next(tokens) for _ in labels)
        cells = "".join(f"{count or '-':>19}" for count in (own, interactive, every, playwright))
        sys.stdout.write(f"{row.page:24}{cells}{row.ms:6.0f}  {row.controls} ({row.missing})\n")
        missed += own > GOALS.get(row.page, 25_000) or row.missing > 0
        missed += bool(interactive and own >= interactive) or bool(playwright and own > playwright / 2)
    return 1 if missed else 0


@contextlib.contextmanager
def _serving(pages: dict[str, str]) -> Generator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            data = f"<!doctype html><title>Made</title>{pages.get(self.path, '')}".encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            """Quiet."""

    with _listening(Handler) as url:
        yield url


@contextlib.contextmanager
def _folder(folder: str) -> Generator[str]:
    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            """Quiet."""

    with _listening(functools.partial(Handler, directory=folder)) as url:
        yield url


@contextlib.contextmanager
def _django(folder: Path) -> Generator[str]:
    """The admin behind a door that is always logged in, so that every browser sees the same."""
    command = [sys.executable, "-u", "-m", "tests.apps.django_site", str(folder / "users.sqlite3")]
    with subprocess.Popen(
        command, cwd=HERE.parent, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as site:
        assert site.stdout is not None
        try:
            line = next(line for line in site.stdout if line.startswith("Starting development server at "))
            upstream = line.split()[-1].rstrip("/")
            cookies = _logged_in(upstream)

            class Door(BaseHTTPRequestHandler):
                def do_GET(self) -> None:
                    request = urllib.request.Request(upstream + self.path, headers={"Cookie": cookies})
                    try:
                        answer = urllib.request.urlopen(request)
                    except urllib.error.HTTPError as refused:
                        answer = refused
                    with answer:
                        data, kind = answer.read(), answer.headers["Content-Type"]
                    self.send_response(int(answer.status or 502))
                    self.send_header("Content-Type", kind)
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)

                def log_message(self, format: str, *args: Any) -> None:
                    """Quiet."""

            with _listening(Door) as url:
                yield url
        finally:
            site.terminate()


def _logged_in(upstream: str) -> str:
    jar = http.cookiejar.CookieJar()
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
    page = opener.open(f"{upstream}/admin/login/").read().decode()
    found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert found is not None
    form = {"csrfmiddlewaretoken": found[1], "username": "ada", "password": "countess", "next": "/admin/"}
    opener.open(f"{upstream}/admin/login/", urllib.parse.urlencode(form).encode())
    return "; ".join(f"{cookie.name}={cookie.value}" for cookie in jar)


@contextlib.contextmanager
def _listening(handler: Any) -> Generator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
