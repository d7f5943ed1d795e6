"""Cached tools through a gateway that is killed: still listed, opened when called, run once, never when changed."""

import asyncio
import json
from typing import Any

import pytest

from tests.clients import connect
from tests.gateway import GatewayProcess
from tests.hub.agents import hub_once, hub_tools, listed, ran
from tests.hub.peer import Peer, peer, tab, tool

SHOP = "https://shop.example"
CACHED: dict[str, Any] = {"annotations": {"cache": True}}
GET_CART = "website_tool_shop_example_get_cart"
TAB1 = "website_tool_shop_example_tab1_get_cart"


async def test_a_cached_tool_survives_a_killed_gateway_and_its_call_opens_the_page_and_runs_once(
    gateway: GatewayProcess,
) -> None:
    async with peer(gateway, tab(5, SHOP)) as page, connect(gateway, toolsets="hub") as agent:
        await page.register(5, SHOP, tool("get_cart", **CACHED), tool("other"), tabUrl=f"{SHOP}/cart")
        await listed(agent, TAB1, GET_CART)
    gateway.kill()
    gateway.start()

    async def comes_back(page: Peer, tab_id: int, url: str) -> None:
        await page.register(tab_id, SHOP, tool("get_cart", **CACHED), tabUrl=url)

    async with connect(gateway, toolsets="hub") as agent:
        assert await hub_tools(agent) == {GET_CART}, "before any browser is there"
        async with peer(gateway) as page:
            page.opens = comes_back
            results = await asyncio.gather(*(ran(agent, GET_CART, n=number) for number in range(3)))
            assert {result["tab"] for result in results} == {900}
            assert sorted(result["args"]["n"] for result in results) == [0, 1, 2]
            opened = [message for message in page.told if message.get("type") == "openTab"]
            assert opened == [{"type": "openTab", "url": f"{SHOP}/cart", "focus": False}]
            assert len(page.calls) == 3
            assert gateway.status()["sessions"][0]["tabsHeld"] == [900]
        # the tab is gone, the tool is not
        await hub_once(agent, lambda there: there == {GET_CART})
    assert GET_CART in gateway.run("cache", "list").stdout
    [kept] = json.loads(gateway.run("cache", "list", "--json").stdout)
    assert (kept["origin"], kept["tool"], kept["url"]) == (SHOP, "get_cart", f"{SHOP}/cart")
    assert gateway.run("cache", "clear").stdout == "1 tool forgotten\n"
    async with connect(gateway, toolsets="hub") as agent:
        assert await hub_tools(agent) == set()


@pytest.mark.rule("T76")
async def test_a_cached_tool_of_a_site_that_was_closed_since_opens_nothing(gateway: GatewayProcess) -> None:
    async with peer(gateway, tab(5, SHOP)) as page, connect(gateway, toolsets="hub") as agent:
        await page.register(5, SHOP, tool("get_cart", **CACHED))
        await listed(agent, GET_CART)
        await page.say(type="tabClosed", tabId=5)
        await listed(agent, GET_CART, without=TAB1)
        gateway.stop()
        (gateway.home / "policy.toml").write_text('[[site]]\nmatch = "shop.example"\nall = "deny"\n')
        gateway.start()
    async with peer(gateway) as page, connect(gateway, toolsets="hub") as agent:
        error = await agent.refused(GET_CART)
        assert error["code"] == "denied"
        assert not [message for message in page.told if message.get("type") == "openTab"]
        assert page.calls == []


async def test_a_page_that_defines_it_differently_is_opened_but_not_called(gateway: GatewayProcess) -> None:
    async def comes_back_changed(page: Peer, tab_id: int, url: str) -> None:
        await page.register(tab_id, SHOP, tool("get_cart", "Empties the cart.", **CACHED))

    async with peer(gateway, tab(5, SHOP)) as page, connect(gateway, toolsets="hub") as agent:
        await page.register(5, SHOP, tool("get_cart", "Shows the cart.", **CACHED))
        await listed(agent, GET_CART)
        await page.say(type="tabClosed", tabId=5)
        await listed(agent, GET_CART, without=TAB1)
        page.opens = comes_back_changed
        error = await agent.refused(GET_CART)
        assert error["code"] == "definition_changed"
        assert page.calls == []
        await agent.names()
        assert (await ran(agent, GET_CART))["tab"] == 900, "once listed as it is now, it runs"


async def test_an_open_tab_is_used_before_another_is_opened(gateway: GatewayProcess) -> None:
    async with peer(gateway, tab(5, SHOP), tab(6, SHOP)) as page, connect(gateway, toolsets="hub") as agent:
        await page.register(5, SHOP, tool("get_cart", **CACHED))
        await page.register(6, SHOP, tool("get_cart", **CACHED))
        await listed(agent, GET_CART, TAB1, "website_tool_shop_example_tab2_get_cart")
        assert (await ran(agent, GET_CART))["tab"] == 6, "the one that changed last"
        await page.say(type="tabUpdated", tab=tab(5, SHOP, active=True))
        async with asyncio.timeout(5):
            while (await ran(agent, GET_CART))["tab"] != 5:
                pass
        assert not any(message.get("type") == "openTab" for message in page.told)


async def test_the_cache_can_be_looked_at_and_cleared_without_a_gateway(gateway: GatewayProcess) -> None:
    async with peer(gateway, tab(5, SHOP)) as page, connect(gateway, toolsets="hub") as agent:
        await page.register(5, SHOP, tool("get_cart", **CACHED))
        await listed(agent, GET_CART)
    gateway.stop()
    assert GET_CART in gateway.run("cache", "list").stdout
    assert gateway.run("cache", "clear").stdout == "1 tool forgotten\n"
    assert gateway.run("cache", "list").stdout == "Nothing is cached.\n"
    nowhere = str(gateway.home / "nowhere")
    assert gateway.run("cache", "list", TABWRIGHT_HOME=nowhere).stdout == "Nothing is cached.\n"
    assert gateway.run("cache", "clear", TABWRIGHT_HOME=nowhere).stdout == "0 tools forgotten\n"
    gateway.start()
