"""CDP over the pipe of a launched browser: JSON messages, each ended by a zero byte.

Owns the two descriptors and the requests in flight. It is the launcher's own line, not a carrier for tools:
events are read and dropped, so that a browser with much to say never blocks on a full pipe.

1. `open` takes the descriptors over.
2. `request` writes a command and waits, with a bound, for its answer.
3. The browser ends or `close` is called: every waiting request fails with PipeClosed.
"""

import asyncio
import itertools
import json
import logging
import os
from collections.abc import Callable, Mapping
from typing import Final, Self, cast

log = logging.getLogger(__name__)

MAX_MESSAGE: Final = 16 * 1024 * 1024
MAX_UNSENT: Final = 1024 * 1024


class PipeClosed(Exception):
    """The browser is gone, or reads no longer."""


class CommandRefused(Exception):
    """The browser answered a command with an error."""

    def __init__(self, method: str, message: str) -> None:
        super().__init__(f"{method}: {message}")
        self.method = method
        self.message = message


class Frames:
    """Cuts a byte stream at its zero bytes. A message above the limit is skipped, never kept in memory."""

    def __init__(self, limit: int = MAX_MESSAGE) -> None:
        self._limit = limit
        self._begun = bytearray()
        self._skipping = False

    def feed(self, data: bytes) -> list[bytes]:
        """The messages completed by this data."""
        *ends, rest = data.split(b"\0")
        complete = [message for end in ends if (message := self._complete(end)) is not None]
        self._extend(rest)
        return complete

    def _complete(self, end: bytes) -> bytes | None:
        self._extend(end)
        message = None if self._skipping else bytes(self._begun)
        self._begun.clear()
        self._skipping = False
        return message

    def _extend(self, data: bytes) -> None:
        if self._skipping or len(self._begun) + len(data) > self._limit:
            self._skipping = True
            self._begun.clear()
        else:
            self._begun += data


class _Ends(asyncio.Protocol):
    """Both ends of the pipe as the event loop sees them: bytes come in, and either end may be lost."""

    def __init__(self, received: Callable[[bytes], None], lost: Callable[[], None]) -> None:
        self._received = received
        self._lost = lost

    def data_received(self, data: bytes) -> None:
        self._received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost()


class CdpPipe:
    """One browser's debugging pipe. Made by `open`."""

    def __init__(self) -> None:
        self._frames = Frames()
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Mapping[str, object]]] = {}
        self._reader: asyncio.ReadTransport | None = None
        self._writer: asyncio.WriteTransport | None = None
        self._closed = False

    @classmethod
    async def open(cls, read_fd: int, write_fd: int) -> Self:
        """Take over both descriptors; they are closed with the pipe, and if opening fails."""
        pipe = cls()
        loop = asyncio.get_running_loop()
        answers, commands = os.fdopen(read_fd, "rb", buffering=0), os.fdopen(write_fd, "wb", buffering=0)
        try:
            pipe._reader, _ = await loop.connect_read_pipe(lambda: _Ends(pipe._received, pipe.close), answers)
            pipe._writer, _ = await loop.connect_write_pipe(lambda: _Ends(pipe._received, pipe.close), commands)
        except BaseException:
            pipe.close()
            answers.close()
            commands.close()
            raise
        if pipe._closed:  # by a browser that ended before its second end was opened
            pipe.close()
        return pipe

    async def request(
        self, method: str, params: Mapping[str, object] | None = None, timeout: float = 5
    ) -> Mapping[str, object]:
        """Send a command and return its result.

        Raises:
            CommandRefused: the browser answered with an error.
            PipeClosed: the browser ended, or stopped reading.
            TimeoutError: no answer in time.
        """
        call_id = next(self._ids)
        self._write(json.dumps({"id": call_id, "method": method, "params": params or {}}).encode() + b"\0")
        answer = self._waiting[call_id] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(timeout):
                message = await answer
        finally:
            del self._waiting[call_id]
        match message:
            case {"error": {"message": str(reason)}}:
                raise CommandRefused(method, reason)
            case _:
                return cast("Mapping[str, object]", message.get("result", {}))

    def close(self) -> None:
        """Close both ends, which also tells the browser to end. Idempotent."""
        self._closed = True
        if self._reader is not None and not self._reader.is_closing():
            self._reader.close()
        if self._writer is not None and not self._writer.is_closing():
            self._writer.abort()  # a mere close would wait for a browser that does not read
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(PipeClosed("The browser closed its debugging pipe."))

    def _write(self, frame: bytes) -> None:
        if self._closed or self._writer is None:
            raise PipeClosed("The debugging pipe is closed.")
        if self._writer.get_write_buffer_size() + len(frame) > MAX_UNSENT:
            raise PipeClosed("The browser does not read its debugging pipe.")
        self._writer.write(frame)

    def _received(self, data: bytes) -> None:
        for frame in self._frames.feed(data):
            try:
                message: object = json.loads(frame)
            except ValueError:
                log.debug("the browser sent something that is not JSON: %d bytes", len(frame))
                continue
            if isinstance(message, dict):
                self._answered(cast("dict[str, object]", message))

    def _answered(self, message: Mapping[str, object]) -> None:
        call_id = message.get("id")
        answer = self._waiting.get(call_id) if isinstance(call_id, int) else None
        if answer is not None and not answer.done():  # else an event, or the answer to a request given up meanwhile
            answer.set_result(message)
