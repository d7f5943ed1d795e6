"""What pages say of their tools and answer from them, as they gave it: kept on its whole way to a client."""

import json

import mcp_types as types
import pytest

from tests.clients import Agent, connect
from tests.conftest import Site
from tests.gateway import GatewayProcess
from tests.page_tools import pages

pytestmark = pytest.mark.browser


def registering(*tools: str) -> str:
    """A page that registers these, each a name and more members of a tool in JavaScript."""
    made = "".join(
        f"document.modelContext.registerTool({{ description: 'd', execute: () => 'done', {each} }});" for each in tools
    )
    return f"<!doctype html><meta charset=utf-8><title>Given</title><script>{made}</script>"


async def listed(agent: Agent, *names: str) -> dict[str, types.Tool]:
    await agent.once(agent.names, lambda there: set(names) <= set(there))
    return {tool.name: tool for tool in await agent.tools()}


async def opened(agent: Agent, site: Site, page: str, *names: str) -> dict[str, types.Tool]:
    site.pages["/given"] = page
    await agent.call("connect_browser", launch=True)
    await agent.call("open_tab", url=f"{site.url}/given")
    return await listed(agent, *names)


async def test_titles_and_parts_of_answers_arrive(shared: GatewayProcess, site: Site) -> None:
    parts = [
        {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"},
        {"type": "resource", "resource": {"uri": "note://1", "text": "Tea"}},
        {"type": "resource_link", "uri": "https://a.test/1", "name": "One"},
        {"type": "text", "text": "for you", "annotations": {"audience": ["user"], "priority": 1}, "_meta": {"a": 1}},
    ]
    tool = f"name: 'listen', title: 'A nice title', execute: () => ({{ content: {json.dumps(parts)} }})"
    async with connect(shared) as agent:
        tools = await opened(agent, site, registering(tool), "listen")
        assert tools["listen"].title == "A nice title"
        told = (await agent.result("listen")).content
        assert [part.model_dump(mode="json", by_alias=True, exclude_none=True) for part in told] == parts
        await agent.call("close_tab")


@pytest.mark.parametrize("kind", ["mcp-b", "server"])
async def test_titles_of_page_servers_arrive(shared: GatewayProcess, site: Site, kind: str) -> None:
    page = pages.server() if kind == "server" else pages.mcpb("5.1")
    late = "<script>page.add('late', { title: 'A nice title' })</script>"
    async with connect(shared) as agent:
        tools = await opened(agent, site, page + late, "add", "late")
        assert tools["late"].title == "A nice title"
        await agent.call("close_tab")


async def test_tools_of_older_browsers_may_ask_the_person(shared: GatewayProcess, site: Site) -> None:
    asks = "async (args, client) => `${Object.keys(client)} ${await client.requestUserInteraction(async () => 'yes')}`"
    refused = "async (args, client) => client.requestUserInteraction('yes')"
    page = registering(f"name: 'asks', execute: {asks}", f"name: 'refused', execute: {refused}")
    async with connect(shared) as agent:
        await opened(agent, site, page, "asks", "refused")
        assert "signal yes" in str((await agent.result("asks")).content)
        assert "not of type 'Function'" in str((await agent.result("refused")).content)
        await agent.call("close_tab")


async def test_an_answer_that_the_browser_cannot_read_is_no_navigation(native: GatewayProcess, site: Site) -> None:
    async with connect(native) as agent:
        await opened(agent, site, registering("name: 'broken', execute: () => 'a\\ud800b'"), "broken")
        told = await agent.result("broken")
        assert told.is_error
        assert "could not be read" in str(told.content)
        await agent.call("close_tab")


@pytest.mark.parametrize("kind", ["1.4", "4.0", "5.1"])
async def test_a_page_that_leaves_in_the_middle_of_a_call_leaves_its_outcome_unknown(
    shared: GatewayProcess, site: Site, kind: str
) -> None:
    site.pages["/next"] = "<title>Next</title>"
    go = "async () => { location.href = '/next'; await new Promise(() => {}); }"
    async with connect(shared) as agent:
        await opened(agent, site, f"{pages.mcpb(kind)}<script>page.add('go', {{ execute: {go} }})</script>", "go")
        assert (await agent.refused("go"))["code"] == "outcome_unknown"
        await agent.call("close_tab")


async def test_of_too_many_tools_the_first_are_listed_and_the_rest_counted(shared: GatewayProcess, site: Site) -> None:
    page = registering(*(f"name: 't{number}'" for number in range(200)))
    async with connect(shared) as agent:
        tools = await opened(agent, site, page, "t0", "t63")
        assert {name for name in tools if name.startswith("t")} >= {f"t{number}" for number in range(64)}
        assert not {f"t{number}" for number in range(64, 200)} & set(tools)
        assert "(More than 129 other tools of this page are not listed.)" in (tools["t63"].description or "")
        assert not (await agent.result("t63")).is_error
        await agent.call("close_tab")
