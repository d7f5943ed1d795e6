"""Tools that say of themselves that they have consequences are confirmed by the person, in both eras, or not run."""

import asyncio
from typing import Any

import mcp_types as types
import pytest
from mcp.client.context import ClientRequestContext

from tests.clients import Agent, Era, Transport, connect
from tests.gateway import GatewayProcess
from tests.hub.agents import listed, ran
from tests.hub.peer import peer, tab, tool

BANK = "https://bank.example"
PAY = "website_tool_bank_example_tab1_pay"
FACES: list[tuple[Transport, Era]] = [("stdio", "legacy"), ("stdio", "modern"), ("http", "legacy"), ("http", "modern")]


class Person:
    """Answers as told, and remembers the questions."""

    def __init__(self, action: str, **content: str) -> None:
        self._action = action
        self._content = content
        self.asked: list[str] = []

    async def __call__(self, context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        self.asked.append(params.message)
        return types.ElicitResult.model_validate({"action": self._action, "content": self._content})


@pytest.mark.parametrize(("transport", "era"), FACES)
@pytest.mark.parametrize("hint", ["consequentialHint", "destructiveHint"])
async def test_a_person_who_agrees_is_asked_once_and_the_tool_runs_once(
    shared_hub: GatewayProcess, transport: Transport, era: Era, hint: str
) -> None:
    person = Person("accept")
    async with (
        peer(shared_hub, tab(5, BANK)) as page,
        connect(shared_hub, transport, era, person=person, toolsets="hub") as agent,
    ):
        await page.register(5, BANK, tool("pay", annotations={hint: True}))
        await _listed(agent, PAY)
        assert (await ran(agent, PAY, sum=12))["args"] == {"sum": 12}
        assert person.asked == [f'Run {PAY} of {BANK}? With: {{"sum": 12}}']
        assert len(page.calls) == 1
        result = await agent.result("hub_call_tool", name=PAY, arguments={"sum": 13})
        assert not result.is_error
        assert len(person.asked) == 2, "the first answer was for the first call"


@pytest.mark.parametrize(("transport", "era"), FACES)
@pytest.mark.parametrize("answer", ["decline", "cancel"])
async def test_a_person_who_does_not_agree_is_obeyed(
    shared_hub: GatewayProcess, transport: Transport, era: Era, answer: str
) -> None:
    person = Person(answer)
    async with (
        peer(shared_hub, tab(5, BANK)) as page,
        connect(shared_hub, transport, era, person=person, toolsets="hub") as agent,
    ):
        await page.register(5, BANK, tool("pay", annotations={"consequentialHint": True}))
        await _listed(agent, PAY)
        assert (await agent.refused(PAY))["code"] == "denied"
        assert (len(person.asked), page.calls) == (1, [])


@pytest.mark.parametrize(("transport", "era"), FACES)
async def test_a_yes_for_the_session_is_asked_for_once_and_for_one_tool(
    shared_hub: GatewayProcess, transport: Transport, era: Era
) -> None:
    person = Person("accept", allow="session")
    drain, hint = "website_tool_bank_example_tab1_drain", {"consequentialHint": True}
    async with (
        peer(shared_hub, tab(5, BANK)) as page,
        connect(shared_hub, transport, era, person=person, toolsets="hub", **apart(transport, "one")) as agent,
    ):
        await page.register(5, BANK, tool("pay", annotations=hint), tool("drain", annotations=hint))
        await _listed(agent, PAY)
        for amount in (1, 2, 3):
            assert (await ran(agent, PAY, sum=amount))["args"] == {"sum": amount}
        assert len(person.asked) == 1
        await ran(agent, drain)
        assert len(person.asked) == 2, "another tool is another question"
        await page.register(5, BANK, tool("pay", description="Pays all.", annotations=hint))
        async with asyncio.timeout(5):
            while not any("Pays all." in (each.description or "") for each in await agent.tools()):
                pass
        await ran(agent, PAY, sum=4)
        assert len(person.asked) == 3, "a tool that changed is asked about again"
    person = Person("decline")
    async with (
        peer(shared_hub, tab(5, BANK)) as page,
        connect(shared_hub, transport, era, person=person, toolsets="hub", **apart(transport, "two")) as agent,
    ):
        await page.register(5, BANK, tool("pay", annotations=hint))
        await _listed(agent, PAY)
        assert (await agent.refused(PAY))["code"] == "denied", "another session has agreed to nothing"


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_where_nobody_can_be_asked_it_is_refused_at_once(shared_hub: GatewayProcess, era: Era) -> None:
    async with peer(shared_hub, tab(5, BANK)) as page, connect(shared_hub, "http", era, toolsets="hub") as agent:
        await page.register(5, BANK, tool("pay", annotations={"destructiveHint": True}), tool("look"))
        await _listed(agent, PAY)
        assert (await agent.refused(PAY))["code"] == "nobody_to_ask"
        assert page.calls == []
        assert (await ran(agent, "website_tool_bank_example_tab1_look"))["tool"] == "look", "no word is no such word"


async def test_a_page_may_ask_in_the_middle_of_its_own_call_only(shared_hub: GatewayProcess) -> None:
    person = Person("accept")
    asking: dict[str, Any] = {
        "jsonrpc": "2.0",
        "id": "q1",
        "method": "browser/elicitConfirmation",
        "params": {"message": "Really pay 12?"},
    }
    async with (
        peer(shared_hub, tab(5, BANK), tab(6, BANK)) as page,
        connect(shared_hub, "http", person=person, toolsets="hub") as agent,
    ):
        page.answer = lambda call: None
        await page.register(5, BANK, tool("pay"))
        await listed(agent, PAY)
        calling = asyncio.create_task(agent.refused(PAY))
        await page.until(lambda page: len(page.calls) == 1)
        await page.message(6, BANK, {**asking, "id": "q0"})
        await page.message(5, BANK, asking)
        answers = {"id": "q1", "jsonrpc": "2.0", "result": {"confirmed": True}}
        await page.until(lambda page: any(call.message == answers for call in page.calls))
        assert person.asked == [f"{BANK} asks: Really pay 12?"], "the other tab has no call"
        await page.say(type="tabClosed", tabId=5)
        assert (await calling)["code"] == "outcome_unknown"


def apart(transport: Transport, name: str) -> dict[str, str]:
    """A session of its own; each stream is one anyway."""
    return {"session": name} if transport == "http" else {}


async def _listed(agent: Agent, name: str) -> None:
    """Wait until it is listed, by asking: a modern client that does not subscribe hears nothing."""
    async with asyncio.timeout(5):
        while name not in await agent.names():
            pass
