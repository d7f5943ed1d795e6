"""How soon work goes on after the link to the browser broke: worker stopped, extension reloaded, gateway restarted.

Prints medians and the worst of some rounds; ends with status 1 when a goal is missed.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.handover import Handover
from tabwright.edges.chrome.extension_files import extension_id
from tests.cdp import Cdp
from tests.clients import connect
from tests.gateway import GatewayProcess, browser_with_port, running, until
from tests.own_browser import browser, pair

ROUNDS = 5
PAUSE_S = 2.5
"""Chrome disables an extension that reloads itself five times within ten seconds."""
WORKER_GOAL_S, RESTART_GOAL_S = 1.0, 2.0


def stop_worker(cdp: Cdp) -> None:
    cdp.stop_workers(extension_id())


def reload_extension(cdp: Cdp) -> None:
    cdp.in_extension(extension_id(), "setTimeout(() => chrome.runtime.reload(), 0)")


async def calls_after(gateway: GatewayProcess, break_link: Callable[[Cdp], None]) -> list[float]:
    """Seconds from the break to the answer of a call made at once, which has to reach the browser."""
    took: list[float] = []
    async with connect(gateway) as agent:
        await agent.call("connect_browser", launch=True)
        for _ in range(ROUNDS):
            with Cdp(gateway.home / "profiles" / "default") as cdp:
                downs = gateway.log().count("is down")
                began = time.monotonic()
                break_link(cdp)
                until(lambda downs=downs: gateway.log().count("is down") > downs, every=0.002)
            opened = await agent.call("open_tab", url="about:blank", focus=False)
            took.append(time.monotonic() - began)
            await agent.call("close_tab", tabId=opened["tab"]["id"])
            await asyncio.sleep(PAUSE_S)
    return took


async def links_after_restart(folder: Path) -> list[float]:
    """Seconds from a new gateway's first word to the paired browser's link."""
    took: list[float] = []
    with running(folder / "home") as gateway:
        async with browser(folder, gateway.extension_port) as cdp:
            await pair(gateway, cdp)
            for _ in range(ROUNDS):
                gateway.stop()
                ups = gateway.log().count("is up")
                gateway.start()
                began = time.monotonic()
                until(lambda ups=ups: gateway.log().count("is up") > ups, every=0.002)
                took.append(time.monotonic() - began)
    return took


def tell(to: Handover, what: str, took: list[float], goal: float) -> None:
    sys.stdout.write(f"{what:<32} median {statistics.median(took):.3f} s   worst {max(took):.3f} s   goal {goal:g} s\n")
    to.most(what, statistics.median(took) * 1000, goal * 1000, "ms")


async def main() -> int:
    to = Handover()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with running(folder / "home", TABWRIGHT_BROWSER=str(browser_with_port(folder))) as gateway:
            tell(to, "worker stopped, call answered", await calls_after(gateway, stop_worker), WORKER_GOAL_S)
            tell(to, "extension reloaded, call answered", await calls_after(gateway, reload_extension), WORKER_GOAL_S)
    with tempfile.TemporaryDirectory() as name:
        tell(to, "gateway restarted, browser linked", await links_after_restart(Path(name)), RESTART_GOAL_S)
    return to.status()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
