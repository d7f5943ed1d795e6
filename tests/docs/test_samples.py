"""The samples of the pages: configurations are read, code is run, schemas are schemas."""

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import jsonschema_rs
import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.client.sse import sse_client

from tabwright.link.events import TabMessage
from tabwright.link.hub_wire import Registering, execute_message, parse_answer, parse_hub_message
from tabwright.link.wire import parse_event
from tests.clients import connect
from tests.conftest import Site
from tests.docs.blocks import blocks
from tests.gateway import TABWRIGHT, GatewayProcess


def samples(page: str, language: str) -> list[str]:
    return [each.text for each in blocks() if each.place.startswith(f"{page}#") and each.language == language]


@pytest.mark.browser
async def test_the_first_call_of_the_readme_opens_a_tab(shared: GatewayProcess, site: Site, tmp_path: Path) -> None:
    [code] = samples("README.md", "python")
    # the SDK hands on little of the environment, so the home is told in the place where a client would
    told = f'env={{"TABWRIGHT_HOME": {str(shared.home)!r}}})'
    ran = code.replace("https://example.com", site.url).replace('tabwright")', f'tabwright", {told}')
    assert ran.count(told) == 1
    (tmp_path / ".venv").symlink_to(Path(TABWRIGHT).parents[1])
    done = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", ran], cwd=tmp_path, env=shared.env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert site.url in done.stdout


async def test_the_configurations_for_sse_lead_to_tools(gateway: GatewayProcess) -> None:
    for text in samples("docs/http-api.md", "json"):
        told = json.loads(text)
        server = (told.get("mcpServers") or told)["claude-browser"]
        transport = server.get("transport", server)
        assert transport["type"] == "sse"
        async with Client(sse_client(transport["url"].replace("3456", str(gateway.port))), mode="legacy") as client:
            assert "read_page" in [tool.name for tool in (await client.list_tools()).tools]


def _tabwright(home: Path, *arguments: str) -> str:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("TABWRIGHT_", "CLAUDE_"))}
    done = subprocess.run(
        [TABWRIGHT, *arguments], env={**env, "TABWRIGHT_HOME": str(home)}, capture_output=True, text=True, timeout=50
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_settings_file_is_understood(tmp_path: Path) -> None:
    [text] = samples("docs/http-api.md", "toml")
    (tmp_path / "settings.toml").write_text(text)
    told = _tabwright(tmp_path, "config")
    assert "http://localhost:3000" in told
    assert "at least 22 characters" not in told, "a secret is not shown"


def test_the_policy_decides_as_its_page_says(tmp_path: Path) -> None:
    [text] = samples("docs/policy.md", "toml")
    (tmp_path / "policy.toml").write_text(text)
    assert "deny" in _tabwright(tmp_path, "policy", "check", "https://www.intranet.example")
    told = _tabwright(tmp_path, "policy", "check", "https://shop.example", "--client", "claude-code")
    assert "ask" in told


PAGE = """<title>Shop</title><script>const cart = { add: async (sku) => sku + '!' };</script>"""


@pytest.mark.browser
async def test_the_page_tools_of_the_page_are_tools(shared: GatewayProcess, site: Site) -> None:
    scripts = "".join(f"<script>{code}</script>" for code in samples("docs/page-tools.md", "js"))
    site.pages["/shop"] = PAGE + "".join(samples("docs/page-tools.md", "html")) + scripts
    async with connect(shared, toolsets="focus") as agent:
        await agent.call("connect_browser", launch=True)
        await agent.call("open_tab", url=f"{site.url}/shop")
        await agent.offered("add_to_cart", "search_flights")
        assert "tea!" in str((await agent.result("add_to_cart", sku="tea")).content)
        assert "inCart" in str((await agent.result("add_to_cart", sku="tea")).content)


ASKING = """<title>Bank</title><script>%s
document.modelContext.registerTool({ name: 'pay', description: 'Pays', inputSchema: { type: 'object', properties: {} },
  execute: async () => `confirmed: ${await confirmed('Pay 5 euros?')}` });</script>"""


@pytest.mark.browser
async def test_a_page_asks_the_person_as_its_page_says(shared: GatewayProcess, site: Site) -> None:
    [code] = samples("docs/hub-protocol.md", "js")
    site.pages["/bank"] = ASKING % code
    asked: list[str] = []

    async def person(context: object, params: types.ElicitRequestParams) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"answer": "yes"})

    async with connect(shared, toolsets="focus", person=person) as agent:
        await agent.call("connect_browser", launch=True)
        await agent.call("open_tab", url=f"{site.url}/bank")
        await agent.offered("pay")
        told = str((await agent.result("pay")).content)
        assert "confirmed: " in told
        assert asked
        assert "Pay 5 euros?" in asked[0]


def test_the_messages_of_the_hub_are_understood() -> None:
    [text] = samples("docs/hub-protocol.md", "jsonc")
    filled = text.replace("[Tool, …]", '[{"name": "getCart"}]').replace("CallToolResult", '{"content": []}')
    told = [
        json.loads(each) for each in re.split(r"^//.*\n|(?<=\})\n(?=\{)", filled, flags=re.MULTILINE) if each.strip()
    ]
    registering, command, response = told

    event = parse_event(registering)
    assert isinstance(event, TabMessage)
    assert parse_hub_message(event.message) == Registering(
        [{"name": "getCart"}], update=False, tab_url="https://shop.example/cart"
    )
    asked = command["params"]["message"]
    assert asked == execute_message(asked["id"], "getCart", {})
    assert command["id"] == response["id"]
    assert parse_answer(response["result"], asked["id"]) == {"content": []}


@pytest.mark.parametrize("text", samples("docs/tools.md", "json"))
def test_every_schema_of_the_tools_is_one(text: str) -> None:
    schema = json.loads(text)
    jsonschema_rs.meta.validate(schema)
    assert schema["type"] == "object"
