"""Calls of hub tools through a real client and gateway: the right tab, frame and document, once, or why not."""

import asyncio
import json
import re
import time
from typing import Any

from tests.clients import connect
from tests.gateway import GatewayProcess
from tests.hub.agents import all_tools, hub_tools, listed, ran
from tests.hub.peer import Call, Peer, echo, peer, tab, tool

SHOP = "https://shop.example"
BANK = "https://bank.example"


async def test_a_registered_tool_is_listed_and_runs_in_its_tab(gateway: GatewayProcess) -> None:
    async with peer(gateway, tab(5, f"{SHOP}/cart", active=True)) as page, connect(gateway, toolsets="hub") as agent:
        assert await agent.names() == ["hub_list_tools", "hub_call_tool"]
        await page.register(5, SHOP, tool("get_cart", "Shows the cart."), tabUrl=f"{SHOP}/cart")
        await listed(agent, "website_tool_shop_example_tab1_get_cart")
        shown = (await all_tools(agent))["website_tool_shop_example_tab1_get_cart"]
        assert shown.description == "[shop.example • Tab 1 Active] Shows the cart."
        where = await ran(agent, shown.name, n=1)
        assert where == {"tab": 5, "frame": 0, "document": "d1", "tool": "get_cart", "args": {"n": 1}}
        [call] = page.calls
        assert call.message["method"] == "browser/executeTool"
        assert call.message["params"] == {"toolName": "get_cart", "args": {"n": 1}}


async def test_a_call_says_which_tool_of_the_name_is_meant(gateway: GatewayProcess) -> None:
    async with peer(gateway, tab(5, SHOP)) as page, connect(gateway, toolsets="hub") as agent:
        await page.register(5, SHOP, tool("pay", digest="one"))
        await listed(agent, "website_tool_shop_example_tab1_pay")
        changing: list[asyncio.Task[None]] = []

        def changed(call: Call) -> dict[str, Any]:
            assert call.message["params"]["digest"] == "one"
            changing.append(asyncio.create_task(page.register(5, SHOP, tool("pay", "Pays everything.", digest="two"))))
            return {"success": False, "payload": "another one", "extensions": {"code": "stale_target"}}

        page.answer = changed
        assert (await agent.refused("website_tool_shop_example_tab1_pay"))["code"] == "stale_target"
        assert len(page.calls) == len(changing) == 1, "nobody tries another one in its place"


async def test_the_static_tools_reach_the_same(gateway: GatewayProcess) -> None:
    async with peer(gateway, tab(5, SHOP), tab(6, BANK)) as page, connect(gateway, toolsets="hub") as agent:
        await page.register(5, SHOP, tool("get_cart", "Shows the cart."))
        await page.register(6, BANK, tool("pay", "Pays a bill."))
        await listed(agent, "website_tool_bank_example_tab2_pay")
        found = await agent.call("hub_list_tools", query="BILL")
        assert [each["name"] for each in found["tools"]] == ["website_tool_bank_example_tab2_pay"]
        assert (found["total"], found["tools"][0]["tabId"]) == (1, 6)
        assert [each["origin"] for each in (await agent.call("hub_list_tools", domain="shop.example"))["tools"]] == [
            SHOP
        ]
        result = await agent.result("hub_call_tool", name="website_tool_bank_example_tab2_pay", arguments={"sum": 3})
        assert result.structured_content is not None
        assert (result.structured_content["tab"], result.structured_content["args"]) == (6, {"sum": 3})
        assert (await agent.refused("hub_call_tool", name="website_tool_no_such"))["code"] == "invalid_arguments"
        assert (await agent.refused("hub_list_tools", cursor="?"))["code"] == "invalid_arguments"


async def test_the_older_spelling_is_understood_and_answered(gateway: GatewayProcess) -> None:
    def old(call: Call) -> dict[str, Any]:
        assert call.message["type"] == "execute-tool"
        return {"type": "tool-result", "requestId": call.message["requestId"], "data": echo(call)}

    async with peer(gateway, tab(5, SHOP)) as page, connect(gateway, toolsets="hub") as agent:
        page.answer = old
        await page.message(5, SHOP, {"type": "register-tools", "tools": [tool("a")]})
        await listed(agent, "website_tool_shop_example_tab1_a")
        assert (await ran(agent, "website_tool_shop_example_tab1_a"))["tool"] == "a"
        await page.message(5, SHOP, {"type": "tools-updated", "tools": [tool("b")]})
        await listed(agent, "website_tool_shop_example_tab1_b", without="website_tool_shop_example_tab1_a")


async def test_a_failure_of_the_page_is_an_error_in_its_words(gateway: GatewayProcess) -> None:
    async with peer(gateway, tab(5, SHOP)) as page, connect(gateway, toolsets="hub") as agent:
        page.answer = lambda call: {"success": False, "payload": "sold out"}
        await page.register(5, SHOP, tool("buy"))
        await listed(agent, "website_tool_shop_example_tab1_buy")
        result = await agent.result("website_tool_shop_example_tab1_buy")
        assert result.is_error
        assert "sold out" in str(result.content)


async def test_arguments_are_checked_before_the_page_sees_them(gateway: GatewayProcess) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}
    async with peer(gateway, tab(5, SHOP)) as page, connect(gateway, toolsets="hub") as agent:
        await page.register(5, SHOP, tool("buy", inputSchema=schema))
        await listed(agent, "website_tool_shop_example_tab1_buy")
        assert (await agent.refused("website_tool_shop_example_tab1_buy", n="x"))["code"] == "invalid_arguments"
        assert page.calls == []


async def test_a_tab_closed_in_mid_call_leaves_the_outcome_unknown(gateway: GatewayProcess) -> None:
    async with peer(gateway, tab(5, SHOP), tab(6, SHOP)) as page, connect(gateway, toolsets="hub") as agent:
        page.answer = lambda call: None
        await page.register(5, SHOP, tool("buy"))
        await page.register(6, SHOP, tool("buy"))
        await listed(agent, "website_tool_shop_example_tab1_buy", "website_tool_shop_example_tab2_buy")
        calling = asyncio.create_task(agent.refused("website_tool_shop_example_tab1_buy"))
        await page.until(lambda page: len(page.calls) == 1)
        await page.say(type="tabClosed", tabId=5)
        assert (await calling)["code"] == "outcome_unknown"
        assert len(page.calls) == 1, "delivered once, and to no other tab"
        error = await agent.refused("website_tool_shop_example_tab1_buy")
        assert error["code"] == "tab_not_found"


async def test_what_did_not_reach_the_page_is_tried_again_in_the_document_that_came(gateway: GatewayProcess) -> None:
    async with peer(gateway, tab(5, SHOP)) as page, connect(gateway, toolsets="hub") as agent:
        page.answer = lambda call: echo(call) if call.document == "d2" else _stale()
        await page.register(5, SHOP, tool("buy"))
        await listed(agent, "website_tool_shop_example_tab1_buy")
        calling = asyncio.create_task(ran(agent, "website_tool_shop_example_tab1_buy"))
        await page.until(lambda page: len(page.calls) == 1)
        await page.register(5, SHOP, tool("buy"), document="d2")
        assert (await calling)["document"] == "d2"
        assert [call.document for call in page.calls] == ["d1", "d2"]


async def test_a_page_that_cannot_be_reached_is_tried_four_times_in_all(gateway: GatewayProcess) -> None:
    unreachable = {"error": {"code": -32005, "message": "no port", "data": {"code": "unreachable_page"}}}
    async with peer(gateway, tab(5, SHOP)) as page, connect(gateway, toolsets="hub") as agent:
        page.answer = lambda call: unreachable
        await page.register(5, SHOP, tool("buy"))
        await listed(agent, "website_tool_shop_example_tab1_buy")
        began = time.monotonic()
        assert (await agent.refused("website_tool_shop_example_tab1_buy"))["code"] == "unreachable_page"
        assert len(page.calls) == 4
        assert time.monotonic() - began >= 3, "a second apart"
        page.answer = lambda call: {"error": {"code": -32000, "message": "who knows"}}
        await agent.refused("website_tool_shop_example_tab1_buy")
        assert len(page.calls) == 5, "what may have reached it is not tried again"


async def test_a_page_that_came_back_different_is_not_called(gateway: GatewayProcess) -> None:
    async with peer(gateway, tab(5, SHOP)) as page, connect(gateway, toolsets="hub") as agent:
        await page.register(5, SHOP, tool("buy", "Buys one."))
        await listed(agent, "website_tool_shop_example_tab1_buy")
        before = agent.changes
        await page.register(5, SHOP, tool("buy", "Buys a thousand."), document="d2")
        await agent.told_of(before + 1)
        assert (await agent.refused("website_tool_shop_example_tab1_buy"))["code"] == "stale_target"
        await agent.names()
        assert (await ran(agent, "website_tool_shop_example_tab1_buy"))["document"] == "d2"


async def test_another_sessions_tab_is_refused_when_named_and_passed_over_when_not(gateway: GatewayProcess) -> None:
    async with (
        peer(gateway, tab(5, SHOP, active=True), tab(6, SHOP)) as page,
        connect(gateway, toolsets="hub") as agent,
        connect(gateway, toolsets="focus") as other,
    ):
        await page.register(6, SHOP, tool("buy"))
        await page.register(5, SHOP, tool("buy"))
        await listed(agent, "website_tool_shop_example_tab1_buy", "website_tool_shop_example_tab2_buy")
        assert (await ran(agent, "website_tool_shop_example_buy"))["tab"] == 5, "the active one, where none is named"
        page.told.clear()
        await other.call("connect_browser")
        claiming = asyncio.create_task(other.call("focus_tab", tabId=5))
        await page.until(lambda page: any(message.get("type") == "focusTab" for message in page.told))
        await page.say(type="tabFocused", tabId=5, tools=[])
        await claiming
        assert (await ran(agent, "website_tool_shop_example_buy"))["tab"] == 6
        assert (await agent.refused("website_tool_shop_example_tab2_buy"))["code"] == "tab_held"


async def test_with_two_browsers_and_no_choice_the_choice_is_asked_for(gateway: GatewayProcess) -> None:
    async with (
        peer(gateway, tab(1, SHOP)) as one,
        peer(gateway, tab(1, BANK)) as other,
        connect(gateway, toolsets="hub") as agent,
    ):
        await one.register(1, SHOP, tool("buy"))
        await other.register(1, BANK, tool("pay"))
        await agent.offered("select_browser")
        name = "website_tool_shop_example_tab1_buy"
        errors = [await agent.refused("hub_list_tools"), await agent.refused("hub_call_tool", name=name)]
        errors.append(await agent.refused(name))
        assert {error["code"] for error in errors} == {"choose_browser"}
        chosen = re.findall(r"(\S+) \(Bare 1\)", errors[0]["message"])
        assert len(chosen) == 2
        found: set[str] = set()
        for browser in chosen:
            await agent.call("select_browser", browserId=browser)
            found |= {each["name"] for each in (await agent.call("hub_list_tools"))["tools"]}
        assert found == {name, "website_tool_bank_example_tab1_pay"}


async def test_a_name_that_two_tools_could_have_is_refused(gateway: GatewayProcess) -> None:
    async with peer(gateway, tab(5, SHOP)) as page, connect(gateway, toolsets="hub") as agent:
        await page.register(5, SHOP, tool("get.cart"), tool("get_cart"))
        await listed(agent, "website_tool_shop_example_tab1_get_cart")
        error = await agent.refused("hub_call_tool", name="website_tool_shop_example_get_cart")
        assert error["code"] == "invalid_arguments"
        assert "get.cart, get_cart" in error["message"]
        assert page.calls == []


async def test_a_cached_tool_whose_page_fails_leaves_one_tab_and_waits_for_no_closed_one(
    gateway: GatewayProcess,
) -> None:
    cached = "website_tool_shop_example_buy"

    async def closes(page: Peer, number: int, url: str) -> None:
        await page.say(type="tabClosed", tabId=number)

    async with peer(gateway, tab(5, SHOP)) as page, connect(gateway, toolsets="hub") as agent:
        await page.register(5, SHOP, tool("buy", annotations={"cache": True}))
        await listed(agent, cached)
        await page.say(type="tabClosed", tabId=5)
        await listed(agent, cached, without="website_tool_shop_example_tab1_buy")
        page.opens = closes
        began = time.monotonic()
        assert "closed" in str(await agent.refused(cached))
        assert time.monotonic() - began < 5
        page.opens = None
        assert (await agent.refused(cached))["code"] == "timeout"
        page.told.clear()
        page.opens = registers
        assert (await ran(agent, cached))["tool"] == "buy"
        assert [each["type"] for each in page.told if each.get("type") in ("openTab", "closeTab")] == [
            "closeTab",
            "openTab",
        ], "the one of the call before is not left behind"


async def registers(page: Peer, number: int, url: str) -> None:
    await page.register(number, SHOP, tool("buy", annotations={"cache": True}))


async def test_nonsense_costs_no_connection_and_the_good_tools_stay(gateway: GatewayProcess) -> None:
    async with peer(gateway, tab(5, SHOP)) as page, connect(gateway, toolsets="hub") as agent:
        await page.message(5, SHOP, {"method": "browser/registerTools", "params": {"tools": 7}})
        await page.message(5, SHOP, {"type": "never-heard-of"})
        await page.register(5, SHOP, tool("deep", annotations=json.loads('{"x":' + "[" * 900 + "]" * 900 + "}")))
        await page.register(5, SHOP, tool("good"), {"name": "no_schema"}, tool("bad name!"), tool("x" * 200))
        await listed(agent, "website_tool_shop_example_tab1_good")
        assert await hub_tools(agent) == {"website_tool_shop_example_tab1_good"}
        assert "is rejected: it has no inputSchema" in gateway.log()
        assert "tools is an array" in gateway.log()


async def test_a_name_that_went_to_a_cached_tool_is_not_called_for_what_was_listed(gateway: GatewayProcess) -> None:
    name = "website_tool_shop_example_tab1_buy"
    async with peer(gateway, tab(5, SHOP), tab(6, SHOP)) as page, connect(gateway, toolsets="hub") as agent:
        await page.register(5, SHOP, tool("buy"))
        await listed(agent, name)
        before = agent.changes
        await page.say(type="tabClosed", tabId=5)
        await agent.told_of(before + 1)
        await page.register(6, SHOP, tool("tab1_buy", annotations={"cache": True}))
        await agent.told_of(before + 2)
        assert (await agent.refused(name))["code"] == "tab_not_found"
        assert page.calls == []
        await listed(agent, name)
        assert (await ran(agent, name))["tool"] == "tab1_buy"


def _stale() -> dict[str, Any]:
    return {"error": {"code": -32015, "message": "another document", "data": {"code": "stale_target"}}}


async def test_meta_and_audit(gateway: GatewayProcess) -> None:
    def answer(call: Call) -> dict[str, Any]:
        return {"success": True, "payload": {"content": [], "_meta": {"shop/answer": 2}}}

    async with peer(gateway, tab(5, SHOP)) as page, connect(gateway, toolsets="hub") as agent:
        page.answer = answer
        meta = {"shop/shelf": 7, "io.modelcontextprotocol/related-task": 1}
        await page.register(5, SHOP, tool("secretive", _meta=meta))
        await listed(agent, "website_tool_shop_example_tab1_secretive")
        shown = (await all_tools(agent))["website_tool_shop_example_tab1_secretive"]
        assert shown.meta == {"shop/shelf": 7}
        result = await agent.result(shown.name, word="hush-hush")
        assert (result.meta or {}).get("shop/answer") == 2
    log = gateway.log()
    assert "hub registered tab=5 frame=0 origin=https://shop.example added=1 removed=0" in log
    assert "hub executed tab=5 frame=0 origin=https://shop.example tool=secretive ok" in log
    assert "hush-hush" not in log
