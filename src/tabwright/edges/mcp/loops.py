"""A stream's client served by the SDK, in the era it opened in; its calls go past the dispatcher (`direct`)."""

import logging
from collections.abc import Mapping
from typing import Any, Final

import anyio
from mcp.server.connection import Connection, NotifyOnlyOutbound
from mcp.server.runner import ServerRunner, serve_connection, serve_dual_era_loop, serve_one
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.dispatcher import CallOptions, DispatchContext
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.inbound import InboundLadderRejection, classify_inbound_request
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.message import SessionMessage
from mcp.shared.transport_context import TransportContext
from mcp_types import JSONRPCNotification

from tabwright.edges.mcp.direct import DirectCalls, Service
from tabwright.edges.mcp.handlers import Handlers

log = logging.getLogger(__name__)

Reader = ReadStream[SessionMessage | Exception]
Writer = WriteStream[SessionMessage]

_ONE_BY_ONE: Final = frozenset({"initialize"})
"""A client need not wait for its answer: what it says next is heard when it is done."""


async def serve_legacy(handlers: Handlers, reader: Reader, writer: Writer, peer: object) -> None:
    """A client that shakes hands first."""
    calls = DirectCalls(reader, writer)
    dispatcher = JSONRPCDispatcher[TransportContext](calls, writer, inline_methods=_ONE_BY_ONE)
    connection = Connection.for_loop(dispatcher)
    runner = ServerRunner(handlers.as_server, connection, peer)
    calls.serve_by(Service(runner.on_request, dispatcher, may_ask=True))
    try:
        await serve_connection(handlers.as_server, dispatcher, connection=connection, lifespan_state=peer)
    finally:
        await calls.end()


async def serve_modern(handlers: Handlers, reader: Reader, writer: Writer, peer: object) -> None:
    """A client each of whose requests says by itself who asks."""
    calls = DirectCalls(reader, writer)
    notices = _Notices(writer)

    async def on_request(
        call: DispatchContext[TransportContext], method: str, params: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        route = classify_inbound_request({"method": method, "params": params})
        if isinstance(route, InboundLadderRejection):
            raise MCPError(code=route.code, message=route.message, data=route.data)
        connection = Connection.from_envelope(
            route.protocol_version, route.client_info, route.client_capabilities, outbound=NotifyOnlyOutbound(notices)
        )
        return await serve_one(handlers.as_server, call, method, params, connection=connection, lifespan_state=peer)

    calls.serve_by(Service(on_request, notices, may_ask=False))
    try:
        await serve_dual_era_loop(handlers.as_server, calls, writer, lifespan_state=peer)
    finally:
        await calls.end()


class _Notices:
    """What a call tells its client on the way. In this era nothing is asked that way."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None) -> None:
        told = {} if params is None else {"params": dict(params)}
        try:
            await self._writer.send(SessionMessage(JSONRPCNotification(jsonrpc="2.0", method=method, **told)))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            log.debug("nobody is left to hear %s", method)

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> dict[str, Any]:
        raise NoBackChannelError(method)
