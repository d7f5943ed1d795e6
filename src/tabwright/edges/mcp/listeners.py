"""Who is told that a session's list changed: streams of a modern client, connections of a named session."""

import asyncio
import contextlib
from typing import Final

import anyio
from mcp.server.connection import Connection
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp_types import SubscriptionsListenRequestParams, SubscriptionsListenResult

from tabwright.edges.mcp.handlers import Context

TOLD_S: Final = 0.25
"""How long a notice may take to be with its readers; then whoever caused it goes on, and it still goes out."""


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
        self._telling: set[asyncio.Task[None]] = set()

    def __bool__(self) -> bool:
        return bool(self._connections)

    def join(self, connection: Connection) -> None:
        self._connections.append(connection)

    def leave(self, connection: Connection) -> None:
        self._connections = [each for each in self._connections if each is not connection]

    async def tell(self) -> None:
        """Tell them all. The call that this is for waits but a moment for those that do not read."""
        telling = [asyncio.create_task(_tell(each)) for each in self._connections]
        for task in telling:
            self._telling.add(task)
            task.add_done_callback(self._telling.discard)
        if telling:
            await asyncio.wait(telling, timeout=TOLD_S)


async def _tell(connection: Connection) -> None:
    # one that is just ending is told nothing any more
    with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
        await connection.send_tool_list_changed()
