"""MCP over a byte stream: one JSON message a line, in both directions, as on stdio.

Between the socket's lines and the SDK's message streams. What the SDK would drop in silence is answered here: lines
that are no JSON, no message, or too long. Batches (2025-03-26) are taken apart and answered as batches.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Final

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from tabwright import jsonrpc
from tabwright.edges.mcp_server import McpServer
from tabwright.errors import INVALID_REQUEST, GatewayError
from tabwright.model import Json

log = logging.getLogger(__name__)

MAX_LINE: Final = 4 * 1024 * 1024
MAX_BATCH: Final = 100
MAX_UNANSWERED: Final = 128
"""A client with so many requests open is not read any further until one is answered."""
DRAIN_S: Final = 0.7
"""After the client's end of input: how long answers still under way may take."""
WRITE_S: Final = 30.0
"""A client that does not read for so long is disconnected."""

RequestId = int | str
_OPEN_ENDED: Final = frozenset({"subscriptions/listen"})


class MessageStream:
    """One client's lines, and which of its requests are still unanswered."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._unanswered: set[RequestId] = set()
        self._answered = asyncio.Event()
        self._batches: dict[RequestId, _Batch] = {}

    async def serve(self, server: McpServer, asked: Mapping[str, str]) -> None:
        """Until the client's input ends and its last answers are out, or it stops reading."""
        incoming, requests = anyio.create_memory_object_stream[SessionMessage | Exception](16)
        answers, outgoing = anyio.create_memory_object_stream[SessionMessage](16)
        async with asyncio.TaskGroup() as tasks:
            reading = tasks.create_task(self._read(incoming))
            writing = tasks.create_task(self._write(outgoing))
            try:
                await server.serve_stream(requests, answers, asked)
            finally:
                reading.cancel()
                await asyncio.wait({writing}, timeout=1)
                writing.cancel()

    async def _read(self, incoming: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        async with incoming:
            while (line := await self._line()) is not None:
                if not line.strip():
                    continue
                for message in await self._messages(line):
                    await incoming.send(SessionMessage(message))
                await self._wait_until(lambda: len(self._unanswered) < MAX_UNANSWERED)
            await self._drain()

    async def _line(self) -> bytes | None:
        try:
            return await self._reader.readuntil(b"\n")
        except asyncio.IncompleteReadError as exc:
            return exc.partial or None
        except asyncio.LimitOverrunError:
            await self._skip_line()
            await self._refuse(INVALID_REQUEST, f"A message is at most {MAX_LINE} bytes.")
            return b"\n"

    async def _skip_line(self) -> None:
        """Read away the rest of a line that is too long, and not a byte more."""
        while True:
            try:
                await self._reader.readuntil(b"\n")
            except asyncio.LimitOverrunError as exc:
                await self._reader.readexactly(exc.consumed)
            except asyncio.IncompleteReadError:
                return
            else:
                return

    async def _messages(self, line: bytes) -> list[types.JSONRPCMessage]:
        try:
            value = jsonrpc.decode(line)
        except GatewayError as exc:
            await self._refuse(exc.code, exc.message)
            return []
        parts = value if isinstance(value, list) else [value]
        if not 1 <= len(parts) <= MAX_BATCH:
            await self._refuse(INVALID_REQUEST, f"A batch has 1 to {MAX_BATCH} messages.")
            return []
        messages = [message for part in parts if (message := await self._message(part)) is not None]
        ids = [message.id for message in messages if isinstance(message, types.JSONRPCRequest)]
        if isinstance(value, list) and ids:
            self._batches.update(dict.fromkeys(ids, _Batch(set(ids))))
        return messages

    async def _message(self, part: Json) -> types.JSONRPCMessage | None:
        told = part.get("id") if isinstance(part, dict) else None
        known = told if isinstance(told, int | str) and not isinstance(told, bool) else None
        try:
            message = types.jsonrpc_message_adapter.validate_python(part, by_name=False)
        except ValidationError:
            await self._refuse(INVALID_REQUEST, "Not a JSON-RPC 2.0 message.", known)
            return None
        if isinstance(message, types.JSONRPCNotification):
            if isinstance(part, dict) and "id" in part:
                # an id that is none does not make a request a notification
                await self._refuse(INVALID_REQUEST, "id is a number or a string.")
                return None
            await self._cancelled(message)
        if isinstance(message, types.JSONRPCRequest) and message.method not in _OPEN_ENDED:
            self._unanswered.add(message.id)
        return message

    async def _cancelled(self, message: types.JSONRPCNotification) -> None:
        """A cancelled request is never answered, so nobody waits for it: neither the end nor the rest of its batch."""
        cancelled = (message.params or {}).get("requestId") if message.method == "notifications/cancelled" else None
        if not isinstance(cancelled, int | str):
            return
        self._unanswered.discard(cancelled)
        self._answered.set()
        batch = self._batches.pop(cancelled, None)
        if batch is not None and batch.complete_without(cancelled) and batch.answers:
            await self._send(f"[{','.join(batch.answers)}]")

    async def _write(self, outgoing: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async with outgoing:
            async for sent in outgoing:
                await self._put(sent.message)

    async def _put(self, message: types.JSONRPCMessage) -> None:
        text = message.model_dump_json(by_alias=True, exclude_unset=True)
        answered = message.id if isinstance(message, types.JSONRPCResponse | types.JSONRPCError) else None
        if answered is None:
            await self._send(text)
            return
        self._unanswered.discard(answered)
        self._answered.set()
        batch = self._batches.pop(answered, None)
        if batch is None:
            await self._send(text)
        elif batch.complete_with(answered, text):
            await self._send(f"[{','.join(batch.answers)}]")

    async def _refuse(self, code: int, message: str, request_id: RequestId | None = None) -> None:
        await self._send(jsonrpc.encode(jsonrpc.failure(request_id, code, message)))

    async def _send(self, text: str) -> None:
        self._writer.write(text.encode() + b"\n")
        async with asyncio.timeout(WRITE_S):
            await self._writer.drain()

    async def _drain(self) -> None:
        """Input has ended; whoever piped requests in wants their answers all the same."""
        try:
            async with asyncio.timeout(DRAIN_S):
                await self._wait_until(lambda: not self._unanswered)
        except TimeoutError:
            log.debug("input ended with %d requests unanswered", len(self._unanswered))

    async def _wait_until(self, enough: Callable[[], bool]) -> None:
        while not enough():
            self._answered.clear()
            await self._answered.wait()


class _Batch:
    """Requests that came as one array and are answered as one."""

    def __init__(self, waiting: set[RequestId]) -> None:
        self._waiting = waiting
        self.answers: list[str] = []

    def complete_with(self, request_id: RequestId, text: str) -> bool:
        self.answers.append(text)
        return self.complete_without(request_id)

    def complete_without(self, request_id: RequestId) -> bool:
        self._waiting.discard(request_id)
        return not self._waiting
