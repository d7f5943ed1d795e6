"""MCP over HTTP+SSE: `GET /sse` opens a session and carries what the server says, `POST /message` what the client does.

Each stream is one session, served like any other stream of messages. Lifecycle: admitted (so many a peer) -> `endpoint`
event -> messages in, `message` and `ping` events out -> the client leaves, says `shutdown`, or the gateway stops; then
the id is forgotten, and a POST to it is told so. A client that does not read is cut by its connection.
"""

import asyncio
import logging
import secrets
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Protocol

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage

from tabwright import jsonrpc
from tabwright.edges.mcp.clients import StreamPeer
from tabwright.edges.mcp.exchange import Exchange, read
from tabwright.edges.mcp.handshake import Handshake
from tabwright.errors import INTERNAL_ERROR, GatewayError
from tabwright.model import JsonObject

log = logging.getLogger(__name__)

PING_S: Final = 30.0
MAX_STREAMS: Final = 64
"""Open streams of one peer."""
ROOM_S: Final = 10.0
"""How long a request may wait while too many others of its client are unanswered."""
MAX_WAITING: Final = 128
DRAIN_S: Final = 0.7
"""After `shutdown`: how long answers still under way may take."""
# JSON may hold these as they are, and some readers of event streams take them for the end of a line
_LINE_ENDS: Final = tuple((end.encode(), f"\\u{ord(end):04x}".encode()) for end in "\x85\u2028\u2029")

Write = Callable[[bytes], Awaitable[None]]


class SessionNotFound(GatewayError):
    code = -32001
    word = "session_not_found"

    def __init__(self) -> None:
        super().__init__("Session not found")


class TooMany(GatewayError):
    """More than a client may have open at once."""

    code = -32013
    word = "limit"


class StreamServer(Protocol):
    """Serves one client over a pair of message streams."""

    async def serve_stream(
        self, reader: ReadStream[SessionMessage | Exception], writer: WriteStream[SessionMessage], peer: StreamPeer
    ) -> None: ...


def on_one_line(data: bytes) -> bytes:
    """JSON text of which no reader of event streams takes a part for the end of a line."""
    for raw, escaped in _LINE_ENDS:
        data = data.replace(raw, escaped)
    return data


def event(name: str, data: str) -> bytes:
    """One event, its data on one line."""
    return b"event: %s\ndata: %s\n\n" % (name.encode(), on_one_line(data.encode()))


class SseSession:
    """One client's stream. `owner` is who opened it: nobody else may post to it."""

    def __init__(self, owner: str, asked: Mapping[str, str], write: Write, version: str | None = None) -> None:
        self.id = f"session_{secrets.token_hex(16)}"
        self.owner = owner
        self.peer = StreamPeer(asked, "user", transport="sse")
        self._write = write
        self._exchange = Exchange(self._send)
        self._handshake = Handshake(version)
        self._incoming, self._requests = anyio.create_memory_object_stream[SessionMessage | Exception](16)
        self._over = asyncio.Event()
        self._waiting = 0

    async def run(self, server: StreamServer, ping_s: float = PING_S) -> None:
        """From the `endpoint` event until `end`, or until there is nothing more to say."""
        await self._write(event("endpoint", f"/message?sessionId={self.id}"))
        answers, outgoing = anyio.create_memory_object_stream[SessionMessage](16)
        async with answers, outgoing, asyncio.TaskGroup() as tasks:
            parts = (
                tasks.create_task(self._serve(server, answers)),
                tasks.create_task(self._speak(outgoing)),
                tasks.create_task(self._ping(ping_s)),
            )
            await self._over.wait()
            for part in parts:
                part.cancel()

    async def deliver(self, body: bytes) -> None:
        """Take in what the client posted.

        Raises:
            BadMessage: it is no message.
            TooMany: too many of its requests are unanswered.
            SessionNotFound: the session ended meanwhile.
        """
        parcel = read(body)
        if parcel.requests:
            await self._room()
        if self._over.is_set():
            raise SessionNotFound
        await self._exchange.admit(parcel)
        for message in parcel.messages:
            if isinstance(message, types.JSONRPCRequest) and message.method == "shutdown":
                await self._shut_down(message)
                return
            for said in (*self._handshake.ahead_of(message), message):
                await self._hand_over(said)

    def end(self) -> None:
        self._over.set()
        self._exchange.close()
        self._incoming.close()
        self._requests.close()

    async def fail(self, code: int, message: str) -> None:
        """Say what went wrong: to every open request, and outside any; the stream ends after that."""
        await self._exchange.interrupt(message)
        await self._emit(event("error", jsonrpc.encode({"code": code, "message": message})))
        self.end()

    async def _hand_over(self, message: types.JSONRPCMessage) -> None:
        try:
            await self._incoming.send(SessionMessage(message))
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            raise SessionNotFound from None

    async def _room(self) -> None:
        if self._waiting >= MAX_WAITING:
            raise TooMany("Too many requests are unanswered.", "Wait for answers first.")
        self._waiting += 1
        try:
            async with asyncio.timeout(ROOM_S):
                await self._exchange.room()
        except TimeoutError:
            raise TooMany("Too many requests are unanswered.", "Wait for answers first.") from None
        finally:
            self._waiting -= 1

    async def _serve(self, server: StreamServer, answers: MemoryObjectSendStream[SessionMessage]) -> None:
        try:
            await server.serve_stream(self._requests, answers, self.peer)
        except Exception:
            log.exception("the stream of %s… failed", self.id[:16])
            await self.fail(INTERNAL_ERROR, "Internal error")
        finally:
            self.end()

    async def _speak(self, outgoing: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async for sent in outgoing:
            if not self._handshake.answers_us(sent.message):
                await self._exchange.put(sent.message)

    async def _ping(self, every_s: float) -> None:
        while True:
            await asyncio.sleep(every_s)
            now: JsonObject = {"timestamp": time.time_ns() // 1_000_000}
            await self._emit(event("ping", jsonrpc.encode(now)))

    async def _shut_down(self, request: types.JSONRPCRequest) -> None:
        """`shutdown` is answered last, after what is still under way."""
        try:
            async with asyncio.timeout(DRAIN_S):
                await self._exchange.drained(but=1)
        except TimeoutError:
            log.info("a client shut its session down with %d requests unanswered", self._exchange.unanswered - 1)
        await self._exchange.put(types.JSONRPCResponse(jsonrpc="2.0", id=request.id, result={}))
        self.end()

    async def _send(self, text: str) -> None:
        await self._emit(event("message", text))

    async def _emit(self, data: bytes) -> None:
        if not self._over.is_set():
            await self._write(data)


class SseSessions:
    """Every open stream, by its id."""

    def __init__(self) -> None:
        self._sessions: dict[str, SseSession] = {}
        self._idle_since = time.monotonic()

    @property
    def silent(self) -> int:
        """Streams whose client has not used a tool or a list yet, and so has no session of ours."""
        return sum(session.peer.session is None for session in self._sessions.values())

    @property
    def idle_since(self) -> float | None:
        """Since when there has been no stream; None while there is one."""
        return None if self._sessions else self._idle_since

    def open(self, owner: str, asked: Mapping[str, str], write: Write, version: str | None = None) -> SseSession:
        """Raises:
        TooMany: this peer has its share.
        """
        if Counter(session.owner for session in self._sessions.values())[owner] >= MAX_STREAMS:
            raise TooMany(f"{MAX_STREAMS} streams are open already.", "Close one first.")
        session = SseSession(owner, asked, write, version)
        self._sessions[session.id] = session
        return session

    def close(self, session: SseSession) -> None:
        session.end()
        self._sessions.pop(session.id, None)
        self._idle_since = time.monotonic()

    def find(self, session_id: str, owner: str) -> SseSession:
        """Raises:
        SessionNotFound: there is none, or it is somebody else's.
        """
        session = self._sessions.get(session_id)
        if session is None or session.owner != owner:
            raise SessionNotFound
        return session
