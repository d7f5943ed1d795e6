"""The sending half of a WebSocket: a bounded queue and one writer, so that nobody ever waits for a slow reader."""

import asyncio
import logging
from typing import Final

from websockets.asyncio.connection import Connection
from websockets.exceptions import ConnectionClosed

log = logging.getLogger(__name__)

MAX_BYTES: Final = 8 * 1024 * 1024


class Outbox:
    """Frames waiting to be written. A reader that cannot keep up is disconnected."""

    def __init__(self, socket: Connection) -> None:
        self._socket = socket
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._bytes = 0
        self._closing: tuple[int, str] | None = None

    def send(self, text: str) -> None:
        if self._closing is not None:
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

    async def run(self) -> None:
        """Write until closed, by either side."""
        try:
            while (text := await self._queue.get()) is not None:
                self._bytes -= len(text)
                await self._socket.send(text)
            assert self._closing is not None
            await self._socket.close(*self._closing)
        except ConnectionClosed:
            log.debug("socket closed while writing")
