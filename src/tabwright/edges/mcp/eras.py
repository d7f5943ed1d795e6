"""Which era a stream's client opens with, the handshake's or that of 2026-07-28: its first request says so."""

from collections import deque
from collections.abc import Mapping
from typing import Any, Final

from anyio.abc import ObjectReceiveStream
from mcp.shared._stream_protocols import ReadStream
from mcp.shared.message import SessionMessage
from mcp_types import PROTOCOL_VERSION_META_KEY, JSONRPCRequest

Item = SessionMessage | Exception

MOST_BEFORE: Final = 8
"""How many messages before the first request are kept; a client has at most one to say before it asks."""


def is_enveloped(params: Mapping[str, Any] | None) -> bool:
    """Whether a request names its protocol version itself, as only modern ones do."""
    meta = (params or {}).get("_meta")
    return isinstance(meta, Mapping) and PROTOCOL_VERSION_META_KEY in meta


class Opened(ObjectReceiveStream[Item]):
    """A stream that may be looked into before it is read."""

    def __init__(self, stream: ReadStream[Item]) -> None:
        self._stream = stream
        self._seen: deque[Item] = deque()

    async def is_modern(self) -> bool:
        """Whether the first request, once it is there, is one of the modern era."""
        async for item in self._stream:
            if isinstance(item, SessionMessage) and isinstance(item.message, JSONRPCRequest):
                self._seen.append(item)
                return item.message.method != "initialize" and is_enveloped(item.message.params)
            if len(self._seen) < MOST_BEFORE:
                self._seen.append(item)
        return False

    async def receive(self) -> Item:
        return self._seen.popleft() if self._seen else await self._stream.receive()

    async def aclose(self) -> None:
        await self._stream.aclose()
