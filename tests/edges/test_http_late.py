"""The HTTP face is made for the first connection, which is served like any other."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from tabwright.edges.http.face import HttpServer
from tabwright.edges.http.late import LateHttp
from tabwright.edges.ports import listen

WAIT_S = 5.0


async def hello(scope: dict[str, Any], receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        for told in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{told}.complete"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
    await send({"type": "http.response.body", "body": b"hello"})


async def unwilling(scope: dict[str, Any], receive: Any, send: Any) -> None:
    await receive()
    await send({"type": "lifespan.startup.failed", "message": "not today"})


class Port:
    """A port with a late server, and how often one was made for it."""

    def __init__(self, app: Any) -> None:
        self.made = 0
        self.idle_when_made: float | None = 0
        self.listener = listen("127.0.0.1", 0, "--port")
        self.address: tuple[str, int] = self.listener.getsockname()
        self._app = app
        self.late = LateHttp(self._make)
        self.running = asyncio.create_task(self.late.run(self.listener))

    def _make(self) -> HttpServer:
        self.made += 1
        self.idle_when_made = self.late.idle_since
        return HttpServer(self._app)

    async def get(self) -> bytes:
        async with asyncio.timeout(WAIT_S):
            reader, writer = await asyncio.open_connection(*self.address)
            with contextlib.closing(writer):
                writer.write(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                return await reader.read()


@contextlib.asynccontextmanager
async def port(app: Any = hello) -> AsyncGenerator[Port]:
    made = Port(app)
    try:
        yield made
    finally:
        made.late.close()
        await asyncio.wait_for(made.running, WAIT_S)
        made.listener.close()


async def test_nothing_is_made_before_somebody_knocks() -> None:
    async with port() as made:
        await asyncio.sleep(0)
        assert made.made == 0
    assert made.made == 0


async def test_whoever_comes_first_is_answered() -> None:
    async with port() as made:
        assert (await made.get()).endswith(b"hello")


async def test_all_who_wait_are_answered_by_the_one_server() -> None:
    async with port() as made:
        answers = await asyncio.gather(*(made.get() for _ in range(20)))
        assert all(answer.endswith(b"hello") for answer in answers)
        assert made.made == 1


async def test_where_it_cannot_start_nobody_waits_for_ever() -> None:
    async with port(unwilling) as made:
        with contextlib.suppress(ConnectionError):
            await made.get()
        await asyncio.wait_for(made.running, WAIT_S)
        with pytest.raises(ConnectionRefusedError):
            await made.get()


async def test_a_gateway_does_not_end_by_itself_while_it_is_made() -> None:
    async with port() as made:
        assert made.late.idle_since is not None
        await made.get()
        assert made.idle_when_made is None
        assert made.late.idle_since is not None


async def test_a_connection_that_says_nothing_keeps_no_other_waiting() -> None:
    async with port() as made:
        with socket.create_connection(made.address):
            assert (await made.get()).endswith(b"hello")
