"""MCP over a byte stream: one JSON message a line, in both directions, as on stdio.

Between the socket's lines and the SDK's message streams; what a line means is the exchange's affair. Lines that are no
JSON, no message, or too long are answered here, where the SDK would drop them in silence.
"""

import asyncio
import contextlib
import logging
from collections.abc import Mapping
from typing import Final

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from tabwright.edges.exchange import BadMessage, Exchange, Parcel, read
from tabwright.edges.mcp_server import McpServer, StreamPeer
from tabwright.errors import INVALID_REQUEST

log = logging.getLogger(__name__)

MAX_LINE: Final = 4 * 1024 * 1024
DRAIN_S: Final = 0.7
"""After the client's end of input: how long answers still under way may take."""
WRITE_S: Final = 30.0
"""A client that does not read for so long is disconnected."""


class MessageStream:
    """One client's lines."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._exchange = Exchange(self._send)

    async def serve(self, server: McpServer, asked: Mapping[str, str]) -> None:
        """Until the client's input ends and its last answers are out, or it stops reading."""
        incoming, requests = anyio.create_memory_object_stream[SessionMessage | Exception](16)
        answers, outgoing = anyio.create_memory_object_stream[SessionMessage](16)
        async with asyncio.TaskGroup() as tasks:
            reading = tasks.create_task(self._read(incoming))
            writing = tasks.create_task(self._write(outgoing))
            try:
                await server.serve_stream(requests, answers, StreamPeer(asked, "user"))
            finally:
                reading.cancel()
                await asyncio.wait({writing}, timeout=1)
                writing.cancel()

    async def interrupt(self, reason: str) -> None:
        """Answer what is under way before the stream is ended, as far as the client reads."""
        with contextlib.suppress(TimeoutError, ConnectionError):
            async with asyncio.timeout(DRAIN_S):
                await self._exchange.interrupt(reason)

    async def _read(self, incoming: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        async with incoming:
            while (line := await self._line()) is not None:
                if not line.strip():
                    continue
                for message in (await self._parcel(line)).messages:
                    await incoming.send(SessionMessage(message))
                await self._exchange.room()
            await self._drain()

    async def _line(self) -> bytes | None:
        try:
            return await self._reader.readuntil(b"\n")
        except asyncio.IncompleteReadError as exc:
            return exc.partial or None
        except asyncio.LimitOverrunError:
            await self._skip_line()
            await self._send(BadMessage(INVALID_REQUEST, f"A message is at most {MAX_LINE} bytes.").answer)
            return b"\n"

    async def _skip_line(self) -> None:
        """Read away the rest of a line that is too long, and not a byte more."""
        while True:
            try:
                await self._reader.readuntil(b"\n")
            except asyncio.LimitOverrunError as exc:
                await self._reader.readexactly(exc.consumed)
            except asyncio.IncompleteReadError:
                return
            else:
                return

    async def _parcel(self, line: bytes) -> Parcel:
        try:
            parcel = read(line)
        except BadMessage as exc:
            await self._send(exc.answer)
            return Parcel(())
        await self._exchange.admit(parcel)
        return parcel

    async def _write(self, outgoing: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async with outgoing:
            async for sent in outgoing:
                await self._exchange.put(sent.message)

    async def _send(self, text: str) -> None:
        self._writer.write(text.encode() + b"\n")
        async with asyncio.timeout(WRITE_S):
            await self._writer.drain()

    async def _drain(self) -> None:
        """Input has ended; whoever piped requests in wants their answers all the same."""
        try:
            async with asyncio.timeout(DRAIN_S):
                await self._exchange.drained()
        except TimeoutError:
            log.debug("input ended with %d requests unanswered", self._exchange.unanswered)
