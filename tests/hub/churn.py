"""Real tabs that come, go, reload, travel and change what they offer, at random: the hub's list must end up theirs.

By itself, `python -m tests.hub.churn [seconds]`, fifty tabs of ten sites with up to twenty tools each.
"""

import asyncio
import contextlib
import itertools
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import parse_qs, urlsplit

from tests.cdp import Cdp
from tests.clients import Agent, connect
from tests.conftest import Site, cdp_of
from tests.gateway import browser_with_port, running, until
from tests.hub.agents import hub_tools

NAME: Final = re.compile(r"website_tool_127_0_0_1_(\d+)_tab(\d+)_(tool_\d+)")
PAGE: Final = """<!doctype html><title>Churn</title><script>
const offered = {};
window.offer = (number) => {
  const name = `tool_${number}`;
  if (offered[name]) return;
  offered[name] = new AbortController();
  document.modelContext.registerTool({ name, description: 'Says where it is', inputSchema: { type: 'object' },
    execute: async () => location.search }, { signal: offered[name].signal });
};
window.drop = (number) => { offered[`tool_${number}`]?.abort(); delete offered[`tool_${number}`]; };
for (const number of new URLSearchParams(location.search).get('tools').split(' ')) if (number) offer(number);
</script>"""


@dataclass(slots=True)
class Tab:
    """What one tab shows: the model."""

    target: str
    site: Site
    number: int
    tools: set[int]

    @property
    def address(self) -> str:
        return f"{self.site.url}/churn?n={self.number}&tools={'+'.join(map(str, sorted(self.tools)))}"

    @property
    def port(self) -> int:
        return int(self.site.url.rpartition(":")[2])


class Churn:
    """Some tabs, and what is done to them."""

    def __init__(self, cdp: Cdp, sites: Sequence[Site], most_tabs: int, most_tools: int, seed: int) -> None:
        self.tabs: list[Tab] = []
        self._closed: set[str] = set()
        self._cdp = cdp
        self._sites = sites
        self._most_tabs = most_tabs
        self._most_tools = most_tools
        self._chance = random.Random(seed)
        self._numbers = itertools.count(1)
        for site in sites:
            site.pages["/churn"] = PAGE

    def open(self) -> None:
        tab = Tab("", self._chance.choice(self._sites), next(self._numbers), self._tools())
        tab.target = self._cdp.send("Target.createTarget", url=tab.address, background=True)["targetId"]
        self.tabs.append(tab)

    def step(self) -> None:
        """One thing happens, whatever it is."""
        if len(self.tabs) < self._most_tabs // 2:
            self.open()
            return
        tab = self._chance.choice(self.tabs)
        match self._chance.choice(("open", "close", "reload", "travel", "activate", "offer", "drop", "drop")):
            case "open" if len(self.tabs) < self._most_tabs:
                self.open()
            case "close":
                self._cdp.send("Target.closeTarget", targetId=tab.target)
                self._closed.add(tab.target)
                self.tabs.remove(tab)
            case "reload":
                # a page begins with what its address says; what the one before still does is not its doing
                tab.number = next(self._numbers)
                self._page(tab, "Page.navigate", url=tab.address)
            case "travel":
                tab.site, tab.tools = self._chance.choice(self._sites), self._tools()
                tab.number = next(self._numbers)
                self._page(tab, "Page.navigate", url=tab.address)
            case "activate":
                self._cdp.send("Target.activateTarget", targetId=tab.target)
            case "offer" | "drop" as deed:
                self._change(tab, deed, self._chance.randrange(self._most_tools))
            case _:
                pass

    def end(self) -> None:
        """Wait until what was closed is gone: Chrome drops the wish now and then where a tab has just set out."""
        until(self._is_rid_of_closed, every=0.5)

    def _is_rid_of_closed(self) -> bool:
        left = [target["targetId"] for target in self._cdp.targets() if target["targetId"] in self._closed]
        for target in left:
            # it may have gone in this very moment
            with contextlib.suppress(AssertionError):
                self._cdp.send("Target.closeTarget", targetId=target)
        return not left

    def _change(self, tab: Tab, deed: str, number: int) -> None:
        after = tab.tools | {number} if deed == "offer" else tab.tools - {number}
        session = self._cdp.attach({"targetId": tab.target})
        # a page on its way has no such function yet: then nothing changes
        done = self._cdp.evaluate(session, f"typeof {deed} === 'function' && ({deed}({number}), location.search)")
        if done and parse_qs(str(done)[1:])["n"] == [str(tab.number)]:
            tab.tools = after
        self._cdp.send("Target.detachFromTarget", sessionId=session)

    def _page(self, tab: Tab, method: str, **params: str) -> None:
        session = self._cdp.attach({"targetId": tab.target})
        self._cdp.send(method, session, **params)
        self._cdp.send("Target.detachFromTarget", sessionId=session)

    def _tools(self) -> set[int]:
        return set(self._chance.sample(range(self._most_tools), self._chance.randint(1, self._most_tools)))


def grouped(names: set[str]) -> dict[tuple[int, int], set[int]]:
    """The numbers of the tools that are listed for each port and tab."""
    found: dict[tuple[int, int], set[int]] = {}
    for name in names:
        fits = NAME.fullmatch(name)
        assert fits, name
        port, tab, tool = fits.groups()
        found.setdefault((int(port), int(tab)), set()).add(int(tool.removeprefix("tool_")))
    return found


def as_listed(churn: Churn) -> Counter[tuple[int, frozenset[int]]]:
    return Counter((tab.port, frozenset(tab.tools)) for tab in churn.tabs if tab.tools)


async def survives(agent: Agent, churn: Churn, seconds: float) -> tuple[int, float]:
    """Let things happen, then compare; how many things, and how many notices a second at the most."""
    await agent.names()
    began, before = time.monotonic(), agent.changes
    steps = 0
    while time.monotonic() - began < seconds:
        await asyncio.to_thread(churn.step)
        steps += 1
    await asyncio.to_thread(churn.end)
    expected = as_listed(churn)
    async with asyncio.timeout(60):
        while True:
            # what is announced while the list is on its way may be newer than the list
            told = agent.changes
            listed = grouped(await hub_tools(agent))
            if Counter((port, frozenset(tools)) for (port, _), tools in listed.items()) == expected:
                break
            try:
                await agent.told_of(told + 1, 20)
            except TimeoutError:
                raise AssertionError(f"nothing is announced any more: {listed} is listed, not {expected}") from None
    took = time.monotonic() - began
    rate = (agent.changes - before - 1) / took
    assert rate <= 2, f"{agent.changes - before} notices in {took:.1f} s"
    await calls_land(agent, churn, listed)
    return steps, rate


async def calls_land(agent: Agent, churn: Churn, listed: dict[tuple[int, int], set[int]]) -> None:
    """A tool of every tab answers from the tab it is listed for."""
    models = {tab.number: tab for tab in churn.tabs}
    met: set[int] = set()
    for (port, tab), tools in listed.items():
        result = await agent.result(f"website_tool_127_0_0_1_{port}_tab{tab}_tool_{min(tools)}")
        assert not result.is_error, result.content
        number = int(parse_qs(urlsplit(str(getattr(result.content[0], "text", ""))).query)["n"][0])
        assert (models[number].port, models[number].tools) == (port, tools)
        met.add(number)
    assert len(met) == len(listed), "each answered for itself"


async def soak(seconds: float) -> None:
    sites = [Site() for _ in range(10)]
    with tempfile.TemporaryDirectory() as folder:
        browser = str(browser_with_port(Path(folder)))
        with running(Path(folder) / "home", TABWRIGHT_BROWSER=browser) as gateway:
            async with connect(gateway, toolsets="hub,focus") as agent:
                await agent.call("connect_browser", launch=True)
                with cdp_of(gateway) as cdp:
                    churn = Churn(cdp, sites, most_tabs=50, most_tools=20, seed=time.time_ns())
                    for _ in range(50):
                        await asyncio.to_thread(churn.open)
                    steps, rate = await survives(agent, churn, seconds)
    for site in sites:
        site.close()
    sys.stdout.write(
        f"{steps} changes of {len(churn.tabs)} tabs in {seconds:g} s; {rate:.2f} notices a second; all as modelled\n"
    )


if __name__ == "__main__":
    asyncio.run(soak(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0))
