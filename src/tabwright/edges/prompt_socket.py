"""A WebSocket that tells what it reads in the very turn in which it arrives.

Whoever waits for the next message is a task, which gets its turn behind everything else that is due; every answer of a
browser would be late by that. Lifecycle: read as any other (`recv`), then `listen` until it is closed. What the library
has no public way for is in `process_event` alone; the pinned version is tested.
"""

from collections.abc import Callable
from typing import Any

from websockets.asyncio.server import ServerConnection
from websockets.frames import DATA_OPCODES, Frame
from websockets.http11 import Request, Response

Heard = Callable[[str | bytes], None]


class PromptSocket(ServerConnection):
    """One peer's."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._heard: Heard | None = None
        self._begun = bytearray()

    async def listen(self, heard: Heard) -> None:
        """Tell every message, in order, until the socket is closed. `heard` must not fail."""
        while len(self.recv_messages.frames):
            heard(await self.recv())
        self._heard = heard
        try:
            await self.wait_closed()
        finally:
            self._heard = None

    def process_event(self, event: Frame | Request | Response) -> None:
        if self._heard is None or not isinstance(event, Frame) or event.opcode not in DATA_OPCODES:
            super().process_event(event)
            return
        self._begun += event.data
        if event.fin:
            # whether its text is one is found out by whoever reads it
            data, self._begun = bytes(self._begun), bytearray()
            self._heard(data)
