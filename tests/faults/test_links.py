"""What breaks between the gateway and the browser, and what clients notice of it: as little as possible."""

import asyncio
import os
import signal
import time
from typing import Any

import pytest

from tabwright.edges.chrome.extension_files import extension_id
from tests.cdp import Cdp
from tests.clients import Agent, connect
from tests.conftest import Site, cdp_of
from tests.gateway import GatewayProcess, alive, until

pytestmark = pytest.mark.browser

FORM = "<title>Form</title><form><input id=name><textarea id=text></textarea></form>"
FILL = "document.querySelector('#name').value = 'half fil'; document.querySelector('#text').value = 'led'"
READ = "document.querySelector('#name').value + document.querySelector('#text').value"


async def at_work(agent: Agent, site: Site) -> int:
    """A focused tab with a half-filled form."""
    site.pages["/form"] = FORM
    await agent.call("connect_browser", launch=True)
    return (await agent.call("open_tab", url=f"{site.url}/form"))["tab"]["id"]


def break_link(how: str, cdp: Cdp) -> None:
    if how == "worker stopped":
        cdp.stop_workers(extension_id())
    else:
        cdp.in_extension(extension_id(), "setTimeout(() => chrome.runtime.reload(), 0)")


@pytest.mark.parametrize("how", ["worker stopped", "extension reloaded"])
async def test_a_half_filled_form_survives(own: GatewayProcess, site: Site, how: str) -> None:
    async with connect(own) as agent:
        tab_id = await at_work(agent, site)
        await agent.names()
        with cdp_of(own) as cdp:
            cdp.in_page("/form", FILL)
            changes, downs = agent.changes, own.log().count("is down")
            break_link(how, cdp)
            until(lambda: own.log().count("is down") > downs)
            # a call that needs the browser waits for it and does not fail
            other = await agent.call("open_tab", url=f"{site.url}/other", focus=False)
            listed = await agent.call("list_tabs")
            assert listed["focusedTabId"] == tab_id
            assert cdp.in_page("/form", READ) == "half filled"
            await agent.call("close_tab", tabId=other["tab"]["id"])
            await agent.call("focus_tab", tabId=tab_id)
            assert agent.changes == changes, "nothing is announced while the link comes back in time"


async def test_a_call_in_flight_ends_once_when_the_worker_stops(own: GatewayProcess, site: Site) -> None:
    visits = site.slow("/slow", 1.5)
    async with connect(own) as agent:
        await at_work(agent, site)
        with cdp_of(own) as cdp:
            call = asyncio.create_task(agent.result("open_tab", url=f"{site.url}/slow", focus=False))
            await asyncio.to_thread(visits.get, timeout=5)
            break_link("worker stopped", cdp)
            result = await asyncio.wait_for(call, 5)
            if result.is_error:
                assert result.structured_content is not None
                assert result.structured_content["error"]["code"] == "outcome_unknown"
            await agent.call("open_tab", url=f"{site.url}/after", focus=False)
            assert visits.empty(), "the tab was opened twice"


async def test_a_closed_browser_is_noticed_and_another_can_be_launched(own: GatewayProcess, site: Site) -> None:
    async with connect(own) as agent:
        await at_work(agent, site)
        changes, browser = agent.changes, own.status()["browserPid"]
        os.kill(browser, signal.SIGKILL)
        await agent.told_of(changes + 1)
        assert await agent.names() == ["connect_browser"]
        assert (await agent.refused("list_tabs"))["code"] == "browser_not_connected"
        assert (await agent.call("connect_browser", launch=True))["tabCount"] == 0
        await agent.call("open_tab", url=site.url)
        assert agent.changes == changes + 3


async def test_a_focused_tab_the_person_closes_loses_the_focus(own: GatewayProcess, site: Site) -> None:
    async with connect(own) as agent:
        await at_work(agent, site)
        await agent.call("open_tab", url=f"{site.url}/stays", focus=False)
        changes = agent.changes
        with cdp_of(own) as cdp:
            cdp.send("Target.closeTarget", targetId=cdp.targets("page", "/form")[0]["targetId"])
        await agent.told_of(changes + 1)
        assert await agent.names() == ["list_tabs", "open_tab", "focus_tab"]
        assert (await agent.call("list_tabs"))["focusedTabId"] is None


async def test_a_crashed_tab_is_gone(own: GatewayProcess, site: Site) -> None:
    async with connect(own) as agent:
        await at_work(agent, site)
        changes = agent.changes
        with cdp_of(own) as cdp:
            cdp.crash("/form")
        await agent.told_of(changes + 1)
        assert await agent.names() == ["list_tabs", "open_tab"]


async def test_a_tab_the_person_opens_is_listed_without_a_word(own: GatewayProcess, site: Site) -> None:
    async with connect(own) as agent:
        await at_work(agent, site)
        changes = agent.changes
        with cdp_of(own) as cdp:
            cdp.send("Target.createTarget", url=f"{site.url}/theirs")
        async with asyncio.timeout(5):
            while not (theirs := await _tab(agent, f"{site.url}/theirs")):
                pass
        assert (await agent.refused("close_tab", tabId=theirs["id"]))["code"] == "tab_not_held"
        assert agent.changes == changes


async def _tab(agent: Agent, url: str) -> dict[str, Any] | None:
    return next((tab for tab in (await agent.call("list_tabs"))["tabs"] if tab["url"] == url), None)


async def test_the_last_tab_may_close_and_the_browser_stays(own: GatewayProcess, site: Site) -> None:
    async with connect(own) as agent:
        await at_work(agent, site)
        browser = own.status()["browserPid"]
        await agent.call("close_tab")
        assert alive(browser)
        assert (await agent.call("list_tabs"))["tabs"] == []
        await agent.call("open_tab", url=site.url)


async def test_a_stopped_gateway_leaves_no_process(own: GatewayProcess, site: Site) -> None:
    async with connect(own, "http") as agent:
        await at_work(agent, site)
        browser = own.status()["browserPid"]
        began = time.monotonic()
        assert own.stop() == 0
        assert time.monotonic() - began < 5
        until(lambda: not alive(browser), 5)


async def test_a_killed_gateway_leaves_no_process(own: GatewayProcess, site: Site) -> None:
    async with connect(own, "http") as agent:
        await at_work(agent, site)
        browser = own.status()["browserPid"]
        own.kill()
        until(lambda: not alive(browser), 5)
