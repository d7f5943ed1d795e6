"""Calls of a stream's client, past the SDK's dispatcher.

For each request the dispatcher makes a scope, an event, a record and a task of a group. At an agent's pace, when
nothing of that is in the processor's caches any more, it is an eighth of what the gateway adds to a call. Here a call
gets a task and nothing else. What is done with it is as ever: the SDK's runner, its middleware and our handlers.
Everything else that a client sends goes to the dispatcher, and what a call asks of its client goes out by it.

Lifecycle of a call: taken out of the stream -> run in a task -> answered, unless the client calls it off; or told that
the connection is closed, when the stream ends first.
"""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import anyio
import mcp_types as types
from anyio.abc import ObjectReceiveStream
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.dispatcher import CallOptions, OnRequest, Outbound, coerce_request_id
from mcp.shared.exceptions import NoBackChannelError
from mcp.shared.jsonrpc_dispatcher import (
    cancelled_request_id_from_params,
    handler_exception_to_error_data,
    progress_token_from_params,
)
from mcp.shared.message import SessionMessage
from mcp.shared.transport_context import TransportContext

log = logging.getLogger(__name__)

ENDING_S: Final = 1.0
"""How long calls that are ended with their stream may take to end."""
_DUPLEX: Final = TransportContext(kind="stream", can_send_request=True)
_ONE_WAY: Final = TransportContext(kind="stream", can_send_request=False)
_CLOSED: Final = types.ErrorData(code=types.CONNECTION_CLOSED, message="Connection closed")
_FAILED: Final = types.ErrorData(code=types.INTERNAL_ERROR, message="Internal error; see the gateway's log.")

Item = SessionMessage | Exception


@dataclass(frozen=True, slots=True)
class Service:
    """Who runs calls, and how they reach their client meanwhile; one that `may_ask` may send it requests."""

    on_request: OnRequest
    outbound: Outbound
    may_ask: bool


class DirectCalls(ObjectReceiveStream[Item]):
    """A stream without its calls, which are served by whoever `serve_by` names."""

    def __init__(self, stream: ReadStream[Item], writer: WriteStream[SessionMessage]) -> None:
        self._stream = stream
        self._writer = writer
        self._service: Service | None = None
        self._under_way: dict[asyncio.Task[None], _Call] = {}

    def serve_by(self, service: Service) -> None:
        self._service = service

    async def receive(self) -> Item:
        while True:
            try:
                item = await self._stream.receive()
            except (anyio.EndOfStream, anyio.ClosedResourceError):
                # while there is still somebody to hear of it, and before a call takes its question elsewhere
                await self.end()
                raise
            if self._service is None or not isinstance(item, SessionMessage):
                return item
            match item.message:
                case types.JSONRPCRequest(method="tools/call") as request:
                    self._take(request, self._service)
                    continue
                case types.JSONRPCNotification(method="notifications/cancelled", params=params):
                    self._call_off(params)
                case _:
                    pass
            return item

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def end(self) -> None:
        """The stream has ended, and what runs with it."""
        tasks = list(self._under_way)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=ENDING_S)

    def _take(self, request: types.JSONRPCRequest, service: Service) -> None:
        call = _Call(request, service)
        task = asyncio.get_running_loop().create_task(self._run(call, service.on_request))
        self._under_way[task] = call
        task.add_done_callback(self._under_way.__delitem__)

    def _call_off(self, params: Mapping[str, Any] | None) -> None:
        named = cancelled_request_id_from_params(params)
        task = None if named is None else self._named(named)
        if task is not None:
            self._under_way[task].call_off()
            task.cancel()

    def _named(self, request_id: types.RequestId) -> asyncio.Task[None] | None:
        """The latest call of this id; some clients write a number as text when they call it off."""
        calls = [(task, call.request_id) for task, call in self._under_way.items() if not call.is_called_off]
        alike = [task for task, each in calls if coerce_request_id(each) == coerce_request_id(request_id)]
        exact = [task for task, each in calls if each == request_id]
        return next(reversed(exact or alike), None)

    async def _run(self, call: "_Call", on_request: OnRequest) -> None:
        answer = await self._answer(call, on_request)
        # the client may call it off in the very moment in which it is done
        if call.is_called_off:
            return
        try:
            await self._tell(answer)
        except Exception:
            # half a character that a file system knows, say: without a word its client would wait for ever
            log.exception("the answer to a call could not be written")
            await self._tell(types.JSONRPCError(jsonrpc="2.0", id=call.request_id, error=_FAILED))

    async def _answer(self, call: "_Call", on_request: OnRequest) -> types.JSONRPCResponse | types.JSONRPCError:
        request = call.request
        try:
            result = await on_request(call, request.method, request.params)
            return types.JSONRPCResponse(jsonrpc="2.0", id=request.id, result=result)
        except asyncio.CancelledError:
            error = _CLOSED
        except Exception as exc:
            told = handler_exception_to_error_data(exc)
            if told is None:
                log.exception("a call failed")
            error = told or _FAILED
        finally:
            call.close()
        return types.JSONRPCError(jsonrpc="2.0", id=request.id, error=error)

    async def _tell(self, answer: types.JSONRPCMessage) -> None:
        try:
            await self._writer.send(SessionMessage(answer))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            log.debug("nobody is left to hear the answer to a call")


class _Call:
    """The SDK's context of one request: by it the call says how far it is, and asks."""

    def __init__(self, request: types.JSONRPCRequest, service: Service) -> None:
        self.request = request
        self._service = service
        self._is_over = False
        self._cancel_requested: anyio.Event | None = None
        self.is_called_off = False

    @property
    def transport(self) -> TransportContext:
        return _DUPLEX if self._service.may_ask else _ONE_WAY

    @property
    def can_send_request(self) -> bool:
        return self._service.may_ask and not self._is_over

    @property
    def request_id(self) -> types.RequestId:
        return self.request.id

    @property
    def message_metadata(self) -> None:
        """What a transport attaches to a message; a stream has nothing."""

    @property
    def cancel_requested(self) -> anyio.Event:
        if self._cancel_requested is None:
            self._cancel_requested = anyio.Event()
        return self._cancel_requested

    def call_off(self) -> None:
        self.is_called_off = True
        self.cancel_requested.set()

    def close(self) -> None:
        """It is answered: nothing more is said for it."""
        self._is_over = True

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> dict[str, Any]:
        if not self.can_send_request:
            raise NoBackChannelError(method)
        return await self._service.outbound.send_raw_request(method, params, opts)

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None) -> None:
        if not self._is_over:
            await self._service.outbound.notify(method, params, opts)

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        token = progress_token_from_params(self.request.params)
        if token is None:
            return
        told: dict[str, Any] = {"progressToken": token, "progress": progress, "total": total, "message": message}
        await self.notify("notifications/progress", {key: value for key, value in told.items() if value is not None})
