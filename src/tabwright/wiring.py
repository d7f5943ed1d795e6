"""The gateway's parts, made from Settings and introduced to one another. Nothing listens or runs yet.

Owns who gets whom. Starting the parts and taking them down is left to `app`.
"""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

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
from tabwright.edges.runtime import Home, Lock
from tabwright.edges.spare_memory import SpareMemory
from tabwright.edges.store.audit_journal import AuditJournal
from tabwright.edges.store.policy_file import PolicyFile
from tabwright.edges.store.store import Store
from tabwright.edges.unix_socket import UnixSocket
from tabwright.hub.places import Allowed
from tabwright.policy.grants import Grants
from tabwright.policy.rules import Rules
from tabwright.session.workspace import Options
from tabwright.settings import SESSION_FIELDS, Settings, SettingsError, load

if TYPE_CHECKING:
    from tabwright.edges.dashboard.routes import Dashboard
    from tabwright.edges.http.face import HttpServer
    from tabwright.edges.links.proxy_client import ProxyClient


@dataclass(frozen=True, slots=True)
class Place:
    """Where this gateway is."""

    home: Home
    lock: Lock
    port: int
    extension_port: int


@dataclass(frozen=True, slots=True)
class Wired:
    """The parts that are started and taken down; the others are within these."""

    store: Store
    journal: AuditJournal
    logged: Afterwards
    launcher: Launcher
    extensions: ExtensionServer
    proxied: "ProxyClient | None"
    relay: LocalRelay | None
    hub: Hub
    sessions: Sessions
    mcp: McpServer
    sse: SseSessions
    onlookers: Onlookers
    web: LateHttp
    local: UnixSocket


def wire(settings: Settings, place: Place, stopping: asyncio.Event) -> Wired:
    """Raises:
    GatewayError: the store, the rules or the proxy's token cannot be used.
    """
    home = place.home
    rules = PolicyFile(home.policy_file, Rules(own_ports=frozenset({place.port, place.extension_port})))
    store, browsers = Store(home.database), Browsers()
    timeline, questions = Timeline(), OpenQuestions()
    logged = Afterwards(LogAudit())
    journal = AuditJournal(store.audit, home.audit_journal)
    audit = Audits(logged, journal, timeline, SpareMemory())
    launcher, extensions = _local_browsers(settings, place, store, browsers)
    proxied = _proxied(settings, home, browsers)
    hub = Hub(store.hub, Allowed.of(settings.hub_origins), LogHubAudit())
    relay = LocalRelay(frozenset(settings.relay_origins)) if settings.local_relay else None
    if relay is not None:
        hub.carry(relay, salt="relay")
    sessions = Sessions(
        Parts(
            Catalog(tools.TOOLS),
            browsers,
            Permissions(rules, Grants(store.grants, time.time), audit, PortLooks()),
            InBrowser(browsers, launcher.shows, questions),
            audit,
            launcher,
            FileKeeper(home.path, home.output),
            store,
            connect_wait_s=settings.connect_wait_s,
            hub=hub,
        )
    )
    wishes = Wishes(settings)
    mcp, sse = McpServer(sessions, wishes.options, wishes.legacy_only), SseSessions()
    door = DashboardDoor(place.port)
    control = Control(browsers, sessions, extensions, store, launcher, place.lock, stopping.set, door, proxied)
    token = home.token() if settings.auth_token is None else settings.auth_token.get_secret_value()

    def dashboard() -> "Dashboard":
        from tabwright.calls.glimpses import Glimpses
        from tabwright.edges.dashboard.approvals import Approvals
        from tabwright.edges.dashboard.files import LogTail, SavedRecordings
        from tabwright.edges.dashboard.routes import Dashboard, DashboardParts
        from tabwright.edges.dashboard.settings import described_settings
        from tabwright.edges.dashboard.tries import Tries

        return Dashboard(
            DashboardParts(
                door,
                browsers,
                sessions,
                timeline,
                Glimpses(timeline, sessions),
                Tries(browsers, sessions),
                Approvals(questions, sessions.grants, audit),
                SavedRecordings(home.output),
                lambda: place.lock.published,
                lambda: described_settings(settings, home),
                LogTail(home.log_file),
                stopping,
            )
        )

    def face() -> "HttpServer":
        from tabwright.edges.http.face import HttpParts, HttpServer, build_app

        parts = HttpParts(mcp, sse, settings, lambda: len(sessions) + sse.silent, stopping, dashboard())
        return HttpServer(build_app(parts, port=place.port, auth=settings.auth, token=token))

    return Wired(
        store=store,
        journal=journal,
        logged=logged,
        launcher=launcher,
        extensions=extensions,
        proxied=proxied,
        relay=relay,
        hub=hub,
        sessions=sessions,
        mcp=mcp,
        sse=sse,
        onlookers=Onlookers(browsers, timeline, sessions.grants, audit, door.page),
        web=LateHttp(face),
        local=UnixSocket(mcp, control.handle, wishes.greet),
    )


def _local_browsers(
    settings: Settings, place: Place, store: Store, browsers: Browsers
) -> tuple[Launcher, ExtensionServer]:
    """Who launches browsers and who hears from them need each other."""
    launcher = Launcher(settings, place.home, store, lambda profile, reason: extensions.end(profile, reason))
    launcher.port, launcher.extension_port = place.port, place.extension_port
    extensions = ExtensionServer(
        browsers,
        KnownPairings(store, launcher),
        extension_id(),
        grace_s=settings.link_grace_s,
        launched=launcher.launched,
        open_to_all_users=settings.auth == "off",
        hub_origins=settings.hub_origins,
    )
    return launcher, extensions


def _proxied(settings: Settings, home: Home, browsers: Browsers) -> "ProxyClient | None":
    """Raises:
    NotWanted: there is no token that may be sent to the configured proxy.
    """
    if settings.via is None:
        return None
    # what is behind these is large, and most gateways need none of it
    from tabwright.edges.links.gateway_key import gateway_key
    from tabwright.edges.links.proxy_calls import ProxyDoor, read_token, warn_of_readers
    from tabwright.edges.links.proxy_client import ProxyClient

    def token() -> str:
        given, path = settings.via_token, settings.via_token_file
        if given is not None:
            return given.get_secret_value().strip()
        return "" if path is None else read_token(Path(path))

    door = ProxyDoor(settings.via, token)
    if settings.via_token_file is not None:
        warn_of_readers(Path(settings.via_token_file))
    # better now, in front of whoever started us, than in the log
    door.token()
    return ProxyClient(door, browsers, grace_s=settings.link_grace_s, key=gateway_key(home.key_file))


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


class Wishes:
    """What a client asks for beside the gateway's own settings."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def options(self, asked: Mapping[str, str], modern: bool) -> Options:
        return self._settings.for_session(asked).options(modern=modern)

    def legacy_only(self, asked: Mapping[str, str]) -> bool:
        """`dynamic` refuses the modern era, so that every client gets tabs.md."""
        return self._settings.for_session(asked).list == "dynamic"

    def greet(self, asked: Mapping[str, str], wanted: Mapping[str, str]) -> str | None:
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
