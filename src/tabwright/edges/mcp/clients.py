"""Whose request it is: the session of each client of the MCP server.

Which one depends on how a request came. A stream (stdio, SSE) has a session of its own for its life, a legacy HTTP
session likewise, unless the client named one to come back to; modern HTTP, which has no sessions, is recognised by who
asks. Sessions that outlive connections are ended after half an hour without use, or for newer ones where there are too
many. The SDK's private name for a connection is used in `connection_of` alone; the pinned version is tested.
"""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, cast

from mcp.server.connection import Connection
from mcp_types import SubscriptionsListenRequestParams, SubscriptionsListenResult
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from tabwright.calls.arrival import Arrival, Transport
from tabwright.calls.notices import Notify
from tabwright.calls.session import Session
from tabwright.calls.sessions import Sessions
from tabwright.edges.mcp.handlers import Context
from tabwright.edges.mcp.listeners import Hearers, Listeners
from tabwright.model import SessionId
from tabwright.policy.text import clean
from tabwright.session.workspace import Options

log = logging.getLogger(__name__)

OptionsFor = Callable[[Mapping[str, str], bool], Options]
"""Session options from what a client asked for (flags or query) and whether it speaks the modern era."""

_SESSION_KEY: Final = "tabwright.session"
_CHOICES: Final = ("toolsets", "list", "upload_dirs", "upload-dirs", "output_dir", "output-dir")
"""What tells sessions of the same name apart: nobody gets folders that another was given."""
IDLE_S: Final = 30 * 60.0
MAX_KEPT: Final = 256
"""Sessions that outlive connections. Each takes some 70 KB."""
MAX_VERSION: Final = 40


@dataclass(slots=True)
class StreamPeer:
    """One stream's client: what it asked for in its first line, and its session once it has spoken."""

    asked: Mapping[str, str]
    principal: str
    session: Session | None = None
    leave: Callable[[], None] | None = None
    """To be called when the stream ends."""
    transport: Transport = "stdio"
    legacy: bool = False
    """It opened in the legacy era, though it might have chosen the other: it stays there."""


class McpClients:
    """Finds the session of a request, and opens and closes sessions as their clients come and go."""

    def __init__(
        self,
        sessions: Sessions,
        options_for: OptionsFor,
        closed: Callable[[SessionId], None],
        most_kept: int = MAX_KEPT,
    ) -> None:
        self._sessions = sessions
        self._options_for = options_for
        self._closed = closed
        self._most_kept = most_kept
        self._kept: dict[tuple[str, ...], Session] = {}
        """Sessions that outlive connections, by what leads to them again."""
        self._over_http: dict[str, Session] = {}
        """Legacy sessions, by the ids of their connections."""
        self._listeners: dict[SessionId, Listeners] = {}
        self._hearers: dict[SessionId, Hearers] = {}

    def session(self, ctx: Context) -> Session:
        """The session that a request belongs to."""
        if isinstance(ctx.lifespan_context, StreamPeer):
            session = self._of_stream(ctx, ctx.lifespan_context)
        elif is_modern(ctx):
            session = self._of_modern_http(ctx)
        else:
            session = self._of_legacy_http(ctx)
        self._sessions.identify(session, client_name(ctx))
        # what it is about to do must not find it ended for a newer one
        session.last_used = time.monotonic()
        return session

    async def listen(self, ctx: Context, params: SubscriptionsListenRequestParams) -> SubscriptionsListenResult:
        """Serve one `subscriptions/listen` of a modern session."""
        session = self.session(ctx)
        try:
            return await self._listeners[session.workspace.id].listen(ctx, params)
        finally:
            session.last_used = time.monotonic()

    def holds_tabs(self, connection_id: str) -> bool:
        """Whether tabs would be lost with this session of legacy HTTP."""
        session = self._over_http.get(connection_id)
        return session is not None and bool(self._sessions.held(session))

    def expire(self) -> None:
        """End sessions that outlive connections and that nobody has used for half an hour, nor is connected to."""
        now = time.monotonic()
        for key, session in list(self._kept.items()):
            if now - session.last_used > IDLE_S and not self._is_in_use(session):
                self._end(key)

    def close(self) -> None:
        """Let open listen streams end, or they hold up the shutdown."""
        for listeners in self._listeners.values():
            listeners.close()

    # --- by how it came

    def _of_stream(self, ctx: Context, peer: StreamPeer) -> Session:
        if peer.session is None:
            peer.session, peer.leave = self._enter(ctx, peer.asked, peer.principal)
        return peer.session

    def _of_legacy_http(self, ctx: Context) -> Session:
        connection = connection_of(ctx)
        session = connection.state.get(_SESSION_KEY)
        if session is None:
            session, leave = self._enter(ctx, _query(ctx), "user")
            connection.state[_SESSION_KEY] = session
            connection.exit_stack.callback(leave)
            if connection.session_id is not None:
                self._over_http[connection.session_id] = session
                connection.exit_stack.callback(self._over_http.pop, connection.session_id)
        return cast(Session, session)

    def _of_modern_http(self, ctx: Context) -> Session:
        """The same user, name, options and client find the same workspace again."""
        asked = _query(ctx)
        key = ("request", "user", *_choices(ctx, asked, asked.get("session", "default")))
        if key not in self._kept:
            options = replace(self._options_for(asked, True), shared=True)
            self._keep(key, self._open(ctx, options, "user", _nobody))
        return self._kept[key]

    def _enter(self, ctx: Context, asked: Mapping[str, str], principal: str) -> tuple[Session, Callable[[], None]]:
        """A connection's session, and how the connection leaves it: one of its own ends with it, a named one waits."""
        connection = connection_of(ctx)
        options = self._options_for(asked, is_modern(ctx))
        if options.session is None:
            session = self._open(ctx, options, principal, connection.send_tool_list_changed)
            return session, partial(self._close, session)
        key = ("modern" if is_modern(ctx) else "legacy", principal, *_choices(ctx, asked, options.session))
        if key not in self._kept:
            hearers = Hearers()
            session = self._open(ctx, options, principal, hearers.tell)
            self._hearers[session.workspace.id] = hearers
            self._keep(key, session)
        session = self._kept[key]
        self._hearers[session.workspace.id].join(connection)
        return session, partial(self._leave, session, connection)

    def _leave(self, session: Session, connection: Connection) -> None:
        """The connection is gone; its session is kept for the next of that name."""
        session.last_used = time.monotonic()
        if (hearers := self._hearers.get(session.workspace.id)) is not None:
            hearers.leave(connection)

    # --- opening and closing

    def _open(self, ctx: Context, options: Options, principal: str, tell: Notify) -> Session:
        modern = is_modern(ctx)
        listeners = Listeners()
        notify = listeners.publish if modern else tell
        session = self._sessions.open(
            options, notify, client=client_name(ctx), principal=principal, arrival=_arrival(ctx, modern=modern)
        )
        if modern:
            self._listeners[session.workspace.id] = listeners
        return session

    def _keep(self, key: tuple[str, ...], session: Session) -> None:
        """Keep it for whoever comes back, in place of the one that is missed least, if there are too many."""
        idle = [(kept, each) for each, kept in self._kept.items() if not self._is_in_use(kept)]
        if len(self._kept) >= self._most_kept and idle:
            oldest, its_key = min(idle, key=lambda each: (bool(self._sessions.held(each[0])), each[0].last_used))
            log.info("session %s is ended for a newer one", oldest.workspace.id)
            self._end(its_key)
        self._kept[key] = session

    def _is_in_use(self, session: Session) -> bool:
        """Whether somebody is connected to it, or waits for one of its calls."""
        told = (self._hearers.get(session.workspace.id), self._listeners.get(session.workspace.id))
        return any(told) or session.brake.running > 0

    def _end(self, key: tuple[str, ...]) -> None:
        self._close(self._kept.pop(key))

    def _close(self, session: Session) -> None:
        self._closed(session.workspace.id)
        self._hearers.pop(session.workspace.id, None)
        listeners = self._listeners.pop(session.workspace.id, None)
        if listeners is not None:
            listeners.close()
        self._sessions.close(session)


def is_modern(ctx: Context) -> bool:
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS


def connection_of(ctx: Context) -> Connection:
    return ctx.session._connection  # pyright: ignore[reportPrivateUsage] - the SDK offers no public way


def client_name(ctx: Context) -> str:
    told = ctx.session.client_params
    return "agent" if told is None else told.client_info.name


def _arrival(ctx: Context, *, modern: bool) -> Arrival:
    peer, told = ctx.lifespan_context, ctx.session.client_params
    version = "" if told is None else clean(told.client_info.version, MAX_VERSION)
    transport = peer.transport if isinstance(peer, StreamPeer) else "http"
    return Arrival(version, transport, ctx.protocol_version, modern)


def _choices(ctx: Context, asked: Mapping[str, str], name: str) -> tuple[str, ...]:
    """What leads to the same session again: its name, what else was chosen, and what the client is called."""
    return (name, *(asked.get(each, "") for each in _CHOICES), client_name(ctx))


async def _nobody() -> None:
    """A modern client is told by the streams it listens on."""


def _query(ctx: Context) -> Mapping[str, str]:
    """Only what came by HTTP has a request."""
    return {} if ctx.request is None else dict(ctx.request.query_params)
