"""What goes wrong in the midst of a call: it ends soon, says what happened, and the next call works."""

import asyncio
import os
import signal
import time
from typing import Any

import pytest

from tests.clients import Agent, connect
from tests.conftest import Site, cdp_of
from tests.faults.test_links import break_link
from tests.gateway import GatewayProcess, alive, until
from tests.tools.told import tab_of, told

pytestmark = pytest.mark.browser

SOON_S = 5.0
PAGE = """<!doctype html><title>calls</title><button onclick="document.title = 'clicked'">Go</button>
<a href="/slow-page">Slow</a><a href="/popup-page" target=_blank>Popup</a><a href="/calls-next">Next</a>"""


async def at(agent: Agent, site: Site, path: str = "/calls") -> int:
    site.pages[path] = PAGE
    site.pages["/calls-next"] = "<title>calls next</title><h1>Next</h1>"
    return tab_of(await told(agent, "navigate", url=f"{site.url}{path}"))


async def while_waiting(agent: Agent, what: Any) -> tuple[dict[str, Any], float]:
    """The error of a call that was under way when something happened, and how long after it came."""
    waiting = asyncio.create_task(
        agent.refused("javascript_tool", text="document.title = 'under way'; new Promise(() => {})")
    )
    return await _ended(waiting, what)


async def _ended(waiting: "asyncio.Task[dict[str, Any]]", what: Any) -> tuple[dict[str, Any], float]:
    await asyncio.to_thread(what)
    began = time.monotonic()
    async with asyncio.timeout(10):
        return await waiting, time.monotonic() - began


async def test_a_tab_closed_in_the_midst_of_a_call_ends_it(shared: GatewayProcess, site: Site) -> None:
    async with connect(shared, toolsets="automation", list="stable") as agent:
        await at(agent, site)

        def close() -> None:
            with cdp_of(shared) as cdp:
                target = until(
                    lambda: [each for each in cdp.targets("page", "/calls") if each["title"] == "under way"]
                )[0]
                cdp.send("Target.closeTarget", targetId=target["targetId"])

        error, took = await while_waiting(agent, close)
        assert took < SOON_S
        assert error["code"] == "outcome_unknown", error
        assert "closed" in error["message"]
        await at(agent, site)
        assert await told(agent, "javascript_tool", text="document.title") == "calls"


async def test_a_page_that_crashes_in_the_midst_of_a_call_ends_it(shared: GatewayProcess, site: Site) -> None:
    async with connect(shared, toolsets="automation", list="stable") as agent:
        await at(agent, site, "/doomed")

        def crash() -> None:
            with cdp_of(shared) as cdp:
                until(lambda: [each for each in cdp.targets("page", "/doomed") if each["title"] == "under way"])
                cdp.crash("/doomed")

        error, took = await while_waiting(agent, crash)
        assert took < SOON_S
        assert "crashed" in error["message"], error
        await at(agent, site)
        assert await told(agent, "javascript_tool", text="document.title") == "calls"


async def test_a_page_in_an_endless_loop_is_told_soon_and_can_be_left(shared: GatewayProcess, site: Site) -> None:
    loop = "setTimeout(() => { document.title = 'loop'; for (;;); }, 50); 1"
    async with connect(shared, toolsets="automation", list="stable") as agent:
        tab_id = await at(agent, site, "/looping")
        await told(agent, "javascript_tool", text=loop)
        until(lambda: _titled(shared, "loop"))
        for name, arguments in (("read_page", {}), ("computer", {"action": "key", "text": "a"})):
            began = time.monotonic()
            error = await agent.refused(name, **arguments)
            assert "does not respond" in error["message"], error
            assert time.monotonic() - began < 9
        assert "Loaded" in await told(agent, "navigate", url="reload")
        assert await told(agent, "javascript_tool", text="document.title") == "calls"
        await told(agent, "javascript_tool", text=loop)
        assert "Closed tab" in await told(agent, "tabs_close_mcp", tabId=tab_id)


def _titled(gateway: GatewayProcess, title: str) -> bool:
    with cdp_of(gateway) as cdp:
        return any(each["title"] == title for each in cdp.targets("page", "/looping"))


async def test_a_browser_killed_in_the_midst_of_a_call_ends_it_and_the_next_call_has_another(
    own: GatewayProcess, site: Site
) -> None:
    async with connect(own, toolsets="automation", list="stable") as agent:
        await at(agent, site)
        pid = next(
            int(line.split("pid ")[1]) for line in own.log().splitlines() if "launched" in line and "pid " in line
        )

        def kill() -> None:
            with cdp_of(own) as cdp:
                until(lambda: [each for each in cdp.targets("page", "/calls") if each["title"] == "under way"])
            os.kill(pid, signal.SIGKILL)

        error, took = await while_waiting(agent, kill)
        assert took < SOON_S
        assert error["code"] in ("outcome_unknown", "browser_not_connected"), error
        until(lambda: not alive(pid) and "has ended" in own.log())
        await at(agent, site)
        assert await told(agent, "javascript_tool", text="document.title") == "calls"


async def test_the_tabs_of_a_browser_that_was_killed_are_not_listed(own: GatewayProcess, site: Site) -> None:
    async with connect(own, toolsets="automation", list="stable") as agent:
        gone = await at(agent, site)
        downs = own.log().count("is down")
        os.kill(
            next(int(line.split("pid ")[1]) for line in own.log().splitlines() if "launched" in line), signal.SIGKILL
        )
        until(lambda: own.log().count("is down") > downs or "has ended" in own.log())
        assert str(gone) not in await told(agent, "tabs_context")
        await at(agent, site)
        assert '"Go"' in await told(agent, "read_page")


async def test_a_click_that_leads_on_tells_where(shared: GatewayProcess, site: Site) -> None:
    async with connect(shared, toolsets="automation", list="stable") as agent:
        await at(agent, site)
        said = await told(agent, "computer", action="left_click", ref=await ref_of(agent, "Next"))
        assert "/calls-next" in said


async def test_a_click_that_opens_a_tab_names_it(shared: GatewayProcess, site: Site) -> None:
    async with connect(shared, toolsets="automation", list="stable") as agent:
        await at(agent, site)
        said = await told(agent, "computer", action="left_click", ref=await ref_of(agent, "Popup"))
        assert "A new tab opened: " in said


async def test_a_click_that_starts_a_slow_page_is_waited_for_and_bounded(shared: GatewayProcess, site: Site) -> None:
    site.slow("/slow-page", 1.2)
    async with connect(shared, toolsets="automation", list="stable") as agent:
        await at(agent, site)
        began = time.monotonic()
        said = await told(agent, "computer", action="left_click", ref=await ref_of(agent, "Slow"))
        assert time.monotonic() - began < 6
        assert "/slow-page" in said


async def test_a_debugger_that_was_let_go_is_attached_again(shared: GatewayProcess, site: Site) -> None:
    async with connect(shared, toolsets="automation", list="stable") as agent:
        await at(agent, site)
        assert await told(agent, "javascript_tool", text="1") == "1"
        await told(agent, "turn_answer_complete")
        assert await told(agent, "javascript_tool", text="2") == "2"


@pytest.mark.parametrize("how", ["worker stopped", "extension reloaded"])
async def test_a_ref_can_be_clicked_after_the_link_broke(own: GatewayProcess, site: Site, how: str) -> None:
    async with connect(own, toolsets="automation", list="stable") as agent:
        await at(agent, site)
        ref = await ref_of(agent, "Go")
        assert await told(agent, "javascript_tool", text="document.title") == "calls"
        with cdp_of(own) as cdp:
            downs = own.log().count("is down")
            break_link(how, cdp)
            until(lambda: own.log().count("is down") > downs)
        assert 'Clicked button "Go"' in await told(agent, "computer", action="left_click", ref=ref)
        assert await told(agent, "javascript_tool", text="document.title") == "clicked"


async def ref_of(agent: Agent, name: str) -> str:
    outline = await told(agent, "read_page")
    line = next(part for part in outline.replace(",", "\n").splitlines() if f'"{name}"' in part)
    return next(word.strip(",") for word in line.split() if word[0] == "e" and word[1:].strip(",").isdigit())
