"""One client's messages, however they travel: which requests are unanswered, and batches taken apart and put together.

Between what a transport carries (a line, a POST) and the SDK's message streams. What the SDK would drop in silence is
refused here: text that is no JSON, and JSON that is no message. Batches (2025-03-26) are answered as batches.
Lifecycle of a message: `read` -> `admit` -> the SDK -> `put`, or `interrupt` if the gateway cannot go on.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, cast

import mcp_types as types
from mcp.shared.dispatcher import coerce_request_id
from mcp.shared.jsonrpc_dispatcher import cancelled_request_id_from_params
from pydantic import ValidationError

from tabwright import jsonrpc
from tabwright.errors import INVALID_REQUEST, GatewayError, OutcomeUnknown
from tabwright.model import Json

MAX_BATCH: Final = 100
BAD_ID: Final = "id is a string or a whole number, without a point."
MAX_UNANSWERED: Final = 128
"""Of a client with so many requests open none further is taken until one is answered."""

STOPPING: Final = "The gateway is stopping."

RequestId = int | str
OPEN_ENDED: Final = frozenset({"subscriptions/listen"})
"""Requests that are answered when their client has no more use for them."""


class BadMessage(GatewayError):
    """What a client sent is no message. `request_id` is the id it bears all the same, if any."""

    def __init__(self, code: int, message: str, request_id: RequestId | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.request_id = request_id

    @property
    def answer(self) -> str:
        return jsonrpc.encode(jsonrpc.failure(self.request_id, self.code, self.message))


class Interrupted(GatewayError):
    """A request was under way when its stream had to end."""

    code = OutcomeUnknown.code
    word = OutcomeUnknown.word

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"{reason.rstrip('.')}. This was under way; it may or may not have happened.",
            "Look at the page before you try again.",
        )

    def answer_to(self, request_id: RequestId) -> str:
        return jsonrpc.encode(jsonrpc.failure(request_id, self.code, str(self), {"code": self.word}))


@dataclass(frozen=True, slots=True)
class Parcel:
    """What came in one piece: its messages, and what in it was none."""

    messages: tuple[types.JSONRPCMessage, ...]
    refused: tuple[BadMessage, ...] = ()
    batch: bool = False

    @property
    def requests(self) -> list[types.JSONRPCRequest]:
        return [message for message in self.messages if isinstance(message, types.JSONRPCRequest)]


def read(data: bytes) -> Parcel:
    """A message or a batch of them.

    Raises:
        BadMessage: it is neither; a batch with some good parts is one, and says which are not.
    """
    try:
        value = jsonrpc.decode_unambiguous(data)
    except GatewayError as exc:
        raise BadMessage(exc.code, exc.message) from exc
    if not isinstance(value, list):
        return Parcel((read_one(value),))
    if not 1 <= len(value) <= MAX_BATCH:
        raise BadMessage(INVALID_REQUEST, f"A batch has 1 to {MAX_BATCH} messages.")
    messages, refused = list[types.JSONRPCMessage](), list[BadMessage]()
    for part in value:
        try:
            messages.append(read_one(part))
        except BadMessage as exc:
            refused.append(exc)
    return Parcel(tuple(messages), tuple(refused), batch=True)


def read_one(part: Json) -> types.JSONRPCMessage:
    """What was decoded, as the message it is.

    Raises:
        BadMessage: it is none.
    """
    told = part.get("id") if isinstance(part, dict) else None
    known = told if isinstance(told, int | str) and not isinstance(told, bool) else None
    try:
        if known is not None and isinstance(part, dict) and "method" in part:
            # what clients send most; the models of all kinds would be tried in turn
            return types.JSONRPCRequest.model_validate(part, by_name=False)
        message = types.jsonrpc_message_adapter.validate_python(part, by_name=False)
    except ValidationError:
        raise BadMessage(INVALID_REQUEST, "Not a JSON-RPC 2.0 message.", known) from None
    if isinstance(message, types.JSONRPCNotification) and isinstance(part, dict) and "id" in part:
        # an id that is none does not make a request a notification
        raise BadMessage(INVALID_REQUEST, BAD_ID)
    return message


def _text(message: types.JSONRPCMessage) -> str:
    if isinstance(message, types.JSONRPCResponse):
        # results are plain JSON by now, pictures among them, which the models take three times as long to write
        return jsonrpc.encode({"jsonrpc": "2.0", "id": message.id, "result": cast(Json, message.result)})
    return message.model_dump_json(by_alias=True, exclude_unset=True)


class Exchange:
    """What one client has asked and not been answered yet. `send` carries one JSON text to it."""

    def __init__(self, send: Callable[[str], Awaitable[None]]) -> None:
        self._send = send
        # counted, not gathered: who uses an id twice has two requests open, whatever the protocol says of that
        self._unanswered = Counter[RequestId]()
        self._answered = asyncio.Event()
        self._batches: dict[RequestId, list[_Batch]] = {}
        self._interrupted = False
        self._closed = False

    @property
    def unanswered(self) -> int:
        return self._unanswered.total()

    async def admit(self, parcel: Parcel) -> None:
        """Expect answers to its requests, refuse what is no message, and let cancelled requests go."""
        requests = parcel.requests
        for request in requests:
            if request.method not in OPEN_ENDED:
                self._unanswered[request.id] += 1
        if parcel.batch:
            batch = _Batch(len(requests), [refused.answer for refused in parcel.refused])
            for request in requests:
                self._batches.setdefault(request.id, []).append(batch)
            if batch.answers and not requests:
                await self._send(batch.text)
        for message in parcel.messages:
            if isinstance(message, types.JSONRPCNotification):
                await self._cancelled(message)

    async def put(self, message: types.JSONRPCMessage) -> None:
        """Send what the server says; the answers of a batch when its last is there."""
        text = _text(message)
        answered = message.id if isinstance(message, types.JSONRPCResponse | types.JSONRPCError) else None
        if answered is None:
            await self._send(text)
        elif not self._interrupted:
            await self._answer(answered, text)

    async def interrupt(self, reason: str) -> None:
        """Answer all that is open with an error, for good: what the server still says to it is too late."""
        if self._interrupted:
            return
        self._interrupted = True
        told = Interrupted(reason)
        for request_id in list(self._unanswered.elements()):
            await self._answer(request_id, told.answer_to(request_id))

    async def _answer(self, request_id: RequestId, text: str) -> None:
        batch = self._settle(request_id)
        if batch is None:
            await self._send(text)
        elif batch.complete_with(text):
            await self._send(batch.text)

    async def room(self) -> None:
        """Wait until the client may ask for more."""
        await self._wait_until(lambda: self.unanswered < MAX_UNANSWERED)

    async def drained(self, but: int = 0) -> None:
        """Wait until every request is answered, but so many."""
        await self._wait_until(lambda: self.unanswered <= but)

    def close(self) -> None:
        """The client is gone: nobody waits for anything any more."""
        self._closed = True
        self._answered.set()

    async def _cancelled(self, message: types.JSONRPCNotification) -> None:
        """A cancelled request is never answered, so nobody waits for it: neither the end nor the rest of its batch."""
        if message.method != "notifications/cancelled":
            return
        named = cancelled_request_id_from_params(message.params)
        cancelled = None if named is None else self._named(named)
        if cancelled is None:
            return
        batch = self._settle(cancelled)
        if batch is not None and batch.complete_without() and batch.answers:
            await self._send(batch.text)

    def _named(self, request_id: RequestId) -> RequestId | None:
        """The open request that is meant: some clients write a number as text when they cancel it."""
        if request_id in self._unanswered:
            return request_id
        alike = coerce_request_id(request_id)
        return next((each for each in self._unanswered if coerce_request_id(each) == alike), None)

    def _settle(self, request_id: RequestId) -> "_Batch | None":
        """Expect one answer less; the batch it belongs to, if any."""
        if self._unanswered[request_id] > 1:
            self._unanswered[request_id] -= 1
        else:
            self._unanswered.pop(request_id, None)
        self._answered.set()
        waiting = self._batches.get(request_id)
        if not waiting:
            return None
        batch = waiting.pop(0)
        if not waiting:
            del self._batches[request_id]
        return batch

    async def _wait_until(self, enough: Callable[[], bool]) -> None:
        while not enough() and not self._closed:
            self._answered.clear()
            await self._answered.wait()


class _Batch:
    """Requests that came as one array and are answered as one."""

    def __init__(self, waiting: int, answers: list[str]) -> None:
        self._waiting = waiting
        self.answers = answers

    @property
    def text(self) -> str:
        return f"[{','.join(self.answers)}]"

    def complete_with(self, text: str) -> bool:
        self.answers.append(text)
        return self.complete_without()

    def complete_without(self) -> bool:
        self._waiting -= 1
        return self._waiting == 0
