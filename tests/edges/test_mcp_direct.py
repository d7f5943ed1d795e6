"""Calls of a stream, without the SDK's dispatcher: what it would have done for them is done all the same."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from typing import Any

import anyio
import mcp_types as types
import pytest
from anyio.abc import ObjectSendStream
from anyio.streams.memory import MemoryObjectSendStream
from mcp.shared.dispatcher import CallOptions, DispatchContext
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.message import SessionMessage
from mcp.shared.transport_context import TransportContext

from tabwright import jsonrpc
from tabwright.edges.mcp.direct import DirectCalls, Service

Context = DispatchContext[TransportContext]
Params = Mapping[str, Any] | None


class Client:
    """What goes out to it and what it answers, kept."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.told: list[tuple[str, Params]] = []

    async def send_raw_request(self, method: str, params: Params, opts: CallOptions | None = None) -> dict[str, Any]:
        self.asked.append(method)
        return {"action": "accept"}

    async def notify(self, method: str, params: Params, opts: CallOptions | None = None) -> None:
        self.told.append((method, params))


class Wire(ObjectSendStream[SessionMessage]):
    """What goes out is JSON."""

    def __init__(self, answers: MemoryObjectSendStream[SessionMessage]) -> None:
        self._answers = answers

    async def send(self, item: SessionMessage) -> None:
        jsonrpc.encode(item.message.model_dump())
        await self._answers.send(item)

    async def aclose(self) -> None:
        await self._answers.aclose()


class Stream:
    """One client's stream, whose calls are served by `serve`, by name."""

    def __init__(self, *, may_ask: bool = True) -> None:
        self._lines, reader = anyio.create_memory_object_stream[SessionMessage | Exception](16)
        writer, self._answers = anyio.create_memory_object_stream[SessionMessage](16)
        self.client = Client()
        self.begun = asyncio.Event()
        self.cleaned = asyncio.Event()
        self.context: Context | None = None
        self._ends = (reader, writer)
        self.calls = DirectCalls(reader, Wire(writer))
        self.calls.serve_by(Service(self._serve, self.client, may_ask))
        self._reading = asyncio.ensure_future(self._read())
        self.rest: list[SessionMessage | Exception] = []
        """What was left for the dispatcher."""

    async def _serve(self, context: Context, method: str, params: Params) -> dict[str, Any]:
        assert method == "tools/call"
        assert params is not None
        self.context = context
        self.begun.set()
        match params["name"]:
            case "wait":
                await asyncio.Event().wait()
            case "clean up":
                await self._clean_up_at_the_end()
            case "odd":
                return {"did": "\udc80"}
            case "fail":
                raise MCPError(-32003, "No browser.", {"code": "browser_not_connected"})
            case "break":
                raise ZeroDivisionError("a secret")
            case "tell":
                await context.progress(1, 2, "half")
            case "ask":
                await context.send_raw_request("elicitation/create", {})
            case _:
                pass
        return {"did": params["name"]}

    async def _clean_up_at_the_end(self) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            for _ in range(5):
                await asyncio.sleep(0)
            self.cleaned.set()

    async def _read(self) -> None:
        async for item in self.calls:
            self.rest.append(item)

    async def say(self, message: types.JSONRPCMessage) -> None:
        await self._lines.send(SessionMessage(message))

    async def call(self, name: str, number: int | str = 1, **meta: Any) -> None:
        params = {"name": name, "arguments": {}, **({"_meta": meta} if meta else {})}
        await self.say(types.JSONRPCRequest(jsonrpc="2.0", id=number, method="tools/call", params=params))

    async def cancel(self, number: int | str) -> None:
        params = {"requestId": number}
        await self.say(types.JSONRPCNotification(jsonrpc="2.0", method="notifications/cancelled", params=params))

    async def answer(self) -> types.JSONRPCMessage:
        async with asyncio.timeout(5):
            return (await self._answers.receive()).message

    async def end(self) -> None:
        """The client has nothing more to say; all is over when this returns."""
        self._lines.close()
        async with asyncio.timeout(5):
            await self._reading

    def break_off(self) -> None:
        """Whoever feeds the stream takes it away, however much there is to be read."""
        self._ends[0].close()

    @property
    def unheard(self) -> int:
        """Answers that nobody took."""
        return self._answers.statistics().current_buffer_used

    def close(self) -> None:
        for each in (*self._ends, self._answers):
            each.close()


@pytest.fixture
async def stream() -> AsyncGenerator[Stream]:
    made = Stream()
    yield made
    await made.end()
    made.close()


async def test_a_call_is_answered_and_everything_else_left_to_the_dispatcher(stream: Stream) -> None:
    await stream.call("look", 7)
    answer = await stream.answer()
    assert answer == types.JSONRPCResponse(jsonrpc="2.0", id=7, result={"did": "look"})
    listed = types.JSONRPCRequest(jsonrpc="2.0", id=8, method="tools/list")
    await stream.say(listed)
    await stream.end()
    assert stream.rest == [SessionMessage(listed)]


async def test_calls_run_side_by_side(stream: Stream) -> None:
    await stream.call("wait", 1)
    await stream.call("look", 2)
    answer = await stream.answer()
    assert isinstance(answer, types.JSONRPCResponse)
    assert answer.id == 2


async def test_what_fails_is_told_by_its_code(stream: Stream) -> None:
    await stream.call("fail")
    answer = await stream.answer()
    assert isinstance(answer, types.JSONRPCError)
    assert (answer.error.code, answer.error.data) == (-32003, {"code": "browser_not_connected"})


async def test_a_fault_of_ours_is_told_without_details(stream: Stream, caplog: pytest.LogCaptureFixture) -> None:
    await stream.call("break")
    answer = await stream.answer()
    assert isinstance(answer, types.JSONRPCError)
    assert answer.error.code == types.INTERNAL_ERROR
    assert "secret" not in answer.error.message
    assert "ZeroDivisionError" in caplog.text


async def test_an_answer_that_cannot_be_written_is_told_as_a_fault_of_ours(
    stream: Stream, caplog: pytest.LogCaptureFixture
) -> None:
    await stream.call("odd", 6)
    answer = await stream.answer()
    assert isinstance(answer, types.JSONRPCError)
    assert (answer.id, answer.error.code) == (6, types.INTERNAL_ERROR)
    assert "UnicodeEncodeError" in caplog.text


@pytest.mark.parametrize(("named", "cancelled"), [(3, 3), ("x", "x"), (3, "3")])
async def test_a_call_that_is_called_off_ends_and_is_never_answered(
    stream: Stream, named: int | str, cancelled: int | str
) -> None:
    await stream.call("wait", named)
    await asyncio.wait_for(stream.begun.wait(), 5)
    await stream.cancel(cancelled)
    await stream.call("look", 99)
    answer = await stream.answer()
    assert isinstance(answer, types.JSONRPCResponse)
    assert answer.id == 99
    assert stream.context is not None
    await stream.end()
    # the dispatcher hears of it as well
    assert len(stream.rest) == 1
    assert stream.unheard == 0


async def test_calling_off_what_is_not_there_changes_nothing(stream: Stream) -> None:
    await stream.cancel(5)
    await stream.call("look", 5)
    assert isinstance(await stream.answer(), types.JSONRPCResponse)


async def test_a_call_that_outlives_its_stream_is_told_that_it_is_closed(stream: Stream) -> None:
    await stream.call("wait", 4)
    await asyncio.wait_for(stream.begun.wait(), 5)
    await stream.end()
    answer = await stream.answer()
    assert isinstance(answer, types.JSONRPCError)
    assert (answer.id, answer.error.code) == (4, types.CONNECTION_CLOSED)


async def test_how_far_a_call_is_reaches_a_client_that_asked_to_be_told(stream: Stream) -> None:
    await stream.call("tell", progressToken="t")
    await stream.answer()
    progress = {"progressToken": "t", "progress": 1, "total": 2, "message": "half"}
    assert stream.client.told == [("notifications/progress", progress)]
    await stream.call("tell", 2)
    await stream.answer()
    assert len(stream.client.told) == 1


async def test_nothing_more_is_said_for_a_call_that_is_answered(stream: Stream) -> None:
    await stream.call("look", progressToken=1)
    await stream.answer()
    assert stream.context is not None
    await stream.context.progress(1, 2)
    assert stream.client.told == []
    with pytest.raises(NoBackChannelError):
        await stream.context.send_raw_request("elicitation/create", {})


async def test_a_call_may_ask_its_client_where_the_era_lets_it(stream: Stream) -> None:
    await stream.call("ask")
    assert isinstance(await stream.answer(), types.JSONRPCResponse)
    assert stream.client.asked == ["elicitation/create"]
    other = Stream(may_ask=False)
    await other.call("ask")
    assert isinstance(await other.answer(), types.JSONRPCError)
    assert other.client.asked == []
    await other.end()
    other.close()


async def test_two_calls_of_one_id_are_both_answered_and_the_later_one_called_off(stream: Stream) -> None:
    await stream.call("wait", 1)
    await stream.call("wait", 1)
    await asyncio.wait_for(stream.begun.wait(), 5)
    await stream.cancel(1)
    await stream.end()
    answer = await stream.answer()
    assert isinstance(answer, types.JSONRPCError)
    assert stream.unheard == 0


async def test_two_calls_of_one_id_are_called_off_one_after_the_other(stream: Stream) -> None:
    await stream.call("wait", 1)
    await stream.call("wait", 1)
    await asyncio.wait_for(stream.begun.wait(), 5)
    await stream.cancel(1)
    await stream.cancel(1)
    await stream.end()
    assert stream.unheard == 0


async def test_a_call_that_is_called_off_twice_cleans_up_all_the_same(stream: Stream) -> None:
    await stream.call("clean up", 1)
    await asyncio.wait_for(stream.begun.wait(), 5)
    await stream.cancel(1)
    await stream.cancel(1)
    await asyncio.wait_for(stream.cleaned.wait(), 5)


async def test_of_a_number_and_the_same_as_text_the_one_that_is_named_is_called_off(stream: Stream) -> None:
    await stream.call("wait", 3)
    await stream.call("wait", "3")
    await asyncio.wait_for(stream.begun.wait(), 5)
    await stream.cancel(3)
    await stream.end()
    answer = await stream.answer()
    assert isinstance(answer, types.JSONRPCError)
    assert answer.id == "3"
    assert stream.unheard == 0


async def test_calls_end_with_a_stream_that_is_taken_away() -> None:
    stream = Stream()
    await stream.call("wait", 4)
    await asyncio.wait_for(stream.begun.wait(), 5)
    await stream.say(types.JSONRPCNotification(jsonrpc="2.0", method="notifications/initialized"))
    stream.break_off()
    with pytest.raises(anyio.ClosedResourceError):
        await stream.end()
    answer = await stream.answer()
    assert isinstance(answer, types.JSONRPCError)
    assert (answer.id, answer.error.code) == (4, types.CONNECTION_CLOSED)
    stream.close()
