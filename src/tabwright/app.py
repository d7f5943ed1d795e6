"""Composition root: builds the gateway from Settings, introduces its parts, and takes them down in order.

Lifecycle: lock the home -> bind both ports (nothing is started if one is taken) -> wire -> serve -> until SIGTERM, the
command line's stop, or idleness -> notice clients, close the browser, release the lock.
"""

import asyncio
import contextlib
import logging
import signal
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from tabwright import tools
from tabwright.browser.browsers import Browsers
from tabwright.calls.asking import InBrowser
from tabwright.calls.audit import Afterwards, Audits, LogAudit
from tabwright.calls.context import Catalog
from tabwright.calls.hub import Hub
from tabwright.calls.hub_audit import LogHubAudit
from tabwright.calls.permission import Permissions
from tabwright.calls.questions import OpenQuestions
from tabwright.calls.sessions import Parts, Sessions
from tabwright.calls.timeline import Timeline
from tabwright.edges.chrome.extension_files import extension_id
from tabwright.edges.chrome.launcher import Launcher
from tabwright.edges.commands.control import Control
from tabwright.edges.dashboard.door import DashboardDoor
from tabwright.edges.files import FileKeeper
from tabwright.edges.http.late import LateHttp
from tabwright.edges.http.sse import SseSessions
from tabwright.edges.links.extension_ws import ExtensionServer
from tabwright.edges.links.local_relay import LocalRelay
from tabwright.edges.links.onlookers import Onlookers
from tabwright.edges.mcp.server import McpServer
from tabwright.edges.port_looks import PortLooks
from tabwright.edges.ports import listen
from tabwright.edges.runtime import Home, Lock
from tabwright.edges.spare_memory import SpareMemory
from tabwright.edges.store.audit_journal import AuditJournal
from tabwright.edges.store.policy_file import PolicyFile
from tabwright.edges.store.store import Store
from tabwright.edges.unix_socket import UnixSocket
from tabwright.errors import LaunchFailed
from tabwright.hub.places import Allowed
from tabwright.policy.grants import Grants
from tabwright.policy.rules import Rules
from tabwright.session.workspace import Options
from tabwright.settings import SESSION_FIELDS, Settings, SettingsError, load

if TYPE_CHECKING:
    from tabwright.edges.http.face import HttpServer
    from tabwright.edges.links.proxy_client import ProxyClient

log = logging.getLogger(__name__)

EXPIRY_CHECK_S: Final = 60.0
Extend = Callable[[Any], None]
"""A test-only switch: adds a fixture toolset to the one MCP server, on the same stack."""


class Clients(Protocol):
    """Some of those who keep the gateway from ending by itself."""

    @property
    def idle_since(self) -> float | None:
        """Since when there has been none; None while there is one."""
        ...


class KnownPairings:
    """Keys of browsers: those a person paired, and the one we launched."""

    def __init__(self, store: Store, launcher: Launcher) -> None:
        self._store = store
        self._launcher = launcher

    def pairing_key(self, extension_id: str, profile_id: str) -> bytes | None:
        launched = self._launcher.pairing_key(extension_id, profile_id)
        return launched or self._store.pairing_key(extension_id, profile_id)

    def remember_pairing(self, extension_id: str, profile_id: str, key: bytes) -> None:
        self._store.remember_pairing(extension_id, profile_id, key)

    def admitted(self) -> frozenset[str]:
        return self._store.admitted()


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
        settings, home = self._settings, self._home
        port, extension_port = http.getsockname()[1], extension.getsockname()[1]
        rules = PolicyFile(home.policy_file, Rules(own_ports=frozenset({port, extension_port})))
        store, browsers = Store(home.database), Browsers()
        timeline, questions = Timeline(), OpenQuestions()
        logged = Afterwards(LogAudit())
        journal = AuditJournal(store.audit, home.audit_journal)
        audit = Audits(logged, journal, timeline, SpareMemory())
        launcher = Launcher(settings, home, store, lambda profile, reason: extensions.end(profile, reason))
        launcher.port, launcher.extension_port = port, extension_port
        extensions = ExtensionServer(
            browsers,
            KnownPairings(store, launcher),
            extension_id(),
            grace_s=settings.link_grace_s,
            launched=launcher.launched,
            open_to_all_users=settings.auth == "off",
            hub_origins=settings.hub_origins,
        )
        proxied = self._proxied(browsers)
        catalog = Catalog(tools.TOOLS)
        files = FileKeeper(home.path, home.output)
        hub = Hub(store.hub, Allowed.of(settings.hub_origins), LogHubAudit())
        relay = LocalRelay(frozenset(settings.relay_origins)) if settings.local_relay else None
        if relay is not None:
            hub.carry(relay, salt="relay")
        sessions = Sessions(
            Parts(
                catalog,
                browsers,
                Permissions(rules, Grants(store.grants, time.time), audit, PortLooks()),
                InBrowser(browsers, launcher.shows, questions),
                audit,
                launcher,
                files,
                store,
                connect_wait_s=settings.connect_wait_s,
                hub=hub,
            )
        )
        mcp = McpServer(sessions, self._options, self._legacy_only)
        if self._extend is not None:
            self._extend(mcp.handlers)
        door = DashboardDoor(port)
        control = Control(browsers, sessions, extensions, store, launcher, lock, self.stop, door, proxied)
        token = home.token() if settings.auth_token is None else settings.auth_token.get_secret_value()
        sse = SseSessions()
        onlookers = Onlookers(browsers, timeline, sessions.grants, audit, door.page)

        def face() -> "HttpServer":
            from tabwright.calls.glimpses import Glimpses
            from tabwright.edges.dashboard.approvals import Approvals
            from tabwright.edges.dashboard.files import LogTail, SavedRecordings
            from tabwright.edges.dashboard.routes import Dashboard, DashboardParts
            from tabwright.edges.dashboard.settings import described_settings
            from tabwright.edges.dashboard.tries import Tries
            from tabwright.edges.http.face import HttpParts, HttpServer, build_app

            dashboard = Dashboard(
                DashboardParts(
                    door,
                    browsers,
                    sessions,
                    timeline,
                    Glimpses(timeline, sessions),
                    Tries(browsers, sessions),
                    Approvals(questions, sessions.grants, audit),
                    SavedRecordings(home.output),
                    lambda: lock.published,
                    lambda: described_settings(settings, home),
                    LogTail(home.log_file),
                    self._stopping,
                )
            )
            parts = HttpParts(mcp, sse, settings, lambda: len(sessions) + sse.silent, self._stopping, dashboard)
            return HttpServer(build_app(parts, port=port, auth=settings.auth, token=token))

        web, local = LateHttp(face), UnixSocket(mcp, control.handle, self._greet)

        background = {asyncio.create_task(part.run()) for part in (sessions, hub, onlookers)}
        if proxied is not None:
            background.add(asyncio.create_task(proxied.run()))
        if relay is not None:
            await relay.listen(settings.host)
        serving = asyncio.create_task(web.run(http))
        sockets = await extensions.listen(extension)
        listening = await local.listen(home.socket)
        lock.publish(port, extension_port)
        try:
            ready(port, extension_port)
            clients = (sessions, local, sse, web)
            await self._until_stopped(mcp, clients, launcher, extensions)
        finally:
            log.info("stopping")
            listening.close()
            await local.close()
            mcp.clients.close()
            web.close()
            await launcher.close()
            extensions.end_all("the gateway stopped")
            if proxied is not None:
                proxied.end_all("the gateway stopped")
            sockets.close()
            if relay is not None:
                relay.close()
            for task in background:
                task.cancel()
            await asyncio.wait({serving, *background}, timeout=4)
            logged.catch_up()
            journal.close()
            store.close()

    def _proxied(self, browsers: Browsers) -> "ProxyClient | None":
        """Raises:
        NotWanted: there is no token that may be sent to the configured proxy.
        """
        if self._settings.via is None:
            return None
        # what is behind these is large, and most gateways need none of it
        from tabwright.edges.links.gateway_key import gateway_key
        from tabwright.edges.links.proxy_calls import ProxyDoor, warn_of_readers
        from tabwright.edges.links.proxy_client import ProxyClient

        door = ProxyDoor(self._settings.via, self._via_token)
        if self._settings.via_token_file is not None:
            warn_of_readers(Path(self._settings.via_token_file))
        # better now, in front of whoever started us, than in the log
        door.token()
        key = gateway_key(self._home.key_file)
        return ProxyClient(door, browsers, grace_s=self._settings.link_grace_s, key=key)

    def _via_token(self) -> str:
        from tabwright.edges.links.proxy_calls import read_token

        given, path = self._settings.via_token, self._settings.via_token_file
        if given is not None:
            return given.get_secret_value().strip()
        return "" if path is None else read_token(Path(path))

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

    def _options(self, asked: Mapping[str, str], modern: bool) -> Options:
        return self._settings.for_session(asked).options(modern=modern)

    def _legacy_only(self, asked: Mapping[str, str]) -> bool:
        """`dynamic` refuses the modern era, so that every client gets tabs.md."""
        return self._settings.for_session(asked).list == "dynamic"

    def _greet(self, asked: Mapping[str, str], wanted: Mapping[str, str]) -> str | None:
        """A client's own options are checked; gateway settings that differ are told, not taken over."""
        self._settings.for_session(asked)
        differing = [
            f"{name}={value}" for name, value in wanted.items() if self._differs(name.replace("-", "_"), value)
        ]
        if not differing:
            return None
        told = ", ".join(differing)
        return f"the gateway already runs, so {told} has no effect; `tabwright stop` and start again to change that"

    def _differs(self, field: str, value: str) -> bool:
        if field not in Settings.model_fields or field in SESSION_FIELDS:
            return False
        try:
            wanted = load({field: value})
        except SettingsError:
            return True
        # 0 asks for any free port, and has got one
        return getattr(wanted, field) not in (getattr(self._settings, field), 0)
