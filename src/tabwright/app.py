"""Composition root: starts the gateway that `wiring` has put together, and takes it down in order.

Lifecycle: lock the home -> bind both ports (nothing is started if one is taken) -> wire -> serve -> until SIGTERM, the
command line's stop, or idleness -> notice clients, close the browser, release the lock.
"""

import asyncio
import contextlib
import logging
import signal
import socket
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Protocol

from tabwright.edges.chrome.launcher import Launcher
from tabwright.edges.links.extension_ws import ExtensionServer
from tabwright.edges.mcp.server import McpServer
from tabwright.edges.ports import listen
from tabwright.edges.runtime import Home, Lock
from tabwright.errors import LaunchFailed
from tabwright.settings import Settings
from tabwright.wiring import Place, Wired, wire

log = logging.getLogger(__name__)

EXPIRY_CHECK_S: Final = 60.0
LEAVE_S: Final = 4.0
STOPPED: Final = "the gateway stopped"
Extend = Callable[[Any], None]
"""A test-only switch: adds a fixture toolset to the one MCP server, on the same stack."""


class Clients(Protocol):
    """Some of those who keep the gateway from ending by itself."""

    @property
    def idle_since(self) -> float | None:
        """Since when there has been none; None while there is one."""
        ...


class Gateway:
    """One running gateway. Made, then run once."""

    def __init__(
        self,
        settings: Settings,
        home: Home,
        *,
        started_by_pump: bool = False,
        launched: Callable[[str], None] = log.info,
        extend: Extend | None = None,
    ) -> None:
        self._settings = settings
        self._home = home
        self._started_by_pump = started_by_pump
        self._launched = launched
        self._extend = extend
        self._stopping = asyncio.Event()

    async def run(self, ready: Callable[[int, int], None]) -> None:
        """Serve until told to stop. `ready` is called with both ports once they answer.

        Raises:
            GatewayError: it cannot start: another gateway, a taken port, unsafe files.
        """
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(number, self.stop)
        lock = Lock(self._home)
        try:
            with contextlib.ExitStack() as sockets:
                http, extension = self._bind(sockets)
                await self._serve(lock, http, extension, ready)
        finally:
            lock.release()

    def stop(self) -> None:
        self._stopping.set()

    def _bind(self, sockets: contextlib.ExitStack) -> tuple[socket.socket, socket.socket]:
        settings = self._settings
        http = sockets.enter_context(
            contextlib.closing(listen(settings.host, settings.port, "--port (or port in settings.toml)"))
        )
        extension = listen(
            settings.host, settings.extension_port, "--extension-port (or extension_port in settings.toml)"
        )
        return http, sockets.enter_context(contextlib.closing(extension))

    async def _serve(
        self, lock: Lock, http: socket.socket, extension: socket.socket, ready: Callable[[int, int], None]
    ) -> None:
        place = Place(self._home, lock, http.getsockname()[1], extension.getsockname()[1])
        wired = wire(self._settings, place, self._stopping)
        if self._extend is not None:
            self._extend(wired.mcp.handlers)
        # taken down from the last line to the first
        async with contextlib.AsyncExitStack() as down:
            down.callback(wired.store.close)
            down.callback(wired.journal.close)
            down.callback(wired.logged.catch_up)
            await self._start(wired, http, extension, down)
            lock.publish(place.port, place.extension_port)
            down.callback(log.info, "stopping")
            ready(place.port, place.extension_port)
            clients = (wired.sessions, wired.local, wired.sse, wired.web)
            await self._until_stopped(wired.mcp, clients, wired.launcher, wired.extensions)

    async def _start(
        self, wired: Wired, http: socket.socket, extension: socket.socket, down: contextlib.AsyncExitStack
    ) -> None:
        proxied, relay = wired.proxied, wired.relay
        running = [part.run() for part in (wired.sessions, wired.hub, wired.onlookers, proxied) if part is not None]
        background = [asyncio.create_task(work) for work in running]
        serving = asyncio.create_task(wired.web.run(http))
        down.push_async_callback(_ended, background, serving)
        if relay is not None:
            await relay.listen(self._settings.host)
            down.callback(relay.close)
        sockets = await wired.extensions.listen(extension)
        down.callback(sockets.close)
        if proxied is not None:
            down.callback(proxied.end_all, STOPPED)
        down.callback(wired.extensions.end_all, STOPPED)
        down.push_async_callback(wired.launcher.close)
        down.callback(wired.web.close)
        down.callback(wired.mcp.clients.close)
        listening = await wired.local.listen(self._home.socket)
        down.push_async_callback(wired.local.close)
        down.callback(listening.close)

    async def _until_stopped(
        self, mcp: McpServer, clients: Sequence[Clients], launcher: Launcher, extensions: ExtensionServer
    ) -> None:
        launching = asyncio.create_task(self._launch(launcher)) if self._settings.launch else None
        while not self._stopping.is_set():
            left = self._idle_since(clients, extensions) + self._settings.idle_exit_s - time.monotonic()
            if self._started_by_pump and left <= 0:
                log.info("idle for %g s: ending", self._settings.idle_exit_s)
                self.stop()
                break
            mcp.clients.expire()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(EXPIRY_CHECK_S, max(0.05, left))):
                    await self._stopping.wait()
        if launching is not None:
            launching.cancel()

    def _idle_since(self, clients: Sequence[Clients], extensions: ExtensionServer) -> float:
        """Since when nobody has needed the gateway; now, while somebody does."""
        since = [some.idle_since for some in clients]
        if extensions.pairing or None in since:
            return time.monotonic()
        return max(moment for moment in since if moment is not None)

    async def _launch(self, launcher: Launcher) -> None:
        try:
            self._launched(f"browser launched: {await launcher.launch()}")
        except LaunchFailed as exc:
            log.error("no browser was launched: %s", exc)


async def _ended(background: Iterable[asyncio.Task[None]], serving: asyncio.Task[None]) -> None:
    """What serves was told to close, and gets a moment for it."""
    background = tuple(background)
    for task in background:
        task.cancel()
    await asyncio.wait({serving, *background}, timeout=LEAVE_S)
