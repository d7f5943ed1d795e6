"""The sending half of a WebSocket: a bounded queue and one writer, so that nobody ever waits for a slow reader.

While the reader keeps up, nothing is queued: a frame that a task would have to be woken for is late by its turn.
"""

import asyncio
import logging
from typing import Final

from websockets.asyncio.connection import Connection
from websockets.exceptions import ConnectionClosed
from websockets.protocol import State

log = logging.getLogger(__name__)

MAX_BYTES: Final = 8 * 1024 * 1024


class Outbox:
    """Frames waiting to be written. A reader that cannot keep up is disconnected."""

    def __init__(self, socket: Connection) -> None:
        self._socket = socket
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._bytes = 0
        self._writing = False
        self._closing: tuple[int, str] | None = None

    def send(self, text: str) -> None:
        if self._closing is not None or self._sent_at_once(text):
            return
        self._bytes += len(text)
        if self._bytes > MAX_BYTES:
            self.close(1013, "cannot keep up")
            return
        self._queue.put_nowait(text)

    def close(self, code: int, reason: str) -> None:
        """Write what is queued, then close."""
        if self._closing is None:
            self._closing = (code, reason)
            self._queue.put_nowait(None)

    def _sent_at_once(self, text: str) -> bool:
        """Write it, if all before it is written, and the system has taken it."""
        socket = self._socket
        if self._writing or not self._queue.empty() or socket.state is not State.OPEN:
            return False
        if socket.transport.get_write_buffer_size() > 0:
            return False
        socket.protocol.send_text(text.encode())
        socket.send_data()
        return True

    async def run(self) -> None:
        """Write until closed, by either side."""
        try:
            while (text := await self._queue.get()) is not None:
                self._bytes -= len(text)
                self._writing = True
                await self._socket.send(text)
                self._writing = False
            assert self._closing is not None
            await self._socket.close(*self._closing)
        except ConnectionClosed:
            log.debug("socket closed while writing")
