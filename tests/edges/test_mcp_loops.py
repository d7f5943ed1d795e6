"""A stream's client served by the SDK: what is between it and our handlers."""

import asyncio
from typing import Any

import anyio
import mcp_types as types
from anyio.abc import ObjectSendStream
from mcp.shared.message import SessionMessage

from tabwright.edges.mcp.handlers import Context, Handlers
from tabwright.edges.mcp.loops import serve_modern

META: dict[str, Any] = {
    types.PROTOCOL_VERSION_META_KEY: "2026-07-28",
    types.CLIENT_CAPABILITIES_META_KEY: {},
    "progressToken": 1,
}


class Gone(ObjectSendStream[SessionMessage]):
    """To a client that does not hear us any more, though there is still to be read from it."""

    async def send(self, item: SessionMessage) -> None:
        raise anyio.BrokenResourceError

    async def aclose(self) -> None:
        """It is."""


async def test_a_call_goes_on_though_nobody_hears_how_far_it_is() -> None:
    done = asyncio.Event()

    async def call(ctx: Context, params: types.CallToolRequestParams) -> dict[str, Any]:
        await ctx.session.report_progress(1, 2, "half")
        await ctx.session.send_notification(types.CancelledNotification(params=types.CancelledNotificationParams()))
        done.set()
        return {"content": []}

    handlers = Handlers(types.Implementation(name="it", version="1"), "", types.ServerCapabilities())
    handlers.add_request_handler("tools/call", types.CallToolRequestParams, call)
    lines, reader = anyio.create_memory_object_stream[SessionMessage | Exception](1)
    serving = asyncio.create_task(serve_modern(handlers, reader, Gone(), None))
    params: dict[str, Any] = {"name": "look", "_meta": META}
    await lines.send(SessionMessage(types.JSONRPCRequest(jsonrpc="2.0", id=1, method="tools/call", params=params)))
    await asyncio.wait_for(done.wait(), 5)
    lines.close()
    await asyncio.wait_for(serving, 5)
