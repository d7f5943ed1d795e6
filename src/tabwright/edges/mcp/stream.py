"""MCP over a byte stream: one JSON message a line, in both directions, as on stdio.

Between the socket's lines and the SDK, which reads messages from here and writes its own here, with no task in between:
each would be a turn of the event loop more in every call. What a line means is the exchange's affair. Lines that are no
JSON, no message, or too long are answered here, where the SDK would drop them in silence.
"""

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Mapping
from typing import Final

import anyio
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from mcp.shared.message import SessionMessage

from tabwright.edges.mcp.clients import StreamPeer
from tabwright.edges.mcp.exchange import BadMessage, Exchange, Parcel, read
from tabwright.edges.mcp.handshake import Handshake
from tabwright.edges.mcp.server import McpServer
from tabwright.errors import INVALID_REQUEST

log = logging.getLogger(__name__)

MAX_LINE: Final = 4 * 1024 * 1024
DRAIN_S: Final = 0.7
"""After the client's end of input: how long answers still under way may take."""
WRITE_S: Final = 30.0
"""A client that does not read for so long is disconnected."""
UNREAD: Final = 64 * 1024
"""How many bytes may wait for a client before whoever has more to say waits too."""
AT_A_TIME: Final = 16
"""How many lines are taken before everybody else gets a turn: what has arrived is read without waiting."""


class MessageStream:
    """One client's lines."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._exchange = Exchange(self._send)
        self._lines = 0

    async def serve(self, server: McpServer, asked: Mapping[str, str]) -> None:
        """Until the client's input ends and its last answers are out, or it stops reading."""
        handshake = Handshake()
        reader, writer = _Requests(self, handshake), _Answers(self._exchange, handshake)
        await server.serve_stream(reader, writer, StreamPeer(asked, "user"))

    async def interrupt(self, reason: str) -> None:
        """Answer what is under way before the stream is ended, as far as the client reads."""
        with contextlib.suppress(TimeoutError, ConnectionError):
            async with asyncio.timeout(DRAIN_S):
                await self._exchange.interrupt(reason)

    async def next(self) -> Parcel | None:
        """What the next line holds, requests as soon as the client may ask for more; None at the end, when all is
        answered.
        """
        self._lines += 1
        if self._lines % AT_A_TIME == 0:
            await asyncio.sleep(0)
        line = await self._line()
        if line is None:
            await self._drain()
            return None
        return await self._parcel(line) if line.strip() else Parcel(())

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
        if parcel.requests:
            # else it answers what a call waits for, or calls one off
            await self._exchange.room()
        await self._exchange.admit(parcel)
        return parcel

    async def _send(self, text: str) -> None:
        """Raises:
        ConnectionError: the client is gone, or has not read for so long that it is taken for gone.
        """
        if self._writer.transport.is_closing():
            # writing to it fails with an error of the event loop's own
            raise ConnectionResetError("the client is gone")
        self._writer.write(text.encode() + b"\n")
        if self._writer.transport.get_write_buffer_size() <= UNREAD:
            return
        try:
            async with asyncio.timeout(WRITE_S):
                await self._writer.drain()
        except TimeoutError:
            self._writer.transport.abort()
            raise ConnectionAbortedError(f"the client has not read for {WRITE_S:g} s") from None

    async def _drain(self) -> None:
        """Input has ended; whoever piped requests in wants their answers all the same."""
        try:
            async with asyncio.timeout(DRAIN_S):
                await self._exchange.drained()
        except TimeoutError:
            log.debug("input ended with %d requests unanswered", self._exchange.unanswered)


class _Requests(ObjectReceiveStream[SessionMessage | Exception]):
    """What the SDK reads from."""

    def __init__(self, stream: MessageStream, handshake: Handshake) -> None:
        self._stream = stream
        self._handshake = handshake
        self._read: deque[SessionMessage] = deque()

    async def receive(self) -> SessionMessage:
        while not self._read:
            parcel = await self._stream.next()
            if parcel is None:
                raise anyio.EndOfStream
            for message in parcel.messages:
                self._read.extend(map(SessionMessage, (*self._handshake.ahead_of(message), message)))
        return self._read.popleft()

    async def aclose(self) -> None:
        """The socket is closed by whoever accepted it."""


class _Answers(ObjectSendStream[SessionMessage]):
    """What the SDK writes to."""

    def __init__(self, exchange: Exchange, handshake: Handshake) -> None:
        self._exchange = exchange
        self._handshake = handshake

    async def send(self, item: SessionMessage) -> None:
        if self._handshake.answers_us(item.message):
            return
        try:
            await self._exchange.put(item.message)
        except ConnectionError:
            # the SDK's word for a client that is gone; that there is nothing more to read ends the stream
            raise anyio.BrokenResourceError from None

    async def aclose(self) -> None:
        """The socket is closed by whoever accepted it."""
