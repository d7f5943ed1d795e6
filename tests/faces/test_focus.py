"""tabs.md through real clients in a real browser: what each state shows, what is announced, how it walks back."""

import pytest

from tests.clients import Era, Transport, connect
from tests.conftest import Site
from tests.gateway import GatewayProcess

pytestmark = pytest.mark.browser

STABLE = ["connect_browser", "list_tabs", "open_tab", "focus_tab", "close_tab", "page_tools", "call_page_tool"]


@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize("transport", ["stdio", "http", "sse"])
async def test_the_same_work_is_done_over_every_transport_and_era(
    shared: GatewayProcess, site: Site, transport: Transport, era: Era
) -> None:
    async with connect(shared, transport, era) as agent:
        told = await agent.call("connect_browser", launch=True)
        assert told["connected"] is True
        assert told["browser"]["name"] in ("Chrome", "Chromium")
        opened = await agent.call("open_tab", url=f"{site.url}/one", focus=False)
        tab_id = opened["tab"]["id"]
        assert opened == {"tab": opened["tab"], "focused": False, "toolsAvailable": []}
        assert opened["tab"]["url"] == f"{site.url}/one"

        focused = await agent.call("focus_tab", tabId=tab_id)
        assert focused["success"] is True
        assert focused["tab"]["url"] == f"{site.url}/one"
        listed = await agent.call("list_tabs")
        assert listed["focusedTabId"] == tab_id
        mine = next(tab for tab in listed["tabs"] if tab["id"] == tab_id)
        assert mine == {"id": tab_id, "title": "/one", "url": f"{site.url}/one", "focused": True, "toolCount": 0}

        assert await agent.call("close_tab", tabId=tab_id) == {"closed": True, "tabId": tab_id}
        assert tab_id not in [tab["id"] for tab in (await agent.call("list_tabs"))["tabs"]]


async def test_a_legacy_list_follows_the_state_and_each_change_is_told_once(own: GatewayProcess, site: Site) -> None:
    async with connect(own) as agent:
        assert await agent.names() == ["connect_browser"]

        assert (await agent.call("connect_browser", launch=True))["tabCount"] == 0
        assert await agent.names() == ["list_tabs", "open_tab"]
        assert agent.changes == 1

        first = (await agent.call("open_tab", url=site.url, focus=False))["tab"]["id"]
        assert await agent.names() == ["list_tabs", "open_tab", "focus_tab"]
        assert agent.changes == 2

        await agent.call("focus_tab", tabId=first)
        # what works in a tab comes into view with the focus
        assert (await agent.names())[:5] == ["list_tabs", "open_tab", "focus_tab", "close_tab", "navigate"]
        assert agent.changes == 3

        await agent.call("focus_tab", tabId=first)
        assert agent.changes == 3, "focusing the focused tab changes nothing"

        second = (await agent.call("open_tab", url=f"{site.url}/two"))["tab"]["id"]
        assert agent.changes == 4, "focus on another tab is always told"
        await agent.call("focus_tab", tabId=first)
        assert agent.changes == 5

        await agent.call("close_tab", tabId=second)
        assert agent.changes == 5, "closing a tab without focus is no news"
        await agent.call("close_tab")
        assert await agent.names() == ["list_tabs", "open_tab"]
        assert agent.changes == 6


async def test_a_modern_list_never_changes(shared: GatewayProcess, site: Site) -> None:
    async with connect(shared, "stdio", "modern", toolsets="focus") as agent:
        assert await agent.names() == STABLE
        await agent.call("connect_browser", launch=True)
        opened = await agent.call("open_tab", url=site.url)
        assert await agent.names() == STABLE
        await agent.call("close_tab", tabId=opened["tab"]["id"])
        assert await agent.names() == STABLE
        assert agent.changes == 0


async def test_a_legacy_client_may_ask_for_the_stable_list(shared: GatewayProcess) -> None:
    async with connect(shared, "http", "legacy", list="stable", toolsets="focus") as agent:
        assert await agent.names() == STABLE


async def test_a_wrong_tab_or_address_is_refused_and_changes_nothing(shared: GatewayProcess, site: Site) -> None:
    async with connect(shared) as agent:
        assert (await agent.refused("list_tabs"))["code"] == "browser_not_connected"
        await agent.call("connect_browser", launch=True)
        before, changes = await agent.names(), agent.changes

        missing = await agent.refused("focus_tab", tabId=4711)
        assert missing["code"] == "tab_not_found"
        assert "4711" in missing["message"]
        assert (await agent.refused("open_tab", url="not a url"))["code"] == "invalid_arguments"
        assert (await agent.refused("open_tab", url="file:///etc/passwd"))["code"] == "denied"
        assert (await agent.refused("open_tab", url=shared.url))["code"] == "denied"
        assert (await agent.refused("open_tab"))["code"] == "invalid_arguments"
        assert (await agent.refused("open_tab", url=site.url, color="red"))["code"] == "invalid_arguments"
        assert await agent.names() == before
        assert agent.changes == changes


async def test_a_tab_of_another_session_is_out_of_reach(shared: GatewayProcess, site: Site) -> None:
    async with connect(shared) as first, connect(shared, "http") as second:
        for agent in (first, second):
            await agent.call("connect_browser", launch=True)
        tab_id = (await first.call("open_tab", url=site.url))["tab"]["id"]
        assert (await second.refused("focus_tab", tabId=tab_id))["code"] == "tab_held"
        assert (await second.refused("close_tab", tabId=tab_id))["code"] == "tab_held"
        await first.call("close_tab")
