"""A dialog that opened while no debugger was attached: nobody is told of it, and no call may hang for it."""

import asyncio
import time
from pathlib import Path

import pytest

from tabwright.edges.chrome.extension_files import extension_id
from tests.clients import connect
from tests.conftest import Site, cdp_of
from tests.gateway import browser_with_port, running, until
from tests.tools.told import told

pytestmark = pytest.mark.browser

TO_FRONT = """chrome.windows.getAll().then((all) =>
  Promise.all(all.map(({ id }) => chrome.windows.update(id, { focused: true })))).then(() => 1)"""


async def test_calls_say_within_two_seconds_that_a_dialog_holds_the_page_up(
    display: str, tmp_path: Path, site: Site
) -> None:
    site.pages["/asks"] = (
        "<title>asks</title><p>Text</p><script>window.ask = () => setTimeout(() => alert('Hm?'), 100)</script>"
    )
    variables = {"TABWRIGHT_BROWSER": str(browser_with_port(tmp_path)), "TABWRIGHT_HEADLESS": "", "DISPLAY": display}
    with running(tmp_path / "home", **variables) as gateway:
        async with connect(gateway, toolsets="focus,automation", list="stable") as agent:
            await agent.call("connect_browser", launch=True)
            await agent.call("open_tab", url=f"{site.url}/asks")
            assert "Text" in await told(agent, "get_page_text")
            with cdp_of(gateway) as cdp:
                page = cdp.attach(until(lambda: cdp.targets("page", "/asks"))[0])
                cdp.send("Page.bringToFront", page)
                cdp.in_extension(extension_id(), TO_FRONT)
                cdp.evaluate(page, "ask()")
                cdp.send("Target.detachFromTarget", sessionId=page)
            async with asyncio.timeout(10):
                # nothing tells when the alert opens, which is the point
                while not (await agent.result("get_page_text")).is_error:
                    pass
            for name, arguments in (("get_page_text", {}), ("computer", {"action": "screenshot"})):
                began = time.monotonic()
                error = await agent.refused(name, **arguments)
                assert error["code"] == "dialog_open", error
                assert time.monotonic() - began < 6
            assert "only the person" in (await agent.refused("handle_dialog"))["message"]
            await told(agent, "navigate", url=f"{site.url}/elsewhere")
            assert await told(agent, "javascript_tool", text="location.pathname") == "/elsewhere"
