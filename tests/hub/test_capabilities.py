"""The `browser` block of hub.md in what the server says of itself, summed up over all pages, as it is on the wire."""

import json
from typing import Any

from tests.attacks.wire import INITIALIZE, MCP, request
from tests.clients import connect
from tests.gateway import GatewayProcess
from tests.hub.agents import listed
from tests.hub.peer import peer, tab, tool

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
