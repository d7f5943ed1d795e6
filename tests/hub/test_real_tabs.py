"""The hub over the life of real tabs: cached tools that travel and survive a killed gateway, notices, and churn."""

import asyncio
from pathlib import Path

import pytest

from tests.clients import connect
from tests.conftest import Site, cdp_of
from tests.faults.test_own_browser import browser, pair
from tests.gateway import GatewayProcess, running, until
from tests.hub.agents import hub_once, hub_tools, listed
from tests.hub.churn import Churn, survives
from tests.hub.peer import peer, tab, tool
from tests.hub.test_browser import offered, opened

pytestmark = pytest.mark.browser

# how often it ran outlives the page
CART = """<!doctype html><title>Cart</title><script>document.modelContext.registerTool({ name: 'get_cart',
  description: 'Shows the cart', inputSchema: { type: 'object' }, annotations: { cache: true },
  execute: async () => { localStorage.ran = Number(localStorage.ran ?? 0) + 1; return `run ${localStorage.ran}`; } })
  </script>"""
CACHED = r"website_tool_127_0_0_1_\d+_get_cart"


async def test_a_cached_tool_s_own_tab_travels_back_and_the_person_s_stay_where_they_are(
    shared: GatewayProcess, site: Site
) -> None:
    site.pages["/cart"], site.pages["/help"] = CART, "<title>Help</title>"
    async with connect(shared, toolsets="hub,focus") as agent:
        await agent.call("connect_browser", launch=True)
        first = await opened(agent, f"{site.url}/cart")
        [cached] = await offered(agent, CACHED)
        await agent.call("close_tab", tabId=first)
        await listed(agent, cached, without=cached.replace("_get", "_tab1_get"))
        with cdp_of(shared) as cdp:
            # a tab of the same site that nobody opened for the tool
            theirs = cdp.send("Target.createTarget", url=f"{site.url}/help?theirs")["targetId"]
            assert "run 1" in str((await agent.result(cached)).content)
            [ours] = cdp.targets("page", "/cart")
            cdp.in_page("/cart", "location.href = '/help?ours'")
            await asyncio.to_thread(until, lambda: cdp.targets("page", "/help?ours"))
            await hub_once(agent, {cached}.__eq__)
            assert "run 2" in str((await agent.result(cached)).content)
            assert [each["targetId"] for each in cdp.targets("page", "/cart")] == [ours["targetId"]], "the same tab"
            assert [each["targetId"] for each in cdp.targets("page", "/help")] == [theirs]
            cdp.send("Target.closeTarget", targetId=theirs)
            cdp.send("Target.closeTarget", targetId=ours["targetId"])
    assert shared.run("cache", "clear").returncode == 0


async def test_a_killed_gateway_keeps_its_cached_tools_and_a_call_opens_the_page_and_runs_once(
    tmp_path: Path, site: Site
) -> None:
    site.pages["/cart"] = CART
    with running(tmp_path / "home") as gateway:
        async with browser(tmp_path, gateway.extension_port) as cdp:
            await pair(gateway, cdp)
            async with connect(gateway, toolsets="hub") as agent:
                await agent.names()
                target = cdp.send("Target.createTarget", url=f"{site.url}/cart")["targetId"]
                [cached] = await offered(agent, CACHED)
                cdp.send("Target.closeTarget", targetId=target)
                await listed(agent, cached, without=cached.replace("_get", "_tab1_get"))
            gateway.kill()
            gateway.start()
            async with connect(gateway, toolsets="hub") as agent:
                assert await hub_tools(agent) == {cached}
                assert "run 1" in str((await agent.result(cached)).content)
                assert "run 2" in str((await agent.result(cached)).content)
                assert cdp.in_page("/cart", "localStorage.ran") == "2", "once for each call"
                assert len(cdp.targets("page", "/cart")) == 1


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_a_modern_client_that_listens_is_told_of_the_hub_s_list(
    shared_hub: GatewayProcess, transport: str
) -> None:
    name = "website_tool_shop_example_tab1_buy"
    async with (
        peer(shared_hub, tab(5, "https://shop.example")) as page,
        connect(shared_hub, "http" if transport == "http" else "stdio", "modern", toolsets="hub") as agent,
    ):
        assert agent.client is not None
        assert name not in await hub_tools(agent)
        async with agent.client.listen(tools_list_changed=True) as notices, asyncio.timeout(10):
            await page.register(5, "https://shop.example", tool("buy"))
            await anext(aiter(notices))
            assert name in await hub_tools(agent)
            await page.say(type="tabClosed", tabId=5)
            await anext(aiter(notices))
            assert name not in await hub_tools(agent)


async def test_whatever_real_tabs_do_the_list_ends_up_theirs_and_calls_land(shared: GatewayProcess) -> None:
    sites = [Site() for _ in range(3)]
    async with connect(shared, toolsets="hub,focus") as agent:
        await agent.call("connect_browser", launch=True)
        with cdp_of(shared) as cdp:
            churn = Churn(cdp, sites, most_tabs=8, most_tools=5, seed=11)
            steps, _ = await survives(agent, churn, seconds=5)
            assert steps > 5, "something happened"
            for each in churn.tabs:
                cdp.send("Target.closeTarget", targetId=each.target)
    for made in sites:
        made.close()
