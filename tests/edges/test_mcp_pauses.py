"""A modern call that stops for a question: it goes on with the answer, never begins twice, and has one session."""

import asyncio
import json
from typing import Any

import mcp_types as types
import pytest

from tabwright.edges.mcp.asking import InputNeeded
from tabwright.edges.mcp.pauses import MAX_PAUSED, PausableCall, Pauses
from tabwright.errors import CommandFailed
from tabwright.model import Text, ToolResult

FORM: dict[str, Any] = {"type": "object", "properties": {"all": {"type": "boolean"}}}


def coming_back(state: str | None, action: str = "accept") -> types.CallToolRequestParams:
    answers: dict[str, Any] = {"confirm": {"action": action, "content": {"all": True}}}
    told: dict[str, Any] = {"name": "pay", "requestState": state, "inputResponses": answers}
    return types.CallToolRequestParams.model_validate(told)


class Paying:
    """A call whose page asks, and says what it was told."""

    def __init__(self, pauses: Pauses, *questions: str) -> None:
        self.began = 0
        self.call = PausableCall("me", pauses)
        self.call.begin(self._work(questions))

    async def _work(self, questions: tuple[str, ...]) -> ToolResult:
        self.began += 1
        told = [await self.call.ask(question, FORM) for question in questions]
        return ToolResult((Text(str(told)),))


async def asked(call: PausableCall) -> tuple[str, str]:
    """The question that ends a request, and the state that comes with it."""
    with pytest.raises(InputNeeded) as caught:
        await call.step()
    result = caught.value.result
    assert result.request_state is not None
    asking = (result.input_requests or {})["confirm"]
    assert isinstance(asking, types.ElicitRequest)
    assert isinstance(asking.params, types.ElicitRequestFormParams)
    assert asking.params.requested_schema == FORM
    return str(caught.value), result.request_state


async def test_a_call_goes_on_with_the_answer_and_may_ask_again() -> None:
    pauses = Pauses()
    paying = Paying(pauses, "Once?", "Twice?")
    question, first = await asked(paying.call)
    assert question == "Once?"
    call = paying.call
    assert pauses.resumed("me", coming_back(first)) is call
    question, second = await asked(call)
    assert question == "Twice?"
    assert pauses.resumed("me", coming_back(first, "decline")) is call, "sent again, it changes nothing"
    assert (await asked(call))[1] == second
    pauses.resumed("me", coming_back(second, "decline"))
    result = await call.step()
    assert result.content == (Text("[{'all': True}, None]"),)
    again = pauses.resumed("me", coming_back(second))
    assert again is not None
    assert (await again.step(), paying.began) == (result, 1), "whoever missed the result gets it without another run"


async def test_two_requests_that_go_on_with_the_same_call_both_get_its_result() -> None:
    done = asyncio.Event()

    async def work() -> ToolResult:
        await done.wait()
        return ToolResult((Text("paid"),))

    call = PausableCall("me", Pauses())
    call.begin(work())
    both = [asyncio.create_task(call.step()) for _ in range(2)]
    await asyncio.sleep(0)
    done.set()
    async with asyncio.timeout(5):
        assert [await each for each in both] == [ToolResult((Text("paid"),))] * 2


async def test_a_call_that_is_not_known_here_is_not_begun_in_its_place() -> None:
    pauses = Pauses()
    _, state = await asked(Paying(pauses, "Pay?").call)
    for session, ticket in (("another", state), ("me", json.dumps({"ticket": "of another gateway"}))):
        with pytest.raises(CommandFailed) as caught:
            pauses.resumed(session, coming_back(ticket))
        assert caught.value.word == "outcome_unknown"
    assert pauses.resumed("me", coming_back(None)) is None, "a first request"
    assert pauses.resumed("me", coming_back('{"asked": "other"}')) is None, "an answer of another kind"


async def test_who_gives_the_request_up_gives_the_call_up_and_so_does_the_end_of_a_session() -> None:
    pauses, ended = Pauses(), [asyncio.Event(), asyncio.Event()]
    calls = [PausableCall(session, pauses) for session in ("me", "you")]

    async def work(call: PausableCall, over: asyncio.Event, question: str | None) -> ToolResult:
        try:
            if question:
                await call.ask(question, FORM)
            await asyncio.Event().wait()
            raise AssertionError
        finally:
            over.set()

    calls[0].begin(work(calls[0], ended[0], None))
    waiting = asyncio.create_task(calls[0].step())
    await asyncio.sleep(0)
    waiting.cancel()
    calls[1].begin(work(calls[1], ended[1], "Pay?"))
    await asked(calls[1])
    pauses.drop("you")
    async with asyncio.timeout(5):
        for over in ended:
            await over.wait()


async def test_only_so_many_calls_may_stand_still() -> None:
    pauses = Pauses()
    calls = [Paying(pauses, "Pay?").call for _ in range(MAX_PAUSED)]
    assert not pauses.full
    for call in calls:
        await asked(call)
    assert pauses.full
    pauses.drop("me")
    assert not pauses.full
