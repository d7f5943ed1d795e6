"""Requests of the modern era whose headers say something else than their body (T37)."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.attacks.wire import MCP, Answer, request
from tests.gateway import GatewayProcess, running

MODERN = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": dict[str, Any](),
}
HEADER_MISMATCH = -32020


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    with running(tmp_path_factory.mktemp("headers") / "home") as made:
        yield made


def call(gateway: GatewayProcess, *headers: str) -> Answer:
    params = {"name": "list_tabs", "arguments": {}, "_meta": META}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return request(gateway.port, "POST", "/mcp", *MCP, *headers, body=body)


RIGHT = (f"MCP-Protocol-Version: {MODERN}", "Mcp-Method: tools/call", "Mcp-Name: list_tabs")


@pytest.mark.rule("T37")
@pytest.mark.parametrize(
    "headers",
    [
        (RIGHT[0], "Mcp-Method: tools/list", RIGHT[2]),
        (RIGHT[0], RIGHT[1], "Mcp-Name: close_tab"),
        (RIGHT[0], RIGHT[1], "Mcp-Name: =?base64?Y2xvc2VfdGFi?="),
        (RIGHT[0], RIGHT[1]),
        (RIGHT[0], RIGHT[2]),
    ],
)
def test_a_header_that_contradicts_the_body_or_lacks_is_refused(
    gateway: GatewayProcess, headers: tuple[str, ...]
) -> None:
    answer = call(gateway, *headers)
    assert (answer.status, answer.json["error"]["code"]) == (400, HEADER_MISMATCH)
    assert call(gateway, *RIGHT).status == 200


@pytest.mark.rule("T37")
def test_a_name_in_base64_is_the_name_it_stands_for(gateway: GatewayProcess) -> None:
    assert call(gateway, RIGHT[0], RIGHT[1], "Mcp-Name: =?base64?bGlzdF90YWJz?=").status == 200
