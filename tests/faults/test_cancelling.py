"""A call that is cancelled in its midst: nothing stays pressed, and what cannot be stopped is told."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.clients import Agent, connect, unfenced
from tests.conftest import Site, cdp_of
from tests.gateway import GatewayProcess, until
from tests.tools.told import told

pytestmark = pytest.mark.browser

# the page takes its time with every event, so that gestures last
PAGE = """<!doctype html><title>idle</title><body style="margin:0;height:900px"><input autofocus><script>
  globalThis.seen = [];
  const busy = () => { const until = performance.now() + 40; while (performance.now() < until); };
  for (const kind of ['mousedown', 'mousemove', 'mouseup', 'keydown', 'keyup'])
    addEventListener(kind, (event) => {
      seen.push(kind + (event.key ?? ''));
      if (kind === 'mousedown' || event.key === 'ArrowLeft') document.title = 'under way';
      busy();
    }, true);
</script>"""


async def cancelled_in_its_midst(gateway: GatewayProcess, agent: Agent, path: str, **call: Any) -> None:
    """Begin a call, wait until the page is called `under way`, cancel it."""
    name = call.pop("name", "computer")
    calling = asyncio.create_task(agent.result(name, **call))

    def under_way() -> None:
        with cdp_of(gateway) as cdp:
            until(lambda: [each for each in cdp.targets("page", path) if each["title"] == "under way"])

    await asyncio.to_thread(under_way)
    assert not calling.done(), "it was over before it could be cancelled"
    calling.cancel()
    await asyncio.wait({calling}, timeout=5)


async def seen(agent: Agent, last: str) -> list[str]:
    """The page's events, once this one has come."""
    async with asyncio.timeout(10):
        while last not in (events := unfenced(await told(agent, "javascript_tool", text="seen.join()")).split(",")):
            pass
    return events


async def test_a_cancelled_drag_lets_the_button_go(shared: GatewayProcess, site: Site) -> None:
    site.pages["/drag"] = PAGE
    async with connect(shared, toolsets="automation", list="stable") as agent:
        await told(agent, "navigate", url=f"{site.url}/drag")
        await cancelled_in_its_midst(
            shared, agent, "/drag", action="left_click_drag", start_coordinate=[20, 200], coordinate=[300, 400]
        )
        events = await seen(agent, "mouseup")
        assert events.count("mousedown") == events.count("mouseup") == 1


async def test_cancelled_keys_let_the_modifiers_go(shared: GatewayProcess, site: Site) -> None:
    site.pages["/keys"] = PAGE
    async with connect(shared, toolsets="automation", list="stable") as agent:
        await told(agent, "navigate", url=f"{site.url}/keys")
        await cancelled_in_its_midst(shared, agent, "/keys", action="key", text="ctrl+shift+ArrowLeft", repeat=60)
        events = await seen(agent, "keyupControl")
        assert events.count("keydownArrowLeft") < 60
        for key in ("Control", "Shift", "ArrowLeft"):
            assert events.count(f"keydown{key}") == events.count(f"keyup{key}"), key


async def test_the_call_after_a_cancelled_script_says_that_it_goes_on(shared: GatewayProcess, site: Site) -> None:
    site.pages["/script"] = "<title>idle</title>"
    async with connect(shared, toolsets="automation", list="stable") as agent:
        await told(agent, "navigate", url=f"{site.url}/script")
        script = (
            "document.title = 'under way'; await new Promise((resolve) => { globalThis.go = resolve; }); went = true"
        )
        await cancelled_in_its_midst(shared, agent, "/script", name="javascript_tool", text=script)
        said = await told(agent, "javascript_tool", text="go(); await 0; await 0; typeof went")
        assert "was not stopped" in said
        assert await told(agent, "javascript_tool", text="typeof went") == "boolean"


@pytest.mark.parametrize("way", ["cancelled", "left"])
async def test_a_tab_that_was_given_up_while_it_opened_is_closed(shared: GatewayProcess, site: Site, way: str) -> None:
    visits = site.slow(f"/{way}", 2)
    async with connect(shared, list="stable") as watching:
        await watching.call("connect_browser", launch=True)
        before = (await watching.call("list_tabs"))["tabs"]

        async def tabs() -> int:
            return len((await watching.call("list_tabs"))["tabs"]) - len(before)

        async with connect(shared, list="stable") as agent:
            await agent.call("connect_browser")
            opening = asyncio.create_task(agent.result("open_tab", url=f"{site.url}/{way}"))
            await asyncio.to_thread(visits.get, timeout=5)
            assert await tabs() == 1
            if way == "cancelled":
                opening.cancel()
                await asyncio.wait({opening}, timeout=5)
                await gone(tabs)
        opening.cancel()
        await gone(tabs)


async def gone(tabs: Callable[[], Awaitable[int]]) -> None:
    async with asyncio.timeout(5):
        while await tabs():
            pass
