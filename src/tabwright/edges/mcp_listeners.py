"""Who is told that a session's list changed: streams of a modern client, connections of a named session."""

import contextlib

import anyio
from mcp.server.connection import Connection
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged


class Listeners:
    """The open `subscriptions/listen` streams of one modern session: nobody else hears of its list."""

    def __init__(self) -> None:
        self._bus = InMemorySubscriptionBus()
        self.handler = ListenHandler(self._bus, max_subscriptions=64)

    async def publish(self) -> None:
        await self._bus.publish(ToolsListChanged())


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
