"""What the gateway holds after an hour of use, whether that grows, and what a tab and a session add to it.

An hour at one call a second is 3,600 calls; two sessions make them in turns without the pauses, in a real browser:
mixed calls over several tabs, which open and close meanwhile. The mean of the last third of all readings is compared
with that of the middle third; what is filled once (imports, pools, rings) is in the first. Then tabs are opened, each
loaded, read and worked in, then sessions, each with calls of its own. Ends with status 1 when a goal is missed.
"""

import argparse
import asyncio
import contextlib
import itertools
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bench.crowd import Member, member
from bench.handover import Handover, Plot
from bench.pages import Shop
from bench.processes import resident_mb
from bench.pump import REQUESTS
from bench.serving import pages
from tests.gateway import TABWRIGHT, GatewayProcess, running

CALLS: Final = 3_600
LONGEST_S: Final = 150.0
"""On a slow machine it ends earlier, and says after how many calls."""
EVERY: Final = 7
"""Rounds from one fresh tab to the next."""
GROWN, GATEWAY_MB, PUMP_MB = 1.03, 90.0, 15.0
TABS, SESSIONS = 20, 20
PATHS: Final = ("/shop", "/work", "/links", "/form", "/shadow")


async def main(calls: int) -> int:
    to = Handover()
    with contextlib.ExitStack() as open_:
        folder = open_.enter_context(tempfile.TemporaryDirectory(prefix="tabwright-bench-"))
        url = open_.enter_context(pages(Shop().respond))
        gateway = open_.enter_context(running(Path(folder) / "home"))
        async with member(gateway.home, "automation") as one, member(gateway.home, "automation") as other:
            tell_hour(to, await used(gateway, (one, other), url, calls))
            await tell_tabs(gateway, one, url)
            await tell_sessions(gateway, url)
        tell_pump(to, gateway)
    return to.status()


async def used(gateway: GatewayProcess, sessions: Sequence[Member], url: str, calls: int) -> list[tuple[int, float]]:
    """Megabytes held after so many calls of all sessions, round by round."""
    held: list[tuple[int, float]] = [(0, resident_mb(gateway.pid))]
    turns, deadline = itertools.count(), time.monotonic() + LONGEST_S

    async def work(session: Member) -> None:
        while held[-1][0] < calls and time.monotonic() < deadline:
            made = await one_round(session, url, next(turns))
            held.append((held[-1][0] + made, resident_mb(gateway.pid)))

    await asyncio.gather(*(work(session) for session in sessions))
    return held


async def one_round(session: Member, url: str, turn: int) -> int:
    """Number of calls made."""
    fresh = turn % EVERY == EVERY - 1
    if fresh:
        tab = await opened(session, f"{url}/work")
        await session.call("computer", action="screenshot", tabId=tab)
        await session.call("tabs_close_mcp", tabId=tab)
    await session.call("navigate", url=f"{url}{PATHS[turn % len(PATHS)]}?turn={turn}")
    seen = await session.said("read_page")
    for query in ("a button or link", "the name of the first one"):
        await session.call("find", query=query)
    for text in ("document.title", "location.href", "document.links.length"):
        await session.call("javascript_tool", action="javascript_exec", text=text)
    await session.call("computer", action="screenshot")
    await session.call("get_page_text")
    if button := re.search(r"(?m)^\s*button .*?\b(e\d+)", seen):
        await session.call("computer", action="left_click", ref=button[1])
    return 9 + bool(button) + (4 if fresh else 0)


async def opened(session: Member, url: str) -> int:
    """A tab of its own, by two calls."""
    number = re.search(r"Opened tab (\d+)", await session.said("tabs_create"))
    assert number is not None
    await session.call("navigate", url=url, tabId=int(number[1]))
    return int(number[1])


def tell_hour(to: Handover, held: list[tuple[int, float]]) -> None:
    calls, at_last = held[-1]
    sizes = [size for _, size in held[1:]]
    third = max(1, len(sizes) // 3)
    first, middle, last = map(statistics.mean, (sizes[:third], sizes[third:-third] or sizes, sizes[-third:]))
    say(f"{calls:,} calls: {held[0][1]:.1f} MB before the first, {at_last:.1f} MB after the last")
    say(f"thirds {first:.1f}, {middle:.1f}, {last:.1f} MB; the last to the middle {last / middle:.3f}   goal {GROWN:g}")
    to.most(f"gateway after {calls:,} calls", at_last, GATEWAY_MB, "MB")
    to.most("the last third of them, to the middle one", last / middle, GROWN, "times")
    title = "Memory of the gateway over an hour's calls"
    to.plots.append(Plot("bench-hour", title, "MB", "calls", {"gateway": held}))


async def tell_tabs(gateway: GatewayProcess, session: Member, url: str) -> None:
    before = resident_mb(gateway.pid)
    for turn in range(TABS):
        tab = await opened(session, f"{url}{PATHS[turn % len(PATHS)]}")
        await session.call("read_page", tabId=tab)
        await session.call("javascript_tool", action="javascript_exec", text="document.title", tabId=tab)
    say(f"a tab more that is worked in      {(resident_mb(gateway.pid) - before) / TABS * 1024:7.1f} KB (of {TABS})")


async def tell_sessions(gateway: GatewayProcess, url: str) -> None:
    """Each opens a tab of its own, as a client does."""
    before = resident_mb(gateway.pid)
    async with contextlib.AsyncExitStack() as open_:
        for _ in range(SESSIONS):
            one = await open_.enter_async_context(member(gateway.home, "automation"))
            await one.request("tools/list", {})
            await one.call("navigate", url=f"{url}/work")
            await one.call("read_page")
        each = (resident_mb(gateway.pid) - before) / SESSIONS * 1024
    say(f"a session more, with a tab of its own {each:7.1f} KB (of {SESSIONS})")


def tell_pump(to: Handover, gateway: GatewayProcess) -> None:
    """The process that a client starts for each session by stdio."""
    environment = {**os.environ, **gateway.env}
    with subprocess.Popen([TABWRIGHT], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as pump:
        assert pump.stdin is not None
        assert pump.stdout is not None
        pump.stdin.write(REQUESTS)
        pump.stdin.flush()
        pump.stdout.readline()
        pump.stdout.readline()
        held = resident_mb(pump.pid)
        pump.stdin.close()
    say(f"its pump, if it came by stdio      {held:6.1f} MB   goal {PUMP_MB:g}")
    to.most("a session's pump", held, PUMP_MB, "MB")


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=CALLS, help="(default %(default)s)")
    sys.exit(asyncio.run(main(parser.parse_args().calls)))
