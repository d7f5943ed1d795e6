"""A server that does not answer: its tab says so soon, can be left at once, and stays where it is if the call ends."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types
import pytest

from tests.clients import Agent, connect
from tests.conftest import Site, cdp_of
from tests.faults.test_links import break_link
from tests.gateway import GatewayProcess, until
from tests.tools.told import told

pytestmark = pytest.mark.browser

SOON_S = 8.0
NEVER_S = 120.0


@asynccontextmanager
async def waiting_for_a_page(
    gateway: GatewayProcess, site: Site, path: str
) -> AsyncGenerator[tuple[Agent, asyncio.Task[dict[str, Any]]]]:
    """A client whose navigate to a page that does not come is under way, from a page with a field."""
    visits = site.slow(path, NEVER_S)
    site.pages["/start"] = "<title>start</title><label>Name <input></label>"
    async with connect(gateway, toolsets="automation", list="stable") as agent:
        await told(agent, "navigate", url=f"{site.url}/start")
        await told(agent, "read_page")
        going = asyncio.create_task(agent.refused("navigate", url=f"{site.url}{path}"))
        await asyncio.to_thread(visits.get, timeout=5)
        try:
            yield agent, going
        finally:
            going.cancel()


async def quickly_refused(agent: Agent, name: str, **arguments: object) -> dict[str, Any]:
    began = time.monotonic()
    error = await agent.refused(name, **arguments)
    assert time.monotonic() - began < SOON_S
    return error


async def test_what_acts_on_a_page_is_told_soon_that_another_is_being_loaded(
    shared: GatewayProcess, site: Site
) -> None:
    calls: list[tuple[str, dict[str, object]]] = [
        ("computer", {"action": "left_click", "ref": "e1"}),
        ("computer", {"action": "screenshot"}),
        ("form_input", {"ref": "e1", "value": "x"}),
        ("javascript_tool", {"text": "1"}),
        ("read_console_messages", {}),
    ]
    async with waiting_for_a_page(shared, site, "/never-1") as (agent, _):
        for name, arguments in calls:
            error = await quickly_refused(agent, name, **arguments)
            assert error["code"] == "unreachable_page", (name, error)
            assert f"is being loaded: {site.url} has not answered yet" in error["message"]
        assert 'textbox "Name"' in await told(agent, "read_page")


async def test_another_address_takes_over_at_once_and_the_call_before_is_told(
    shared: GatewayProcess, site: Site
) -> None:
    async with waiting_for_a_page(shared, site, "/never-2") as (agent, going):
        began = time.monotonic()
        assert "Loaded" in await told(agent, "navigate", url=f"{site.url}/calls-elsewhere")
        assert time.monotonic() - began < SOON_S
        error = await going
        assert error["code"] == "navigation_failed"
        assert "took over before" in error["message"]
        assert await told(agent, "javascript_tool", text="location.pathname") == "/calls-elsewhere"


async def test_of_several_addresses_at_once_the_last_one_comes_and_all_others_are_told(
    shared: GatewayProcess, site: Site
) -> None:
    async with connect(shared, toolsets="automation", list="stable") as agent:
        await told(agent, "navigate", url=f"{site.url}/start-several")
        for number in range(5):
            urls = [f"{site.url}/several-{number}-{letter}" for letter in "abc"]
            results = await asyncio.gather(*(agent.result("navigate", url=url) for url in urls))
            said = [result.content[0].text for result in results if isinstance(result.content[0], types.TextContent)]
            there = await told(agent, "javascript_tool", text="location.href")
            for url, text in zip(urls, said, strict=True):
                assert (f"Loaded {url}" if url == there else f"took over before {url} was there") in text


async def test_calls_for_the_same_address_go_along_and_one_that_ends_stops_no_other(
    shared: GatewayProcess, site: Site
) -> None:
    visits = site.slow("/along", 1.0)
    async with connect(shared, toolsets="automation", list="stable") as agent:
        await told(agent, "navigate", url=f"{site.url}/start-along")
        going = [asyncio.create_task(told(agent, "navigate", url=f"{site.url}/along")) for _ in range(3)]
        await asyncio.to_thread(visits.get, timeout=5)
        going[2].cancel()
        assert all(f"Loaded {site.url}/along" in said for said in await asyncio.gather(*going[:2]))


async def test_a_cancelled_call_leaves_the_tab_where_it_was(shared: GatewayProcess, site: Site) -> None:
    async with waiting_for_a_page(shared, site, "/never-4") as (agent, going):
        going.cancel()
        assert await told(agent, "javascript_tool", text="document.title") == "start"
        assert "(loading)" not in await told(agent, "tabs_context")


async def test_a_cancelled_call_does_not_stop_the_one_that_took_over(shared: GatewayProcess, site: Site) -> None:
    visits = site.slow("/later", 1.0)
    async with waiting_for_a_page(shared, site, "/never-5") as (agent, going):
        later = asyncio.create_task(told(agent, "navigate", url=f"{site.url}/later"))
        await asyncio.to_thread(visits.get, timeout=5)
        going.cancel()
        assert f"Loaded {site.url}/later" in await later


async def test_a_page_that_moves_within_itself_meanwhile_is_still_being_left(
    shared: GatewayProcess, site: Site
) -> None:
    visits = site.slow("/never-6", NEVER_S)
    site.pages["/moving"] = "<title>moving</title>"
    async with connect(shared, toolsets="automation", list="stable") as agent:
        await told(agent, "navigate", url=f"{site.url}/moving")
        script = (
            "setTimeout(() => { location.href = '/never-6'; setTimeout(() => { location.hash = 'x' }, 200) }, 50); 1"
        )
        await told(agent, "javascript_tool", text=script)
        await asyncio.to_thread(visits.get, timeout=5)
        while "/moving#x" not in await told(agent, "tabs_context"):
            pass
        error = await quickly_refused(agent, "javascript_tool", text="1")
        assert "is being loaded" in error["message"]


async def test_the_way_back_is_open_too(shared: GatewayProcess, site: Site) -> None:
    async with waiting_for_a_page(shared, site, "/never-3") as (agent, going):
        began = time.monotonic()
        assert "about:blank" in await told(agent, "navigate", url="back")
        assert time.monotonic() - began < SOON_S
        assert "took over before" in (await going)["message"]


@pytest.mark.parametrize("how", ["worker stopped", "extension reloaded"])
async def test_a_broken_link_does_not_make_the_tab_unusable(own: GatewayProcess, site: Site, how: str) -> None:
    path = f"/never-{how.replace(' ', '-')}"
    async with waiting_for_a_page(own, site, path) as (agent, going):
        with cdp_of(own) as cdp:
            downs = own.log().count("is down")
            break_link(how, cdp)
            until(lambda: own.log().count("is down") > downs)
        assert (await going)["code"] == "outcome_unknown"
        assert (await quickly_refused(agent, "javascript_tool", text="1"))["code"] == "unreachable_page"
        began = time.monotonic()
        assert "Loaded" in await told(agent, "navigate", url=f"{site.url}/after-break")
        assert time.monotonic() - began < SOON_S


async def test_a_click_that_leads_to_a_server_that_does_not_answer_is_told_soon(
    shared: GatewayProcess, site: Site
) -> None:
    site.slow("/never-7", NEVER_S)
    site.pages["/leading"] = "<title>leading</title><a href='/never-7'>There</a>"
    async with connect(shared, toolsets="automation", list="stable") as agent:
        await told(agent, "navigate", url=f"{site.url}/leading")
        await told(agent, "read_page")
        began = time.monotonic()
        said = await told(agent, "computer", action="left_click", ref="e1")
        assert time.monotonic() - began < SOON_S
        assert f"The tab is loading {site.url}/never-7, which has not answered yet." in said
        assert (await quickly_refused(agent, "javascript_tool", text="1"))["code"] == "unreachable_page"
        assert "Loaded" in await told(agent, "navigate", url=f"{site.url}/after-leading")
