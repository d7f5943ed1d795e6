"""Several agents in one browser, each in its own tab."""

import asyncio

import pytest

from tests.clients import Agent, Transport, connect
from tests.conftest import Site, cdp_of
from tests.gateway import GatewayProcess

pytestmark = pytest.mark.browser

CLIENTS: tuple[Transport, ...] = ("stdio", "stdio", "stdio", "http")
CALLS = 200


async def test_four_clients_with_two_hundred_calls_each_never_meet(shared: GatewayProcess, site: Site) -> None:
    async def work(number: int, transport: Transport, tabs: dict[int, int]) -> None:
        async with connect(shared, transport) as agent:
            await agent.call("connect_browser", launch=True)
            mine = (await agent.call("open_tab", url=f"{site.url}/agent{number}"))["tab"]["id"]
            tabs[number] = mine
            # three calls a turn, and three around them: not one less than the name says
            for turn in range(CALLS // 3):
                await step(agent, number, mine, turn, tabs)
            assert (await agent.call("close_tab"))["tabId"] == mine

    async def step(agent: Agent, number: int, mine: int, turn: int, tabs: dict[int, int]) -> None:
        listed = await agent.call("list_tabs")
        assert listed["focusedTabId"] == mine
        focused = await agent.call("focus_tab", tabId=mine)
        assert focused["tab"]["url"] == f"{site.url}/agent{number}"
        other = tabs.get((number + 1 + turn % 3) % len(CLIENTS), 1)
        if other != mine:
            error = await agent.refused("close_tab", tabId=other)
            assert error["code"] in ("tab_held", "tab_not_found")

    tabs: dict[int, int] = {}
    async with asyncio.TaskGroup() as tasks:
        for number, transport in enumerate(CLIENTS):
            tasks.create_task(work(number, transport, tabs))
    assert len(set(tabs.values())) == len(CLIENTS)
    with cdp_of(shared) as cdp:
        assert not cdp.targets("page", "/agent")
