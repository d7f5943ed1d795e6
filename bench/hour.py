"""Whether the gateway's memory stays flat in use: an hour's calls, one after the other, in a real browser.

Mixed calls over several tabs, which open and close meanwhile. The mean of the last third of all readings is compared
with that of the middle third; what is filled once (imports, pools, rings) is in the first.
Ends with status 1 when it grew.
"""

import argparse
import asyncio
import contextlib
import re
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Final

from bench.crowd import Member, member
from bench.pages import Shop
from bench.processes import resident_mb
from bench.serving import pages
from tests.gateway import running

CALLS: Final = 2_000
EVERY: Final = 7
"""Rounds from one fresh tab to the next."""
MOST: Final = 1.03
PATHS: Final = ("/shop", "/work", "/links", "/form", "/shadow")


async def main(calls: int) -> int:
    held: list[float] = []
    done = 0
    with contextlib.ExitStack() as open_:
        folder = open_.enter_context(tempfile.TemporaryDirectory(prefix="tabwright-bench-"))
        url = open_.enter_context(pages(Shop().respond))
        gateway = open_.enter_context(running(Path(folder) / "home"))
        async with member(gateway.home, "automation") as session:
            while done < calls:
                done += await one_round(session, url, len(held))
                held.append(resident_mb(gateway.pid))
    return told(held, done)


async def one_round(session: Member, url: str, turn: int) -> int:
    """Number of calls made."""
    fresh = turn % EVERY == EVERY - 1
    if fresh:
        await in_a_fresh_tab(session, f"{url}/work")
    await session.call("navigate", url=f"{url}{PATHS[turn % len(PATHS)]}?turn={turn}")
    seen = await session.said("read_page")
    await session.call("find", query="a button or link")
    await session.call("javascript_tool", action="javascript_exec", text="document.title")
    await session.call("computer", action="screenshot")
    if button := re.search(r"(?m)^\s*button .*?\b(e\d+)", seen):
        await session.call("computer", action="left_click", ref=button[1])
    return 5 + bool(button) + (4 if fresh else 0)


async def in_a_fresh_tab(session: Member, url: str) -> None:
    number = re.search(r"Opened tab (\d+)", await session.said("tabs_create"))
    assert number is not None
    tab = int(number[1])
    await session.call("navigate", url=url, tabId=tab)
    await session.call("computer", action="screenshot", tabId=tab)
    await session.call("tabs_close_mcp", tabId=tab)


def told(held: list[float], calls: int) -> int:
    third = len(held) // 3
    first, middle, last = (
        statistics.mean(part) for part in (held[:third], held[third : -third or None], held[-third:])
    )
    say(f"{calls:,} calls: {held[0]:.1f} MB after the first round, {held[-1]:.1f} MB after the last")
    say(f"thirds {first:.1f}, {middle:.1f}, {last:.1f} MB; the last to the middle {last / middle:.3f}   goal {MOST:g}")
    return 0 if last / middle <= MOST else 1


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=CALLS, help="(default %(default)s)")
    sys.exit(asyncio.run(main(parser.parse_args().calls)))
