"""Ids on /mcp: requests of one session that bear the same id, or look as if, each get their own answer."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.attacks.wire import INITIALIZE, MCP, request
from tests.clients import unfenced
from tests.gateway import GatewayProcess
from tests.hub.peer import Call, Peer, peer, tab, tool

SHOP = "https://shop.example"
QUERY = "/mcp?toolsets=hub"


class Legacy:
    """One session, and requests of it as raw as they come."""

    def __init__(self, gateway: GatewayProcess, browser: Peer, session: str) -> None:
        self._gateway = gateway
        self.browser = browser
        self._session = f"Mcp-Session-Id: {session}"
        self._writers: list[asyncio.StreamWriter] = []

    async def post(self, **message: Any) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._gateway.port)
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        lines = (f"POST {QUERY} HTTP/1.1", f"Host: localhost:{self._gateway.port}", *MCP, self._session)
        writer.write("\r\n".join((*lines, f"Content-Length: {len(body)}", "", "")).encode() + body)
        self._writers.append(writer)
        return reader, writer

    async def close(self) -> None:
        for writer in self._writers:
            writer.close()
            await writer.wait_closed()

    async def begin(self, request_id: int | str, word: str) -> asyncio.StreamReader:
        """A call that its page has got and not answered."""
        reader, _ = await self._begin(request_id, word)
        return reader

    async def give_up(self, request_id: int | str, word: str) -> None:
        """The same, of which the client does not await the end."""
        _, writer = await self._begin(request_id, word)
        writer.close()
        await writer.wait_closed()

    async def _begin(self, request_id: int | str, word: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        arguments = {"name": "website_tool_shop_example_tab1_buy", "arguments": {"word": word}}
        opened = await self.post(
            id=request_id, method="tools/call", params={"name": "hub_call_tool", "arguments": arguments}
        )
        await self.browser.until(lambda it: any(call.args == {"word": word} for call in it.calls))
        return opened

    async def finish(self, word: str) -> None:
        """What its page answers to a call: the word it was given."""
        asked = next(each for each in self.browser.told if _word(each) == word)
        done = {"success": True, "payload": {"content": [{"type": "text", "text": word}]}}
        inner = {"jsonrpc": "2.0", "id": asked["params"]["message"]["id"], "result": done}
        await self.browser.say(jsonrpc="2.0", id=asked["id"], result=inner)


def _word(message: dict[str, Any]) -> str | None:
    match message:
        case {"method": "tabMessage", "params": {"message": {"params": {"args": {"word": word}}}}}:
            return word
        case _:
            return None


async def told(reader: asyncio.StreamReader) -> Any:
    """The answer that comes on this stream."""
    async with asyncio.timeout(5):
        while not (line := await reader.readline()).startswith(b"data: {"):
            assert line, "it ended without one"
    return json.loads(line[6:])


async def word_of(reader: asyncio.StreamReader) -> tuple[int | str, str]:
    answer = await told(reader)
    return answer["id"], unfenced(answer["result"]["content"][0]["text"])


def hold(call: Call) -> None:
    """Its page answers when the test says so."""


@asynccontextmanager
async def legacy(gateway: GatewayProcess) -> AsyncGenerator[Legacy]:
    async with peer(gateway, tab(1, f"{SHOP}/")) as browser:
        browser.answer = hold
        await browser.register(1, SHOP, tool("buy"))
        opened = await asyncio.to_thread(request, gateway.port, "POST", QUERY, *MCP, body=INITIALIZE)
        session = opened.header("mcp-session-id")
        assert session is not None
        made = Legacy(gateway, browser, session)
        yield made
        await made.close()


@pytest.mark.parametrize("later", [5, "5"])
async def test_two_calls_at_once_under_one_id_get_their_own_answers(gateway: GatewayProcess, later: int | str) -> None:
    async with legacy(gateway) as session:
        first, second = await session.begin(5, "one"), await session.begin(later, "two")
        await session.finish("one")
        assert await word_of(first) == (5, "one")
        await session.finish("two")
        assert await word_of(second) == (later, "two")
        third = await session.begin(5, "three")
        await session.finish("three")
        assert await word_of(third) == (5, "three")


async def test_a_call_that_was_given_up_does_not_answer_the_next_of_its_id(gateway: GatewayProcess) -> None:
    async with legacy(gateway) as session:
        await session.give_up(1, "old")
        asked = await session.begin(1, "new")
        await session.finish("old")
        await session.finish("new")
        assert await word_of(asked) == (1, "new")


async def test_of_two_calls_under_one_id_the_later_is_cancelled(gateway: GatewayProcess) -> None:
    async with legacy(gateway) as session:
        first, second = await session.begin(5, "one"), await session.begin(5, "two")
        note, _ = await session.post(method="notifications/cancelled", params={"requestId": 5})
        assert (await note.readline()).startswith(b"HTTP/1.1 202")
        assert (await told(second))["error"]["message"] == "Request cancelled"
        await session.finish("one")
        assert await word_of(first) == (5, "one")


async def test_a_refusal_names_the_id_that_was_sent(gateway: GatewayProcess) -> None:
    async with legacy(gateway) as session:
        await session.begin(5, "one")
        reader, _ = await session.post(id=5, method="no/such")
        answer = await told(reader)
        assert (answer["id"], answer["error"]["code"]) == (5, -32601)
