"""Bytes of the broker: messages for `listen` are handed on within the callback that brings them, all else is nats-py's.

nats-py reads with a task from a stream, which costs two more turns of the event loop for each message that comes alone.
"""

import asyncio
import ssl
from typing import Any, Protocol
from urllib.parse import ParseResult

from nats.aio.transport import TcpTransport
from nats.protocol.parser import Parser


class Ears(Protocol):
    """The wire that listens."""

    ours: set[bytes]

    def deliver(self, subject: bytes, reply: bytes, data: bytes | None) -> None: ...


class WireParser(Parser):
    """Takes whole messages for `listen` out of what arrives."""

    def __init__(self, wire: Ears) -> None:
        self._wire = wire
        self.nc: Any = wire
        self.busy = False
        """nats-py has something of it, and may be waiting in the middle."""
        self.reset()

    def reset(self) -> None:
        self._pieces: list[bytes] = []
        self._have = self._need = 0
        super().reset()

    async def parse(self, data: bytes = b"") -> None:
        self.busy = True
        try:
            rest = data if self.buf else self.take(data)
            if rest:
                # a message of nats-py's own, or none at all: it is given all that follows
                await super().parse(rest)
        finally:
            self.busy = bool(self.buf)

    def take(self, data: bytes) -> bytes:
        """Hand on what is ours, as far as it is whole; what is left is nats-py's."""
        if self._pieces:
            # a picture comes in hundreds of pieces: looked at again only when it is whole
            self._pieces.append(data)
            self._have += len(data)
            if self._have < self._need:
                return b""
            data = b"".join(self._pieces)
            self._pieces = []
        rest = self._take_whole(data)
        if not self._need:
            return rest
        self._pieces, self._have = [rest], len(rest)
        return b""

    def _take_whole(self, data: bytes) -> bytes:
        at = self._need = 0
        ours, deliver = self._wire.ours, self._wire.deliver
        while data.startswith(b"MSG ", at):
            end = data.find(b"\r\n", at)
            if end < 0:
                self._need = len(data) - at + 1
                break
            # MSG subject sid [reply] size
            words = data[at + 4 : end].split(b" ")
            following = end + 4 + int(words[-1])
            if len(data) < following:
                self._need = following - at
                break
            if words[1] not in ours:
                break
            deliver(words[0], words[2] if len(words) == 4 else b"", data[end + 2 : following - 2])
            at = following
        return data[at:] if at else data


class DirectProtocol(asyncio.StreamReaderProtocol):
    """A stream that shows its parser first what arrives, unless something before it is still in the stream."""

    def __init__(self, reader: asyncio.StreamReader, parser: WireParser) -> None:
        super().__init__(reader)
        stream: Any = reader
        self._waiting: bytearray = stream._buffer
        self._parser = parser

    def data_received(self, data: bytes) -> None:
        if not self._waiting and not self._parser.busy:
            data = self._parser.take(data)
            if not data:
                return
        super().data_received(data)


class DirectTransport(TcpTransport):
    def __init__(self, parser: WireParser) -> None:
        super().__init__()
        self._parser = parser

    def __bool__(self) -> bool:
        # nats-py would put one of its own in place of what is not connected yet
        return True

    async def connect(self, uri: ParseResult, buffer_size: int, connect_timeout: int) -> None:
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=buffer_size)
        protocol = DirectProtocol(reader, self._parser)
        async with asyncio.timeout(connect_timeout):
            transport, _ = await loop.create_connection(lambda: protocol, uri.hostname or "", uri.port or 4222)
        self._bare_io_reader = self._io_reader = reader
        self._bare_io_writer = self._io_writer = asyncio.StreamWriter(transport, protocol, reader, loop)

    async def connect_tls(
        self, uri: str | ParseResult, ssl_context: ssl.SSLContext, buffer_size: int, connect_timeout: int
    ) -> None:
        assert self._io_writer is not None
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=buffer_size)
        protocol = DirectProtocol(reader, self._parser)
        host = uri if isinstance(uri, str) else uri.hostname
        async with asyncio.timeout(connect_timeout):
            transport = await loop.start_tls(self._io_writer.transport, protocol, ssl_context, server_hostname=host)
        assert transport is not None
        self._io_reader, self._io_writer = reader, asyncio.StreamWriter(transport, protocol, reader, loop)

    def write(self, payload: bytes) -> None:
        assert self._io_writer is not None
        self._io_writer.transport.write(payload)
