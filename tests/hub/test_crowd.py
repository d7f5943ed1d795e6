"""Fifty tabs over ten sites with twenty tools each: listed, called, shuffled; every call where it belongs."""

import asyncio
import random
import time

from tests.clients import Agent, Era, Transport, connect
from tests.gateway import GatewayProcess
from tests.hub.agents import all_tools, hub_once, ran
from tests.hub.peer import Peer, peer, tab, tool

SITES = [f"https://site{number}.example" for number in range(10)]
TABS = range(1, 51)
TOOLS = [f"tool_{number}" for number in range(20)]
FRAMES = (0, 7)


def site(number: int) -> str:
    return SITES[number % 10]


def name(number: int, each: str) -> str:
    return f"website_tool_site{number % 10}_example_tab{number}_{each}"


async def fill(page: Peer) -> None:
    """Each tab's page offers half of its tools, a frame of another site the other half."""
    for number in TABS:
        await page.register(number, site(number), *map(tool, TOOLS[:10]), document=f"d{number}")
        framed = site(number + 1)
        await page.register(number, framed, *map(tool, TOOLS[10:]), frame=7, document=f"f{number}")


async def counted(agent: Agent, count: int) -> None:
    await hub_once(agent, lambda names: len(names) == count)


async def test_any_client_lists_them_all_and_calls_any_where_it_is(shared_hub: GatewayProcess) -> None:
    faces: list[tuple[Transport, Era]] = [("stdio", "legacy"), ("http", "modern"), ("sse", "legacy")]
    async with peer(shared_hub, *(tab(number, site(number)) for number in TABS)) as page:
        async with connect(shared_hub, toolsets="hub") as first:
            await fill(page)
            await counted(first, 1000)
        for transport, era in faces:
            async with connect(shared_hub, transport, era, toolsets="hub") as agent:
                await calls_land(agent)
    assert len(page.calls) == 50 * len(faces)


async def calls_land(agent: Agent) -> None:
    tools = await all_tools(agent)
    assert len(tools) == 1002
    assert agent.client is not None
    assert len((await agent.client.list_tools()).tools) == 202, "ours and a page of the hub's"
    chosen = random.Random(1).sample(list(TABS), 25)
    for number in chosen:
        where = await ran(agent, name(number, "tool_3"))
        assert (where["tab"], where["frame"], where["document"], where["tool"]) == (number, 0, f"d{number}", "tool_3")
        framed = f"website_tool_site{(number + 1) % 10}_example_tab{number}_tool_12"
        where = await ran(agent, framed)
        assert (where["tab"], where["frame"], where["document"], where["tool"]) == (number, 7, f"f{number}", "tool_12")


async def test_a_call_costs_the_same_among_a_thousand_tools_as_alone(gateway: GatewayProcess) -> None:
    async def median(agent: Agent) -> float:
        times: list[float] = []
        for _ in range(60):
            began = time.perf_counter()
            await ran(agent, name(1, "tool_1"))
            times.append(time.perf_counter() - began)
        return sorted(times)[20]

    async with (
        peer(gateway, *(tab(number, site(number)) for number in TABS)) as page,
        connect(gateway, toolsets="hub") as agent,
    ):
        await page.register(1, site(1), *map(tool, TOOLS[:10]), document="d1")
        await counted(agent, 10)
        alone = await median(agent)
        await fill(page)
        await counted(agent, 1000)
        assert await median(agent) < 3 * alone + 0.002, "room for a busy machine; a list of a thousand costs far more"


async def test_whatever_tabs_do_the_list_follows_and_nobody_is_told_more_than_twice_a_second(
    gateway: GatewayProcess,
) -> None:
    chance = random.Random(7)
    model: dict[int, set[str]] = {}
    numbers: dict[int, int] = {}

    async def step(page: Peer, turn: int) -> None:
        number = chance.choice(TABS)
        match chance.choice(["register", "register", "reload", "close", "activate", "leave"]):
            case "close":
                await page.say(type="tabClosed", tabId=number)
                await page.say(type="tabCreated", tab=tab(number, site(number)))
                model.pop(number, None)
                numbers.pop(number, None)
            case "leave":
                document = documents.get(number, "none")
                await page.say(type="frameGone", tabId=number, frameId=0, documentId=document)
                model.pop(number, None)
            case "activate":
                await page.say(type="tabUpdated", tab=tab(number, site(number), active=True))
            case _:
                offered = set(chance.sample(TOOLS, chance.randint(1, 20)))
                documents[number] = f"d{turn}"
                await page.register(number, site(number), *map(tool, sorted(offered)), document=f"d{turn}")
                if number not in numbers:
                    numbers[number] = next(counter)
                model[number] = offered

    documents: dict[int, str] = {}
    counter = iter(range(1, 1000))
    async with (
        peer(gateway, *(tab(number, site(number)) for number in TABS)) as page,
        connect(gateway, toolsets="hub") as agent,
    ):
        await agent.names()
        began, before = time.monotonic(), agent.changes
        for turn in range(400):
            await step(page, turn)
            if turn % 20 == 0:
                await asyncio.sleep(0.05)
        expected = {
            f"website_tool_site{number % 10}_example_tab{numbers[number]}_{each}"
            for number, offered in model.items()
            for each in offered
        }
        await hub_once(agent, expected.__eq__)
        took = time.monotonic() - began
        assert agent.changes - before <= 2 * took + 2
        for number in list(model)[:10]:
            each = sorted(model[number])[0]
            where = await ran(agent, f"website_tool_site{number % 10}_example_tab{numbers[number]}_{each}")
            assert (where["tab"], where["document"], where["tool"]) == (number, documents[number], each)
