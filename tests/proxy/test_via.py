"""A real browser behind a real proxy, driven by stdio clients of a gateway that reaches it with `serve --via`."""

import asyncio
import re
import signal
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import mcp_types as types
import pytest

from tests.clients import Agent, connect
from tests.conftest import Site
from tests.gateway import GatewayProcess, until
from tests.hub.agents import hub_once
from tests.proxy.far import EXTENSION, SLOW_S, Behind, OptionsPage, behind

pytestmark = pytest.mark.browser

SHOP = """<title>Shop</title><form role=search action="/found"><input name=q aria-label="Search shop">
<button>Search shop</button></form><h1>Shop</h1><button onclick="this.textContent = 'Pressed'">Press me</button>
<label>Report <input type=file onchange="this.files[0].text().then((all) => document.title = all.slice(0, 20))"></label>
<script>document.modelContext.registerTool({ name: 'greet', description: 'Greets', inputSchema: { type: 'object',
  properties: { who: { type: 'string' } } }, execute: async ({ who }) => `Hello ${who}` })</script>"""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Behind]:
    """A browser whose person has entered the proxy on the options page."""
    with behind(tmp_path_factory.mktemp("behind")) as made:
        with made.cdp() as cdp:
            page = OptionsPage(cdp)
            page.enter(made.url, made.extension_token())
            page.shows("Connected as alice")
            page.close()
        yield made


@pytest.fixture(scope="module")
def far(world: Behind) -> Iterator[GatewayProcess]:
    with world.far() as gateway:
        yield gateway


@asynccontextmanager
async def at_work(far: GatewayProcess, site: Site, toolsets: str = "focus,automation") -> AsyncGenerator[Agent]:
    """A client with the shop in a tab of its own."""
    site.pages["/shop"] = SHOP
    async with connect(far, toolsets=toolsets) as agent:
        assert (await agent.call("connect_browser"))["connected"] is True
        await agent.call("open_tab", url=f"{site.url}/shop")
        yield agent
        await agent.call("close_tab")


async def offers(agent: Agent, name: str) -> None:
    await agent.offered(name, seconds=SLOW_S)


def text_of(result: types.CallToolResult) -> str:
    assert not result.is_error, result.content
    return "\n".join(part.text for part in result.content if isinstance(part, types.TextContent))


async def test_tools_of_the_page_work(far: GatewayProcess, site: Site) -> None:
    async with at_work(far, site) as agent:
        await offers(agent, "search_shop")
        await offers(agent, "greet")
        assert "Hello Ada" in text_of(await agent.result("greet", who="Ada"))
        assert "/found?q=tea" in text_of(await agent.result("search_shop", query="tea"))


async def test_automation_works(far: GatewayProcess, site: Site) -> None:
    async with at_work(far, site) as agent:
        assert "Press me" in text_of(await agent.result("read_page"))
        found = text_of(await agent.result("find", query="press me button"))
        ref = re.search(r"\be\d+\b", found)
        assert ref is not None, found
        await agent.result("computer", action="left_click", ref=ref.group())
        assert "Pressed" in text_of(await agent.result("get_page_text"))
        answer = text_of(await agent.result("javascript_tool", text="console.log('from afar'); document.title"))
        assert "Shop" in answer
        shot = await agent.result("computer", action="screenshot")
        assert any(isinstance(part, types.ImageContent) for part in shot.content)
        assert "found" in text_of(await agent.result("navigate", url=f"{site.url}/found"))


async def test_what_the_debugger_tells_comes_through(far: GatewayProcess, site: Site) -> None:
    async with at_work(far, site) as agent:
        await agent.result("read_console_messages")
        await agent.result("javascript_tool", text="console.log('heard from afar'); 1")
        assert "heard from afar" in text_of(await agent.result("read_console_messages"))


async def test_a_file_of_the_gateways_machine_travels_to_the_browsers(
    far: GatewayProcess, site: Site, tmp_path: Path
) -> None:
    report = tmp_path / "report.txt"
    report.write_text("read from afar" + " " * 1_500_000)
    site.pages["/shop"] = SHOP
    async with connect(far, upload_dirs=str(tmp_path)) as agent:
        await agent.call("connect_browser")
        await agent.call("open_tab", url=f"{site.url}/shop")
        ref = re.search(r"\be\d+\b", text_of(await agent.result("find", query="report file input")))
        assert ref is not None
        await agent.result("file_upload", ref=ref.group(), paths=[str(report)])
        async with asyncio.timeout(SLOW_S):
            while "read from afar" not in text_of(await agent.result("javascript_tool", text="document.title")):
                pass
        await agent.call("close_tab")


async def test_the_hub_works(far: GatewayProcess, site: Site) -> None:
    async with at_work(far, site, "focus,hub") as agent:
        names = await hub_once(agent, lambda names: any(name.endswith("_greet") for name in names), SLOW_S)
        greet = next(name for name in names if name.endswith("_greet"))
        assert "Hello Bob" in text_of(await agent.result(greet, who="Bob"))


def ups(far: GatewayProcess) -> int:
    return far.log().count("is up, through the proxy")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
async def test_after_a_restart_of_the_proxy_the_next_call_works(
    world: Behind, far: GatewayProcess, site: Site, number: int
) -> None:
    async with at_work(far, site) as agent:
        before, changes, links = await agent.call("list_tabs"), agent.changes, ups(far)
        await asyncio.to_thread(world.stop_proxy, number)
        await asyncio.to_thread(world.start_proxy)
        await asyncio.to_thread(until, lambda: ups(far) > links, SLOW_S)
        assert "Shop" in text_of(await agent.result("javascript_tool", text="document.title"))
        assert (await agent.call("list_tabs"))["focusedTabId"] == before["focusedTabId"]
        assert agent.changes == changes, "nobody is told of what lasted a moment"
        await offers(agent, "greet")
        assert "Hello again" in text_of(await agent.result("greet", who="again"))


async def test_while_the_proxy_is_away_nothing_hangs(world: Behind, far: GatewayProcess, site: Site) -> None:
    visits = site.slow("/begun", 0.0)
    async with at_work(far, site) as agent:
        links = ups(far)
        script = f"fetch('{site.url}/begun', {{mode: 'no-cors'}}); await new Promise(() => {{}})"
        under_way = asyncio.create_task(agent.result("javascript_tool", text=script))
        await asyncio.to_thread(visits.get, timeout=SLOW_S)
        await asyncio.to_thread(world.stop_proxy)
        result = await asyncio.wait_for(under_way, SLOW_S)
        assert (result.structured_content or {})["error"]["code"] == "outcome_unknown"
        meanwhile = await asyncio.wait_for(agent.result("get_page_text"), SLOW_S)
        assert (meanwhile.structured_content or {})["error"]["code"] == "browser_not_connected"
        told = await asyncio.wait_for(agent.call("connect_browser"), SLOW_S)
        assert (told["connected"], told["error"]) == (False, "The link to the browser is down")
        assert f"The proxy {world.url}/mcp does not answer" in told["instructions"]
        assert [browser["reachable"] for browser in far.status()["browsers"]] == [False]
        await asyncio.to_thread(world.start_proxy)
        await asyncio.to_thread(until, lambda: ups(far) > links, SLOW_S)
        assert "Shop" in text_of(await agent.result("get_page_text"))


@pytest.mark.parametrize("how", ["worker stopped", "extension reloaded"])
async def test_a_session_outlives_the_extensions_restart(
    world: Behind, far: GatewayProcess, site: Site, how: str
) -> None:
    async with at_work(far, site) as agent:
        before = await agent.call("list_tabs")
        downs = far.log().count("is down")
        with world.cdp() as cdp:
            if how == "worker stopped":
                cdp.stop_workers(EXTENSION)
            else:
                cdp.in_extension(EXTENSION, "setTimeout(() => chrome.runtime.reload(), 0)")
            await asyncio.to_thread(until, lambda: far.log().count("is down") > downs, SLOW_S)
        assert "Shop" in text_of(await agent.result("get_page_text"))
        assert (await agent.call("list_tabs"))["focusedTabId"] == before["focusedTabId"]


async def test_another_users_gateway_never_sees_the_browser(world: Behind, far: GatewayProcess, site: Site) -> None:
    with world.far("mallory", "other", TABWRIGHT_CONNECT_WAIT_S="2") as other:
        async with at_work(far, site), connect(other) as stranger:
            until(lambda: other.status()["via"]["state"] == "connected")
            assert (await stranger.call("connect_browser"))["connected"] is False
            assert other.status()["browsers"] == []
            error = await stranger.refused("connect_browser", launch=True)
            assert "launches none of its own" in error["message"]


async def test_two_gateways_of_one_user_share_the_browser_and_keep_apart(
    world: Behind, far: GatewayProcess, site: Site
) -> None:
    with world.far("alice", "second") as second:
        async with at_work(far, site) as one, connect(second) as two, connect(world.near) as here:
            await two.call("connect_browser")
            opened = await two.call("open_tab", url=f"{site.url}/two")
            await here.call("connect_browser")
            shown = {tab["url"] for tab in (await here.call("list_tabs"))["tabs"]}
            assert {f"{site.url}/shop", f"{site.url}/two"} <= shown
            assert "Shop" in text_of(await one.result("get_page_text"))
            assert "/two" in text_of(await two.result("javascript_tool", text="location.pathname"))
            await two.call("close_tab", tabId=opened["tab"]["id"])


async def test_several_browsers_of_a_user_are_offered_by_name(world: Behind, far: GatewayProcess) -> None:
    extension, _ = world.proxy.extension("alice")
    tabs = [{"id": 7, "title": "Elsewhere", "url": "https://elsewhere.example/"}]

    def serve() -> None:
        # an extension that knows proxy.md and nothing of ours
        while True:
            asked = extension.hear(SLOW_S)
            if asked.get("method") == "getTabs":
                extension.say({"jsonrpc": "2.0", "id": asked["id"], "result": {"tabs": tabs}})
                return
            if "id" in asked:
                error = {"code": -32601, "message": "Unknown command"}
                extension.say({"jsonrpc": "2.0", "id": asked["id"], "error": error})

    await asyncio.to_thread(serve)
    await asyncio.to_thread(until, lambda: len(far.status()["browsers"]) == 2, SLOW_S)
    async with connect(far) as agent:
        error = await agent.refused("connect_browser")
        assert error["code"] == "choose_browser"
        assert "Chrome 141" in error["message"]
        [stranger] = [browser for browser in far.status()["browsers"] if browser["name"] == "Chrome"]
        await agent.call("select_browser", browserId=stranger["id"])
        assert [tab["title"] for tab in (await agent.call("list_tabs"))["tabs"]] == ["Elsewhere"]
    extension.close()
    await asyncio.to_thread(until, lambda: len(far.status()["browsers"]) == 1, SLOW_S)


async def test_a_person_who_switches_the_server_off_is_obeyed(world: Behind, far: GatewayProcess) -> None:
    with world.cdp() as cdp:
        page = OptionsPage(cdp)
        page.shows("Connected as alice")
        page.press("#servers .switch")
        page.shows("Off")
        await asyncio.to_thread(until, lambda: far.status()["browsers"] == [], SLOW_S)
        page.press("#servers .switch")
        page.shows("Connected as alice")
        await asyncio.to_thread(until, lambda: far.status()["browsers"], SLOW_S)
        page.close()


async def test_neither_gateway_nor_proxy_writes_a_token_down(world: Behind, far: GatewayProcess) -> None:
    written = [
        far.log(),
        world.near.log(),
        world.proxy.log,
        *(far.run("status", *more).stdout for more in ((), ("--json",))),
    ]
    assert not [text for text in written if re.search(r"eyJ[\w-]+\.", text)]
