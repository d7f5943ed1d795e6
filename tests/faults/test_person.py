"""What the person sees of agents at work: groups, holds, popups, and tabs taken back."""

import json
from typing import Any

import pytest

from tabwright.edges.chrome.extension_files import extension_id
from tests.cdp import Cdp
from tests.clients import connect
from tests.conftest import Site, cdp_of
from tests.gateway import GatewayProcess, until

pytestmark = pytest.mark.browser


def chrome(cdp: Cdp, expression: str) -> Any:
    """The value of a chrome.* expression, asked in a page of the extension."""
    told = cdp.in_extension(extension_id(), f"(async () => JSON.stringify(await {expression}))()")
    return json.loads(told)


async def test_a_session_s_tabs_are_in_its_group_under_its_name(shared: GatewayProcess, site: Site) -> None:
    async with connect(shared) as one, connect(shared) as two:
        opened: list[int] = []
        for agent in (one, one, two):
            await agent.call("connect_browser", launch=True)
            opened.append((await agent.call("open_tab", url=site.url))["tab"]["id"])
        with cdp_of(shared) as cdp:
            tabs = {tab["id"]: tab for tab in chrome(cdp, "chrome.tabs.query({})")}
            groups = [tabs[tab_id]["groupId"] for tab_id in opened]
            assert groups[0] == groups[1] != -1
            assert groups[2] not in (groups[0], -1)
            titles = {group["id"]: group["title"] for group in chrome(cdp, "chrome.tabGroups.query({})")}
            assert titles[groups[0]] == "mcp", "the client's own name"
        for tab_id, agent in zip(opened, (one, one, two), strict=True):
            await agent.call("close_tab", tabId=tab_id)


async def test_a_popup_belongs_to_who_opened_it(shared: GatewayProcess, site: Site) -> None:
    async with connect(shared) as agent:
        await agent.call("connect_browser", launch=True)
        await agent.call("open_tab", url=f"{site.url}/opener")
        with cdp_of(shared) as cdp:
            session = cdp.attach(cdp.targets("page", "/opener")[0])
            cdp.send("Runtime.evaluate", session, expression="window.open('/popup') && 1", userGesture=True)
            until(lambda: cdp.targets("page", "/popup"))
        held = until(lambda: _held(shared, 2))
        urls = {tab["id"]: tab["url"] for tab in (await agent.call("list_tabs"))["tabs"]}
        popup = next(tab_id for tab_id in held if urls[tab_id].endswith("/popup"))
        assert (await agent.call("close_tab", tabId=popup))["closed"] is True
        await agent.call("close_tab")


async def test_a_tab_taken_back_in_the_popup_is_the_person_s_again(shared: GatewayProcess, site: Site) -> None:
    async with connect(shared) as agent:
        await agent.call("connect_browser", launch=True)
        tab_id = (await agent.call("open_tab", url=f"{site.url}/mine"))["tab"]["id"]
        changes = agent.changes
        with cdp_of(shared) as cdp:
            cdp.send("Target.createTarget", url=f"chrome-extension://{extension_id()}/ui/popup.html")
            popup = cdp.attach(until(lambda: cdp.targets("page", "ui/popup.html"))[0])
            until(lambda: "/mine" in cdp.evaluate(popup, "document.body?.innerText ?? ''"))
            press = "[...document.querySelectorAll('button')].find(b => /take back/i.test(b.innerText)).click()"
            cdp.evaluate(popup, press)
            await agent.told_of(changes + 1)
            assert (await agent.refused("close_tab", tabId=tab_id))["code"] == "tab_not_held"
            assert (await agent.call("list_tabs"))["focusedTabId"] is None
            for target in (*cdp.targets("page", "ui/popup.html"), *cdp.targets("page", "/mine")):
                cdp.send("Target.closeTarget", targetId=target["targetId"])


def _held(gateway: GatewayProcess, count: int) -> list[int] | None:
    held = [tab_id for session in gateway.status()["sessions"] for tab_id in session["tabsHeld"]]
    return held if len(held) == count else None
