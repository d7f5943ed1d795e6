"""How long a click, a script and a screenshot take, from a client's call to its answer, in front and in the background.

In a browser that tabwright launched, and in a person's own, which has none of its switches. The person's front tab must
stay in front throughout. Ends with status 1 when a goal is missed.
"""

import asyncio
import re
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench import person
from bench.handover import Handover
from tests.cdp import Cdp
from tests.clients import Agent, connect
from tests.conftest import Site, cdp_of
from tests.gateway import browser_with_port, running
from tests.tools.told import tab_of, told

CALLS, WARM = 60, 5
GOALS_MS = {"click": 60.0, "evaluate": 10.0, "screenshot": 70.0}

PAGE = """<!doctype html><title>bench</title><button onclick="out.textContent = ++count">Count</button>
<output id=out></output><script>let count = 0</script>""" + "".join(
    f"<p>Paragraph {number} of a page of ordinary length, with <a href=/{number}>a link</a>.</p>"
    for number in range(200)
)


async def time_calls(agent: Agent, name: str, /, **arguments: Any) -> list[float]:
    took: list[float] = []
    for _ in range(WARM + CALLS):
        began = time.perf_counter()
        result = await agent.result(name, **arguments)
        took.append((time.perf_counter() - began) * 1000)
        assert not result.is_error, result.content
    return took[WARM:]


def tell(to: Handover, what: str, where: str, took: list[float]) -> None:
    median, goal = statistics.median(took), GOALS_MS[what]
    worst = sorted(took)[int(len(took) * 0.95)]
    sys.stdout.write(f"{what:<12}{where:<23} median {median:6.1f} ms   p95 {worst:6.1f} ms   goal {goal:g} ms\n")
    to.most(f"{what}, {where}, median", median, goal, "ms")


async def measure(to: Handover, agent: Agent, tab_id: int, where: str) -> None:
    outline = await told(agent, "read_page", tabId=tab_id)
    found = re.search(r'"Count" (e\d+)', outline)
    assert found is not None, outline
    click = await time_calls(agent, "computer", action="left_click", ref=found[1], tabId=tab_id)
    script = await time_calls(agent, "javascript_tool", text="document.title", tabId=tab_id)
    shot = await time_calls(agent, "computer", action="screenshot", tabId=tab_id)
    for what, took in (("click", click), ("evaluate", script), ("screenshot", shot)):
        tell(to, what, where, took)


async def in_launched(to: Handover, folder: Path, url: str) -> None:
    with running(folder / "home", TABWRIGHT_BROWSER=str(browser_with_port(folder))) as gateway:
        async with connect(gateway, toolsets="automation", list="stable") as agent:
            front = tab_of(await told(agent, "navigate", url=f"{url}/bench"))
            await measure(to, agent, front, "in front")
            back = tab_of(await told(agent, "tabs_create_mcp", url=f"{url}/bench?back"))
            with cdp_of(gateway) as cdp:
                bring_to_front(cdp, "/bench")
            await measure(to, agent, back, "in the background")


async def in_own(to: Handover, folder: Path, url: str) -> None:
    """The person looks at a page of their own; then at the one that is worked in."""
    with running(folder / "home") as gateway:
        async with (
            person.paired(gateway, folder) as cdp,
            connect(gateway, toolsets="focus,automation", list="stable") as agent,
        ):
            cdp.send("Target.createTarget", url=f"{url}/front")
            assert (await agent.call("connect_browser"))["connected"]
            tab = tab_of(await told(agent, "tabs_create_mcp", url=f"{url}/bench"))
            await measure(to, agent, tab, "own, in the background")
            assert cdp.in_page("/front", "document.visibilityState") == "visible"
            bring_to_front(cdp, "/bench")
            await measure(to, agent, tab, "own, in front")


def bring_to_front(cdp: Cdp, path: str) -> None:
    cdp.send("Page.bringToFront", cdp.attach(cdp.targets("page", path)[0]))


async def main() -> int:
    to, site = Handover(), Site()
    site.pages["/bench"] = PAGE
    site.pages["/front"] = "<title>front</title>"
    for measured in (in_launched, in_own):
        with tempfile.TemporaryDirectory() as name:
            await measured(to, Path(name), site.url)
    site.close()
    return to.status()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
