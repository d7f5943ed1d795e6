"""The handshake of one stream, made in the client's place where the client makes none.

A client of HTTP+SSE whose stream broke (the gateway was started anew) reconnects and goes on asking: for it the
handshake was long ago, on another stream. And who tries a server by hand pipes one request into it. The SDK refuses
requests before `initialize`, so one is said in the client's name; its answer is ours.
"""

import secrets
from collections.abc import Sequence
from typing import Final

import mcp_types as types
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

OLDEST: Final = "2024-11-05"


class Handshake:
    """Whether a stream's client has shaken hands. `version` is what it says it agreed on before, if it says so."""

    def __init__(self, version: str | None = None) -> None:
        self._version = version if version in HANDSHAKE_PROTOCOL_VERSIONS else OLDEST
        self._id = f"handshake-{secrets.token_hex(16)}"
        self._made = False

    def ahead_of(self, message: types.JSONRPCMessage) -> Sequence[types.JSONRPCMessage]:
        """What must be said before this message: nothing, mostly."""
        if self._made or not isinstance(message, types.JSONRPCRequest) or _needs_none(message):
            return ()
        self._made = True
        if message.method == "initialize":
            return ()
        hello = {
            "protocolVersion": self._version,
            "capabilities": {},
            "clientInfo": {"name": "agent", "version": "unknown"},
        }
        return (
            types.JSONRPCRequest(jsonrpc="2.0", id=self._id, method="initialize", params=hello),
            types.JSONRPCNotification(jsonrpc="2.0", method="notifications/initialized"),
        )

    def answers_us(self, message: types.JSONRPCMessage) -> bool:
        """Whether this answers a handshake the client knows nothing of."""
        return isinstance(message, types.JSONRPCResponse | types.JSONRPCError) and message.id == self._id


def _needs_none(request: types.JSONRPCRequest) -> bool:
    """`ping` may come before the handshake, and in 2026-07-28 each request says by itself who asks."""
    meta = (request.params or {}).get("_meta")
    is_modern = isinstance(meta, dict) and types.PROTOCOL_VERSION_META_KEY in meta
    return request.method == "ping" or (is_modern and request.method != "initialize")
