"""How soon a page's tools are in the hub's list, how long a call takes, and what fifty tabs add to it.

In a real browser: ten tools registered at once until the client was told and has them in a list it fetched; then calls
of one. Against a bare peer, which answers at once: the same call while 1, 10 and 50 tabs offer twenty tools each, in
turns. Ends with status 1 when a goal is missed.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path

from bench.handover import Handover
from tests.clients import Agent, connect
from tests.conftest import Site, cdp_of
from tests.gateway import browser_with_port, running
from tests.hub.agents import hub_tools
from tests.hub.peer import Peer, peer, tab, tool

ROUNDS, CALLS = 8, 200
LISTED_GOAL_S, CALL_GOAL_S, FLAT_GOAL = 0.1, 0.5, 1.5
QUIET_S = 0.6
"""A lone change is told at once; within half a second of another it waits."""

PAGE = """<title>bench</title><script>
const schema = { type: 'object', properties: { n: { type: 'number' } } };
let last = [];
window.register = (round) => {
  last.forEach((old) => old.abort());
  last = Array.from({ length: 10 }, (_, i) => {
    const made = new AbortController();
    document.modelContext.registerTool({ name: `t${round}_${i}`, description: 'A tool', inputSchema: schema,
      execute: async ({ n }) => n }, { signal: made.signal });
    return made;
  });
};
document.modelContext.registerTool(
  { name: 'echo', description: 'Echo', inputSchema: schema, execute: async ({ n }) => n });
</script>"""


async def main() -> int:
    listed, calls = await in_a_browser()
    flat = await among_tabs()
    say(f"10 tools registered, in a client's list   {tell(listed)}   goal {LISTED_GOAL_S * 1000:g} ms")
    say(f"call of a hub tool                        {tell(calls)}   goal {CALL_GOAL_S * 1000:g} ms")
    for tabs, took in flat.items():
        say(f"the same at a bare peer, {tabs:2} tabs ({tabs * 20:4} tools) {tell(took)}")
    # the lower quartile: what else the machine does is in the upper half
    ratio = statistics.quantiles(flat[50])[0] / statistics.quantiles(flat[1])[0]
    say(f"fifty tabs against one                    {ratio:.2f}   goal {FLAT_GOAL:g}")
    to = Handover()
    to.most("10 tools of any tab, in a client's list", statistics.median(listed) * 1000, LISTED_GOAL_S * 1000, "ms")
    to.most("call of a tool of any tab", statistics.median(calls) * 1000, CALL_GOAL_S * 1000, "ms")
    to.most("a call among the tools of fifty tabs, to one", ratio, FLAT_GOAL, "times")
    return to.status()


async def in_a_browser() -> tuple[list[float], list[float]]:
    site = Site()
    site.pages["/bench"] = PAGE
    listed: list[float] = []
    calls: list[float] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with running(folder / "home", TABWRIGHT_BROWSER=str(browser_with_port(folder))) as gateway:
            async with connect(gateway, toolsets="hub,focus") as agent:
                await agent.call("connect_browser", launch=True)
                await agent.call("open_tab", url=f"{site.url}/bench", focus=False)
                await offered(agent, "_echo")
                with cdp_of(gateway) as cdp:
                    session = cdp.attach(cdp.targets("page", "/bench")[0])
                    for number in range(ROUNDS):
                        await agent.names()
                        await asyncio.sleep(QUIET_S)
                        began = time.monotonic()
                        await asyncio.to_thread(cdp.evaluate, session, f"register({number})")
                        await offered(agent, f"_t{number}_9")
                        listed.append(time.monotonic() - began)
                [echo] = [each for each in await hub_tools(agent) if each.endswith("_echo")]
                for turn in range(CALLS):
                    began = time.monotonic()
                    await agent.result(echo, n=turn)
                    calls.append(time.monotonic() - began)
    site.close()
    return listed, calls


async def offered(agent: Agent, ending: str) -> None:
    await agent.once(lambda: hub_tools(agent), lambda there: any(name.endswith(ending) for name in there))


async def among_tabs() -> dict[int, list[float]]:
    """Calls of one tool while so many tabs offer tools; in turns, so that whatever slows the machine slows all."""
    took: dict[int, list[float]] = {1: [], 10: [], 50: []}
    with tempfile.TemporaryDirectory() as name, running(Path(name) / "home") as gateway:
        tabs = [tab(number, f"https://site{number % 10}.example") for number in range(1, 51)]
        async with peer(gateway, *tabs) as page, connect(gateway, toolsets="hub") as agent:
            for _ in range(8):
                for count, times in took.items():
                    await fill(page, agent, count)
                    for turn in range(CALLS // 8):
                        began = time.perf_counter()
                        await agent.result("website_tool_site1_example_tab1_tool_0", n=turn)
                        times.append(time.perf_counter() - began)
    return took


async def fill(page: Peer, agent: Agent, count: int) -> None:
    for number in range(1, 51):
        tools = [tool(f"tool_{each}") for each in range(20)] if number <= count else []
        await page.register(number, f"https://site{number % 10}.example", *tools, method="browser/updateTools")
    await agent.once(lambda: hub_tools(agent), lambda there: len(there) == 20 * count)


def tell(took: list[float]) -> str:
    worst = sorted(took)[int(len(took) * 0.95) - 1]
    return f"median {statistics.median(took) * 1000:6.1f} ms   p95 {worst * 1000:6.1f} ms"


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
