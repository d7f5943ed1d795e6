"""The sending half of a WebSocket: frames keep their order, and a reader that sleeps holds nobody up."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

import anyio
from websockets.asyncio.client import connect
from websockets.asyncio.connection import Connection
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosedError

from tabwright.edges.links.outbox import MAX_BYTES, Outbox

LARGE = "x" * 200_000


@asynccontextmanager
async def ends() -> AsyncGenerator[tuple[ServerConnection, Connection]]:
    """A socket's two ends, ours first."""
    accepted: asyncio.Future[ServerConnection] = asyncio.get_running_loop().create_future()

    async def accept(socket: ServerConnection) -> None:
        accepted.set_result(socket)
        await socket.wait_closed()

    with anyio.fail_after(20):
        async with serve(accept, "127.0.0.1", 0, compression=None) as server:
            port = next(iter(server.sockets)).getsockname()[1]
            async with connect(f"ws://127.0.0.1:{port}", compression=None, max_queue=1, max_size=None) as client:
                yield await accepted, client


async def test_while_the_reader_keeps_up_a_frame_waits_for_no_writer() -> None:
    async with ends() as (ours, theirs):
        outbox = Outbox(ours)
        outbox.send("one")
        outbox.send("two")
        assert [await theirs.recv(), await theirs.recv()] == ["one", "two"]


async def test_what_a_slow_reader_leaves_is_queued_and_keeps_its_order() -> None:
    async with ends() as (ours, theirs):
        outbox = Outbox(ours)
        writing = asyncio.create_task(outbox.run())
        sent = [f"{number} {LARGE}" for number in range(30)]
        for text in sent:
            outbox.send(text)
            await asyncio.sleep(0)
        assert ours.transport.get_write_buffer_size() > 0
        assert [await theirs.recv() for _ in sent] == sent
        outbox.send("last")
        assert await theirs.recv() == "last"
        writing.cancel()


async def test_a_reader_that_cannot_keep_up_is_disconnected() -> None:
    async with ends() as (ours, theirs):
        outbox = Outbox(ours)
        for _ in range(2 * MAX_BYTES // len(LARGE)):
            outbox.send(LARGE)
        outbox.send("too late")
        writing = asyncio.create_task(outbox.run())
        heard = list[str | bytes]()
        with suppress(ConnectionClosedError):
            while True:
                heard.append(await theirs.recv())
        await writing
        assert heard
        assert "too late" not in heard
        assert theirs.close_code == 1013


async def test_nothing_is_sent_on_a_socket_that_is_closing() -> None:
    async with ends() as (ours, theirs):
        outbox = Outbox(ours)
        await theirs.close()
        outbox.send("nobody hears this")
        await outbox.run()
        assert theirs.close_code == 1000
