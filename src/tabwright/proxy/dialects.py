"""How each of the two protocols spells what the proxy says: proxy.md (`Standard`) and proxy-simple.md (`Simple`).

A dialect belongs to one peer, so a client of the one may use an extension of the other. Bodies and ids are raw JSON
and are set in as they came.
"""

from typing import ClassVar, Final, Protocol

import msgspec

from tabwright.proxy.envelope import text_of
from tabwright.proxy.model import ConnectionId

_encode: Final = msgspec.json.encode
_FAILED: Final = -32000
EMPTY: Final = b"{}"


class Dialect(Protocol):
    """What is said to a client (first part) and to an extension (second part). Empty: nothing is said."""

    simple: ClassVar[bool]

    def welcome(self, raw_id: bytes, user: str, client_id: str) -> bytes: ...
    def extensions(self, raw_id: bytes, rows: list[dict[str, object]]) -> bytes: ...
    def connected(self, raw_id: bytes, connection: ConnectionId, extension: str, name: str) -> bytes: ...
    def disconnected(self, raw_id: bytes) -> bytes: ...
    def not_connected(self, raw_id: bytes, code: int, message: str) -> bytes: ...
    def failure(self, raw_id: bytes, connection: str, code: int, message: str, word: str, retry_s: float) -> bytes: ...
    def answer(self, raw_id: bytes, connection: ConnectionId, kind: bytes, body: bytes) -> bytes: ...
    def event(self, connection: ConnectionId, method: str, params: bytes) -> bytes: ...
    def gone(self, connection: ConnectionId, reason: str) -> bytes: ...

    def authenticated(self, user: str, extension_id: str) -> bytes: ...
    def call(self, connection: ConnectionId, wire_id: bytes | None, method: str, params: bytes) -> bytes: ...
    def status(self, *, connected: bool, peers: int, timestamp: str) -> bytes: ...


AUTHENTICATE: Final = b'{"jsonrpc":"2.0","id":"proxy:1","method":"authenticate","params":{}}'
AUTHENTICATE_ID: Final = "proxy:1"


def error_body(code: int, message: str, word: str = "", retry_s: float = 0.0) -> bytes:
    """A JSON-RPC error object. The word tells programs what the code is too coarse for."""
    data = {name: value for name, value in (("code", word), ("retryAfter", round(retry_s, 3))) if value}
    return _encode({"code": code, "message": message, **({"data": data} if data else {})})


class Standard:
    """proxy.md: JSON-RPC 2.0."""

    simple: ClassVar[bool] = False

    def welcome(self, raw_id: bytes, user: str, client_id: str) -> bytes:
        return _result(raw_id, {"authenticated": True, "user_id": user, "mcp_client_id": client_id})

    def extensions(self, raw_id: bytes, rows: list[dict[str, object]]) -> bytes:
        return _result(raw_id, {"extensions": rows})

    def connected(self, raw_id: bytes, connection: ConnectionId, extension: str, name: str) -> bytes:
        return _result(raw_id, {"connection_id": connection, "extension_id": extension, "extension_name": name})

    def disconnected(self, raw_id: bytes) -> bytes:
        return _result(raw_id, {"disconnected": True})

    def not_connected(self, raw_id: bytes, code: int, message: str) -> bytes:
        return self.failure(raw_id, "", code, message, "", 0.0)

    def failure(self, raw_id: bytes, connection: str, code: int, message: str, word: str, retry_s: float) -> bytes:
        return b'{"jsonrpc":"2.0","id":%b,"error":%b}' % (raw_id, error_body(code, message, word, retry_s))

    def answer(self, raw_id: bytes, connection: ConnectionId, kind: bytes, body: bytes) -> bytes:
        if kind == b"error" and not body.startswith(b"{"):
            # the other dialect fails in words, which a JSON-RPC client cannot take for an error
            body = error_body(_FAILED, text_of(body) or body.decode())
        return b'{"jsonrpc":"2.0","id":%b,"%b":%b}' % (raw_id, kind, body)

    def event(self, connection: ConnectionId, method: str, params: bytes) -> bytes:
        return _notification(method, params)

    def gone(self, connection: ConnectionId, reason: str) -> bytes:
        return _notification("disconnected", _encode({"connection_id": connection, "reason": reason}))

    def authenticated(self, user: str, extension_id: str) -> bytes:
        return _notification("authenticated", _encode({"user_id": user, "extension_id": extension_id}))

    def call(self, connection: ConnectionId, wire_id: bytes | None, method: str, params: bytes) -> bytes:
        # proxy protocol 5.2: connectionId is stripped
        if wire_id is None:
            return _notification(method, params)
        if not params:
            return b'{"jsonrpc":"2.0","id":%b,"method":%b}' % (wire_id, _encode(method))
        return b'{"jsonrpc":"2.0","id":%b,"method":%b,"params":%b}' % (wire_id, _encode(method), params)

    def status(self, *, connected: bool, peers: int, timestamp: str) -> bytes:
        told = {"connected": connected, "peer_count": peers, "timestamp": timestamp}
        return _notification("status", _encode(told))


class Simple:
    """proxy-simple.md: bare objects, `connectionId` both ways; an id, if given, is echoed."""

    simple: ClassVar[bool] = True

    def welcome(self, raw_id: bytes, user: str, client_id: str) -> bytes:
        # "No response needed"
        return b""

    def extensions(self, raw_id: bytes, rows: list[dict[str, object]]) -> bytes:
        return _object(raw_id, b'"extensions":%b' % _encode(rows))

    def connected(self, raw_id: bytes, connection: ConnectionId, extension: str, name: str) -> bytes:
        return _object(raw_id, b'"success":true,"connectionId":%b' % _encode(connection))

    def disconnected(self, raw_id: bytes) -> bytes:
        return _object(raw_id, b'"success":true')

    def not_connected(self, raw_id: bytes, code: int, message: str) -> bytes:
        return _object(raw_id, b'"success":false,"error":%b' % _encode(message))

    def failure(self, raw_id: bytes, connection: str, code: int, message: str, word: str, retry_s: float) -> bytes:
        # a caller that numbers its calls can take an error apart; the others know but texts
        error = error_body(code, message, word, retry_s) if _numbered(raw_id) else _encode(message)
        return _object(raw_id, b'%b"error":%b' % (_named(connection), error))

    def answer(self, raw_id: bytes, connection: ConnectionId, kind: bytes, body: bytes) -> bytes:
        return _object(raw_id, b'%b"%b":%b' % (_named(connection), kind, body))

    def event(self, connection: ConnectionId, method: str, params: bytes) -> bytes:
        return b'{"method":%b,%b"params":%b}' % (_encode(method), _named(connection), params or EMPTY)

    def gone(self, connection: ConnectionId, reason: str) -> bytes:
        return b'{%b"error":"Extension disconnected"}' % _named(connection)

    def authenticated(self, user: str, extension_id: str) -> bytes:
        return b""

    def call(self, connection: ConnectionId, wire_id: bytes | None, method: str, params: bytes) -> bytes:
        numbered = b'"id":%b,' % wire_id if wire_id is not None else b""
        return b'{%b"method":%b,%b"params":%b}' % (numbered, _encode(method), _named(connection), params or EMPTY)

    def status(self, *, connected: bool, peers: int, timestamp: str) -> bytes:
        return b""


STANDARD: Final = Standard()
SIMPLE: Final = Simple()


def _result(raw_id: bytes, result: dict[str, object]) -> bytes:
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (raw_id, _encode(result))


def _notification(method: str, params: bytes) -> bytes:
    if not params:
        return b'{"jsonrpc":"2.0","method":%b}' % _encode(method)
    return b'{"jsonrpc":"2.0","method":%b,"params":%b}' % (_encode(method), params)


def _numbered(raw_id: bytes) -> bool:
    return raw_id not in (b"", b"null")


def _object(raw_id: bytes, members: bytes) -> bytes:
    return b'{"id":%b,%b}' % (raw_id, members) if _numbered(raw_id) else b"{%b}" % members


def _named(connection: str) -> bytes:
    return b'"connectionId":%b,' % _encode(connection) if connection else b""
