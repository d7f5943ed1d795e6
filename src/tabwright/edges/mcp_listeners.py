"""Who is told that a session's list changed: streams of a modern client, connections of a named session."""

import contextlib

import anyio
from mcp.server.connection import Connection
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp_types import SubscriptionsListenRequestParams, SubscriptionsListenResult

from tabwright.edges.mcp_handlers import Context


class Listeners:
    """The open `subscriptions/listen` streams of one modern session: nobody else hears of its list."""

    def __init__(self) -> None:
        self._bus = InMemorySubscriptionBus()
        self._handler = ListenHandler(self._bus, max_subscriptions=64)
        self._open = 0

    def __bool__(self) -> bool:
        return self._open > 0

    async def listen(self, ctx: Context, params: SubscriptionsListenRequestParams) -> SubscriptionsListenResult:
        """One stream, for as long as its client listens."""
        self._open += 1
        try:
            return await self._handler(ctx, params)
        finally:
            self._open -= 1

    async def publish(self) -> None:
        await self._bus.publish(ToolsListChanged())

    def close(self) -> None:
        """End every stream."""
        self._handler.close()


class Hearers:
    """The connections of one named session: each is told when the list changes."""

    def __init__(self) -> None:
        self._connections: list[Connection] = []

    def __bool__(self) -> bool:
        return bool(self._connections)

    def join(self, connection: Connection) -> None:
        self._connections.append(connection)

    def leave(self, connection: Connection) -> None:
        self._connections = [each for each in self._connections if each is not connection]

    async def tell(self) -> None:
        for each in tuple(self._connections):
            # one that is just ending keeps nobody else from hearing
            with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
                await each.send_tool_list_changed()
