"""One HTTP connection and how long it may take: for sending a request, and for reading an answer.

uvicorn bounds neither: a request that never ends, or an answer that nobody reads, would keep its socket, its task and
its buffers for ever. Here the connection is cut, which ends whatever stood behind it; other clients notice nothing.
"""

import asyncio
from typing import Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_S: Final = 10.0
"""From the first byte of a request, or the connection's beginning, to the request's last byte."""
READ_S: Final = 10.0
READ_BYTES: Final = 64 * 1024
"""A client for which answers wait reads at least this much in that time."""


class HttpConnection(H11Protocol):
    """uvicorn's connection, with deadlines."""

    _arriving: asyncio.TimerHandle | None = None
    _leaving: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._arriving = self.loop.call_later(REQUEST_S, self.transport.abort)

    def data_received(self, data: bytes) -> None:
        if self._arriving is None:
            self._arriving = self.loop.call_later(REQUEST_S, self.transport.abort)
        super().data_received(data)
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._arrived()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._wait_for_reader()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._read()

    def connection_lost(self, exc: Exception | None) -> None:
        self._arrived()
        self._read()
        super().connection_lost(exc)

    def _arrived(self) -> None:
        if self._arriving is not None:
            self._arriving.cancel()
            self._arriving = None

    def _wait_for_reader(self) -> None:
        waiting = self.transport.get_write_buffer_size()
        self._leaving = self.loop.call_later(READ_S, self._check_reader, waiting)

    def _check_reader(self, waited: int) -> None:
        if waited - self.transport.get_write_buffer_size() < READ_BYTES:
            self.transport.abort()
        else:
            self._wait_for_reader()

    def _read(self) -> None:
        if self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None
