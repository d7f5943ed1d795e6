"""A client that cannot ask: the person is asked in their own browser, and what they press there is the answer."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from tests.cdp import Cdp
from tests.clients import Agent, Era, Transport, connect
from tests.conftest import Site
from tests.gateway import GatewayProcess, running, until
from tests.own_browser import browser, pair

pytestmark = pytest.mark.browser

PROMPT = "ui/approve.html"
RAN = "document.title = 'changed'; 40 + 2"


@asynccontextmanager
async def paired(folder: Path) -> AsyncGenerator[tuple[GatewayProcess, Cdp]]:
    with running(folder / "home") as gateway:
        async with browser(folder, gateway.extension_port) as cdp:
            await pair(gateway, cdp)
            yield gateway, cdp


@contextmanager
def visit(gateway: GatewayProcess) -> Generator[httpx.Client]:
    """Somebody who came to the dashboard."""
    code = gateway.run("dashboard", "--print-only").stdout.strip().partition("#")[2]
    address, headers = f"http://127.0.0.1:{gateway.port}", {"Sec-Fetch-Site": "same-origin"}
    with httpx.Client(base_url=address, headers=headers) as client:
        assert client.post("/api/enter", json={"code": code}).status_code == 204
        yield client


def shop(site: Site, path: str = "/shop") -> str:
    return site.url.replace("127.0.0.1", "shop.test") + path


async def prompted(cdp: Cdp) -> str:
    """What the prompt says, once it can be answered."""
    ready = "[...document.querySelectorAll('button')].some(b => b.offsetParent && !b.disabled)"
    await asyncio.to_thread(until, lambda: cdp.targets("page", PROMPT) and cdp.in_page(PROMPT, ready))
    return cdp.in_page(PROMPT, "document.body.innerText")


async def press(cdp: Cdp, answer: str) -> None:
    [asked] = [target["targetId"] for target in cdp.targets("page", PROMPT)]
    # a moment later: the window closes at once, and this very look into it with it
    cdp.in_page(PROMPT, f"void setTimeout(() => document.querySelector('[data-answer={answer}]').click(), 100)")
    # the next question may be there as soon as this one is not
    await asyncio.to_thread(until, lambda: asked not in [target["targetId"] for target in cdp.targets("page", PROMPT)])


async def script(agent: Agent) -> Any:
    return await agent.result("javascript_tool", text=RAN)


@pytest.mark.parametrize(("transport", "era"), [("stdio", "legacy"), ("sse", "legacy"), ("http", "modern")])
async def test_scripts_ask_once_a_site_and_are_obeyed_when_refused(
    tmp_path: Path, site: Site, transport: Transport, era: Era
) -> None:
    async with paired(tmp_path) as (gateway, cdp), connect(gateway, transport, era) as agent:
        await agent.call("connect_browser")
        tab = (await agent.call("open_tab", url=shop(site)))["tab"]["id"]

        calling = asyncio.create_task(agent.refused("javascript_tool", text=RAN, tabId=tab))
        said = await prompted(cdp)
        for part in ("May mcp run scripts in pages of http://shop.test", RAN, "javascript_tool", "Always on this site"):
            assert part in said
        assert all("approve" not in each["url"] for each in (await agent.call("list_tabs"))["tabs"])
        await press(cdp, "deny")
        assert (await calling)["code"] == "denied"
        assert cdp.in_page("/shop", "document.title") != "changed"

        calling = asyncio.create_task(agent.result("javascript_tool", text=RAN, tabId=tab))
        await prompted(cdp)
        await press(cdp, "session")
        assert "42" in str((await calling).content)
        assert "42" in str((await agent.result("javascript_tool", text=RAN, tabId=tab)).content), "not asked again"

        told = gateway.run("grants").stdout
        assert f"script on {shop(site, '')} for mcp in browser" in told
        assert "until its session ends" in told
        gateway.run("grants", "revoke", "--site", shop(site, ""))
        calling = asyncio.create_task(agent.refused("javascript_tool", text=RAN, tabId=tab))
        await prompted(cdp)
        window = cdp.targets("page", PROMPT)[0]
        cdp.send("Target.closeTarget", targetId=window["targetId"])
        assert (await calling)["code"] == "denied", "closing the window says no"


async def test_always_is_for_one_site_and_outlives_the_gateway(tmp_path: Path, site: Site) -> None:
    async with paired(tmp_path) as (gateway, cdp):
        async with connect(gateway) as agent:
            await agent.call("connect_browser")
            await agent.call("open_tab", url=shop(site))
            calling = asyncio.create_task(script(agent))
            await prompted(cdp)
            await press(cdp, "always")
            assert not (await calling).is_error
        gateway.stop()
        gateway.start()
        until(lambda: gateway.status()["browsers"])
        async with connect(gateway) as agent:
            await agent.call("connect_browser")
            await agent.call("open_tab", url=shop(site))
            assert not (await script(agent)).is_error
            await agent.result("navigate", url=shop(site).replace("shop.test", "other.test"))
            calling = asyncio.create_task(script(agent))
            assert "other.test" in await prompted(cdp)
            await press(cdp, "deny")
            assert (await calling).is_error
            record = gateway.run("audit", "--kind", "approval", "--json").stdout
            assert [line.count('"answer": "always"') for line in record.splitlines()] == [1, 0]
            assert RAN not in gateway.run("audit", "--json", "--limit", "0").stdout, "no arguments are kept"
            assert gateway.run("audit", "--verify").stdout == "The record is whole.\n"


async def test_questions_wait_for_one_another_and_end_with_their_callers(tmp_path: Path, site: Site) -> None:
    async with paired(tmp_path) as (gateway, cdp):
        async with connect(gateway) as one, connect(gateway) as two:
            for agent in (one, two):
                await agent.call("connect_browser")
                await agent.call("open_tab", url=shop(site))
            calls = [asyncio.create_task(script(agent)) for agent in (one, one, two)]
            await prompted(cdp)
            more = "document.getElementById('more').textContent"
            await asyncio.to_thread(until, lambda: cdp.in_page(PROMPT, more) == "1 more question")
            assert len(cdp.targets("page", PROMPT)) == 1, "one window, however many ask"
            cdp.in_page(PROMPT, "void setTimeout(() => document.querySelector('[data-answer=session]').click(), 100)")
            done, _ = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED, timeout=10)
            assert done
        # the other's caller is gone, and its question with it
        await asyncio.to_thread(until, lambda: not cdp.targets("page", PROMPT))
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)


async def test_on_this_machines_own_pages_nobody_is_asked(tmp_path: Path, site: Site) -> None:
    async with paired(tmp_path) as (gateway, _), connect(gateway) as agent:
        await agent.call("connect_browser")
        await agent.call("open_tab", url=f"{site.url}/local")
        assert "42" in str((await script(agent)).content)


async def test_what_the_window_asks_may_be_answered_on_the_dashboard_and_the_window_closes(
    tmp_path: Path, site: Site
) -> None:
    async with paired(tmp_path) as (gateway, cdp), connect(gateway) as agent:
        await agent.call("connect_browser")
        await agent.call("open_tab", url=shop(site))
        with visit(gateway) as client:
            calling = asyncio.create_task(script(agent))
            await prompted(cdp)
            (question,) = client.get("/api/state").json()["questions"]
            assert client.post(f"/api/questions/{question['id']}", json={"answer": "once"}).status_code == 204
            assert not (await calling).is_error
            await asyncio.to_thread(until, lambda: not cdp.targets("page", PROMPT))
            assert client.post(f"/api/questions/{question['id']}", json={"answer": "once"}).status_code == 409
