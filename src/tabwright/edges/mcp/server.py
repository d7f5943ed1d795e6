"""The one place that knows the MCP SDK: our sessions behind its loops, in both eras.

One table of handlers serves every connection; `clients` finds the session that a request belongs to.
"""

import logging
from collections.abc import Callable, Coroutine, Mapping
from functools import cached_property
from typing import Any, Final, cast

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage

from tabwright import __version__, first_words
from tabwright.calls.desk import Progress
from tabwright.calls.results import error_result
from tabwright.calls.session import Session
from tabwright.calls.sessions import Sessions
from tabwright.edges.mcp.asking import STATE_S, Answers, InputNeeded, McpApprover, Pause, can_ask
from tabwright.edges.mcp.clients import McpClients, OptionsFor, StreamPeer, connection_of, is_modern
from tabwright.edges.mcp.eras import Opened, is_enveloped
from tabwright.edges.mcp.handlers import Context, Handlers
from tabwright.edges.mcp.loops import serve_legacy, serve_modern
from tabwright.edges.mcp.pauses import PausableCall, Pauses
from tabwright.edges.mcp.plain import plain_call, stamped, wire_result
from tabwright.errors import INTERNAL_ERROR, INVALID_REQUEST, GatewayError, ToolError
from tabwright.model import JsonObject, ToolResult, ToolSpec

log = logging.getLogger(__name__)

_ABOUT: Final = types.Implementation(
    name=first_words.NAME, title=first_words.NAME, version=__version__, description=first_words.DESCRIPTION
)
_CAPABILITIES: Final = types.ServerCapabilities(tools=types.ToolsCapability(list_changed=True))
_TITLES_SINCE: Final = "2025-06-18"
"""Before, a tool's title was one of its annotations."""


class McpServer:
    """Our tools behind the SDK's loops."""

    def __init__(
        self, sessions: Sessions, options_for: OptionsFor, legacy_only: Callable[[Mapping[str, str]], bool]
    ) -> None:
        self._sessions = sessions
        self._options_for = options_for
        self._legacy_only = legacy_only
        self._answers = Answers()
        self._pauses = Pauses()
        self.clients = McpClients(sessions, options_for, self._pauses.drop)
        self.handlers = Handlers(_ABOUT, first_words.INSTRUCTIONS, _CAPABILITIES)
        self.handlers.add_request_handler("tools/list", types.PaginatedRequestParams, self._list_tools)
        self.handlers.add_request_handler("tools/call", types.CallToolRequestParams, self._call_tool)
        self._calls = self.handlers.get_request_handler("tools/call")
        self.handlers.add_request_handler(
            "subscriptions/listen", types.SubscriptionsListenRequestParams, self._subscribe
        )
        self.handlers.middleware += [_Seal(), self._call_plainly, _keep_to_the_era, self._tell_capabilities]
        self._stamp: Final = {types.SERVER_INFO_META_KEY: self.handlers.server_info_stamp}

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

    # --- requests

    async def _list_tools(self, ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        try:
            specs, cursor = self.clients.session(ctx).page(None if params is None else params.cursor)
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
        called = plain_call(ctx) if connection_of(ctx).initialize_accepted else None
        # whoever serves calls in our place gets them all
        if called is None or self.handlers.get_request_handler("tools/call") is not self._calls:
            return await call_next(ctx)
        result = await self._called(ctx, *called)
        return stamped(result, self._stamp) if is_modern(ctx) else result

    async def _called(
        self, ctx: Context, name: str, arguments: JsonObject, params: types.CallToolRequestParams | None = None
    ) -> dict[str, Any] | types.InputRequiredResult:
        session = self.clients.session(ctx)
        modern = is_modern(ctx)
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
        return await self.clients.listen(ctx, params)

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


class _Seal:
    """Nobody but us reads or changes what a call that waits for an answer leaves with its client.

    Only modern clients are left anything; the cryptography is large, and comes with the first of them.
    """

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        left = (ctx.params or {}).get("requestState")
        if left is None and not is_modern(ctx):
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


def _progress(ctx: Context) -> Progress:
    """Tells how far a call is, until it is done: the answer says that, and clients that have it know no token more."""

    async def report(done: float, total: float | None, message: str) -> None:
        if total is None or done < total:
            await ctx.session.report_progress(done, total, message)

    return report


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
