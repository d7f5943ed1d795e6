"""A person's approval in the modern era is good once, for the one call it was given to, and cannot be made up (T38)."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from tests.attacks.wire import MCP, request
from tests.gateway import GatewayProcess, running, until
from tests.hub.peer import peer, tab, tool

MODERN = "2026-07-28"
BANK = "https://bank.example"
PAY = "website_tool_bank_example_tab1_pay"
ACCEPT = {"confirm": {"action": "accept", "content": dict[str, Any]()}}


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    with running(tmp_path_factory.mktemp("approval") / "home", TABWRIGHT_CONNECT_WAIT_S="0.5") as made:
        yield made


def ask(gateway: GatewayProcess, method: str, **params: Any) -> dict[str, Any]:
    meta: dict[str, Any] = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
    }
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
    named = (f"Mcp-Name: {params['name']}",) if "name" in params else ()
    headers = (*MCP, f"MCP-Protocol-Version: {MODERN}", f"Mcp-Method: {method}", *named)
    return request(gateway.port, "POST", "/mcp?toolsets=hub", *headers, body=body).json


def pay(gateway: GatewayProcess, amount: int, state: str | None = None) -> dict[str, Any]:
    more = {} if state is None else {"requestState": state, "inputResponses": ACCEPT}
    return ask(gateway, "tools/call", name=PAY, arguments={"sum": amount}, **more)


def _is_listed(gateway: GatewayProcess) -> bool:
    return PAY in str(ask(gateway, "tools/list"))


def _turned(state: str, place: int) -> str:
    return state[:place] + ("A" if state[place] != "A" else "B") + state[place + 1 :]


@pytest.mark.rule("T38")
async def test_an_approval_is_good_once_and_for_its_own_call(gateway: GatewayProcess) -> None:
    async with peer(gateway, tab(5, BANK)) as page:
        await page.register(5, BANK, tool("pay", annotations={"destructiveHint": True}))
        await asyncio.to_thread(until, lambda: _is_listed(gateway))
        question = await asyncio.to_thread(pay, gateway, 12)
        state = question["result"]["requestState"]
        tampered = [_turned(state, len(state) // 2), state[:-4], "", "nonsense"]
        for made in tampered:
            await asyncio.to_thread(pay, gateway, 12, made)
        await asyncio.to_thread(pay, gateway, 1_000_000, state)
        assert page.calls == [], "nothing but the state that was given, for the call it was given to, approves"
        paid = await asyncio.to_thread(pay, gateway, 12, state)
        assert "error" not in paid
        assert len(page.calls) == 1
        again = await asyncio.to_thread(pay, gateway, 12, state)
        assert len(page.calls) == 1, f"an approval was used twice: {again}"
