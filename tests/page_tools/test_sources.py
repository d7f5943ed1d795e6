"""Tools that pages register, whatever they are built with: listed, called, updated, removed, through a real client."""

import asyncio
from pathlib import Path

import pytest

from tests.clients import Agent, Transport, connect
from tests.conftest import Site, cdp_of
from tests.gateway import GatewayProcess, until
from tests.page_tools import pages

pytestmark = pytest.mark.browser

KINDS = ["webmcp", "webmcp old", "mcp-b 1.4", "mcp-b 4.0", "mcp-b 5.1", "server", "server 1"]


def page(kind: str) -> str:
    match kind.split():
        case ["webmcp"]:
            return pages.webmcp()
        case ["webmcp", "old"]:
            return pages.webmcp(context="navigator.modelContext")
        case ["mcp-b", generation]:
            return pages.mcpb(generation)
        case ["server", "1"]:
            return pages.server(transport="OldTabServerTransport")
        case _:
            return pages.server()


async def listed(agent: Agent, *names: str, without: str = "") -> None:
    """Wait until all of these are in the list, and that one is not."""
    await agent.once(agent.names, lambda there: set(names) <= set(there) and without not in there)


@pytest.mark.parametrize("kind", KINDS)
async def test_whatever_a_page_is_built_with_its_tools_are_there(
    browser: GatewayProcess, site: Site, kind: str
) -> None:
    site.pages["/tools"] = page(kind)
    async with connect(browser) as agent:
        await agent.call("connect_browser", launch=True)
        await agent.call("open_tab", url=f"{site.url}/tools")
        await listed(agent, "add", "fail", "wait")
        tools = {tool.name: tool for tool in await agent.tools()}
        assert tools["add"].description == f"[{site.url}] Adds two numbers"
        assert set(tools["add"].input_schema["properties"]) == {"a", "b"}

        added = await agent.result("add", a=2, b=3)
        assert not added.is_error
        assert "5" in str(added.content)
        failed = await agent.result("fail")
        assert failed.is_error
        refused = await agent.refused("add", a="two", b=3)
        assert refused["code"] == "invalid_arguments", "checked before the page sees it"

        with cdp_of(browser) as cdp:
            cdp.in_page("/tools", "page.add('late')")
            await listed(agent, "late")
            assert "late" in str((await agent.result("late")).content)
            cdp.in_page("/tools", "page.remove('late')")
            await listed(agent, "add", without="late")
        await agent.call("close_tab")


async def test_what_our_scripts_share_is_no_global_of_any_page(browser: GatewayProcess, site: Site) -> None:
    look = "name = JSON.stringify(Reflect.ownKeys(window).map(String).filter((key) => /tabwright/i.test(key)))"
    site.pages["/globals"] = f"<script>{look}</script><iframe srcdoc='<script>{look}</script>'></iframe><p>Shown</p>"
    async with connect(browser) as agent:
        await agent.call("connect_browser", launch=True)
        await agent.call("open_tab", url=f"{site.url}/globals")
        with cdp_of(browser) as cdp:
            found = "document.readyState === 'complete' && [name, frames[0].name]"
            assert await asyncio.to_thread(until, lambda: cdp.in_page("/globals", found)) == ["[]", "[]"]
        await agent.call("close_tab")


async def test_annotated_forms_are_tools(browser: GatewayProcess, site: Site) -> None:
    site.pages["/annotated"] = pages.forms()
    async with connect(browser) as agent:
        await agent.call("connect_browser", launch=True)
        await agent.call("open_tab", url=f"{site.url}/annotated")
        await listed(agent, "search_flights", "contact_us", "go_away")
        found = await agent.result(
            "search_flights", **{"from": "SFO", "day": "2026-12-01", "passengers": 2, "cabin": "biz"}
        )
        assert not found.is_error, found.content
        assert "SFO" in str(found.content)
        await agent.call("close_tab")


async def test_a_form_that_the_page_registers_itself_is_one_tool_and_the_page_s_own(
    browser: GatewayProcess, site: Site
) -> None:
    site.pages["/registered"] = """<title>Registered</title><script type=module>
    const execute = async () => 'mine';
    await document.modelContext.registerTool({ name: 'subscribe', description: 'By the page', execute });
    document.body.innerHTML = `<form toolname=subscribe tooldescription="By the form" toolautosubmit>
      <input name=email><button>Subscribe</button></form>`;
    </script>"""
    async with connect(browser) as agent:
        await agent.call("connect_browser", launch=True)
        await agent.call("open_tab", url=f"{site.url}/registered")
        await listed(agent, "subscribe")
        tools = {tool.name: tool for tool in await agent.tools()}
        assert tools["subscribe"].description == f"[{site.url}] By the page"
        assert "mine" in str((await agent.result("subscribe")).content)
        await agent.call("close_tab")


# A server in the page's own words, on the wire of @mcp-b, which shows a moment later what the page registered.
LATE_SERVER = """<title>Late</title><script>
let shown = [];
const say = (payload) =>
  postMessage({ channel: 'mcp-default', type: 'mcp', direction: 'server-to-client', payload }, '*');
addEventListener('message', ({ data }) => {
  if (data?.direction !== 'client-to-server') return;
  const { payload } = data;
  if (payload === 'mcp-check-ready') return say('mcp-server-ready');
  const results = { initialize: { protocolVersion: '2025-06-18', capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'late', version: '1' } }, 'tools/list': { tools: shown } };
  if (payload.id) say({ jsonrpc: '2.0', id: payload.id, result: results[payload.method] });
});
say('mcp-server-ready');
window.offer = (name) => {
  document.modelContext.registerTool({ name, description: 'In the browser', execute: async () => 'x' });
  setTimeout(() => {
    shown = [...shown, { name, description: 'On the wire', inputSchema: { type: 'object' } }];
    say({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
  }, 12);
};
offer('first');
</script>"""


async def test_what_comes_on_the_wire_a_moment_later_is_listed_once(browser: GatewayProcess, site: Site) -> None:
    site.pages["/late"] = LATE_SERVER
    async with connect(browser) as agent:
        await agent.call("connect_browser", launch=True)
        await agent.call("open_tab", url=f"{site.url}/late")
        await listed(agent, "first")
        with cdp_of(browser) as cdp:
            cdp.in_page("/late", "new Promise((done) => setTimeout(done, 600))")
            cdp.in_page("/late", "offer('second')")
        await listed(agent, "second")
        second = next(tool for tool in await agent.tools() if tool.name == "second")
        assert second.description == f"[{site.url}] On the wire"
        await agent.call("close_tab")


async def test_forms_are_tools_also_of_a_page_that_is_still_being_parsed(browser: GatewayProcess, site: Site) -> None:
    site.slow("/held.js", 60)
    site.pages["/parsing"] = f"<title>Parsing</title>{pages.FORMS}<script src=/held.js></script><p>Later"
    async with connect(browser) as agent:
        await agent.call("connect_browser", launch=True)
        await agent.call("open_tab", url=f"{site.url}/parsing")
        await listed(agent, "search_flights", "contact_us")
        with cdp_of(browser) as cdp:
            assert cdp.in_page("/parsing", "document.readyState") == "loading"
        await agent.call("close_tab")


async def test_a_tool_that_took_another_s_name_is_not_run_before_it_was_listed(
    browser: GatewayProcess, site: Site
) -> None:
    site.pages["/routes"] = pages.webmcp()
    async with connect(browser) as agent:
        await agent.call("connect_browser", launch=True)
        await agent.call("open_tab", url=f"{site.url}/routes")
        with cdp_of(browser) as cdp:
            cdp.in_page("/routes", "page.add('pay')")
            await listed(agent, "pay")
            # told just now, so that the next news of the page wait for half a second
            other = "{ description: 'Pays everything', execute: async () => { window.paid = true; return {}; } }"
            cdp.in_page("/routes", f"page.remove('pay'); page.add('pay', {other})")
            refused = await agent.refused("pay")
            assert refused["code"] == "stale_target"
            assert cdp.in_page("/routes", "window.paid") is None
            await listed(agent, "pay")
            assert not (await agent.result("pay")).is_error
            assert cdp.in_page("/routes", "window.paid") is True
        await agent.call("close_tab")


async def test_what_a_tool_of_the_page_makes_of_the_list_is_there_with_its_answer(
    browser: GatewayProcess, site: Site
) -> None:
    site.pages["/routes"] = pages.webmcp()
    async with connect(browser) as agent:
        await agent.call("connect_browser", launch=True)
        await agent.call("open_tab", url=f"{site.url}/routes")
        with cdp_of(browser) as cdp:
            turn = "async () => { page.remove('home'); await page.add('cart'); return {}; }"
            cdp.in_page("/routes", f"page.add('home'); page.add('turn', {{ execute: {turn} }})")
            await listed(agent, "home", "turn")
            changes = agent.changes
            assert not (await agent.result("turn")).is_error
            assert agent.changes > changes
            names = await agent.names()
            assert ("cart" in names, "home" in names) == (True, False)
        await agent.call("close_tab")


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_a_modern_client_names_the_tab(browser: GatewayProcess, site: Site, transport: Transport) -> None:
    site.pages["/tools"] = pages.webmcp()
    async with connect(browser, transport, "modern") as agent:
        await agent.call("connect_browser", launch=True)
        tab_id = (await agent.call("open_tab", url=f"{site.url}/tools"))["tab"]["id"]
        told = await agent.call("page_tools", tabId=tab_id)
        async with asyncio.timeout(5):
            while "add" not in [tool["name"] for tool in told["tools"]]:
                told = await agent.call("page_tools", tabId=tab_id)
        assert told["origin"] == site.url
        result = await agent.result("call_page_tool", tabId=tab_id, name="add", arguments={"a": 20, "b": 3})
        assert "23" in str(result.content)
        listed_tabs = (await agent.call("list_tabs"))["tabs"]
        assert next(tab for tab in listed_tabs if tab["id"] == tab_id)["toolCount"] >= 3
        await agent.call("close_tab", tabId=tab_id)


async def test_tools_of_frames_are_listed_with_their_own_origin(browser: GatewayProcess, site: Site) -> None:
    other = site.url.replace("127.0.0.1", "localhost")
    site.pages["/inner"] = pages.server()
    site.pages["/outer"] = pages.framed(f"{other}/inner")
    async with connect(browser) as agent:
        await agent.call("connect_browser", launch=True)
        await agent.call("open_tab", url=f"{site.url}/outer")
        await listed(agent, "add")
        tools = {tool.name: tool for tool in await agent.tools()}
        assert tools["add"].description == f"[{other}] Adds two numbers"
        assert "7" in str((await agent.result("add", a=3, b=4)).content)
        await agent.call("close_tab")


async def test_a_page_that_leaves_takes_its_tools_along(browser: GatewayProcess, site: Site) -> None:
    site.pages["/tools"] = pages.webmcp()
    async with connect(browser) as agent:
        await agent.call("connect_browser", launch=True)
        await agent.call("open_tab", url=f"{site.url}/tools")
        await listed(agent, "add")
        with cdp_of(browser) as cdp:
            cdp.in_page("/tools", "location.href = '/plain'; 1")
        await listed(agent, "close_tab", without="add")
        with cdp_of(browser) as cdp:
            cdp.in_page("/plain", "history.back(); 1")
        await listed(agent, "add")
        await agent.call("close_tab")


def test_the_pages_are_built_with_what_they_claim() -> None:
    assert Path(pages.PACKAGES / pages.GLOBALS["1.4"] / "package.json").exists()


@pytest.mark.parametrize(("holder", "address"), [("iframe", "src"), ("object", "data"), ("embed", "src")])
async def test_a_server_in_a_frame_of_any_kind_goes_with_its_document(
    browser: GatewayProcess, site: Site, holder: str, address: str
) -> None:
    site.pages["/child"] = pages.CHILD
    site.pages["/parent"] = f"<title>Parent</title><{holder} {address}=/child type=text/html>"
    async with connect(browser) as agent:
        await agent.call("connect_browser", launch=True)
        await agent.call("open_tab", url=f"{site.url}/parent")
        await listed(agent, "child")
        with cdp_of(browser) as cdp:
            cdp.in_page("/parent", f"document.querySelector('{holder}').{address} = '/gone'")
        # not only when its answers are waited for no longer
        await agent.once(agent.names, lambda names: "child" not in names, 4)
        await agent.call("close_tab")
