"""A WebSocket that tells what it reads in the very turn in which it arrives.

Whoever waits for the next message is a task, which gets its turn behind everything else that is due; every answer of a
browser would be late by that. Lifecycle: read as any other (`recv`), then `listen` until it is closed. A peer that does
not read is not read either: every ping would leave an answer in memory. What the library has no public way for is in
`connection_made` and `process_event` alone; the pinned version is tested.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final

from websockets.asyncio.server import ServerConnection
from websockets.frames import DATA_OPCODES, CloseCode, Frame
from websockets.http11 import Request, Response
from websockets.protocol import State

Heard = Callable[[str | bytes], None]
MAX_PIECES: Final = 4096
"""Of one message: the largest that is taken, in pieces of 16 KiB."""
CLOSE_S: Final = 1.0


class PromptSocket(ServerConnection):
    """One peer's."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.extension_id: str | None = None
        """Of the extension that knocked; none for a peer that is no browser."""
        self._heard: Heard | None = None
        self._begun = bytearray()
        self._pieces = 0

    async def listen(self, heard: Heard) -> None:
        """Tell every message, in order, until the socket is closed. `heard` must not fail."""
        while len(self.recv_messages.frames):
            heard(await self.recv())
        self._heard = heard
        try:
            await self.wait_closed()
        finally:
            self._heard = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.recv_messages.resume = self._read_on

    def pause_writing(self) -> None:
        super().pause_writing()
        if not self.transport.is_closing():
            self.transport.pause_reading()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._read_on()

    def _read_on(self) -> None:
        # two may want it to wait: whoever writes to the peer, and whoever hears it
        if not (self.paused or self.recv_messages.paused or self.transport.is_closing()):
            self.transport.resume_reading()

    def process_event(self, event: Frame | Request | Response) -> None:
        if self._heard is None or not isinstance(event, Frame) or event.opcode not in DATA_OPCODES:
            super().process_event(event)
            return
        self._begun += event.data
        self._pieces += 1
        if self._pieces > MAX_PIECES:
            self._refuse()
        elif event.fin:
            # whether its text is one is found out by whoever reads it
            data, self._begun, self._pieces = bytes(self._begun), bytearray(), 0
            self._heard(data)

    def _refuse(self) -> None:
        """A message in so many pieces is no message: its sender has other things in mind."""
        if self.protocol.state is State.OPEN:
            self.protocol.fail(CloseCode.MESSAGE_TOO_BIG, "too many fragments")
            self.send_data()
            self.loop.call_later(CLOSE_S, self.transport.abort)
