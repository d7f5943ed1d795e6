"""One stream by itself: pings on time, failures told as events, and what a client may have open."""

import asyncio
import json
import re
import time

import anyio
import mcp_types as types
import pytest
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage

from tabwright.edges.http.sse import MAX_WAITING, SessionNotFound, SseSession, SseSessions, StreamServer, TooMany, event
from tabwright.edges.mcp.clients import StreamPeer
from tabwright.edges.mcp.exchange import MAX_UNANSWERED

Reader = ReadStream[SessionMessage | Exception]
Writer = WriteStream[SessionMessage]


class Silent:
    """Takes everything and answers nothing, until it is told to answer all."""

    def __init__(self) -> None:
        self.answer = asyncio.Event()

    async def serve_stream(self, reader: Reader, writer: Writer, peer: StreamPeer) -> None:
        async with asyncio.TaskGroup() as answers:
            async for got in reader:
                assert isinstance(got, SessionMessage)
                answers.create_task(self._answer(got.message, writer))

    async def _answer(self, message: types.JSONRPCMessage, writer: Writer) -> None:
        await self.answer.wait()
        if isinstance(message, types.JSONRPCRequest):
            await writer.send(SessionMessage(types.JSONRPCResponse(jsonrpc="2.0", id=message.id, result={})))


class Broken:
    """A server with a bug."""

    async def serve_stream(self, reader: Reader, writer: Writer, peer: StreamPeer) -> None:
        raise RuntimeError("a secret of the gateway")


class Wire:
    """What was written, and a way to wait for it."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self._more = asyncio.Event()

    async def write(self, data: bytes) -> None:
        self.written.append(data)
        self._more.set()

    async def count(self, count: int) -> list[bytes]:
        async with asyncio.timeout(5):
            while len(self.written) < count:
                self._more.clear()
                await self._more.wait()
        return self.written


def request(number: int) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "ping"}).encode()


async def running(session: SseSession, server: StreamServer, ping_s: float = 30) -> "asyncio.Task[None]":
    return asyncio.create_task(session.run(server, ping_s))


async def test_a_ping_tells_the_time_in_milliseconds() -> None:
    wire = Wire()
    session = SseSession("user", {}, wire.write)
    began = time.time()
    task = await running(session, Silent(), ping_s=0.01)
    _, first, second = (await wire.count(3))[:3]
    session.end()
    await task
    for ping in (first, second):
        told = re.fullmatch(rb'event: ping\ndata: {"timestamp":(\d+)}\n\n', ping)
        assert told is not None, "the specification's bytes"
        assert began * 1000 - 1 <= int(told[1]) <= time.time() * 1000


async def test_a_failure_outside_any_request_is_an_event_without_details_and_the_end() -> None:
    wire = Wire()
    session = SseSession("user", {}, wire.write)
    async with asyncio.timeout(5):
        await session.run(Broken())
    assert wire.written[1:] == [b'event: error\ndata: {"code":-32603,"message":"Internal error"}\n\n']
    with pytest.raises(SessionNotFound):
        await session.deliver(request(1))


async def test_a_failure_answers_what_is_open_once() -> None:
    wire, server = Wire(), Silent()
    session = SseSession("user", {}, wire.write)
    task = await running(session, server)
    await session.deliver(request(7))
    await session.fail(-32000, "Nothing goes on.")
    server.answer.set()
    await task
    answer, error = wire.written[1:]
    told = json.loads(answer.split(b"data: ")[1])
    assert (told["id"], told["error"]["code"]) == (7, -32011)
    assert told["error"]["message"].startswith("Nothing goes on. This was under way;")
    assert error.startswith(b"event: error\n")


async def test_a_client_that_waits_for_no_answer_is_told_to() -> None:
    wire, server = Wire(), Silent()
    session = SseSession("user", {}, wire.write)
    task = await running(session, server)
    for number in range(MAX_UNANSWERED):
        await session.deliver(request(number))
    late = [asyncio.create_task(session.deliver(request(MAX_UNANSWERED + n))) for n in range(MAX_WAITING)]
    await asyncio.sleep(0)
    with pytest.raises(TooMany):
        await session.deliver(request(-1))
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 0}}
    await session.deliver(json.dumps(cancel).encode())
    server.answer.set()
    async with asyncio.timeout(5):
        await asyncio.gather(*late)
    answered = await wire.count(1 + MAX_UNANSWERED + MAX_WAITING)
    assert len({json.loads(data.split(b"data: ")[1])["id"] for data in answered[1:]}) == len(answered) - 1
    session.end()
    await task


async def test_who_waits_for_room_is_told_when_the_session_ends() -> None:
    wire = Wire()
    session = SseSession("user", {}, wire.write)
    task = await running(session, Silent())
    for number in range(MAX_UNANSWERED):
        await session.deliver(request(number))
    late = asyncio.create_task(session.deliver(request(MAX_UNANSWERED)))
    await asyncio.sleep(0)
    session.end()
    with pytest.raises(SessionNotFound):
        async with asyncio.timeout(5):
            await late
    await task


async def test_nothing_is_written_after_the_end() -> None:
    wire = Wire()
    session = SseSession("user", {}, wire.write)
    task = await running(session, Silent())
    await wire.count(1)
    session.end()
    await task
    with pytest.raises(SessionNotFound):
        await session.deliver(b'[{"jsonrpc":"2.0","method":"x"},{}]')
    assert len(wire.written) == 1


def test_a_session_is_found_by_its_owner_alone() -> None:
    async def write(data: bytes) -> None:
        raise AssertionError("nothing to say")

    async def check() -> None:
        sessions = SseSessions()
        assert sessions.idle_since is not None
        mine = sessions.open("user", {}, write)
        assert sessions.idle_since is None
        assert sessions.find(mine.id, "user") is mine
        with pytest.raises(SessionNotFound):
            sessions.find(mine.id, "token")
        sessions.close(mine)
        with pytest.raises(SessionNotFound):
            sessions.find(mine.id, "user")

    anyio.run(check)


def test_an_event_is_two_lines_for_every_reader_of_lines() -> None:
    for separator in ("\u2028", "\u2029", "\u0085"):
        written = event("message", json.dumps(f"a{separator}b", ensure_ascii=False)).decode()
        name, data, blank = written.splitlines()
        assert (name, json.loads(data[6:]), blank) == ("event: message", f"a{separator}b", "")
