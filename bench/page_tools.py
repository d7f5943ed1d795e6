"""How soon a registered page tool is listed, and how long a call of one takes, through a real client and browser.

Ten tools registered at once until the client has been told; then calls of a page tool, beside calls that are refused
before they leave the gateway, which is what the stack itself costs. Ends with status 1 when a goal of these is missed.
Then what looking for tools costs a page of 20,000 elements: the first time, when no code of it has run yet, and again.
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
from tests.gateway import GatewayProcess, browser_with_port, running, until

ROUNDS, CALLS = 6, 200
LISTED_GOAL_S, CALL_GOAL_S = 0.1, 0.5
QUIET_S = 0.6
"""A lone change is told at once; within half a second of another it waits."""

PAGE = """<title>bench</title><script>
const schema = { type: 'object', properties: { n: { type: 'number' } } };
window.register = (round) => { for (let i = 0; i < 10; i++) document.modelContext.registerTool(
  { name: `t${round}_${i}`, description: 'A tool', inputSchema: schema, execute: async ({ n }) => n }) };
document.modelContext.registerTool(
  { name: 'echo', description: 'Echo', inputSchema: schema, execute: async ({ n }) => n });
</script>"""

LARGE = """<title>Staff</title><nav><a href="/a">One</a><a href="/b">Two</a></nav><main><h1>Employees</h1><table>
<thead><tr><th>Name<th>Mail<th>City<th></tr></thead><tbody id=rows></tbody></table></main><script>
rows.innerHTML = Array.from({ length: 1820 }, (_, n) => `<tr><td><input type=checkbox name=p>
<td><a href="/p/${n}">Person ${n}</a><td><span>p${n}@example.org</span><td><b>City ${n % 7}</b>
<td><button>Edit</button><button>Delete</button>`).join('');
</script>"""
LOOK = """(() => { const agent = globalThis[Symbol.for('tabwright.agent')], begun = performance.now();
agent.get('introspection').list(); return performance.now() - begun; })()"""
LOOKS = 10


async def main() -> int:
    site = Site()
    site.pages["/bench"] = PAGE
    site.pages["/large"] = LARGE
    listed: list[float] = []
    calls: list[float] = []
    bare: list[float] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with running(folder / "home", TABWRIGHT_BROWSER=str(browser_with_port(folder))) as gateway:
            async with connect(gateway) as agent:
                await agent.call("connect_browser", launch=True)
                await agent.call("open_tab", url=f"{site.url}/bench")
                await asyncio.sleep(1)
                with cdp_of(gateway) as cdp:
                    session = cdp.attach(cdp.targets("page", "/bench")[0])
                    for number in range(ROUNDS):
                        await agent.names()
                        await asyncio.sleep(QUIET_S)
                        before, began = agent.changes, time.monotonic()
                        await asyncio.to_thread(cdp.evaluate, session, f"register({number})")
                        await agent.told_of(before + 1)
                        listed.append(time.monotonic() - began)
                for turn in range(CALLS):
                    began = time.monotonic()
                    await agent.result("echo", n=turn)
                    middle = time.monotonic()
                    await agent.result("focus_tab", tabId=-1)
                    calls.append(middle - began)
                    bare.append(time.monotonic() - middle)
                first, again = await looks(agent, gateway, f"{site.url}/large")
    site.close()
    sys.stdout.write(f"10 tools registered, client told   {_tell(listed)}   goal {LISTED_GOAL_S * 1000:g} ms\n")
    sys.stdout.write(f"call of a page tool                {_tell(calls)}   goal {CALL_GOAL_S * 1000:g} ms\n")
    sys.stdout.write(f"call that never leaves the gateway {_tell(bare)}\n")
    sys.stdout.write(f"first look at 20,000 elements      {_tell(first)}   aim 30 ms\n")
    sys.stdout.write(f"another look                       {_tell(again)}\n")
    to = Handover()
    to.most("10 tools of the focused page, client told", statistics.median(listed) * 1000, LISTED_GOAL_S * 1000, "ms")
    to.most("call of a tool of the focused page", statistics.median(calls) * 1000, CALL_GOAL_S * 1000, "ms")
    return to.status()


async def looks(agent: Agent, gateway: GatewayProcess, url: str) -> tuple[list[float], list[float]]:
    """How long looking at a page takes in the page itself: in fresh documents, and again in the same ones."""
    first: list[float] = []
    again: list[float] = []
    await agent.call("open_tab", url=f"{url}?0", focus=False)
    with cdp_of(gateway) as cdp:
        session = cdp.attach(until(lambda: cdp.targets("page", "/large"))[0])
        for turn in range(ROUNDS):
            cdp.send("Page.navigate", session, url=f"{url}?{turn}")
            await asyncio.sleep(QUIET_S)
            world = cdp.isolated_world(session)
            first.append(cdp.evaluate(session, LOOK, world) / 1000)
            again += [cdp.evaluate(session, LOOK, world) / 1000 for _ in range(LOOKS)]
    return first, again


def _tell(took: list[float]) -> str:
    worst = sorted(took)[int(len(took) * 0.95) - 1]
    return f"median {statistics.median(took) * 1000:6.1f} ms   p95 {worst * 1000:6.1f} ms"


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
