"""Stop in the popup halts a running agent at once, and keeps it halted until the person lets it go on."""

import asyncio
import json
import time

import pytest

from tabwright.edges.chrome.extension_files import extension_id
from tests.cdp import Cdp
from tests.clients import connect
from tests.conftest import Site, cdp_of
from tests.gateway import GatewayProcess, until

pytestmark = pytest.mark.browser

LONG = "await new Promise(done => setTimeout(done, 20000)); 'done'"


def press(cdp: Cdp, session: str, label: str) -> None:
    """The first session's button, once it has this label."""
    found = f"[...document.querySelectorAll('button.stop')].find(button => button.textContent === '{label}')"
    until(lambda: cdp.evaluate(session, f"!!({found})"))
    cdp.evaluate(session, f"({found}).click()")


async def test_stop_in_the_popup_ends_what_runs_and_what_would_come(shared: GatewayProcess, site: Site) -> None:
    async with connect(shared, toolsets="automation") as other, connect(shared) as agent:
        await agent.call("connect_browser", launch=True)
        tab = (await agent.call("open_tab", url=f"{site.url}/busy"))["tab"]["id"]
        with cdp_of(shared) as cdp:
            cdp.send("Target.createTarget", url=f"chrome-extension://{extension_id()}/ui/popup.html")
            popup = cdp.attach(until(lambda: cdp.targets("page", "ui/popup.html"))[0])
            calls = [
                asyncio.create_task(agent.refused("javascript_tool", text=LONG, tabId=tab)),
                asyncio.create_task(agent.refused("wait_for", text="never", ms=20_000, tabId=tab)),
            ]
            attached = "(async () => JSON.stringify((await chrome.debugger?.getTargets()) ?? []))()"

            def held() -> bool:
                targets = json.loads(cdp.evaluate(popup, attached))
                return any(each["attached"] for each in targets if each["url"].endswith("/busy"))

            await asyncio.to_thread(until, held)
            await asyncio.to_thread(press, cdp, popup, "Stop")
            pressed = time.monotonic()
            told = await asyncio.wait_for(asyncio.gather(*calls), 10)
            assert time.monotonic() - pressed < 5, "a second, and room for a busy machine"
            assert [each["code"] for each in told] == ["stopped", "stopped"]
            await asyncio.to_thread(until, lambda: not held())

            assert (await agent.refused("read_page", tabId=tab))["code"] == "stopped"
            assert not (await other.result("navigate", url=f"{site.url}/else")).is_error, "nobody else is stopped"
            await asyncio.to_thread(press, cdp, popup, "Resume")
            await asyncio.to_thread(until, lambda: "Resume" not in cdp.evaluate(popup, "document.body.innerText"))
            assert not (await agent.result("read_page", tabId=tab)).is_error
            for target in cdp.targets("page", "ui/popup.html"):
                cdp.send("Target.closeTarget", targetId=target["targetId"])
        await agent.call("close_tab", tabId=tab)
        said = shared.run("audit", "--kind", "session", "--json").stdout
        assert '"what": "stopped"' in said
        assert '"what": "resumed"' in said
