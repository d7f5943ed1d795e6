"""What the command line can ask of the running gateway, over its Unix socket."""

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from tabwright.browser.browsers import Browsers
from tabwright.calls.sessions import Sessions
from tabwright.edges.chrome.extension_files import extension_id
from tabwright.edges.chrome.launcher import Launcher
from tabwright.edges.commands.grant_control import GrantControl
from tabwright.edges.commands.shortcut_control import ShortcutControl
from tabwright.edges.dashboard.door import DashboardDoor
from tabwright.edges.links.extension_ws import ExtensionServer, Paired
from tabwright.edges.runtime import Lock
from tabwright.edges.store.store import Store
from tabwright.errors import GatewayError
from tabwright.model import Json, JsonObject

if TYPE_CHECKING:
    from tabwright.edges.links.proxy_client import ProxyClient

PAIRING_S: Final = 120.0
VISIT_S: Final = 8.0
HANDED_OVER_S: Final = 15.0
"""A key that no person carries is used at once."""


class Control:
    """Answers control requests by name."""

    def __init__(
        self,
        browsers: Browsers,
        sessions: Sessions,
        extensions: ExtensionServer,
        store: Store,
        launcher: Launcher,
        lock: Lock,
        stop: Callable[[], None],
        door: DashboardDoor,
        proxied: "ProxyClient | None" = None,
    ) -> None:
        self._browsers = browsers
        self._sessions = sessions
        self._extensions = extensions
        self._store = store
        self._launcher = launcher
        self._lock = lock
        self._stop = stop
        self._door = door
        self._proxied = proxied
        self._grants = GrantControl(sessions.grants, sessions.audit)
        self._shortcuts = ShortcutControl(store, sessions, sessions.tool_names)
        self._pairing: asyncio.Future[Paired] | None = None

    async def handle(self, method: str, params: JsonObject) -> JsonObject:
        """Raises:
        GatewayError: there is no such request, or it failed.
        """
        match method:
            case "status":
                return self._status()
            case "stop":
                self._stop()
                return {}
            case "dashboard":
                return {"page": self._door.page()}
            case "await-visit":
                return await self._await_visit(params)
            case "pair":
                return self._pair()
            case "bootstrap":
                return self._bootstrap(params)
            case "await-pairing":
                return await self._await_pairing()
            case "cache-clear":
                count = self._store.hub.clear()
                self._sessions.forget_cached()
                return {"count": count}
            case "admit":
                return self._admit(params)
            case _ if self._grants.knows(method):
                return self._grants.handle(method, params)
            case _ if self._shortcuts.knows(method):
                return await self._shortcuts.handle(method, params)
            case _:
                raise GatewayError(
                    f"The gateway knows no {method!r}.", "Run `tabwright stop`; its version may be older."
                )

    def _status(self) -> JsonObject:
        browsers: list[Json] = [
            {
                "id": browser.id,
                "name": browser.name,
                "version": browser.version,
                "extension": browser.extension,
                "launched": browser.launched,
                "remote": browser.remote,
                "reachable": browser.reachable,
                "tabCount": len(browser.tabs),
            }
            for browser in self._browsers.all()
        ]
        sessions: list[Json] = [
            {
                "id": session.workspace.id,
                "client": session.workspace.client,
                "state": session.workspace.state.value,
                "focusedTabId": session.workspace.focus,
                "tabsHeld": list[Json](self._sessions.held(session)),
            }
            for session in self._sessions
        ]
        return {
            **self._lock.published,
            "browsers": browsers,
            "sessions": sessions,
            "browserPid": self._launcher.pid,
            "paired": self._store.has_pairings(),
            "via": None if self._proxied is None else asdict(self._proxied.state),
        }

    async def _await_visit(self, params: JsonObject) -> JsonObject:
        """Whether somebody came by the dashboard's address that was given out; a browser may have to start first."""
        come = asyncio.Event()
        self._door.await_visit(str(params.get("page", "")), come.set)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(come.wait(), VISIT_S)
        return {"come": come.is_set()}

    def _pair(self) -> JsonObject:
        key, self._pairing = self._extensions.offer_pairing(PAIRING_S)
        return {"key": key, "page": f"chrome-extension://{extension_id()}/ui/pair.html#{key}", "seconds": PAIRING_S}

    def _bootstrap(self, params: JsonObject) -> JsonObject:
        """For the browser's native messaging host: where we listen and, for a browser that asks, a key."""
        told: JsonObject = {"port": self._extensions.port, "httpPort": self._lock.published["port"]}
        profile_id = params.get("profileId")
        if profile_id is None:
            return told
        if not isinstance(profile_id, str) or not 16 <= len(profile_id) <= 64:
            raise GatewayError("A profile id has 16 to 64 characters.")
        return told | {"key": self._extensions.offer_pairing_to(profile_id, HANDED_OVER_S)}

    async def _await_pairing(self) -> JsonObject:
        if self._pairing is None:
            raise GatewayError("No pairing is under way.", "Run `tabwright pair`.")
        try:
            async with asyncio.timeout(PAIRING_S):
                paired = await asyncio.shield(self._pairing)
        except (TimeoutError, asyncio.CancelledError):
            raise GatewayError("No browser used the key in time.", "Run `tabwright pair` again.") from None
        return {"profile": paired.profile_id, "digits": paired.digits}

    def _admit(self, params: JsonObject) -> JsonObject:
        wanted = params.get("extensionId")
        if not isinstance(wanted, str) or len(wanted) != 32 or not set(wanted) <= set("abcdefghijklmnop"):
            raise GatewayError("An extension id is 32 letters from a to p.", "Copy it from chrome://extensions.")
        self._store.admit(wanted)
        return {"admitted": wanted}
