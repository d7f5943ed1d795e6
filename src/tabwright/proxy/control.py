"""What clients ask of the proxy itself: `list_extensions`, `connect`, `disconnect`, in both dialects."""

from collections.abc import Callable
from typing import Final

from tabwright.errors import INVALID_PARAMS, INVALID_REQUEST
from tabwright.proxy.envelope import NULL, Said, members_of, tab_of, text_of
from tabwright.proxy.model import ConnectionId, Effect, ExtensionId, Limits, Send
from tabwright.proxy.peers import Client, Connection, Extension
from tabwright.proxy.switchboard import LIMIT, Switchboard

FAILED: Final = -32000
ALREADY_CONNECTED: Final = -32001
NOT_CONNECTED: Final = -32010
NOT_FOUND: Final = "Extension not found or not accessible"
NO_CONNECTION_ID: Final = "Invalid Request: connectionId is a string"
NO_SUCH_CONNECTION: Final = "Connection not found or not accessible"
METHODS: Final = frozenset({"list_extensions", "connect", "disconnect"})
_LISTED: Final = 10


class Control:
    """Answers clients, and keeps the connections between them and extensions."""

    def __init__(
        self, limits: Limits, switchboard: Switchboard, new_id: Callable[[str], str], wall: Callable[[], str]
    ) -> None:
        self._limits = limits
        self._switchboard = switchboard
        self._new_id = new_id
        self._wall = wall

    def handle(self, client: Client, frame: Said, raw_id: bytes) -> list[Effect]:
        params = members_of(frame.params)
        if params is None:
            told = failure(client, raw_id, INVALID_PARAMS, "Invalid params: params is an object")
            return answer(client, raw_id, told)
        if frame.method == "list_extensions":
            return answer(client, raw_id, client.dialect.extensions(raw_id or NULL, rows(client)))
        if frame.method == "disconnect":
            told = text_of(frame.connection_id)
            if told is None and frame.connection_id:
                return self._not_connected(client, raw_id, INVALID_REQUEST, NO_CONNECTION_ID)
            return self._disconnect(client, raw_id, told)
        # an id of another type names nothing, whoever's it is
        key = "extensionId" if client.dialect.simple else "extension_id"
        extension_id = text_of(params[key]) if key in params else None
        if extension_id is None:
            message = f"Invalid params: {key} is missing or no string; list_extensions tells them"
            return self._not_connected(client, raw_id, INVALID_PARAMS, message)
        return self._connect(client, raw_id, ExtensionId(extension_id), tab_of(frame.params))

    def connection_of(self, client: Client, frame: Said, raw_id: bytes) -> Connection | bytes:
        """The connection a message is for, or the answer that it is for none."""
        if frame.connection_id:
            told = text_of(frame.connection_id)
            if told is None:
                return failure(client, raw_id, INVALID_REQUEST, NO_CONNECTION_ID)
            found = client.connections.get(ConnectionId(told))
            if found is not None:
                return found
            connection = told if client.dialect.simple else ""
            return client.dialect.failure(raw_id, connection, NOT_CONNECTED, NO_SUCH_CONNECTION, "not_connected", 0.0)
        if client.dialect.simple:
            message = "Send the connectionId that connect answered"
            return client.dialect.failure(raw_id, "", NOT_CONNECTED, message, "not_connected", 0.0)
        message = f"Not connected to an extension: call connect first{_choices(client)}"
        return client.dialect.failure(raw_id, "", NOT_CONNECTED, message, "not_connected", 0.0)

    def status(self, client: Client, extension: Extension, *, connected: bool) -> list[Effect]:
        """After each connect and disconnect, to both."""
        peers = len(extension.connections)
        timestamp = self._wall()
        told = (
            Send(client.peer, client.dialect.status(connected=connected, peers=peers, timestamp=timestamp)),
            Send(extension.peer, extension.dialect.status(connected=peers > 0, peers=peers, timestamp=timestamp)),
        )
        return [effect for effect in told if effect.data]

    def _connect(self, client: Client, raw_id: bytes, extension_id: ExtensionId, tab: int | None) -> list[Effect]:
        if client.connections and not client.dialect.simple:
            message = "MCP client already connected to an extension"
            return self._not_connected(client, raw_id, ALREADY_CONNECTED, message)
        # only the user's own are looked at: somebody else's is exactly as unknown as a random id
        extension = client.user.extensions.get(extension_id)
        if extension is None:
            return self._not_connected(client, raw_id, FAILED, NOT_FOUND)
        if len(client.connections) >= self._limits.connections_per_client:
            return self._not_connected(client, raw_id, LIMIT, "Too many connections")
        connection = Connection(ConnectionId(self._new_id("conn")), client, extension)
        client.connections[connection.id] = extension.connections[connection.id] = connection
        if client.dialect.simple:
            self._switchboard.name(connection, tab)
        else:
            client.only = connection
        told = client.dialect.connected(raw_id or NULL, connection.id, extension.id, extension.name)
        return [*answer(client, raw_id, told), *self.status(client, extension, connected=True)]

    def _disconnect(self, client: Client, raw_id: bytes, told: str | None) -> list[Effect]:
        ending = [connection for connection in client.connections.values() if told is None or connection.id == told]
        if told is not None and not ending:
            # proxy protocol: safe to call even if not connected; a foreign connection is none of ours
            return self._not_connected(client, raw_id, NOT_CONNECTED, NO_SUCH_CONNECTION)
        effects: list[Effect] = []
        for connection in ending:
            effects += self._switchboard.abandon(connection)
        effects += answer(client, raw_id, client.dialect.disconnected(raw_id or NULL))
        for connection in ending:
            effects += self.status(client, connection.extension, connected=bool(client.connections))
        return effects

    @staticmethod
    def _not_connected(client: Client, raw_id: bytes, code: int, message: str) -> list[Effect]:
        return answer(client, raw_id, client.dialect.not_connected(raw_id or NULL, code, message))


def answer(client: Client, raw_id: bytes, data: bytes) -> list[Effect]:
    """JSON-RPC: what came without id asks for no answer; except where the protocol has no ids."""
    return [Send(client.peer, data)] if raw_id or client.dialect.simple else []


def failure(client: Client, raw_id: bytes, code: int, message: str, word: str = "", retry_s: float = 0.0) -> bytes:
    return client.dialect.failure(raw_id or NULL, "", code, message, word, retry_s)


def rows(client: Client) -> list[dict[str, object]]:
    return [
        {"id": extension.id, "name": extension.name, "connected": True} for extension in client.user.extensions.values()
    ]


def _choices(client: Client) -> str:
    known = [f"{extension.id} ({extension.name})" for extension in client.user.extensions.values()]
    return f" with one of {', '.join(known[:_LISTED])}" if known else ""
