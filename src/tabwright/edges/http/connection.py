"""One HTTP connection and how long it may take: for sending a request, and for reading an answer.

uvicorn bounds neither: a request that never ends, or an answer that nobody reads, would keep its socket, its task and
its buffers for ever. Here the connection is cut, which ends whatever stood behind it; other clients notice nothing.

Nor does uvicorn answer a client that has closed its own direction of the connection, as one does that has nothing more
to say: what arrives looks the same as when the client has left, and a client that left has cancelled its call. So the
system is asked whether anybody holds the other end, and as long as somebody does, the answer is worked for and sent.
That may be a forwarder (`ssh -L`, socat), by which a client that has left looks the same. So streams that have no end,
and with them sessions, are only for those who do not close anything.
"""

import asyncio
from typing import Final, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from tabwright.edges.peers import Address, is_there

REQUEST_S: Final = 10.0
"""From the first byte of a request, or the connection's beginning, to the request's last byte."""
READ_S: Final = 10.0
READ_BYTES: Final = 64 * 1024
"""A client for which answers wait reads at least this much in that time."""
LOOK_S: Final = (0.05, 1.0)
"""How soon it is seen that a client has left after it had closed its own direction: at first, and later."""


class HttpConnection(H11Protocol):
    """uvicorn's connection, with deadlines."""

    _arriving: asyncio.TimerHandle | None = None
    _leaving: asyncio.TimerHandle | None = None
    _looking: asyncio.TimerHandle | None = None
    """Set once the client has closed its own direction, and waits for an answer all the same."""

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._arriving = self.loop.call_later(REQUEST_S, self.transport.abort)

    def data_received(self, data: bytes) -> None:
        if self._arriving is None:
            self._arriving = self.loop.call_later(REQUEST_S, self.transport.abort)
        super().data_received(data)
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._arrived()

    def eof_received(self) -> bool:  # pyright: ignore[reportIncompatibleMethodOverride] - asyncio asks for a bool
        """Whether the connection stays open for an answer."""
        first, later = LOOK_S
        if not self._owes_an_answer() or not self._is_awaited():
            return False
        self._looking = self.loop.call_later(first, self._look_again, later)
        return True

    def on_response_complete(self) -> None:
        super().on_response_complete()
        # unless another request had arrived behind the one that is answered now
        if self._looking is not None and not self._owes_an_answer():
            self.transport.close()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._wait_for_reader()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._read()

    def connection_lost(self, exc: Exception | None) -> None:
        self._arrived()
        self._read()
        if self._looking is not None:
            self._looking.cancel()
        super().connection_lost(exc)

    def _owes_an_answer(self) -> bool:
        cycle = cast("RequestResponseCycle | None", self.cycle)
        return cycle is not None and not cycle.more_body and not cycle.response_complete

    def _is_awaited(self) -> bool:
        if self.scope["method"] == "GET" and self.cycle.response_started:
            return False
        # our listeners have ports
        return is_there(self.client, cast("Address | None", self.server))

    def _look_again(self, later: float) -> None:
        if self._is_awaited():
            self._looking = self.loop.call_later(later, self._look_again, later)
        else:
            self.transport.abort()

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
