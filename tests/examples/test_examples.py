"""The examples run as they stand."""

import asyncio
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.clients import connect
from tests.docs.blocks import blocks_of
from tests.gateway import GatewayProcess, until

pytestmark = pytest.mark.browser
EXAMPLES = Path(__file__).parents[2] / "examples"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@pytest.fixture(scope="module")
def shop() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(EXAMPLES / "shop"))) as server:
        serving = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        serving.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


async def test_the_agent_buys_the_cheapest_green_tea(shared: GatewayProcess, shop: str) -> None:
    loop = [sys.executable, str(EXAMPLES / "agent_loop.py"), shop]
    done = await asyncio.to_thread(subprocess.run, loop, env=shared.env, capture_output=True, text=True, timeout=50)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "In the cart: 2 × Jasmine" in done.stdout
    assert shared.told("tool='add_to_cart'", "outcome='ok'"), "it used another gateway"


def test_the_commands_of_the_page_lead_to_a_purchase(shared: GatewayProcess) -> None:
    serve, shop_for = next(block.commands for block in blocks_of(EXAMPLES / "README.md") if block.commands)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
    server = subprocess.Popen(serve.replace("8099", port).split(), cwd=EXAMPLES.parent, stderr=subprocess.DEVNULL)
    try:
        until(lambda: _answers(int(port)))
        command = shop_for.replace("8099", port).replace(".venv/bin/python", sys.executable).split()
        done = subprocess.run(command, cwd=EXAMPLES.parent, env=shared.env, capture_output=True, text=True, timeout=50)
    finally:
        server.terminate()
        server.wait(10)
    assert "In the cart: 2 × Jasmine" in done.stdout, done.stderr


def _answers(port: int) -> bool:
    with socket.socket() as asking:
        return asking.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.timeout(400)
def test_two_users_of_a_proxy_see_their_own_browsers_alone() -> None:
    command = [sys.executable, str(EXAMPLES / "proxy_two_users" / "run.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=380)
    assert done.returncode == 0, done.stdout + done.stderr
    for user, other in (("ann", "ben"), ("ben", "ann")):
        [seen] = [line for line in done.stdout.splitlines() if line.startswith(f"{user}'s agent sees:")]
        assert f"#{user}'" in seen
        assert f"#{other}'" not in seen
        assert f"{user}'s agent asks for the other's tab: tab_not_found" in done.stdout


async def test_a_tool_leaves_the_list_when_the_page_takes_it_back(shared: GatewayProcess, shop: str) -> None:
    async with connect(shared) as agent:
        await agent.call("connect_browser", launch=True)
        await agent.call("open_tab", url=shop)
        await agent.offered("todays_offer")
        before = agent.changes
        await agent.result("javascript_tool", text="dispatchEvent(new Event('shopclosed'))")
        async with asyncio.timeout(30):
            while "todays_offer" in await agent.names():
                await agent.told_of(before + 1, 30)
                before = agent.changes


async def test_the_shop_gives_its_own_tools_and_a_form_becomes_one(shared: GatewayProcess, shop: str) -> None:
    async with connect(shared, toolsets="focus") as agent:
        await agent.call("connect_browser", launch=True)
        await agent.call("open_tab", url=shop)
        await agent.offered("search_products", "add_to_cart", "subscribe")
        told = await agent.result("subscribe", email="a@example.com")
        assert "a@example.com is subscribed." in str(told.content)
        assert (await agent.result("add_to_cart", productId="coffee")).is_error
