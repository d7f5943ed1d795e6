"""Pages written for WebMCP as it was in Chromium 146 to 152, on `navigator`, with the methods it had then."""

import pytest

from tests.clients import Agent, connect
from tests.conftest import Site, cdp_of
from tests.gateway import GatewayProcess

pytestmark = pytest.mark.browser

OLD = """<!doctype html><title>Old</title><script>
const context = navigator.modelContext;
const named = (name, execute = async () => name) => ({ name, description: `Does ${name}`, execute });
context.provideContext({ tools: [named('home'), named('asks', async (args, client) =>
  `${Object.keys(client)}: ${await client.requestUserInteraction(async () => 'yes')}`)] });
context.registerTool(named('cart'));
window.seen = [];
context.addEventListener('toolchange', () => seen.push('toolchange'));
</script>"""


async def opened(agent: Agent, site: Site, page: str, *names: str) -> None:
    site.pages["/older"] = page
    await agent.call("connect_browser", launch=True)
    await agent.call("open_tab", url=f"{site.url}/older")
    await agent.offered(*names)


async def offered(agent: Agent, *names: str) -> None:
    """Exactly these of the tools that the pages here have."""
    known = {"home", "asks", "cart", "away"}
    await agent.once(agent.names, lambda listed: known & set(listed) == set(names))


async def test_tools_come_and_go_by_the_methods_of_then(browser: GatewayProcess, site: Site) -> None:
    async with connect(browser) as agent:
        await opened(agent, site, OLD, "home", "asks", "cart")
        assert "signal: yes" in str((await agent.result("asks")).content)
        with cdp_of(browser) as cdp:
            cdp.in_page("/older", "context.unregisterTool('cart')")
            await offered(agent, "home", "asks")
            # as effects of frameworks do when they are run twice
            again = "context.unregisterTool('cart'); context.registerTool(named('cart'))"
            cdp.in_page("/older", f"context.registerTool(named('cart')); {again}; 1")
            await offered(agent, "home", "asks", "cart")
            cdp.in_page("/older", "context.provideContext({ tools: [named('home'), named('away')] })")
            await offered(agent, "home", "away")
            assert "home" in str((await agent.result("home")).content)
            assert cdp.in_page("/older", "seen.length") > 0
            cdp.in_page("/older", "context.clearContext()")
            await offered(agent)
        await agent.call("close_tab")


async def test_a_tool_ends_with_the_signal_or_the_handle_of_its_registration(
    browser: GatewayProcess, site: Site
) -> None:
    async with connect(browser) as agent:
        await opened(agent, site, OLD, "home", "asks", "cart")
        with cdp_of(browser) as cdp:
            signal = "const ends = new AbortController(); window.ends = ends"
            cdp.in_page("/older", f"{signal}; context.registerTool(named('away'), {{ signal: ends.signal }}); 1")
            await offered(agent, "home", "asks", "cart", "away")
            cdp.in_page("/older", "ends.abort()")
            await offered(agent, "home", "asks", "cart")
            cdp.in_page("/older", "window.handle = context.registerTool(named('away')); 1")
            await offered(agent, "home", "asks", "cart", "away")
            cdp.in_page("/older", "handle.unregister()")
            await offered(agent, "home", "asks", "cart")
            assert cdp.in_page("/older", "context.registerTool(named('cart')).catch(({ name }) => name)") == (
                "InvalidStateError"
            ), "and the first one of its name is still the one to take back"
            cdp.in_page("/older", "context.unregisterTool('cart')")
            await offered(agent, "home", "asks")
        await agent.call("close_tab")
