"""A socket that tells what it reads at once: every message, whole, in order, from the first on."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import anyio.lowlevel
import pytest
from websockets.asyncio.client import connect
from websockets.asyncio.connection import Connection
from websockets.asyncio.server import ServerConnection, serve
from websockets.frames import Frame, Opcode

from tabwright.edges.links.prompt_socket import PromptSocket

LARGE = "x" * 300_000


class Listener:
    """What was heard, as text, and who was at work then."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.tasks: set[object] = set()
        self._more = asyncio.Event()

    def __call__(self, data: str | bytes) -> None:
        self.heard.append(data if isinstance(data, str) else data.decode())
        self.tasks.add(asyncio.current_task())
        self._more.set()

    async def until(self, count: int) -> list[str]:
        while len(self.heard) < count:
            self._more.clear()
            await self._more.wait()
        return self.heard


@asynccontextmanager
async def ends() -> AsyncGenerator[tuple[PromptSocket, Connection]]:
    """A socket's two ends, ours first."""
    accepted: asyncio.Future[ServerConnection] = asyncio.get_running_loop().create_future()

    async def accept(socket: ServerConnection) -> None:
        accepted.set_result(socket)
        await socket.wait_closed()

    with anyio.fail_after(20):
        async with serve(accept, "127.0.0.1", 0, compression=None, create_connection=PromptSocket) as server:
            port = next(iter(server.sockets)).getsockname()[1]
            async with connect(f"ws://127.0.0.1:{port}", compression=None) as client:
                ours = await accepted
                assert isinstance(ours, PromptSocket)
                yield ours, client


async def test_messages_are_told_without_a_task_that_waits_for_them() -> None:
    async with ends() as (ours, theirs):
        listener = Listener()
        listening = asyncio.create_task(ours.listen(listener))
        await asyncio.sleep(0)
        for text in ("one", LARGE, "three"):
            await theirs.send(text)
        assert await listener.until(3) == ["one", LARGE, "three"]
        assert listener.tasks == {None}
        await theirs.close()
        await listening


async def test_what_came_before_anybody_listened_is_told_first() -> None:
    async with ends() as (ours, theirs):
        await theirs.send("hello")
        assert await ours.recv() == "hello"
        await theirs.send("early")
        # an answer to what came behind it
        await (await theirs.ping())
        listener = Listener()
        listening = asyncio.create_task(ours.listen(listener))
        await theirs.send("late")
        assert await listener.until(2) == ["early", "late"]
        await theirs.close()
        await listening


async def test_a_message_in_pieces_is_told_as_one() -> None:
    async with ends() as (ours, theirs):
        listener = Listener()
        listening = asyncio.create_task(ours.listen(listener))
        await asyncio.sleep(0)
        await theirs.send(["in ", "", "pie", "ces é"])
        await theirs.send("whole")
        assert await listener.until(2) == ["in pieces é", "whole"]
        await theirs.close()
        await listening


@pytest.mark.rule("T41")
async def test_a_message_in_endless_pieces_ends_the_socket() -> None:
    async with ends() as (ours, theirs):
        listener = Listener()
        listening = asyncio.create_task(ours.listen(listener))
        await asyncio.sleep(0)
        pieces = Frame(Opcode.CONT, b"", fin=False).serialize(mask=True) * 5_000
        theirs.transport.write(Frame(Opcode.TEXT, b"", fin=False).serialize(mask=True) + pieces)
        await theirs.wait_closed()
        assert (theirs.close_code, listener.heard) == (1009, [])
        await listening


async def test_pings_are_answered_while_somebody_listens() -> None:
    async with ends() as (ours, theirs):
        listening = asyncio.create_task(ours.listen(Listener()))
        await asyncio.sleep(0)
        await (await theirs.ping())
        await theirs.close()
        await listening


@pytest.mark.rule("T43")
async def test_who_pings_and_reads_nothing_is_not_read_until_it_does() -> None:
    async with ends() as (ours, theirs):
        listener = Listener()
        listening = asyncio.create_task(ours.listen(listener))
        theirs.transport.pause_reading()
        pings = Frame(Opcode.PING, b"x" * 125).serialize(mask=True) * 1_000
        for _ in range(400):
            theirs.transport.write(pings)
            await anyio.lowlevel.checkpoint()
            if not ours.transport.is_reading():
                break
        assert not ours.transport.is_reading()
        assert ours.transport.get_write_buffer_size() < 1_000_000
        theirs.transport.resume_reading()
        await theirs.send("read again")
        assert await listener.until(1) == ["read again"]
        await theirs.close()
        await listening


async def test_who_is_not_heard_is_not_read_because_it_reads_itself() -> None:
    async with ends() as (ours, theirs):
        for _ in range(100):
            await theirs.send("one of many")
        while ours.transport.is_reading():
            await anyio.lowlevel.checkpoint()
        ours.pause_writing()
        ours.resume_writing()
        assert not ours.transport.is_reading(), "all that came still waits for somebody to hear it"
        listener = Listener()
        listening = asyncio.create_task(ours.listen(listener))
        assert len(await listener.until(100)) == 100
        assert ours.transport.is_reading()
        await theirs.close()
        await listening
