"""The door of the HTTP face: every request, on every route and on none, passes here first.

Host and Origin (policy/doors) -> who it is: the same user by the operating system's word, or the token. Nothing is
created, parsed or answered with content before that.
"""

import hmac
import logging
from typing import Final, Literal

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from tabwright.edges.peers import same_user
from tabwright.policy.doors import Knock, Refusal, allowed_hosts, check_http

log = logging.getLogger(__name__)

PASSED: Final = "tabwright.passed"
"""In a request's state: whether it proved who it is. Only the open routes see False."""
OPEN_ROUTES: Final = frozenset({"/health"})
Auth = Literal["same-user", "token", "off"]


class Guard:
    """ASGI middleware in front of everything."""

    def __init__(self, app: ASGIApp, *, port: int, auth: Auth, token: str, origins: frozenset[str]) -> None:
        self._app = app
        self._hosts = allowed_hosts(port)
        self._auth = auth
        self._token = token.encode()
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        knock = Knock.of((name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"])
        refusal = self._refuse(scope, knock)
        if refusal is not None:
            log.warning(
                "refused %s %s: %s", scope.get("method", scope["type"]), ascii(scope["path"][:100]), refusal.reason
            )
            await _refusal(refusal)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _refuse(self, scope: Scope, knock: Knock) -> Refusal | None:
        if scope["type"] != "http":
            return Refusal(403, "No WebSockets here.")
        if not scope["path"].startswith("/"):
            # an absolute-form target names a Host of its own
            return Refusal(400, "The request target is a path.")
        refusal = check_http(knock, self._hosts, self._origins)
        if refusal is not None:
            return refusal
        passed = self._passes(scope, knock)
        scope.setdefault("state", {})[PASSED] = passed
        if passed or scope["path"] in OPEN_ROUTES:
            return None
        return Refusal(401, "Unauthorized: send the token of `tabwright config --token` as Authorization: Bearer.")

    def _passes(self, scope: Scope, knock: Knock) -> bool:
        if self._auth == "off":
            return True
        sent = knock.values("authorization")
        scheme, _, token = sent[0].partition(" ") if len(sent) == 1 else ("", "", "")
        if scheme.lower() == "bearer" and hmac.compare_digest(token.encode(), self._token):
            return True
        # a page from a configured origin shares our user, not our trust: it needs the token
        return (
            self._auth == "same-user" and not knock.from_browser and same_user(scope.get("client"), scope.get("server"))
        )


def _refusal(refusal: Refusal) -> JSONResponse:
    headers = {"WWW-Authenticate": "Bearer"} if refusal.status == 401 else None
    return JSONResponse({"error": {"code": -32000, "message": refusal.reason}}, refusal.status, headers)
