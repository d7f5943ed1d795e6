"""Sessions on `/mcp` that their clients never end: a peer keeps so many, and then the one it misses least is ended.

Some clients open a session for every call. The SDK keeps each for half an hour, and when it has as many as it keeps, it
turns everybody away. Here a session is ended as its client should have ended it, by DELETE; should it be asked for
again, the answer is 404, upon which a client initializes anew.
Lifecycle of a session: opened by an answer that names it -> used -> ended by its client, by half an hour of silence
(the SDK's affair), or here.
"""

import logging
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tabwright.edges.http.guard import PEER

log = logging.getLogger(__name__)

MAX_SESSIONS: Final = 256
"""Of one peer. Each takes some 50 KB."""
_ID: Final = "mcp-session-id"

HoldsTabs = Callable[[str], bool]


@dataclass(slots=True, eq=False)
class _Session:
    id: str
    owner: str
    requests: int = 0
    streams: int = 0

    @contextmanager
    def serving(self, method: str) -> Generator[None]:
        """While a request of it is served, or the stream is open by which it is told what nobody asked for."""
        is_stream = method == "GET"
        self.streams += is_stream
        self.requests += not is_stream
        try:
            yield
        finally:
            self.streams -= is_stream
            self.requests -= not is_stream


class BoundedSessions:
    """ASGI: an application with sessions, of which each peer keeps the ones it used last."""

    def __init__(self, app: ASGIApp, holds_tabs: HoldsTabs, most: int = MAX_SESSIONS) -> None:
        self._app = app
        self._holds_tabs = holds_tabs
        self._most = most
        self._sessions: dict[str, _Session] = {}
        """By their ids, the one that was used last at the end."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        named = Headers(scope=scope).get(_ID)
        session = None if named is None else self._sessions.get(named)
        if named is None:
            await self._open(scope, receive, send)
        elif session is None:
            await self._app(scope, receive, send)
        else:
            await self._use(session, scope, receive, send)

    async def _open(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A request without a session, which may be given one."""
        opened: list[_Session] = []

        async def noting(message: Message) -> None:
            given = Headers(raw=message["headers"]).get(_ID) if _is_agreed(message) else None
            if given is not None and not opened:
                opened.append(_Session(given, scope["state"][PEER], requests=1))
                self._sessions[given] = opened[0]
            await send(message)

        try:
            await self._app(scope, receive, noting)
        finally:
            for session in opened:
                session.requests -= 1
        for session in opened:
            await self._make_room(session.owner, scope)

    async def _use(self, session: _Session, scope: Scope, receive: Receive, send: Send) -> None:
        async def noting(message: Message) -> None:
            if scope["method"] == "DELETE" and _is_agreed(message):
                self._sessions.pop(session.id, None)
            await send(message)

        self._used(session)
        with session.serving(scope["method"]):
            await self._app(scope, receive, noting)
        self._used(session)

    def _used(self, session: _Session) -> None:
        if self._sessions.pop(session.id, None) is not None:
            self._sessions[session.id] = session

    async def _make_room(self, owner: str, scope: Scope) -> None:
        """End what is too much. What has a request open stays, whatever the number."""
        while (ended := self._to_end(owner)) is not None:
            del self._sessions[ended.id]
            log.info("session %s… is ended for a newer one of the same peer", ended.id[:8])
            await self._app(_farewell(ended, scope), _nothing, _unheard)

    def _to_end(self, owner: str) -> _Session | None:
        """The one used longest ago, of those that hold no tab and have no stream open as long as there are any."""
        theirs = [session for session in self._sessions.values() if session.owner == owner]
        if len(theirs) <= self._most:
            return None
        # the newest is the one that room is made for
        idle = [session for session in theirs[:-1] if not session.requests]
        spare = (session for session in idle if not session.streams and not self._holds_tabs(session.id))
        return next(spare, idle[0] if idle else None)


def _is_agreed(message: Message) -> bool:
    return message["type"] == "http.response.start" and message["status"] == 200


def _farewell(session: _Session, scope: Scope) -> Scope:
    """What a client sends that is done with its session."""
    return {**scope, "method": "DELETE", "headers": [(_ID.encode(), session.id.encode())]}


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _unheard(_: Message) -> None:
    """Nobody waits for the answer."""
