"""The HTTP port, with nothing behind it until somebody knocks.

Clients that come by stdio need nothing of it, and the framework, the SDK's HTTP transports and our routes are 7 MB. So
the port is open from the first moment, connections wait in the system's queue, and the first of them has the HTTP face
made: imported in a thread, so that nobody else's call waits for it.

Lifecycle: listening -> first connection -> imported -> made -> serving until closed.
"""

import asyncio
import importlib
import logging
import time
from collections.abc import Callable
from socket import socket as Socket
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tabwright.edges.http.face import HttpServer

log = logging.getLogger(__name__)

FACE: Final = "tabwright.edges.http.face"


class LateHttp:
    """Serves a listener with what `make` gives, once that is needed."""

    def __init__(self, make: "Callable[[], HttpServer]") -> None:
        self._make = make
        self._server: HttpServer | None = None
        self._wake = asyncio.Event()
        self._closing = False
        self._idle_since: float | None = time.monotonic()

    @property
    def idle_since(self) -> float | None:
        """None while somebody waits for the first answer; sessions that come of it speak for themselves."""
        return self._idle_since

    async def run(self, listener: Socket) -> None:
        try:
            await self._knock(listener)
            if self._closing:
                return
            self._idle_since = None
            await asyncio.to_thread(importlib.import_module, FACE)
            self._server = self._make()
            self._server.should_exit = self._closing
            self._idle_since = time.monotonic()
            await self._server.serve(sockets=[listener])
        # uvicorn would end the whole process
        except (Exception, SystemExit):
            # whoever knocks from now on is refused, instead of waiting for ever
            listener.close()
            self._idle_since = time.monotonic()
            log.exception("the HTTP face did not start")

    def close(self) -> None:
        """Let `run` end: at once where nobody has knocked, else when its connections are gone or out of time."""
        self._closing = True
        self._wake.set()
        if self._server is not None:
            self._server.should_exit = True

    async def _knock(self, listener: Socket) -> None:
        """Returns when a connection waits to be accepted."""
        loop = asyncio.get_running_loop()
        loop.add_reader(listener, self._wake.set)
        try:
            await self._wake.wait()
        finally:
            loop.remove_reader(listener)
