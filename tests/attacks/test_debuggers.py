"""Debuggers and brokers of this machine, at whatever port, are nothing that an agent gets to see."""

import asyncio
import json
import shutil
import socket
import subprocess
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.clients import Agent, connect
from tests.conftest import Site, cdp_of
from tests.gateway import GatewayProcess, until

pytestmark = [pytest.mark.browser, pytest.mark.rule("T66")]

NATS = shutil.which("nats-server") or ""
NODE = shutil.which("node") or ""
READS: list[tuple[str, dict[str, Any]]] = [
    ("read_page", {}),
    ("get_page_text", {}),
    ("find", {"query": "webSocketDebuggerUrl"}),
    ("computer", {"action": "screenshot"}),
    ("javascript_tool", {"text": "document.body.innerText"}),
    ("read_network_requests", {}),
]


@asynccontextmanager
async def at_work(gateway: GatewayProcess) -> AsyncGenerator[Agent]:
    async with connect(gateway, toolsets="focus,automation") as agent:
        await agent.call("connect_browser", launch=True)
        yield agent


async def closed(agent: Agent, url: str, secret: str) -> None:
    """Nothing of it is told the first time, neither on the way nor by looking; and then nobody even gets there."""
    tab = (await agent.call("open_tab", url="about:blank"))["tab"]["id"]
    led = await agent.result("navigate", url=url, tabId=tab)
    assert led.is_error, url
    assert secret not in str(led)
    for name, arguments in READS:
        told = await agent.refused(name, tabId=tab, **arguments)
        assert told["code"] == "denied", (name, told)
        assert secret not in json.dumps(told)
    assert (await agent.refused("open_tab", url=url))["code"] == "denied"
    await agent.call("close_tab", tabId=tab)


async def test_a_browser_s_debugger_at_any_port_is_closed_however_one_gets_there(
    shared: GatewayProcess, site: Site
) -> None:
    async with at_work(shared) as agent:
        with cdp_of(shared) as cdp:
            port = urlsplit(cdp.address).port
        await closed(agent, f"http://127.0.0.1:{port}/json/list", "devtools/")
        for path in ("/json/list", "/json/version", "/json", "/"):
            for host in ("127.0.0.1", "localhost", "127.1", "[::ffff:7f00:1]"):
                assert (await agent.refused("open_tab", url=f"http://{host}:{port}{path}"))["code"] == "denied"
        site.pages["/lead"] = f"<script>location.replace('http://localhost:{port}/json/list')</script>"
        tab = (await agent.call("open_tab", url="about:blank"))["tab"]["id"]
        led = await agent.result("navigate", url=site.url.replace("127.0.0.1", "shop.test") + "/lead", tabId=tab)
        assert "webSocketDebuggerUrl" not in str(led)
        for name, arguments in READS:
            assert (await agent.refused(name, tabId=tab, **arguments))["code"] == "denied", name
        opened = await agent.call("open_tab", url=f"{site.url}/here")
        assert opened["tab"]["url"] == f"{site.url}/here", "other pages of this machine are open"


@pytest.mark.parametrize("host", ["127.0.0.1.nip.io", "debug-7f000001.nip.io", "localhost."])
async def test_a_name_that_says_this_machine_hides_no_debugger(own: GatewayProcess, host: str) -> None:
    async with at_work(own) as agent:
        with cdp_of(own) as cdp:
            port = urlsplit(cdp.address).port
        tab = (await agent.call("open_tab", url="about:blank"))["tab"]["id"]
        await agent.result("navigate", url=f"http://{host}:{port}/json/list", tabId=tab)
        for name, arguments in READS:
            assert (await agent.refused(name, tabId=tab, **arguments))["code"] == "denied", name


@contextmanager
def _process(*words: str) -> Generator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait(10)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


@pytest.mark.skipif(not NODE, reason="no node")
async def test_the_debugger_of_a_node_process_is_closed(shared: GatewayProcess) -> None:
    port = _free_port()
    with _process(NODE, f"--inspect=127.0.0.1:{port}", "-e", "setInterval(() => {}, 1000)"):
        await asyncio.to_thread(until, lambda: _answers(port))
        async with at_work(shared) as agent:
            await closed(agent, f"http://127.0.0.1:{port}/json/list", "webSocketDebuggerUrl")


@pytest.mark.skipif(not NATS, reason="no nats-server")
async def test_a_broker_is_no_page(shared: GatewayProcess) -> None:
    port = _free_port()
    with _process(NATS, "-a", "127.0.0.1", "-p", str(port)):
        await asyncio.to_thread(until, lambda: _answers(port))
        async with at_work(shared) as agent:
            tab = (await agent.call("open_tab", url="about:blank"))["tab"]["id"]
            for _ in range(2):
                led = await agent.refused("navigate", url=f"http://127.0.0.1:{port}/", tabId=tab)
                assert "server_id" not in json.dumps(led)
            for name, arguments in READS:
                assert "server_id" not in str(await agent.result(name, tabId=tab, **arguments)), name
            with socket.create_connection(("127.0.0.1", port), 5) as peer:
                assert peer.recv(4).startswith(b"INFO"), "the broker is none the worse"
