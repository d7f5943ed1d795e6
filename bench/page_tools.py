"""How soon a registered page tool is listed, and how long a call of one takes, through a real client and browser.

Ten tools registered at once until the client has been told; then calls of a page tool, beside calls that are refused
before they leave the gateway, which is what the stack itself costs. Ends with status 1 when a goal is missed.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.clients import connect
from tests.conftest import Site, cdp_of
from tests.gateway import browser_with_port, running

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


async def main() -> int:
    site = Site()
    site.pages["/bench"] = PAGE
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
    site.close()
    sys.stdout.write(f"10 tools registered, client told   {_tell(listed)}   goal {LISTED_GOAL_S * 1000:g} ms\n")
    sys.stdout.write(f"call of a page tool                {_tell(calls)}   goal {CALL_GOAL_S * 1000:g} ms\n")
    sys.stdout.write(f"call that never leaves the gateway {_tell(bare)}\n")
    return 0 if statistics.median(listed) <= LISTED_GOAL_S and statistics.median(calls) <= CALL_GOAL_S else 1


def _tell(took: list[float]) -> str:
    worst = sorted(took)[int(len(took) * 0.95) - 1]
    return f"median {statistics.median(took) * 1000:6.1f} ms   p95 {worst * 1000:6.1f} ms"


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
