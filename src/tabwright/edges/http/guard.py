"""The door of the HTTP face: every request, on every route and on none, passes here first.

Host and Origin (policy/doors) -> CORS, for the origins that were configured to the letter -> who it is: the same user
by the operating system's word, or the token. Nothing is created, parsed or answered with content before that.
"""

import hmac
import logging
from typing import Final, Literal

from starlette.middleware.cors import CORSMiddleware
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from tabwright.edges.dashboard.door import DashboardDoor
from tabwright.edges.peers import same_user
from tabwright.policy.doors import Knock, Refusal, allowed_hosts, check_http, check_own_page

log = logging.getLogger(__name__)

PEER: Final = "tabwright.peer"
"""In a request's state: who it proved to be, as far as the server can tell. Only the open routes see None."""
OPEN_ROUTES: Final = frozenset({"/health"})
DASHBOARD: Final = ("/ui/", "/api/")
"""Besides `/`: what only the dashboard's own page asks for."""
Auth = Literal["same-user", "token", "off"]

_METHODS: Final = ("GET", "POST", "DELETE", "OPTIONS")
_HEADERS: Final = (
    *("Content-Type", "Authorization", "Accept", "Last-Event-ID"),
    *("Mcp-Session-Id", "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"),
)
_EXPOSED: Final = ("X-Session-Id", "Mcp-Session-Id", "WWW-Authenticate", "Retry-After")


class Guard:
    """ASGI middleware in front of everything."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        port: int,
        auth: Auth,
        token: str,
        origins: frozenset[str],
        door: DashboardDoor | None = None,
    ) -> None:
        self._app = app
        self._door = door
        self._hosts = allowed_hosts(port)
        self._auth = auth
        self._token = token.encode()
        self._origins = origins
        self._cors = CORSMiddleware(
            self._admit,
            allow_origins=sorted(origins),
            allow_methods=_METHODS,
            allow_headers=_HEADERS,
            expose_headers=_EXPOSED,
            allow_private_network=True,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        knock = _knock(scope)
        refusal = self._refuse(scope, knock)
        if refusal is not None:
            await _turn_away(refusal, scope, receive, send)
        elif _for_dashboard(scope):
            await self._admit(scope, receive, send)
        elif knock.values("origin"):
            # answers preflights, which bear no token, and lets the configured origins read what is said to them
            await self._cors(scope, receive, send)
        else:
            await self._admit(scope, receive, send)

    def _refuse(self, scope: Scope, knock: Knock) -> Refusal | None:
        if scope["type"] != "http":
            return Refusal(403, "No WebSockets here.")
        if not scope["path"].startswith("/"):
            # an absolute-form target names a Host of its own
            return Refusal(400, "The request target is a path.")
        if knock.values("transfer-encoding") and knock.values("content-length"):
            # whoever is in front of us may see another end of this request, and another beginning of the next
            return Refusal(400, "Either Content-Length or Transfer-Encoding, please.")
        if _for_dashboard(scope):
            return check_own_page(knock, self._hosts)
        return check_http(knock, self._hosts, self._origins)

    async def _admit(self, scope: Scope, receive: Receive, send: Send) -> None:
        peer = self._peer(scope, _knock(scope))
        scope.setdefault("state", {})[PEER] = peer
        if peer is not None or scope["path"] in OPEN_ROUTES or _is_empty_page(scope):
            await self._app(scope, receive, send)
            return
        if _for_dashboard(scope):
            await _turn_away(Refusal(401, "Run `tabwright dashboard` and use its link."), scope, receive, send)
            return
        reason = "Unauthorized: send the token of `tabwright config --token` as Authorization: Bearer."
        await _turn_away(Refusal(401, reason), scope, receive, send)

    def _peer(self, scope: Scope, knock: Knock) -> str | None:
        """Who it is, for sessions and limits; None if it has not proved that it is anybody."""
        if self._auth == "off":
            return f"address {(scope.get('client') or ('unknown', 0))[0]}"
        # a page from a configured origin shares our user, not our trust: it needs the token
        if self._auth == "same-user" and not knock.from_browser and same_user(scope.get("client"), scope.get("server")):
            return "user"
        if self._door is not None and _for_dashboard(scope) and self._door.knows(knock.values("cookie")):
            # other services of this machine may see the cookie, so where the system tells users apart it is not enough
            same = self._auth != "same-user" or same_user(scope.get("client"), scope.get("server"))
            return "dashboard" if same else None
        sent = knock.values("authorization")
        scheme, _, token = sent[0].partition(" ") if len(sent) == 1 else ("", "", "")
        if scheme.lower() == "bearer" and hmac.compare_digest(token.encode(), self._token):
            return "token"
        return None


def _for_dashboard(scope: Scope) -> bool:
    return scope["path"] == "/" or scope["path"].startswith(DASHBOARD)


def _is_empty_page(scope: Scope) -> bool:
    """Files without data, and the way to become somebody."""
    return _for_dashboard(scope) and (not scope["path"].startswith("/api/") or scope["path"] == "/api/enter")


def _knock(scope: Scope) -> Knock:
    return Knock.of((name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"])


async def _turn_away(refusal: Refusal, scope: Scope, receive: Receive, send: Send) -> None:
    log.warning("refused %s %s: %s", scope.get("method", scope["type"]), ascii(scope["path"][:100]), refusal.reason)
    # connections are kept for a while, but not those of strangers
    headers = {"Connection": "close"} | ({"WWW-Authenticate": "Bearer"} if refusal.status == 401 else {})
    body = {"error": {"code": -32000, "message": refusal.reason}}
    await JSONResponse(body, refusal.status, headers)(scope, receive, send)
