"""The `browser` block of hub.md in what the server says of itself, summed up over all pages, as it is on the wire."""

import asyncio
import json
from typing import Any

import mcp_types as types
import pytest

from tests.attacks.wire import INITIALIZE, MCP, request
from tests.clients import connect
from tests.conftest import Site
from tests.gateway import GatewayProcess, until
from tests.hub.agents import listed
from tests.hub.peer import peer, tab, tool
from tests.hub.test_browser import offered, opened
from tests.page_tools import pages

BANK = "https://bank.example"
MODERN = "2026-07-28"
DISCOVER: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "server/discover",
    "params": {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    },
}


def told(gateway: GatewayProcess) -> list[dict[str, Any]]:
    """The blocks in both places of both eras' answers."""
    modern = (*MCP, f"MCP-Protocol-Version: {MODERN}", "Mcp-Method: server/discover")
    answers = [
        request(gateway.port, "POST", "/mcp?toolsets=hub", *MCP, body=INITIALIZE),
        request(gateway.port, "POST", "/mcp?toolsets=hub", *modern, body=DISCOVER),
    ]
    found: list[dict[str, Any]] = []
    for answer in answers:
        text = answer.body.decode()
        line = next((row[5:] for row in text.splitlines() if row.startswith("data:") and len(row) > 6), text)
        capabilities = json.loads(line)["result"]["capabilities"]
        assert capabilities["tools"] == {"listChanged": True}
        found += [capabilities["browser"], capabilities["experimental"]["browser"]]
    return found


async def test_the_capabilities_of_all_pages_are_told_in_both_eras(gateway: GatewayProcess) -> None:
    assert told(gateway) == [{"multiTabSupport": True, "cacheSupported": False, "elicitation": False}] * 4
    async with (
        peer(gateway, tab(5, BANK), tab(6, BANK)) as page,
        connect(gateway, toolsets="hub") as agent,
    ):
        await page.register(5, BANK, tool("pay"), extensions={"browser": {"elicitation": True}})
        await page.register(6, BANK, tool("look", annotations={"cache": True}))
        await listed(agent, "website_tool_bank_example_tab1_pay", "website_tool_bank_example_tab2_look")
        assert told(gateway) == [{"multiTabSupport": True, "cacheSupported": True, "elicitation": True}] * 4
    assert told(gateway) == [{"multiTabSupport": True, "cacheSupported": True, "elicitation": False}] * 4


@pytest.mark.browser
async def test_a_real_page_server_is_told_of_ours_and_what_it_says_of_itself_counts(
    shared: GatewayProcess, site: Site
) -> None:
    says = "{ capabilities: { experimental: { browser: { elicitation: true } } } }"
    serves = f"""<script>
      const asked = []; addEventListener('message', ({{ data }}) => asked.push(data?.payload));
      const able = new McpServer({{ name: 'able', version: '1' }}, {says});
      const told = () => asked.find((message) => message?.method === 'initialize').params.capabilities;
      able.registerTool('hears', {{ description: 'Hears', inputSchema: {{}} }},
        async () => ({{ content: [{{ type: 'text', text: JSON.stringify(told()) }}] }}));
      able.connect(new TabServerTransport({{ allowedOrigins: ['*'] }}));</script>"""
    site.pages["/able"] = pages.server(serves, start=False)
    async with connect(shared, toolsets="hub,focus") as agent:
        await agent.call("connect_browser", launch=True)
        tab_id = await opened(agent, f"{site.url}/able")
        [hears] = await offered(agent, r"website_tool_127_.*_hears")
        ours = {"multiTabSupport": True, "cacheSupported": True, "elicitation": True}
        heard = (await agent.result(hears)).content[0]
        assert isinstance(heard, types.TextContent)
        assert json.loads(heard.text) == {"experimental": {"browser": ours}}
        assert all(block["elicitation"] for block in told(shared))
        await agent.call("close_tab", tabId=tab_id)
        await asyncio.to_thread(until, lambda: not any(block["elicitation"] for block in told(shared)))
