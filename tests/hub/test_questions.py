"""A page's own question in the middle of a call: whose person is asked, how long, and what a late yes is worth."""

import asyncio
from typing import Any

import mcp_types as types
import pytest
from mcp.client.context import ClientRequestContext

from tabwright.calls.hub_running import MAX_QUESTIONS, RunningCall, RunningCalls
from tabwright.hub.places import Place
from tabwright.hub.transport import BrowserGone
from tabwright.link.hub_wire import Confirming
from tests.clients import connect
from tests.fakes import settle
from tests.gateway import GatewayProcess
from tests.hub.agents import listed
from tests.hub.memory_transport import CHROME, at
from tests.hub.peer import Call, Peer, echo, peer, tab, tool
from tests.hub.test_hub import World, caller
from tests.hub.test_registry import registering
from tests.hub.test_registry import tool as described

BANK = "https://bank.example"
PAY = "website_tool_bank_example_tab1_pay"
LOOK = "website_tool_bank_example_tab1_look"


class Person:
    """Says yes, once allowed to."""

    def __init__(self, *, at_once: bool = True) -> None:
        self.asked: list[str] = []
        self.may_answer = asyncio.Event()
        self.was_asked = asyncio.Event()
        self.withdrawn = asyncio.Event()
        if at_once:
            self.may_answer.set()

    async def __call__(self, context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        self.asked.append(params.message)
        self.was_asked.set()
        try:
            await self.may_answer.wait()
        except asyncio.CancelledError:
            self.withdrawn.set()
            raise
        return types.ElicitResult(action="accept", content={})


def question(number: str, **more: Any) -> dict[str, Any]:
    params = {"message": "Really pay 12?", **more}
    return {"jsonrpc": "2.0", "id": number, "method": "browser/elicitConfirmation", "params": params}


async def answer(page: Peer, number: str) -> bool:
    """What the page was told."""

    def told(page: Peer) -> list[bool]:
        return [call.message["result"]["confirmed"] for call in page.calls if _answers(call, number)]

    await page.until(lambda page: bool(told(page)))
    [confirmed] = told(page)
    return confirmed


def _answers(call: Call, number: str) -> bool:
    return call.message.get("id") == number and "result" in call.message


async def test_a_question_is_put_to_the_person_whose_call_it_is_about(shared_hub: GatewayProcess) -> None:
    mine, theirs = Person(), Person()
    async with (
        peer(shared_hub, tab(5, BANK)) as page,
        connect(shared_hub, "http", person=mine, toolsets="hub") as payer,
        connect(shared_hub, "http", person=theirs, toolsets="hub") as looker,
    ):
        page.answer = lambda call: None
        await page.register(5, BANK, tool("pay"), tool("look"))
        await listed(payer, PAY)
        await listed(looker, LOOK)
        paying = asyncio.create_task(payer.refused(PAY))
        await page.until(lambda page: len(page.calls) == 1)
        looking = asyncio.create_task(looker.refused(LOOK))
        await page.until(lambda page: len(page.calls) == 2)
        call = page.calls[0].message["id"]

        await page.message(5, BANK, question("q1"))
        assert not await answer(page, "q1"), "nobody knows whose it is"
        await page.message(5, BANK, question("q2", callId="another"))
        assert not await answer(page, "q2"), "no such call"
        assert (mine.asked, theirs.asked) == ([], [])
        await page.message(5, BANK, question("q3", callId=call))
        assert await answer(page, "q3")
        assert (len(mine.asked), theirs.asked) == (1, [])
        await page.say(type="tabClosed", tabId=5)
        assert {(await paying)["code"], (await looking)["code"]} == {"outcome_unknown"}


async def test_a_question_ends_with_its_call_and_the_page_is_told_no(shared_hub: GatewayProcess) -> None:
    person = Person(at_once=False)
    async with (
        peer(shared_hub, tab(5, BANK)) as page,
        connect(shared_hub, "http", person=person, toolsets="hub") as agent,
    ):
        page.answer = lambda call: None
        await page.register(5, BANK, tool("pay"))
        await listed(agent, PAY)
        calling = asyncio.create_task(agent.result(PAY))
        await page.until(lambda page: len(page.calls) == 1)
        await page.message(5, BANK, question("q1"))
        await person.was_asked.wait()
        number = next(told["id"] for told in page.told if told.get("method") == "tabMessage")
        result = {"jsonrpc": "2.0", "id": page.calls[0].message["id"], "result": echo(page.calls[0])}
        await page.say(jsonrpc="2.0", id=number, result=result)
        assert not (await calling).is_error
        assert not await answer(page, "q1")
        async with asyncio.timeout(5):
            await person.withdrawn.wait()
        await page.message(5, BANK, question("q2"))
        assert not await answer(page, "q2"), "its call is over"


class Told:
    """What a page heard."""

    def __init__(self) -> None:
        self.answers: list[tuple[str | int, str | None]] = []

    def __call__(self, place: Place, asked: Confirming, refusal: str | None) -> None:
        self.answers.append((asked.id, refusal))


async def test_a_call_s_clock_stands_still_while_the_person_is_asked() -> None:
    told, may_answer = Told(), asyncio.Event()

    async def confirm(asked: Confirming) -> None:
        await may_answer.wait()

    call = RunningCall(at(5), caller(confirm), told, within_s=0.1)
    request: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    waiting = asyncio.create_task(call.wait(request))
    await settle()
    call.ask(Confirming("q", "Pay?"))
    done, _ = await asyncio.wait({waiting}, timeout=0.3)
    assert (done, told.answers) == (set(), [])
    may_answer.set()
    with pytest.raises(TimeoutError):
        await waiting
    assert told.answers == [("q", None)], "and then it goes on from where it stood"
    await call.end()
    call.ask(Confirming("late", "Pay?"))
    assert told.answers[-1] == ("late", "no_call")


async def test_a_page_may_not_ask_without_end() -> None:
    told = Told()

    async def confirm(asked: Confirming) -> None:
        return None

    call = RunningCall(at(5), caller(confirm), told)
    waiting = asyncio.create_task(call.wait(asyncio.get_running_loop().create_future()))
    await settle()
    for number in range(MAX_QUESTIONS + 1):
        call.ask(Confirming(number, "Pay?"))
    await settle()
    assert dict(told.answers) == {0: None, 1: None, 2: None, 3: "limit"}
    waiting.cancel()


async def test_questions_withdrawn_before_they_were_put_are_answered_too() -> None:
    told = Told()

    async def confirm(asked: Confirming) -> None:
        return None

    call = RunningCall(at(5), caller(confirm), told)
    waiting = asyncio.create_task(call.wait(asyncio.get_running_loop().create_future()))
    await settle()
    call.ask(Confirming("q", "Pay?"))
    waiting.cancel()
    await call.end()
    assert told.answers == [("q", "no_call")]


async def test_a_browser_that_goes_while_a_question_is_open_harms_nobody(caplog: pytest.LogCaptureFixture) -> None:
    world, asked = World(5), asyncio.Event()
    world.transport.say(at(5), registering(described("buy")))

    async def confirm(question: Confirming) -> None:
        asked.set()
        await asyncio.Event().wait()

    calling = asyncio.create_task(world.hub.execute(world.entry(), {}, caller(confirm)))
    await world.transport.asked.wait()
    world.transport.say(at(5), question("q1"))
    await asked.wait()
    world.transport.happen(BrowserGone(CHROME))
    with pytest.raises(Exception, match="went away before it answered"):
        await calling
    await settle()
    assert len(world.transport.sent) == 1, "nobody is there to be told"
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


async def test_where_one_session_has_several_calls_the_latest_is_meant() -> None:
    told, running = Told(), RunningCalls()

    async def confirm(asked: Confirming) -> None:
        return None

    first, second = (RunningCall(at(5), caller(confirm), told) for _ in range(2))
    with running.entered(at(5), first), running.entered(at(5), second):
        assert running.asking(at(5), Confirming("q", "")) is second
        assert running.asking(at(5), Confirming(first.id, "")) is first, "a question with the call's own id"
        assert running.asking(at(6), Confirming("q", "", call=first.id)) is None, "another document's"
    assert running.asking(at(5), Confirming("q", "")) is None
