"""Clients that open a connection for every call find their tabs again under the session's name."""

from typing import Any

import pytest

from tabwright.edges.mcp.clients import MAX_KEPT
from tests.attacks.wire import MCP, request, status
from tests.clients import Era, Transport, connect
from tests.conftest import Site
from tests.edges.test_unix_socket import Lines, connected
from tests.edges.test_unix_socket import request as message
from tests.gateway import GatewayProcess

MODERN = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": dict[str, Any](),
    "io.modelcontextprotocol/clientInfo": {"name": "one of many names", "version": "1"},
}
WAYS = (("stdio", "legacy"), ("stdio", "modern"), ("sse", "legacy"), ("http", "legacy"))


@pytest.mark.parametrize(("transport", "era"), WAYS)
async def test_the_next_connection_of_a_name_goes_on_in_the_same_tab(
    shared: GatewayProcess, site: Site, transport: Transport, era: Era
) -> None:
    site.pages["/shop"] = "<title>Shop</title><h1>Shop</h1>"
    name = f"errand {transport} {era}"
    async with connect(shared, transport, era, session=name) as agent:
        await agent.call("connect_browser", launch=True)
        opened = await agent.call("open_tab", url=f"{site.url}/shop")
    async with connect(shared, transport, era, session=name) as agent:
        assert "read_page" in await agent.names()
        assert not (await agent.result("read_page")).is_error
        listed = await agent.call("list_tabs")
    assert listed["focusedTabId"] == opened["tab"]["id"]
    async with connect(shared, transport, era, session="another") as agent:
        await agent.call("connect_browser", launch=True)
        assert (await agent.refused("focus_tab", tabId=opened["tab"]["id"]))["code"] == "tab_held"


async def test_without_a_name_the_next_connection_begins_anew(shared: GatewayProcess, site: Site) -> None:
    async with connect(shared) as agent:
        await agent.call("connect_browser", launch=True)
        await agent.call("open_tab", url=site.url)
    async with connect(shared) as agent:
        assert await agent.names() == ["connect_browser"]


async def test_every_connection_of_a_name_is_told_when_its_list_changes(shared: GatewayProcess, site: Site) -> None:
    async with connect(shared, session="two") as one, connect(shared, session="two") as other:
        assert await one.names() == await other.names() == ["connect_browser"]
        await one.call("connect_browser", launch=True)
        await other.told_of(1)
        assert "open_tab" in await other.names()
        await other.call("open_tab", url=site.url)
        await one.offered("read_page")


def answered(lines: Lines, number: int, tool: str, **arguments: Any) -> Any:
    """A call's answer, past the notices before it."""
    lines.send(message(number, "tools/call", name=tool, arguments=arguments))
    while (told := lines.hear()).get("id") != number:
        assert told["method"] == "notifications/tools/list_changed"
    return told["result"]


def test_nobody_waits_for_another_of_the_name_that_does_not_read(shared: GatewayProcess, site: Site) -> None:
    with connected(shared, session="stuck") as stuck, connected(shared, session="stuck") as lines:
        assert lines.ask(message(1, "tools/list"))["id"] == stuck.ask(message(1, "tools/list"))["id"] == 1
        assert answered(lines, 2, "connect_browser", launch=True)["structuredContent"]["connected"] is True
        answered(lines, 3, "open_tab", url=site.url)
        # more than the socket and the gateway's buffer hold
        stuck.send(*(message(number, "tools/list") for number in range(4, 104)))
        assert answered(lines, 4, "open_tab", url=site.url)["structuredContent"]["focused"] is True


def called(gateway: GatewayProcess, session: str, tool: str, **arguments: Any) -> str:
    """What a modern client's call in the session of this name answers."""
    params = {"name": tool, "arguments": arguments, "_meta": META}
    headers = (*MCP, f"MCP-Protocol-Version: {MODERN}", "Mcp-Method: tools/call", f"Mcp-Name: {tool}")
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return request(gateway.port, "POST", f"/mcp?session={session}", *headers, body=body).body.decode()


async def test_of_many_names_the_ones_used_last_are_kept_and_those_with_tabs(
    shared: GatewayProcess, site: Site
) -> None:
    assert "Loaded" in called(shared, "with-tab", "navigate", url=site.url)
    async with connect(shared, session="connected") as connected:
        await connected.call("connect_browser", launch=True)
        for turn in range(MAX_KEPT):
            called(shared, f"name-{turn}", "shortcuts_list")
        kept = [each for each in status(shared)["sessions"] if each["client"] == "one of many names"]
        # one place is that of who is connected
        assert len(kept) <= MAX_KEPT - 1
        assert await connected.names() != ["connect_browser"]
    assert "Home" in called(shared, "with-tab", "tabs_context")


async def test_a_session_that_somebody_listens_to_is_kept(shared: GatewayProcess) -> None:
    async with connect(shared, "http", "modern", session="listening") as agent:
        assert agent.client is not None
        before = {each["id"] for each in status(shared)["sessions"]}
        async with agent.client.listen(tools_list_changed=True):
            [own] = [each for each in status(shared)["sessions"] if each["id"] not in before]
            for turn in range(MAX_KEPT):
                called(shared, f"other-{turn}", "shortcuts_list")
            assert own["id"] in {each["id"] for each in status(shared)["sessions"]}
