"""The extension's own pages, as a person meets them: by keyboard alone, in light and dark, narrow and wide."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve

from tests.cdp import Cdp
from tests.clients import connect
from tests.conftest import Site
from tests.faces.extension_page import SLOW_S, ExtensionPage
from tests.gateway import TABWRIGHT, GatewayProcess, running, until
from tests.own_browser import browser, pair

# each page is looked at by axe several times, which takes long on a busy machine
pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

SCRIPT = "document.title = 'changed'; 40 + 2"


@asynccontextmanager
async def paired(folder: Path) -> AsyncGenerator[tuple[GatewayProcess, Cdp]]:
    with running(folder / "home") as gateway:
        async with browser(folder, gateway.extension_port) as cdp:
            await pair(gateway, cdp)
            yield gateway, cdp


async def opened(cdp: Cdp, name: str, **how: Any) -> ExtensionPage:
    return await asyncio.to_thread(lambda: ExtensionPage(cdp, name, **how))


def shop(site: Site, path: str = "/shop") -> str:
    return site.url.replace("127.0.0.1", "shop.test") + path


def face(page: ExtensionPage) -> tuple[str, str]:
    """The icon's badge and title."""
    return tuple(page.run("Promise.all([chrome.action.getBadgeText({}), chrome.action.getTitle({})])"))


async def test_the_popup_does_everything_by_keyboard_and_the_icon_tells_it(tmp_path: Path, site: Site) -> None:
    async with paired(tmp_path) as (gateway, cdp), connect(gateway) as agent:
        popup = await opened(cdp, "popup.html")
        popup.shows("Connected", "No session holds a tab")
        until(lambda: face(popup) == ("", "tabwright: connected"))
        popup.check()

        await agent.call("connect_browser")
        tab = (await agent.call("open_tab", url=shop(site)))["tab"]["id"]
        popup.shows("mcp", "1 tab", "/shop")
        until(lambda: face(popup) == ("1", "tabwright: agents at work in 1 tab"))

        calling = asyncio.create_task(agent.result("javascript_tool", text=SCRIPT))
        await asyncio.to_thread(popup.shows, "May mcp run scripts", "What exactly", "Refused by itself in")
        until(lambda: face(popup) == ("?", "tabwright: a question waits for you"))
        until(lambda: popup.run("!document.querySelector('[data-answer=always]').ariaDisabled"))
        popup.check()
        popup.tab_to("What exactly")
        popup.key("Enter")
        popup.shows(SCRIPT)
        popup.tab_to("Always here")
        popup.key("Enter")
        assert not (await calling).is_error
        until(lambda: not cdp.targets("page", "ui/approve.html"), SLOW_S)
        popup.lacks("May mcp run scripts")

        await asyncio.to_thread(popup.shows, "Allowed for longer")
        popup.tab_to("Allowed for longer")
        popup.key("Enter")
        popup.shows(f"{shop(site, '')}: run scripts", "mcp · always")
        popup.check()
        popup.tab_to(f"Revoke: mcp may run scripts on {shop(site, '')}")
        popup.key("Space")
        await asyncio.to_thread(popup.lacks, "Allowed for longer")
        assert "nothing is granted" in gateway.run("grants").stdout
        assert '"by": "popup"' in gateway.run("audit", "--kind", "grant", "--json").stdout

        popup.tab_to("Stop: mcp")
        popup.key("Enter")
        popup.shows("stopped", "Let go on")
        assert popup.focused == "Let go on: mcp", "the focus stays where it was"
        until(lambda: face(popup) == ("", "tabwright: stopped, 1 tab held"))
        popup.key("Enter")
        popup.shows("1 tab")
        popup.tab_to("Take back")
        popup.key("Enter")
        popup.shows("holds no tab right now")
        assert (await agent.refused("close_tab", tabId=tab))["code"] == "tab_not_held"

        popup.tab_to("Connect this browser")
        popup.key("Space")
        popup.shows("Disconnected")
        until(lambda: face(popup) == ("", "tabwright: disconnected"))
        popup.check()


async def test_the_popup_opens_the_dashboard_already_let_in(tmp_path: Path) -> None:
    async with paired(tmp_path) as (gateway, cdp):
        popup = await opened(cdp, "popup.html")
        await asyncio.to_thread(popup.shows, "Dashboard")
        popup.tab_to("Dashboard")
        popup.key("Enter")
        dashboard = f"http://127.0.0.1:{gateway.port}/"
        await asyncio.to_thread(until, lambda: cdp.targets("page", dashboard), SLOW_S)
        says = "document.querySelector('#link')?.innerText ?? ''"
        await asyncio.to_thread(until, lambda: "Live" in cdp.in_page(dashboard, says), SLOW_S)


async def test_the_side_panel_shows_calls_as_they_end_and_never_what_they_were_given(
    tmp_path: Path, site: Site
) -> None:
    async with paired(tmp_path) as (gateway, cdp), connect(gateway) as one, connect(gateway) as two:
        for agent in (one, two):
            await agent.call("connect_browser")
        popup = await opened(cdp, "popup.html")
        popup.shows("Side panel")
        popup.tab_to("Side panel")
        popup.key("Enter")
        panel = await opened(cdp, "panel.html", opened=True)
        await asyncio.to_thread(panel.shows, "connect_browser", "done")

        await one.call("open_tab", url=shop(site))
        await two.result("navigate", url=shop(site, "/two?secret=hunter2"))
        await two.refused("find", query="hunter2", tabId=987_654)
        await asyncio.to_thread(panel.shows, "open_tab", "navigate", shop(site, ""), "tab not found", "Stop all")
        assert "hunter2" not in panel.run("document.querySelector('#calls').outerHTML")
        assert panel.run("document.querySelectorAll('#calls li').length") == 5

        chips = "document.querySelectorAll('#filters .chip')"
        assert panel.run(f"{chips}.length") == 3
        panel.run(f"{chips}[1].focus()")
        panel.key("Space")
        until(lambda: "navigate" not in panel.text)
        assert panel.run(f"{chips}[1].ariaPressed") == "true"
        panel.check()

        panel.run("document.querySelector('#all').focus()")
        panel.key("Enter")
        await asyncio.to_thread(panel.shows, "Let all go on")
        assert (await one.refused("read_page"))["code"] == "stopped"
        panel.key("Enter")
        await asyncio.to_thread(panel.lacks, "Let all go on")
        await one.result("read_page")
        await asyncio.to_thread(panel.shows, "read_page")


async def test_a_server_that_tells_nothing_of_calls_is_said_to(tmp_path: Path) -> None:
    async def hear(socket: ServerConnection) -> None:
        await socket.wait_closed()

    async with serve(hear, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        async with browser(tmp_path, port, dialect="tabs") as cdp:
            panel = await opened(cdp, "panel.html")
            await asyncio.to_thread(panel.shows, "No news from this server", "plain tabs protocol")
            await asyncio.to_thread(panel.check)
            panel.close()


async def test_sites_of_a_plan_are_struck_out_before_it_is_allowed(tmp_path: Path) -> None:
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
        async with browser(tmp_path, port, dialect="tabs") as cdp:
            page = await opened(cdp, "approve.html", opened=True)
            await asyncio.to_thread(page.shows, "May codex follow this plan?", "Sites it may use", "https://bank.test")
            await asyncio.to_thread(until, lambda: page.run("!document.querySelector('button').disabled"))
            await asyncio.to_thread(page.check, 320, 480)
            page.tab_to("https://bank.test")
            page.key("Space")
            page.run("void setTimeout(() => document.querySelector('[data-answer=once]').click(), 50)")
            async with asyncio.timeout(SLOW_S):
                assert await answer == {"answer": "once", "chosen": ["https://shop.test"]}


async def test_a_person_is_led_to_the_first_call_once(tmp_path: Path) -> None:
    with running(tmp_path / "home") as gateway:
        gateway.stop()
        async with browser(tmp_path, gateway.extension_port, welcome=True) as cdp:
            page = await opened(cdp, "welcome.html", opened=True)
            await asyncio.to_thread(page.shows, "Let your agent use this browser", "Not running yet", "tabwright serve")
            await asyncio.to_thread(page.check)
            gateway.start()
            await asyncio.to_thread(page.shows, "The gateway is running.", "tabwright pair")
            assert page.run("getComputedStyle(document.getElementById('form')).display") == "none"

            command = await asyncio.create_subprocess_exec(
                TABWRIGHT, "pair", "--print-only", env=gateway.env, stdout=asyncio.subprocess.PIPE
            )
            assert command.stdout is not None
            async with asyncio.timeout(SLOW_S):
                said = ""
                while not (found := re.search(r"chrome-extension://\S+#([0-9a-f]{32})", said)):
                    said += (await command.stdout.readline()).decode()
            await asyncio.to_thread(page.shows, "The gateway waits for its key.")
            assert page.focused.startswith("Pairing key")
            await asyncio.to_thread(page.check)
            page.write("0" * 32)
            page.key("Enter")
            await asyncio.to_thread(page.shows, "did not make this key")
            page.run("document.getElementById('key').select()")
            page.write(found.group())
            page.key("Enter")
            await asyncio.to_thread(page.shows, "You're connected", "This browser is paired.")
            digits = re.search(r"\d{3} \d{3}", (await command.stdout.read()).decode())
            assert digits is not None
            assert await command.wait() == 0
            await asyncio.to_thread(page.shows, digits.group())
            await asyncio.to_thread(page.check)

            page.run("setTimeout(() => chrome.runtime.reload(), 50)")
            until(lambda: gateway.told("is down"), SLOW_S)
            await asyncio.to_thread(until, lambda: gateway.status()["browsers"], SLOW_S)
            assert cdp.targets("page", "ui/welcome.html") == [], "it opens once"


async def test_settings_are_reached_and_filled_in_by_keyboard(tmp_path: Path) -> None:
    async with browser(tmp_path, 9) as cdp:
        page = await opened(cdp, "options.html")
        await asyncio.to_thread(
            page.shows, "Not paired yet", "ws://127.0.0.1:9", "No server yet", "pages of every site"
        )
        await asyncio.to_thread(page.check)
        page.tab_to("Address")
        page.write("http://proxy.example.com")
        page.key("Enter")
        await asyncio.to_thread(until, lambda: page.run("document.getElementById('url').ariaInvalid") == "true")
        await asyncio.to_thread(page.check)
        page.run("document.getElementById('url').select()")
        page.write("ws://127.0.0.1:9")
        page.tab_to("Add")
        page.key("Enter")
        await asyncio.to_thread(page.shows, "was saved", "No answer")
        await asyncio.to_thread(page.check)
        page.tab_to("Use ws://127.0.0.1:9")
        page.key("Space")
        await asyncio.to_thread(page.shows, "Off")


async def test_pairing_and_asking_are_read_and_answered_by_keyboard(tmp_path: Path, site: Site) -> None:
    with running(tmp_path / "home") as gateway:
        async with browser(tmp_path, gateway.extension_port) as cdp:
            page = await opened(cdp, "pair.html")
            await asyncio.to_thread(page.shows, "Pair this browser")
            await asyncio.to_thread(page.check)
            page.tab_to("Pairing key")
            page.write("not a key")
            page.key("Enter")
            await asyncio.to_thread(page.shows, "Not paired", "32 digits")
            await asyncio.to_thread(page.check)
            page.close()
            until(lambda: not cdp.targets("page", "ui/pair.html"))
            await pair(gateway, cdp)
            paired_page = await opened(cdp, "pair.html", opened=True)
            await asyncio.to_thread(paired_page.check)

            async with connect(gateway) as agent:
                await agent.call("connect_browser")
                await agent.call("open_tab", url=shop(site))
                calling = asyncio.create_task(agent.refused("javascript_tool", text=SCRIPT))
                ask = await opened(cdp, "approve.html", opened=True)
                await asyncio.to_thread(ask.shows, "May mcp run scripts", SCRIPT)
                await asyncio.to_thread(until, lambda: ask.run("!document.querySelector('button').disabled"))
                await asyncio.to_thread(ask.check, 320, 460)
                ask.tab_to("Allow once")
                cdp.in_page("ui/approve.html", "void setTimeout(() => document.dispatchEvent("
                            "new KeyboardEvent('keydown', { key: 'Escape' })), 50)")  # fmt: skip
                assert (await calling)["code"] == "denied"
