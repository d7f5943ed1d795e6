"""The examples run as they stand."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.clients import connect
from tests.gateway import GatewayProcess

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


async def test_the_shop_gives_its_own_tools_and_a_form_becomes_one(shared: GatewayProcess, shop: str) -> None:
    async with connect(shared, toolsets="focus") as agent:
        await agent.call("connect_browser", launch=True)
        await agent.call("open_tab", url=shop)
        assert {"search_products", "add_to_cart", "subscribe"} <= set(await agent.names())
        told = await agent.result("subscribe", email="a@example.com")
        assert "a@example.com is subscribed." in str(told.content)
        assert (await agent.result("add_to_cart", productId="coffee")).is_error
