"""How long the everyday calls take, from a client's call to its answer.

Told are median, 95th percentile and, for a machine that has other work to do meanwhile, the fastest fifth.
"""

import asyncio
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.clients import Agent, connect
from tests.conftest import Site
from tests.gateway import browser_with_port, running
from tests.tools.told import tab_of, told

CALLS, WARM = int(sys.argv[1]) if len(sys.argv) > 1 else 40, 5

PAGE = """<!doctype html><title>bench</title><button onclick="out.textContent = ++count">Count</button>
<button>Idle</button><label>Name <input id=name></label>
<output id=out></output><script>let count = 0</script>""" + "".join(
    f"<p>Paragraph {number} of a page of ordinary length, with <a href=/{number}>a link</a>.</p>"
    for number in range(200)
)
SMALL = """<!doctype html><title>small</title><h1>Small</h1>""" + "".join(
    f"<p><a href=/{number}>Link {number}</a></p>" for number in range(50)
)


async def time_calls(call: Callable[[int], Awaitable[Any]]) -> list[float]:
    took: list[float] = []
    for number in range(WARM + CALLS):
        began = time.perf_counter()
        result = await call(number)
        took.append((time.perf_counter() - began) * 1000)
        assert not result.is_error, result.content
    return took[WARM:]


def tell(what: str, took: list[float]) -> None:
    took.sort()
    worst, good = took[int(len(took) * 0.95)], took[len(took) // 5]
    sys.stdout.write(
        f"{what:<24} median {statistics.median(took):6.1f} ms   p95 {worst:6.1f} ms   p20 {good:6.1f} ms\n"
    )
    sys.stdout.flush()


async def measure(agent: Agent, tab: int, site: str) -> None:
    outline = await told(agent, "read_page", tabId=tab)

    def ref(name: str) -> str:
        found = re.search(name + r'"? (e\d+)', outline)
        assert found is not None, outline[:600]
        return found[1]

    async def click(name: str) -> None:
        it = ref(name)
        tell(
            f"click {name}",
            await time_calls(lambda _: agent.result("computer", action="left_click", ref=it, tabId=tab)),
        )

    await click("Count")
    await click("Idle")
    field = ref("Name")
    tell("fill", await time_calls(lambda n: agent.result("form_input", ref=field, value=f"n {n}", tabId=tab)))
    tell("evaluate", await time_calls(lambda _: agent.result("javascript_tool", text="document.title", tabId=tab)))
    tell("screenshot", await time_calls(lambda _: agent.result("computer", action="screenshot", tabId=tab)))
    tell("outline 200", await time_calls(lambda _: agent.result("read_page", tabId=tab)))
    tell("navigate 200", await time_calls(lambda n: agent.result("navigate", url=f"{site}/bench?{n}", tabId=tab)))
    tell("navigate 50", await time_calls(lambda n: agent.result("navigate", url=f"{site}/small?{n}", tabId=tab)))
    tell("outline 50", await time_calls(lambda _: agent.result("read_page", tabId=tab)))
    tell("screenshot 50", await time_calls(lambda _: agent.result("computer", action="screenshot", tabId=tab)))


async def main() -> int:
    site = Site()
    site.pages["/bench"] = PAGE
    site.pages["/small"] = SMALL
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with running(folder / "home", TABWRIGHT_BROWSER=str(browser_with_port(folder))) as gateway:
            async with connect(gateway, toolsets="automation", list="stable") as agent:
                tab = tab_of(await told(agent, "navigate", url=f"{site.url}/bench"))
                await measure(agent, tab, site.url)
    site.close()
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
