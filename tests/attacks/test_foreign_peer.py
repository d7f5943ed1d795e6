"""A bare WebSocket peer of the same user may be the browser: another implementation of tabs.md, tried by hand."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests import clients
from tests.attacks.wire import status
from tests.gateway import GatewayProcess, until
from tests.hub.peer import peer

FLIGHTS = {"id": 7, "title": "Flights", "url": "https://flights.example/"}
NEWS = {"id": 8, "title": "News", "url": "https://news.example/"}
SEARCH = {
    "name": "search_flights",
    "description": "Search flights",
    "inputSchema": {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]},
}
BOOK: dict[str, Any] = {"name": "book", "description": "Book one", "inputSchema": {"type": "object", "properties": {}}}


class ForeignExtension:
    """Speaks tabs.md and nothing else; keeps what it was told."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.told: list[dict[str, Any]] = []

    async def say(self, **message: Any) -> None:
        await self._socket.send(json.dumps(message))

    async def run(self) -> None:
        try:
            async for text in self._socket:
                message = json.loads(text)
                self.told.append(message)
                await self._answer(message)
        except ConnectionClosed:
            return

    async def _answer(self, message: dict[str, Any]) -> None:
        match message:
            case {"type": "connect"}:
                await self.say(type="connected", browser={"name": "Foreign", "version": "9"}, tabs=[FLIGHTS, NEWS])
            case {"type": "focusTab", "tabId": 7}:
                await self.say(type="tabFocused", tabId=7, tools=[SEARCH])
            case {"type": "focusTab", "tabId": tab_id}:
                await self.say(type="tabFocused", tabId=tab_id, tools=[])
            case {"type": "callTool", "toolName": "search_flights", "callId": call_id, "args": {"to": "nowhere"}}:
                await self.say(type="toolResult", callId=call_id, result=None, error="No such place")
            case {"type": "callTool", "toolName": "search_flights", "callId": call_id, "args": args}:
                await self.say(type="toolResult", callId=call_id, result={"flights": [args["to"]]})
            case {"type": "openTab", "url": url}:
                await self.say(type="tabCreated", tab={"id": 9, "title": "New", "url": url})
            case {"type": "closeTab", "tabId": tab_id}:
                await self.say(type="tabClosed", tabId=tab_id)
            case _:
                pass


@asynccontextmanager
async def foreign(gateway: GatewayProcess) -> AsyncGenerator[ForeignExtension]:
    async with connect(f"ws://127.0.0.1:{gateway.extension_port}", compression=None, proxy=None) as socket:
        extension = ForeignExtension(socket)
        running = asyncio.create_task(extension.run())
        yield extension
    await running


async def test_a_bare_peer_carries_the_whole_of_tabs_md(gateway: GatewayProcess) -> None:
    async with clients.connect(gateway) as agent:
        async with foreign(gateway) as extension:
            # silent until asked: the gateway has to wait for its first word, or take silence for tabs.md
            told = await agent.call("connect_browser")
            assert told == {"connected": True, "browser": {"name": "Foreign", "version": "9"}, "tabCount": 2}
            assert {"type": "connect", "launch": False} in extension.told
            assert [tab["id"] for tab in (await agent.call("list_tabs"))["tabs"]] == [7, 8]
            assert await agent.names() == ["list_tabs", "open_tab", "focus_tab"]

            focused = await agent.call("focus_tab", tabId=7)
            assert focused["toolsAvailable"] == ["search_flights"]
            assert await agent.names() == ["list_tabs", "open_tab", "focus_tab", "close_tab", "search_flights"]
            assert agent.changes == 2

            assert await agent.call("search_flights", to="Oslo") == {"flights": ["Oslo"]}
            call = extension.told[-1]
            assert call == {
                "type": "callTool",
                "callId": call["callId"],
                "tabId": 7,
                "toolName": "search_flights",
                "args": {"to": "Oslo"},
            }
            assert "No such place" in (await agent.refused("search_flights", to="nowhere"))["message"]

            await extension.say(type="toolsChanged", tabId=7, tools=[SEARCH, BOOK])
            await agent.told_of(3)
            assert (await agent.names())[-2:] == ["search_flights", "book"]

            opened = await agent.call("open_tab", url="https://new.example/", focus=False)
            assert opened["tab"]["id"] == 9
            await agent.call("close_tab", tabId=9)
        await agent.told_of(4)
        assert await agent.names() == ["connect_browser"]
        assert (await agent.refused("list_tabs"))["code"] == "browser_not_connected"


async def test_a_list_of_many_tabs_with_long_addresses_is_bounded(gateway: GatewayProcess) -> None:
    long = [
        {"id": number, "title": "Data", "url": f"https://{number}.example/{'x' * 8_000}"} for number in range(10, 90)
    ]
    async with peer(gateway, NEWS, *long), clients.connect(gateway) as agent:
        assert (await agent.call("connect_browser"))["tabCount"] == 81
        listed = (await agent.call("list_tabs"))["tabs"]
        assert sum(len(tab["url"]) for tab in listed) <= 30_000
        assert listed[0]["url"] == NEWS["url"], "what is short is told whole"
        assert all(tab["url"].endswith("x…") for tab in listed[1:])
    await asyncio.to_thread(until, lambda: status(gateway)["browsers"] == [])


async def test_it_may_speak_first_and_its_pings_are_answered(gateway: GatewayProcess) -> None:
    async with foreign(gateway) as extension:
        await extension.say(type="connected", browser={"name": "Eager", "version": "1"}, tabs=[NEWS])
        await extension.say(type="ping")
        await asyncio.to_thread(until, lambda: {"type": "pong"} in extension.told)
        assert [browser["name"] for browser in status(gateway)["browsers"]] == ["Eager"]


async def test_what_it_says_wrong_costs_it_no_connection(gateway: GatewayProcess) -> None:
    async with foreign(gateway) as extension:
        await extension.say(type="connected", browser={"name": "Clumsy", "version": "1"}, tabs=[NEWS])
        await extension.say(type="tabCreated", tab={"id": "seven"})
        await extension.say(type="toolResult", callId="never asked", result={})
        await extension.say(type="no-such-message")
        await extension.say(nothing="at all")
        await extension.say(type="tabCreated", tab=FLIGHTS)
        await asyncio.to_thread(until, lambda: status(gateway)["browsers"][0]["tabCount"] == 2)
    await asyncio.to_thread(until, lambda: status(gateway)["browsers"] == [])
