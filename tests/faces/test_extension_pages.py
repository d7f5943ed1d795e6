"""The extension's own pages, as a person meets them: by keyboard alone, in light and dark, narrow and wide."""

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import BrowserContext, expect
from playwright.async_api import Error as PlaywrightError
from websockets.asyncio.server import ServerConnection, serve

from tabwright.edges.chrome.extension_files import unpack_extension
from tests.cdp import Cdp
from tests.clients import connect
from tests.conftest import Site
from tests.faces.extension_page import SLOW_S, ExtensionPage, window
from tests.gateway import TABWRIGHT, GatewayProcess, running, until
from tests.own_browser import browser, pair

# each page is looked at by axe several times, which takes long on a busy machine
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.browser, pytest.mark.timeout(240)]

SCRIPT = "document.title = 'changed'; 40 + 2"
CHIP_COLORS = "[...document.querySelectorAll('#filters .chip .mark')].map(each => each.dataset.color)"
GROUPED = "chrome.tabs.query({}).then(tabs => tabs.filter(tab => tab.groupId !== -1).length)"
DEBUGGED = """chrome.tabs.query({}).then(tabs => Promise.all(tabs.map(tab => chrome.debugger
    .sendCommand({tabId: tab.id}, 'Runtime.evaluate', {expression: '1'}).then(() => 1, () => 0))))
    .then(each => each.reduce((sum, one) => sum + one, 0))"""


@dataclass(frozen=True)
class Home:
    """A person's browser, paired with their gateway."""

    gateway: GatewayProcess
    context: BrowserContext

    async def open(self, name: str) -> ExtensionPage:
        return await ExtensionPage.open(self.context, name)

    async def met(self, name: str) -> ExtensionPage:
        return await ExtensionPage.met(self.context, name)


@asynccontextmanager
async def own_browser(folder: Path, port: int, **config: object) -> AsyncGenerator[tuple[Cdp, BrowserContext]]:
    async with browser(folder, port, **config) as cdp, window(cdp) as context:  # type: ignore[arg-type]
        yield cdp, context


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def paired(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Home]:
    folder = tmp_path_factory.mktemp("paired")
    with running(folder / "home") as gateway:
        async with own_browser(folder, gateway.extension_port) as (cdp, context):
            await pair(gateway, cdp)
            yield Home(gateway, context)


@pytest_asyncio.fixture(loop_scope="module")
async def home(paired: Home) -> AsyncIterator[Home]:
    """The same one for every test, each of which finds no page of the extension open."""
    yield paired
    for page in paired.context.pages:
        if "/ui/" in page.url or "127.0.0.1" in page.url:
            await page.close()


def shop(site: Site, path: str = "/shop") -> str:
    return site.url.replace("127.0.0.1", "shop.test") + path


async def icon_says(page: ExtensionPage, badge: str, title: str) -> None:
    """The icon's badge and title, once they are so."""
    says = "Promise.all([chrome.action.getBadgeText({}), chrome.action.getTitle({})])"
    async with asyncio.timeout(SLOW_S):
        while await page.run(says) != [badge, f"tabwright: {title}"]:  # noqa: ASYNC110 - an icon tells nobody
            await asyncio.sleep(0.05)


async def test_the_popup_does_everything_by_keyboard_and_the_icon_tells_it(home: Home, site: Site) -> None:
    async with connect(home.gateway) as agent:
        popup = await home.open("popup.html")
        await popup.shows("Connected", "No agent holds a tab")
        await icon_says(popup, "", "connected")
        await popup.check()

        await agent.call("connect_browser")
        tab = (await agent.call("open_tab", url=shop(site)))["tab"]["id"]
        await popup.shows("mcp", "1 tab", "/shop")
        await icon_says(popup, "1", "agents at work in 1 tab")

        calling = asyncio.create_task(agent.result("javascript_tool", text=SCRIPT))
        await popup.shows("May mcp run scripts", "Show details", "Without an answer it is refused in")
        await icon_says(popup, "?", "a question waits for you")
        await popup.answerable()
        await popup.check()
        await popup.tab_to("Show details")
        await popup.press("Enter")
        await popup.shows(SCRIPT)
        await popup.tab_to("Always on this site")
        await popup.press("Enter")
        assert not (await calling).is_error
        await popup.lacks("May mcp run scripts")
        await popup.shows("Allowed for longer")
        await popup.tab_to("Allowed for longer")
        await popup.press("Enter")
        await popup.shows(f"{shop(site, '')}: run scripts", "mcp · always")
        await popup.check()
        await popup.tab_to(f"Revoke: mcp may run scripts on {shop(site, '')}")
        await popup.press("Space")
        await popup.lacks("Allowed for longer")
        assert "No grants" in home.gateway.run("grants").stdout
        assert '"by": "popup"' in home.gateway.run("audit", "--kind", "grant", "--json").stdout

        await popup.tab_to("Stop mcp")
        await popup.press("Enter")
        await popup.shows("stopped", "Resume")
        assert await popup.focused() == "Resume mcp", "the focus stays where it was"
        await icon_says(popup, "", "stopped, 1 tab held")
        await popup.press("Enter")
        await popup.shows("1 tab")
        assert await popup.run(GROUPED) == 1
        forever = asyncio.create_task(agent.refused("javascript_tool", text="new Promise(() => {})"))
        await popup.answerable()
        await popup.page.get_by_text("Allow once").click()
        await popup.lacks("May mcp run scripts")
        assert await popup.run(DEBUGGED) == 1
        await popup.tab_to("Take back")
        await popup.press("Enter")
        await popup.shows("holds no tab right now")
        assert f"The person took tab {tab} back" in (await forever)["message"]
        await popup.page.wait_for_function(f"async () => await {GROUPED} === 0")
        assert await popup.run(DEBUGGED) == 0
        assert (await agent.refused("close_tab", tabId=tab))["code"] == "tab_not_held"

    await popup.tab_to("Connect this browser")
    await popup.press("Space")
    await popup.shows("Disconnected")
    await icon_says(popup, "", "disconnected")
    await popup.check()
    await popup.press("Space")
    await popup.shows("Your MCP clients can see")


async def test_several_agents_are_stopped_by_one_press_in_the_popup(home: Home, site: Site) -> None:
    async with connect(home.gateway) as one, connect(home.gateway) as two:
        for agent in (one, two):
            await agent.call("connect_browser")
            await agent.call("open_tab", url=shop(site))
        popup = await home.open("popup.html")
        await popup.shows("2 agents")
        await popup.check()
        await popup.tab_to("Stop all")
        await popup.press("Enter")
        await popup.shows("Resume all")
        assert (await one.refused("read_page"))["code"] == "stopped"
        assert (await two.refused("read_page"))["code"] == "stopped"
        await popup.press("Enter")
        await popup.shows("Stop all")


async def test_a_title_that_is_read_from_the_right_is_cut_at_its_end(home: Home, site: Site) -> None:
    site.pages["/souk"] = f"<title>{'عنوان طويل ' * 9}</title>"
    async with connect(home.gateway) as agent:
        await agent.call("connect_browser")
        await agent.call("open_tab", url=shop(site, "/souk"))
        popup = await home.open("popup.html")
        await popup.shows("عنوان")
        title = "getComputedStyle(document.querySelector('.title'))"
        assert await popup.run(f"[{title}.direction, {title}.textAlign]") == ["rtl", "left"]
        dashboard = await home.context.new_page()
        await dashboard.goto(home.gateway.run("dashboard", "--print-only").stdout.strip())
        held = dashboard.locator(".tab > span", has_text="عنوان").first
        await expect(held).to_have_css("direction", "rtl")
        await expect(held).to_have_css("text-align", "left")
        await dashboard.close()


async def test_the_switch_is_seen_where_the_system_chooses_the_colours(home: Home) -> None:
    popup = await home.open("popup.html")
    await popup.shows("Connected")
    await popup.page.emulate_media(forced_colors="active")
    ground = "getComputedStyle(document.querySelector('{}')).backgroundColor"
    assert await popup.run(ground.format("#switch")) != await popup.run(ground.format("header"))


async def test_a_title_turns_nothing_around(home: Home, site: Site) -> None:
    site.pages["/turned"] = "<meta charset=utf-8><title>invoice\u202efdp.exe</title>"
    async with connect(home.gateway) as agent:
        await agent.call("connect_browser")
        await agent.call("open_tab", url=shop(site, "/turned"))
        popup = await home.open("popup.html")
        await popup.shows("invoicefdp.exe")


async def test_the_side_panel_shows_calls_as_they_end_and_never_what_they_were_given(home: Home, site: Site) -> None:
    async with connect(home.gateway) as one, connect(home.gateway) as two:
        for agent in (one, two):
            await agent.call("connect_browser")
        popup = await home.open("popup.html")
        await popup.shows("Side panel")
        await popup.tab_to("Side panel")
        # it makes room for the panel, often before the key is up again
        with contextlib.suppress(PlaywrightError):
            await popup.press("Enter")
        panel = await home.open("panel.html")
        await panel.shows("connect_browser", "done")

        await one.call("open_tab", url=shop(site))
        await two.result("navigate", url=shop(site, "/two?secret=hunter2"))
        await two.refused("find", query="hunter2", tabId=987_654)
        await panel.shows("open_tab", "navigate", shop(site, ""), "tab not found", "Stop all")
        assert "hunter2" not in await panel.run("document.querySelector('#calls').outerHTML")

        chips = panel.page.locator("#filters .chip")
        calls = panel.page.locator("#calls li")
        before, told = await panel.run(CHIP_COLORS), await calls.count()
        for nth, agent in enumerate((one, two), 1):
            await agent.refused("find", query="tea", tabId=987_655)
            await expect(calls).to_have_count(told + nth)
            assert await panel.run(CHIP_COLORS) == before, "whoever calls, each stays where it is"
        await chips.last.focus()
        await panel.press("Space")
        # one agent's calls, whichever of the two came last
        await expect(calls).not_to_have_count(told + 2)
        assert await calls.count() in (3, 4)
        await expect(panel.page.locator("#filters [aria-pressed=true]")).to_have_text("mcp")
        # Chrome's narrowest panel, zoomed to 200 %
        await panel.check(narrow=180)

        await panel.page.focus("#all")
        await panel.press("Enter")
        await panel.shows("Resume all")
        assert (await one.refused("read_page"))["code"] == "stopped"
        await panel.press("Enter")
        await panel.lacks("Resume all")


async def test_the_side_panel_and_the_dashboard_tell_the_same_of_every_call(home: Home, site: Site) -> None:
    async with connect(home.gateway) as agent:
        await agent.call("connect_browser")
        await agent.call("open_tab", url=shop(site))
        await agent.result("read_page")
        await agent.refused("find", query="tea", tabId=987_654)
        popup = await home.open("popup.html")
        await popup.shows("Dashboard")
        await popup.tab_to("Dashboard")
        async with home.context.expect_page() as opening:
            await popup.press("Enter")
        dashboard = await opening.value
        await expect(dashboard.locator("#link")).to_have_text("Live")
        panel = await home.open("panel.html")
        await expect(panel.page.locator("#calls li").first).to_contain_text("find")
        await expect(dashboard.locator("#calls tbody tr").first).to_contain_text("find")
        await dashboard.set_viewport_size({"width": 1600, "height": 900})
        told = await panel.page.locator("#calls li").evaluate_all(
            "rows => rows.slice(0, 4).map(row => { const at = s => row.querySelector(s).innerText.trim();"
            " return [at('.tool'), at('.outcome'), at('.when')]; })"
        )
        shown = await dashboard.locator("#calls tbody tr").evaluate_all(
            "rows => rows.slice(0, 4).map(row => { const at = s => row.querySelector(s).innerText.trim();"
            " return [at('.tool'), at('.outcome'), `${at('.took')} · ${at('.time')}`]; })"
        )
        assert told == shown
        assert [tool for tool, _, _ in told] == ["find", "read_page", "open_tab", "connect_browser"]


async def test_a_question_is_read_and_refused_by_keyboard(home: Home, site: Site) -> None:
    async with connect(home.gateway) as agent:
        await agent.call("connect_browser")
        await agent.call("open_tab", url=shop(site))
        calling = asyncio.create_task(agent.refused("javascript_tool", text=SCRIPT))
        ask = await home.met("approve.html")
        await ask.shows("May mcp run scripts", SCRIPT)
        await ask.answerable()
        await ask.check(320, 460)
        await ask.tab_to("Allow once")
        # the window is gone before the key is up again
        await ask.run(
            "void setTimeout(() => document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' })), 50)"
        )
        assert (await calling)["code"] == "denied"


async def test_a_server_that_tells_nothing_of_calls_is_said_to(tmp_path: Path) -> None:
    async def hear(socket: ServerConnection) -> None:
        await socket.wait_closed()

    async with serve(hear, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        async with own_browser(tmp_path, port, dialect="tabs") as (_, context):
            panel = await ExtensionPage.open(context, "panel.html")
            await panel.shows("No news from this server", "plain tabs protocol")
            await panel.check()


@pytest.mark.parametrize("name", ["approve.html", "popup.html", "panel.html"])
async def test_sites_of_a_plan_are_struck_out_before_it_is_allowed(tmp_path: Path, name: str) -> None:
    answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    plan = {
        "askId": "plan", "client": "codex", "origin": "", "tool": "update_plan", "kind": "act", "details": [],
        "question": "May codex follow this plan?", "lasting": False, "seconds": 60,
        "choices": ["https://shop.test", "https://bank.test"],
    }  # fmt: skip

    async def ask(socket: ServerConnection) -> None:
        await socket.send(json.dumps({"jsonrpc": "2.0", "id": 7, "method": "askPerson", "params": plan}))
        async for text in socket:
            if (said := json.loads(text)).get("id") == 7:
                answer.set_result(said["result"])

    async with serve(ask, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        async with own_browser(tmp_path, port, dialect="tabs") as (_, context):
            page = await ExtensionPage.met(context, "approve.html")
            if name != "approve.html":
                page = await ExtensionPage.open(context, name)
            await page.shows("May codex follow this plan?", "Sites it may use", "https://bank.test")
            await page.answerable()
            await page.check(320, 480)
            allow = page.page.locator("[data-answer=once]")
            for site in ("https://shop.test", "https://bank.test"):
                await page.tab_to(site)
                await page.press("Space")
            await expect(allow).to_be_disabled()
            await page.check(320, 480)
            await page.press("Shift+Tab")
            await page.press("Space")
            await expect(allow).to_be_enabled()
            await page.tab_to("Allow")
            # its window is gone before the key is up again
            await page.run("void setTimeout(() => document.activeElement.click(), 50)")
            async with asyncio.timeout(SLOW_S):
                assert await answer == {"answer": "once", "chosen": ["https://shop.test"]}


async def test_a_person_is_led_to_the_first_call_once(tmp_path: Path) -> None:
    with running(tmp_path / "home") as gateway:
        gateway.stop()
        async with own_browser(tmp_path, gateway.extension_port, welcome=True) as (cdp, context):
            page = await ExtensionPage.met(context, "welcome.html")
            await page.shows("Let your agent use this browser", "Not running yet", "tabwright serve")
            await page.check()
            gateway.start()
            await page.shows("The gateway is running.", "tabwright pair")
            panel = await ExtensionPage.open(context, "panel.html")
            await panel.shows("No agent can work here now", "tabwright pair")
            await panel.check(narrow=180)
            await panel.page.close()
            await expect(page.page.locator("#form")).to_be_hidden()

            command = await asyncio.create_subprocess_exec(
                TABWRIGHT, "pair", "--print-only", env=gateway.env, stdout=asyncio.subprocess.PIPE
            )
            assert command.stdout is not None
            async with asyncio.timeout(SLOW_S):
                said = ""
                while not (found := re.search(r"chrome-extension://\S+#([0-9a-f]{32})", said)):
                    said += (await command.stdout.readline()).decode()
            await page.shows("The gateway waits for its key.")
            assert (await page.focused()).startswith("Pairing key")
            await page.check()
            await page.write("0" * 32)
            await page.press("Enter")
            await page.shows("did not make this key")
            await page.press("Control+a")
            await page.write(found.group())
            await page.press("Enter")
            await page.shows("You're connected", "This browser is paired.")
            digits = re.search(r"\d{3} \d{3}", (await command.stdout.read()).decode())
            assert digits is not None
            assert await command.wait() == 0
            await page.shows(digits.group())
            await page.check()
            async with connect(gateway) as agent:
                await agent.call("connect_browser")
                await agent.call("open_tab", url="about:blank")
                await page.shows("is at work in this browser.")
                await expect(page.page.locator("#step-ask")).to_have_attribute("data-done", "true")
            await page.shows("You're connected")

            await page.run("void setTimeout(() => chrome.runtime.reload(), 50)")
            await asyncio.to_thread(until, lambda: gateway.told("is down"), SLOW_S)
            await asyncio.to_thread(until, lambda: gateway.status()["browsers"], SLOW_S)
            assert cdp.targets("page", "ui/welcome.html") == [], "it opens once"


async def test_the_page_about_loading_names_the_folder_it_lies_in_before_anything_is_loaded(tmp_path: Path) -> None:
    lies = tmp_path / "where it lies, ünpacked"
    unpack_extension(lies)
    async with own_browser(tmp_path, 9) as (_, context):
        page = ExtensionPage(await context.new_page())
        await page.page.goto((lies / "ui" / "load.html").as_uri())
        await page.shows("chrome://extensions", "Developer mode", str(lies))
        await page.check()
        await page.tab_to("Copy the folder")
        await page.press("Enter")
        await page.shows("Copied")


async def test_settings_are_reached_and_filled_in_by_keyboard(tmp_path: Path) -> None:
    async with own_browser(tmp_path, 9) as (_, context):
        page = await ExtensionPage.open(context, "options.html")
        await page.shows("Not paired yet", "ws://127.0.0.1:9", "No server yet", "pages of every site")
        await page.check()
        await page.tab_to("Address")
        await page.write("http://proxy.example.com")
        await page.press("Enter")
        await expect(page.page.locator("#url")).to_have_attribute("aria-invalid", "true")
        await page.check()
        await page.press("Control+a")
        await page.write("ws://127.0.0.1:9")
        await page.tab_to("Add")
        await page.press("Enter")
        await page.shows("was saved", "No answer")
        await page.check()
        await page.tab_to("Use ws://127.0.0.1:9")
        await page.press("Space")
        await page.shows("Off")


async def test_pairing_is_done_by_keyboard(tmp_path: Path) -> None:
    with running(tmp_path / "home") as gateway:
        async with own_browser(tmp_path, gateway.extension_port) as (cdp, context):
            page = await ExtensionPage.open(context, "pair.html")
            await page.shows("Pair this browser")
            await page.check()
            await page.tab_to("Pairing key")
            await page.write("not a key")
            await page.press("Enter")
            await page.shows("Not paired", "32 digits")
            await page.check()
            assert await page.focused() == "Pairing key"
            await page.press("Control+A")
            await page.write("0" * 32)
            await page.press("Enter")
            await page.shows("Not paired", "its key is used up. Get a new key with:")
            await page.page.close()
            await pair(gateway, cdp)
            await (await ExtensionPage.met(context, "pair.html")).check()
