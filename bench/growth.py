"""What many tabs, sessions and page tools add to a call, to a change and to the list; and the memory each takes.

Three gateways with bare peers, which answer at once: one with 1 tab, 1 session and 10 tools of pages, one with 100
tabs, 10 sessions and 1,000 tools, one with ten times as much. The same is done at all in turns. Ends with status 1
when a goal is missed.
"""

import asyncio
import contextlib
import statistics
import sys
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bench.crowd import Member, member
from bench.handover import Handover, Plot
from bench.processes import cpu_s, resident_mb
from tests.gateway import GatewayProcess, running
from tests.hub.peer import Peer, peer, tab, tool

SIZES: Final = {"few": (1, 1), "some": (100, 10), "many": (1_000, 100)}
"""Tabs and sessions."""
TOOLS_OF_TAB, SITES = 10, 100
TURNS, BATCH, LISTS = 8, 20, 5
FLAT, LISTED_US = 1.5, 60.0
LISTED_S: Final = 60.0
PING_S: Final = 5.0
"""A peer that says nothing for long is taken to be gone."""


@dataclass
class Place:
    """A gateway with its browser and its sessions."""

    gateway: GatewayProcess
    page: Peer
    sessions: list[Member]
    tabs: int
    cost_ms: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    took_ms: dict[str, list[float]] = field(default_factory=dict[str, list[float]])

    @property
    def tools(self) -> int:
        return self.tabs * TOOLS_OF_TAB

    async def measured(self, what: str, deed: Callable[["Place", int], Awaitable[None]]) -> None:
        """A batch of deeds: processor time and time of each."""
        loop = asyncio.get_running_loop()
        before, began = cpu_s(self.gateway.pid), loop.time()
        for turn in range(BATCH):
            await deed(self, turn)
        self.took_ms.setdefault(what, []).append((loop.time() - began) / BATCH * 1000)
        self.cost_ms.setdefault(what, []).append((cpu_s(self.gateway.pid) - before) / BATCH * 1000)


def site(number: int) -> str:
    return f"https://site{number % SITES}.example"


async def hub_call(place: Place, turn: int) -> None:
    await place.sessions[0].call("website_tool_site1_example_tab1_tool_0", n=turn)


async def focused_call(place: Place, turn: int) -> None:
    await place.sessions[0].call("focus_tab", tabId=1)


async def retitled(place: Place, turn: int) -> None:
    """A change in a tab; a call afterwards says that it has been dealt with."""
    await place.page.say(type="tabUpdated", tab=tab(1, site(1), title=f"Title {turn}"))
    await hub_call(place, turn)


DEEDS: Final[dict[str, Callable[[Place, int], Awaitable[None]]]] = {
    "call of a tool of some tab": hub_call,
    "focus_tab": focused_call,
    "a tab changes, then a call": retitled,
}


@asynccontextmanager
async def browser(gateway: GatewayProcess, tabs: int) -> AsyncGenerator[Peer]:
    """A peer with so many tabs, which says that it is there whenever it is asked, and shows whatever tab it should."""
    told = [tab(number, site(number)) for number in range(1, tabs + 1)]

    async def answer(page: Peer) -> None:
        done = 0
        while True:
            page.heard.clear()
            for message in page.told[done:]:
                if message.get("type") == "connect":
                    await page.connected(*told)
                elif message.get("type") == "focusTab":
                    await page.say(type="tabFocused", tabId=message["tabId"], tools=[])
            done = len(page.told)
            try:
                await asyncio.wait_for(page.heard.wait(), PING_S)
            except TimeoutError:
                await page.say(type="ping")

    async with peer(gateway) as page:
        answering = asyncio.create_task(answer(page))
        try:
            await page.connected(*told)
            yield page
        finally:
            answering.cancel()


@asynccontextmanager
async def place(folder: Path, tabs: int, sessions: int) -> AsyncGenerator[Place]:
    with running(folder) as gateway:
        async with contextlib.AsyncExitStack() as open_:
            began = resident_mb(gateway.pid)
            page = await open_.enter_async_context(browser(gateway, tabs))
            first = await open_.enter_async_context(member(gateway.home, "hub,focus"))
            made = Place(gateway, page, [first], tabs)
            await grow(made, sessions, began, open_)
            yield made


async def grow(made: Place, sessions: int, began: float, open_: contextlib.AsyncExitStack) -> None:
    """Tabs, then their tools, then sessions: what each of them takes is told where there are many."""
    gateway = made.gateway
    await made.sessions[0].call("connect_browser")
    await made.sessions[0].call("focus_tab", tabId=made.tabs)
    with_tabs = resident_mb(gateway.pid)
    for number in range(1, made.tabs + 1):
        tools = [tool(f"tool_{each}") for each in range(TOOLS_OF_TAB)]
        await made.page.register(number, site(number), *tools, document=f"d{number}")
    await all_listed(made)
    with_tools = resident_mb(gateway.pid)
    for _ in range(sessions - 1):
        one = await open_.enter_async_context(member(gateway.home, "hub,focus"))
        await one.request("tools/list", {})
        await one.call("connect_browser")
        made.sessions.append(one)
    if sessions == max(SIZES.values())[1]:
        at_last = resident_mb(gateway.pid)
        say(f"a tab      {(with_tabs - began) / made.tabs * 1024:8.1f} KB")
        say(f"a tool     {(with_tools - with_tabs) / made.tools * 1024:8.1f} KB, once listed")
        say(f"a session  {(at_last - with_tools) / (sessions - 1) * 1024:8.1f} KB")


async def all_listed(made: Place) -> None:
    async with asyncio.timeout(LISTED_S):
        # how far the gateway is, only its list tells
        while sum(name.startswith("website_tool_") for name in await made.sessions[0].tools()) < made.tools:  # noqa: ASYNC110
            await asyncio.sleep(0.2)


async def main() -> int:
    to = Handover()
    async with contextlib.AsyncExitStack() as open_:
        folder = Path(open_.enter_context(tempfile.TemporaryDirectory(prefix="tabwright-bench-")))
        places = [await open_.enter_async_context(place(folder / name, *size)) for name, size in SIZES.items()]
        for _ in range(TURNS):
            for what, deed in DEEDS.items():
                for each in places:
                    await each.measured(what, deed)
        tell_flat(to, places)
        tell_list(to, places, [await listed_us(each) for each in places])
    return to.status()


def low(took_ms: dict[str, list[float]], what: str) -> float:
    """Lower quartile: what else the machine does is in the upper half."""
    return statistics.quantiles(took_ms[what])[0]


def tell_flat(to: Handover, places: list[Place]) -> None:
    few, *_, many = places
    for what in DEEDS:
        for kind, one, other in (
            ("ms", low(few.took_ms, what), low(many.took_ms, what)),
            ("ms of processor time", low(few.cost_ms, what), low(many.cost_ms, what)),
        ):
            say(f"{what:28} {one:6.2f} -> {other:6.2f} {kind}, {other / one:.2f} times   goal {FLAT:g}")
            to.most(f"{what}, {kind} among {many.tabs:,} tabs, to one", other / one, FLAT, "times")
    lines = {what: [(each.tabs, low(each.cost_ms, what)) for each in places] for what in DEEDS}
    title = "Processor time of a call among so many tabs"
    to.plots.append(Plot("bench-growth-calls", title, "ms", "tabs, each with ten tools", lines, wide=True))


async def listed_us(each: Place) -> float:
    """Processor time of the whole list, page by page, once it was made; the cheapest of some."""
    await each.sessions[0].tools()
    took: list[float] = []
    for _ in range(LISTS):
        before = cpu_s(each.gateway.pid)
        await each.sessions[0].tools()
        took.append((cpu_s(each.gateway.pid) - before) * 1e6)
    return min(took)


def tell_list(to: Handover, places: list[Place], costs: list[float]) -> None:
    """All pages of the list cost what is on them."""
    for each, cost in zip(places, costs, strict=True):
        say(f"the whole list of {each.tools:6,} tools of pages {cost / 1000:8.2f} ms of processor time")
    few, some, many = places
    upper = (costs[2] - costs[1]) / (many.tools - some.tools)
    lower = (costs[1] - costs[0]) / (some.tools - few.tools)
    say(f"a tool more in the list, above {some.tools:,} {upper:.1f} µs, below {lower:.1f} µs   goal {LISTED_US:g}")
    to.most("a tool of the list, processor time", upper, LISTED_US, "µs")
    to.most(f"a tool more above {some.tools:,} tools, to one below", upper / lower, FLAT, "times")
    lines = {"tools/list": [(each.tools, cost / 1000) for each, cost in zip(places, costs, strict=True)]}
    to.plots.append(Plot("bench-growth-list", "Processor time of the whole list", "ms", "tools of pages", lines))


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
