"""The one place that knows the MCP SDK: our sessions behind its loops, in both eras.

One table of handlers serves every connection. Which session a request belongs to depends on how it came: a stream
(stdio, SSE) has one of its own for its life, a legacy HTTP session likewise, unless the client named one to come back
to; modern HTTP, which has no sessions, is recognised by who asks. Private names of the SDK are used in `_connection`
alone; the pinned version is tested.
"""

import logging
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Final, cast

import mcp_types as types
from mcp.server.connection import Connection
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from tabwright import __version__, first_words
from tabwright.calls.arrival import Arrival, Transport
from tabwright.calls.desk import Progress
from tabwright.calls.notices import Notify
from tabwright.calls.results import error_result
from tabwright.calls.session import Session
from tabwright.calls.sessions import Sessions
from tabwright.edges.mcp_asking import STATE_S, Answers, InputNeeded, McpApprover, Pause, can_ask
from tabwright.edges.mcp_eras import Opened, is_enveloped
from tabwright.edges.mcp_handlers import Context, Handlers
from tabwright.edges.mcp_listeners import Hearers, Listeners
from tabwright.edges.mcp_loops import serve_legacy, serve_modern
from tabwright.edges.mcp_pauses import PausableCall, Pauses
from tabwright.edges.mcp_plain import plain_call, stamped, wire_result
from tabwright.errors import INTERNAL_ERROR, INVALID_REQUEST, GatewayError, ToolError
from tabwright.model import JsonObject, SessionId, ToolResult, ToolSpec
from tabwright.policy.text import clean
from tabwright.session.workspace import Options

log = logging.getLogger(__name__)

OptionsFor = Callable[[Mapping[str, str], bool], Options]
"""Session options from what a client asked for (flags or query) and whether it speaks the modern era."""

_SESSION_KEY: Final = "tabwright.session"
_CHOICES: Final = ("toolsets", "list", "upload_dirs", "upload-dirs", "output_dir", "output-dir")
"""What tells sessions of the same name apart: nobody gets folders that another was given."""
_ABOUT: Final = types.Implementation(
    name=first_words.NAME, title=first_words.NAME, version=__version__, description=first_words.DESCRIPTION
)
_CAPABILITIES: Final = types.ServerCapabilities(tools=types.ToolsCapability(list_changed=True))
IDLE_S: Final = 30 * 60.0
MAX_VERSION: Final = 40
_TITLES_SINCE: Final = "2025-06-18"
"""Before, a tool's title was one of its annotations."""


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


class McpServer:
    """Our tools behind the SDK's loops."""

    def __init__(
        self, sessions: Sessions, options_for: OptionsFor, legacy_only: Callable[[Mapping[str, str]], bool]
    ) -> None:
        self._sessions = sessions
        self._options_for = options_for
        self._legacy_only = legacy_only
        self._shared: dict[tuple[str, ...], Session] = {}
        self._over_http: dict[str, Session] = {}
        """Legacy sessions, by the ids of their connections."""
        self._listeners: dict[SessionId, Listeners] = {}
        self._hearers: dict[SessionId, Hearers] = {}
        self.handlers = Handlers(_ABOUT, first_words.INSTRUCTIONS, _CAPABILITIES)
        self.handlers.add_request_handler("tools/list", types.PaginatedRequestParams, self._list_tools)
        self.handlers.add_request_handler("tools/call", types.CallToolRequestParams, self._call_tool)
        self._calls = self.handlers.get_request_handler("tools/call")
        self.handlers.add_request_handler(
            "subscriptions/listen", types.SubscriptionsListenRequestParams, self._subscribe
        )
        self.handlers.middleware += [_Seal(), self._call_plainly, _keep_to_the_era, self._tell_capabilities]
        self._stamp: Final = {types.SERVER_INFO_META_KEY: self.handlers.server_info_stamp}
        self._answers = Answers()
        self._pauses = Pauses()

    async def serve_stream(
        self,
        reader: ReadStream[SessionMessage | Exception],
        writer: WriteStream[SessionMessage],
        peer: StreamPeer,
    ) -> None:
        """The client of one stream (stdio, SSE), from its first message to its last."""
        legacy_only = self._legacy_only(peer.asked)
        requests = reader if legacy_only else Opened(reader)
        try:
            if isinstance(requests, Opened) and await requests.is_modern():
                await serve_modern(self.handlers, requests, writer, peer)
            else:
                # the SDK's loop for both eras passes on every message by a task of its own
                peer.legacy = not legacy_only
                await serve_legacy(self.handlers, requests, writer, peer)
        finally:
            if peer.leave is not None:
                peer.leave()

    def tools(self, asked: Mapping[str, str]) -> list[JsonObject]:
        """The stable list of a client that asks for this, before it has done anything."""
        listing = self._sessions.preview(self._options_for({**asked, "list": "stable"}, False))
        return [
            {"name": spec.name, "description": spec.description, "inputSchema": spec.input_schema}
            for spec in listing.specs
        ]

    def holds_tabs(self, connection_id: str) -> bool:
        """Whether tabs would be lost with this session of legacy HTTP."""
        session = self._over_http.get(connection_id)
        return session is not None and bool(self._sessions.held(session))

    def close(self) -> None:
        """Let open listen streams end, or they hold up the shutdown."""
        for listeners in self._listeners.values():
            listeners.handler.close()

    def expire(self) -> None:
        """End sessions that outlive connections and that nobody has used for half an hour, nor is connected to."""
        now = time.monotonic()
        for key, session in list(self._shared.items()):
            if now - session.last_used > IDLE_S and not self._hearers.get(session.workspace.id):
                del self._shared[key]
                self._close(session)

    # --- requests

    async def _list_tools(self, ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        try:
            specs, cursor = self._session(ctx).page(None if params is None else params.cursor)
        except GatewayError as exc:
            raise MCPError(exc.code, str(exc), {"code": exc.word}) from exc
        tools = [_tool(spec, ctx.protocol_version) for spec in specs]
        return types.ListToolsResult(tools=tools, next_cursor=cursor, ttl_ms=0, cache_scope="private")

    async def _call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> dict[str, Any] | types.InputRequiredResult:
        return await self._called(ctx, params.name, cast(JsonObject, params.arguments or {}), params)

    async def _call_plainly(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """A call that can be told without the SDK's models, once the client has introduced itself. It comes early:
        there is nothing in a plain call that the others would look at.
        """
        called = plain_call(ctx) if _connection(ctx).initialize_accepted else None
        # whoever serves calls in our place gets them all
        if called is None or self.handlers.get_request_handler("tools/call") is not self._calls:
            return await call_next(ctx)
        result = await self._called(ctx, *called)
        return stamped(result, self._stamp) if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS else result

    async def _called(
        self, ctx: Context, name: str, arguments: JsonObject, params: types.CallToolRequestParams | None = None
    ) -> dict[str, Any] | types.InputRequiredResult:
        session = self._session(ctx)
        modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
        run = self._run_pausably if modern else self._run
        try:
            return await self._answered(ctx, name, session, run(ctx, name, arguments, session, params))
        except InputNeeded as exc:
            return exc.result

    async def _answered(
        self, ctx: Context, name: str, session: Session, work: Coroutine[Any, Any, ToolResult]
    ) -> dict[str, Any]:
        try:
            return wire_result(await work, ctx.protocol_version)
        except InputNeeded:
            raise
        except GatewayError as exc:
            raise MCPError(exc.code, str(exc), {"code": exc.word}) from exc
        except Exception as exc:
            log.exception("call %s of session %s failed", name, session.workspace.id)
            raise MCPError(INTERNAL_ERROR, "Internal error; see the gateway's log.") from exc

    async def _run(
        self,
        ctx: Context,
        name: str,
        arguments: JsonObject,
        session: Session,
        answered: types.CallToolRequestParams | None = None,
        pause: Pause | None = None,
    ) -> ToolResult:
        """`answered`: the request again, with the answers to what was asked."""
        approver = McpApprover(ctx, answered, self._answers, session.context.approver, pause)
        return await session.call(name, arguments, _progress(ctx), approver)

    async def _run_pausably(
        self,
        ctx: Context,
        name: str,
        arguments: JsonObject,
        session: Session,
        answered: types.CallToolRequestParams | None,
    ) -> ToolResult:
        """A call that may stop in its middle for a question; or one that did, and goes on."""
        try:
            call = None if answered is None else self._pauses.resumed(session.workspace.id, answered)
        except ToolError as exc:
            return error_result(exc)
        if call is None and not can_ask(ctx):
            return await self._run(ctx, name, arguments, session, answered)
        if call is None:
            call = PausableCall(session.workspace.id, self._pauses)
            pause = None if self._pauses.full else call.ask
            call.begin(self._run(ctx, name, arguments, session, answered, pause))
        return await call.step()

    async def _subscribe(
        self, ctx: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        return await self._listeners[self._session(ctx).workspace.id].handler(ctx, params)

    async def _tell_capabilities(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """hub.md's `browser` block, which the SDK's own models have no place for."""
        result = await call_next(ctx)
        if ctx.method not in ("initialize", "server/discover") or not isinstance(result, Mapping):
            return result
        capabilities = cast(dict[str, Any], result.get("capabilities") or {})
        browser = self._sessions.capabilities
        experimental = {**cast(dict[str, Any], capabilities.get("experimental") or {}), "browser": browser}
        told = {**capabilities, "browser": browser, "experimental": experimental}
        return {**result, "capabilities": told}

    # --- whose request it is

    def _session(self, ctx: Context) -> Session:
        if isinstance(ctx.lifespan_context, StreamPeer):
            session = self._stream_session(ctx, ctx.lifespan_context)
        elif ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
            session = self._shared_session(ctx)
        else:
            session = self._http_session(ctx)
        self._sessions.identify(session, _client_name(ctx))
        return session

    def _stream_session(self, ctx: Context, peer: StreamPeer) -> Session:
        if peer.session is None:
            peer.session, peer.leave = self._enter(ctx, peer.asked, peer.principal)
        return peer.session

    def _http_session(self, ctx: Context) -> Session:
        connection = _connection(ctx)
        session = connection.state.get(_SESSION_KEY)
        if session is None:
            session, leave = self._enter(ctx, _query(ctx), "user")
            connection.state[_SESSION_KEY] = session
            connection.exit_stack.callback(leave)
            if connection.session_id is not None:
                self._over_http[connection.session_id] = session
                connection.exit_stack.callback(self._over_http.pop, connection.session_id)
        return cast(Session, session)

    def _shared_session(self, ctx: Context) -> Session:
        """Modern HTTP has no sessions: the same user, name, options and client find the same workspace again."""
        asked = _query(ctx)
        key = ("request", "user", *_choices(ctx, asked, asked.get("session", "default")))
        if key not in self._shared:
            options = replace(self._options_for(asked, True), shared=True)
            self._shared[key] = self._open(ctx, options, "user", _nobody)
        return self._shared[key]

    def _enter(self, ctx: Context, asked: Mapping[str, str], principal: str) -> tuple[Session, Callable[[], None]]:
        """A connection's session, and how the connection leaves it: one of its own ends with it, a named one waits."""
        connection = _connection(ctx)
        options = self._options_for(asked, ctx.protocol_version in MODERN_PROTOCOL_VERSIONS)
        if options.session is None:
            session = self._open(ctx, options, principal, connection.send_tool_list_changed)
            return session, partial(self._close, session)
        era = "modern" if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS else "legacy"
        key = (era, principal, *_choices(ctx, asked, options.session))
        if key not in self._shared:
            hearers = Hearers()
            session = self._shared[key] = self._open(ctx, options, principal, hearers.tell)
            self._hearers[session.workspace.id] = hearers
        session = self._shared[key]
        self._hearers[session.workspace.id].join(connection)
        return session, partial(self._leave, session, connection)

    def _leave(self, session: Session, connection: Connection) -> None:
        """The connection is gone; its session is kept for the next of that name."""
        session.last_used = time.monotonic()
        if (hearers := self._hearers.get(session.workspace.id)) is not None:
            hearers.leave(connection)

    def _open(self, ctx: Context, options: Options, principal: str, tell: Notify) -> Session:
        modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
        listeners = Listeners()
        notify = listeners.publish if modern else tell
        session = self._sessions.open(
            options, notify, client=_client_name(ctx), principal=principal, arrival=_arrival(ctx, modern=modern)
        )
        if modern:
            self._listeners[session.workspace.id] = listeners
        return session

    def _close(self, session: Session) -> None:
        self._pauses.drop(session.workspace.id)
        self._hearers.pop(session.workspace.id, None)
        listeners = self._listeners.pop(session.workspace.id, None)
        if listeners is not None:
            listeners.handler.close()
        self._sessions.close(session)


class _Seal:
    """Nobody but us reads or changes what a call that waits for an answer leaves with its client.

    Only modern clients are left anything; the cryptography is large, and comes with the first of them.
    """

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        left = (ctx.params or {}).get("requestState")
        if left is None and ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return await call_next(ctx)
        return await self._boundary(ctx, call_next)

    @cached_property
    def _boundary(self) -> ServerMiddleware[Any]:
        from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity

        # questions of this process are answered to this process
        return RequestStateBoundary(RequestStateSecurity.ephemeral(ttl=STATE_S), default_audience=first_words.NAME)


async def _keep_to_the_era(ctx: Context, call_next: CallNext) -> HandlerResult:
    """A client that opened in the legacy era cannot change its mind."""
    peer = ctx.lifespan_context
    if isinstance(peer, StreamPeer) and peer.legacy and ctx.method != "initialize" and is_enveloped(ctx.params):
        raise MCPError(
            INVALID_REQUEST, "This connection began with `initialize`; the 2026-07-28 envelope is not for it."
        )
    return await call_next(ctx)


def _connection(ctx: Context) -> Connection:
    return ctx.session._connection  # pyright: ignore[reportPrivateUsage] - the SDK offers no public way


def _progress(ctx: Context) -> Progress:
    """Tells how far a call is, until it is done: the answer says that, and clients that have it know no token more."""

    async def report(done: float, total: float | None, message: str) -> None:
        if total is None or done < total:
            await ctx.session.report_progress(done, total, message)

    return report


def _client_name(ctx: Context) -> str:
    told = ctx.session.client_params
    return "agent" if told is None else told.client_info.name


def _arrival(ctx: Context, *, modern: bool) -> Arrival:
    peer, told = ctx.lifespan_context, ctx.session.client_params
    version = "" if told is None else clean(told.client_info.version, MAX_VERSION)
    transport = peer.transport if isinstance(peer, StreamPeer) else "http"
    return Arrival(version, transport, ctx.protocol_version, modern)


def _choices(ctx: Context, asked: Mapping[str, str], name: str) -> tuple[str, ...]:
    """What leads to the same session again: its name, what else was chosen, and what the client is called."""
    return (name, *(asked.get(each, "") for each in _CHOICES), _client_name(ctx))


async def _nobody() -> None:
    """A modern client is told by the streams it listens on."""


def _query(ctx: Context) -> Mapping[str, str]:
    """Only what came by HTTP has a request."""
    return {} if ctx.request is None else dict(ctx.request.query_params)


def _tool(spec: ToolSpec, version: str) -> types.Tool:
    hints = spec.hints
    title = spec.title or None
    older = version < _TITLES_SINCE
    return types.Tool(
        name=spec.name,
        title=None if older else title,
        description=spec.description,
        input_schema=cast(dict[str, Any], spec.input_schema),
        annotations=types.ToolAnnotations(
            title=title if older else None,
            read_only_hint=hints.read_only,
            destructive_hint=hints.destructive,
            open_world_hint=hints.open_world,
        ),
        _meta=cast(dict[str, Any] | None, spec.meta),
    )
