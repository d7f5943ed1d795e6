"""Clients that reach the person's own browser through a proxy, without a gateway: the extension itself asks."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest

from tabwright.model import JsonObject
from tests.approvals.test_prompt import PROMPT, press, prompted
from tests.cdp import Cdp
from tests.clients import connect
from tests.conftest import Site
from tests.gateway import running, until
from tests.own_browser import browser
from tests.proxy.far import SLOW_S, OptionsPage
from tests.proxy.server import Bare, ProxyProcess, token
from tests.tools.web import Web, redirect

pytestmark = pytest.mark.browser

CHANGE = "document.title = 'changed'"


@asynccontextmanager
async def behind_proxy(folder: Path) -> AsyncGenerator[tuple[ProxyProcess, Cdp]]:
    """The person's own browser, which they let be reached through a proxy, and no gateway on their machine."""
    proxy = ProxyProcess(folder / "proxy")
    try:
        async with browser(folder, 1) as cdp:
            page = OptionsPage(cdp)
            address = f"ws://127.0.0.1:{proxy.port}"
            page.enter(address, token("alice", "extension", connection_url=f"{address}/extension"))
            page.shows("Connected as alice")
            page.close()
            yield proxy, cdp
    finally:
        proxy.stop()


def stranger(proxy: ProxyProcess) -> Bare:
    """A bare WebSocket with a token of the same user."""
    client = proxy.client("alice", scope="cdp")
    [found] = client.ask("list_extensions", {})["extensions"]
    client.ask("connect", {"extension_id": found["id"]})
    return client


def at(site: Site, host: str, path: str) -> str:
    return site.url.replace("127.0.0.1", host) + path


def cdp_command(method: str, **params: Any) -> dict[str, Any]:
    return {"method": method, "params": params}


async def send(client: Bare, method: str, **params: Any) -> dict[str, Any]:
    """The whole answer to a raw command of the debugger."""
    return await asyncio.to_thread(client.request, "forwardCDPCommand", cdp_command(method, **params), SLOW_S * 3)


async def test_raw_commands_ask_in_the_browser_and_what_is_pressed_there_holds(tmp_path: Path, site: Site) -> None:
    site.pages["/shop"] = "<title>shop</title><p>hello</p>"
    async with behind_proxy(tmp_path) as (proxy, cdp):
        client = stranger(proxy)
        opened = client.ask("createTab", {"url": at(site, "shop.test", "/shop")})
        assert opened["url"] == at(site, "shop.test", "/shop"), "looking is free"
        assert client.ask("screenshot", {})["mimeType"] == "image/jpeg"

        running_ = asyncio.create_task(send(client, "Runtime.evaluate", expression=CHANGE))
        said = await prompted(cdp)
        for part in (
            f"A client of ws://127.0.0.1:{proxy.port}",
            f"run scripts in pages of {at(site, 'shop.test', '')}",
            CHANGE,
        ):
            assert part in said
        assert cdp.in_page("/shop", "document.title") == "shop", "nothing happened before the answer"
        await press(cdp, "deny")
        assert (await running_)["error"]["data"]["code"] == "denied"
        assert (await send(client, "Runtime.evaluate", expression=CHANGE))["error"]["code"] == -32006, "no is no"
        assert not cdp.targets("page", PROMPT)

        client.ask("browser_navigate", {"url": at(site, "other.test", "/shop")})
        running_ = asyncio.create_task(send(client, "Runtime.evaluate", expression="1"))
        await prompted(cdp)
        await press(cdp, "once")
        assert (await running_)["result"]["result"]["value"] == 1
        running_ = asyncio.create_task(send(client, "Runtime.evaluate", expression="2"))
        assert "other.test" in await prompted(cdp), "once is once"
        await press(cdp, "session")
        assert (await running_)["result"]["result"]["value"] == 2
        assert (await send(client, "Runtime.evaluate", expression="3"))["result"]["result"]["value"] == 3

        another = stranger(proxy)
        another.ask("selectTab", {"tabId": opened["tabId"]})
        running_ = asyncio.create_task(send(another, "Runtime.evaluate", expression="4"))
        await prompted(cdp)
        await press(cdp, "always")
        assert (await running_)["result"]["result"]["value"] == 4

        page = OptionsPage(cdp)
        page.shows(f"Run scripts in pages of {at(site, 'other.test', '')}")
        page.press("#allowed .revoke")
        until(lambda: "Run scripts" not in page.text)
        page.close()
        running_ = asyncio.create_task(send(another, "Runtime.evaluate", expression="5"))
        await prompted(cdp)
        await press(cdp, "deny")
        assert "error" in await running_, "asked again at once"


BEYOND: dict[str, JsonObject] = {
    "Network.getAllCookies": {},
    "Network.getCookies": {"urls": ["https://bank.example/"]},
    "Storage.getCookies": {},
    "Storage.clearDataForOrigin": {"origin": "https://bank.example", "storageTypes": "all"},
    "Browser.getVersion": {},
    "Browser.setDownloadBehavior": {"behavior": "allow", "downloadPath": "/tmp"},
    "Page.setDownloadBehavior": {"behavior": "allow", "downloadPath": "/tmp"},
    "Target.getTargets": {},
    "Target.attachToTarget": {"targetId": "x"},
    "Target.createTarget": {"url": "https://bank.example/"},
    "Page.navigate": {"url": "file:///etc/passwd"},
    "Fetch.continueRequest": {"requestId": "x", "url": "http://127.0.0.1:3456/"},
    "Network.loadNetworkResource": {"url": "https://bank.example/", "options": {}},
}
"""Raw commands that reach the profile, other tabs or files."""


@pytest.mark.rule("T70")
async def test_raw_commands_that_reach_beyond_their_page_are_denied_unasked(tmp_path: Path, site: Site) -> None:
    site.pages["/here"] = "<title>here</title>"
    async with behind_proxy(tmp_path) as (proxy, cdp):
        client = stranger(proxy)
        client.ask("createTab", {"url": f"{site.url}/here"})
        pages = len(cdp.targets("page"))
        for method, params in BEYOND.items():
            answer = await send(client, method, **params)
            assert answer["error"]["data"]["code"] == "denied", method
        assert cdp.in_page("/here", "document.title") == "here"
        assert len(cdp.targets("page")) == pages, "no tab more, and nobody was asked"


@pytest.mark.rule("T66")
async def test_a_page_that_nobody_may_open_can_only_be_left_however_it_came(tmp_path: Path, site: Site) -> None:
    site.pages["/here"] = "<title>here</title>"
    async with behind_proxy(tmp_path) as (proxy, cdp):
        client = stranger(proxy)
        with closing(Web()) as web:
            web.answers["/led"] = redirect("http://127.0.0.1:3456/")
            assert client.ask("createTab", {"url": f"{web.url}/led"})["url"] == "http://127.0.0.1:3456/"
        spot = {"x": 5, "y": 5}
        evaluate = cdp_command("Runtime.evaluate", expression="document.body.innerText")
        for method, params in (
            ("screenshot", {}),
            ("click", spot),
            ("type", {"text": "x"}),
            ("introspect", {"tabId": client.ask("getTabs")["tabs"][-1]["id"]}),
            ("forwardCDPCommand", evaluate),
            ("forwardCDPCommand", cdp_command("Page.captureScreenshot")),
        ):
            answer = client.request(method, params, SLOW_S)
            assert answer.get("error", {}).get("data") == {"code": "denied"}, (method, answer)
        assert not cdp.targets("page", PROMPT)
        client.ask("browser_navigate", {"url": f"{site.url}/here"})
        assert client.ask("screenshot")["mimeType"] == "image/jpeg"


async def test_files_of_the_persons_machine_are_nobodys_elsewhere(tmp_path: Path, site: Site) -> None:
    site.pages["/form"] = "<title>form</title><input type=file>"
    async with behind_proxy(tmp_path) as (proxy, cdp):
        client = stranger(proxy)
        client.ask("createTab", {"url": f"{site.url}/form"})
        assert (await send(client, "Runtime.evaluate", expression="6 * 7"))["result"]["result"]["value"] == 42, (
            "this machine's own pages are not asked about"
        )
        for method, params in (
            ("DOM.setFileInputFiles", {"files": ["/etc/hostname"], "nodeId": 1}),
            (
                "Input.dispatchDragEvent",
                {
                    "type": "drop",
                    "x": 1,
                    "y": 1,
                    "data": {"items": [], "files": ["/etc/hostname"], "dragOperationsMask": 1},
                },
            ),
        ):
            assert (await send(client, method, **params))["error"]["data"]["code"] == "denied", method
        assert not cdp.targets("page", PROMPT)


async def test_a_script_left_in_a_free_page_does_not_travel_to_another_site(tmp_path: Path, site: Site) -> None:
    site.pages["/shop"] = "<title>shop</title>"
    async with behind_proxy(tmp_path) as (proxy, cdp):
        client = stranger(proxy)
        client.ask("createTab", {"url": f"{site.url}/shop"})
        left = asyncio.create_task(
            send(
                client, "Page.addScriptToEvaluateOnNewDocument", source=f"addEventListener('load', () => {{{CHANGE}}})"
            )
        )
        assert "every page that its tabs show" in await prompted(cdp), "though scripts in this page are free"
        await press(cdp, "deny")
        assert (await left)["error"]["data"]["code"] == "denied"
        client.ask("browser_navigate", {"url": at(site, "shop.test", "/shop")})
        until(lambda: cdp.in_page("shop.test", "document.readyState") == "complete")
        assert cdp.in_page("shop.test", "document.title") == "shop"
        posing = {"askId": "a" * 32, "client": "tabwright", "origin": "", "tool": "x", "kind": "act", "seconds": 60}
        asked = client.request("askPerson", posing | {"question": "Enter your password", "details": []}, SLOW_S)
        assert asked["error"]["data"]["code"] == "denied"
        assert not cdp.targets("page", PROMPT)


async def test_a_gateway_is_trusted_once_by_its_key_and_a_stranger_who_says_the_same_is_not(
    tmp_path: Path, site: Site
) -> None:
    site.pages["/shop"] = "<title>shop</title>"
    async with behind_proxy(tmp_path) as (proxy, cdp):
        address = f"ws://127.0.0.1:{proxy.port}"
        (tmp_path / "token").write_text(token("alice", "mcp", connection_url=f"{address}/mcp", scope="cdp"))
        (tmp_path / "token").chmod(0o600)
        home = tmp_path / "far"
        home.mkdir(mode=0o700)
        (home / "policy.toml").write_text('[default]\nscript = "allow"\n')
        with running(home, "--via", address, "--via-token-file", str(tmp_path / "token")) as far:
            until(lambda: far.status()["browsers"], SLOW_S)
            digits = far.status()["via"]["digits"]
            async with connect(far) as agent:
                await agent.call("connect_browser")
                await agent.call("open_tab", url=at(site, "shop.test", "/shop"))
                calling = asyncio.create_task(agent.result("javascript_tool", text="40 + 2"))
                said = await prompted(cdp)
                assert "asking by its own rules" in said
                assert digits in said
                await press(cdp, "once")
                assert "42" in str((await calling).content)
            far.stop()
            far.start()
            until(lambda: far.status()["browsers"], SLOW_S)
            async with connect(far) as agent:
                await agent.call("connect_browser")
                await agent.call("open_tab", url=at(site, "else.test", "/shop"))
                assert "42" in str((await agent.result("javascript_tool", text="40 + 2")).content), "not asked again"

            client = stranger(proxy)
            nonce = client.ask("introduce", {})["nonce"]
            forged = {"name": "far", "x": "A" * 43, "y": "A" * 43, "signature": "A" * 86, "nonce": nonce}
            assert client.request("prove", forged, SLOW_S)["error"]["code"] == -32602
            client.ask("createTab", {"url": at(site, "shop.test", "/shop")})
            asked = asyncio.create_task(send(client, "Runtime.evaluate", expression=CHANGE))
            assert "A client of" in await prompted(cdp)
            await press(cdp, "deny")
            assert json.dumps(await asked).count("denied") == 1
