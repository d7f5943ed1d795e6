"""Open questions: whoever sees one may answer it, once; without anybody to see it nobody waits."""

import asyncio

import pytest

from tabwright.calls.asking import InBrowser
from tabwright.calls.questions import OpenQuestions, Pressed
from tabwright.errors import Denied, NobodyToAsk
from tabwright.model import Json
from tabwright.policy.actions import Access, Action, Ask, Principal
from tabwright.policy.grants import Consent, Scope
from tests.calls.world import world
from tests.fakes import settle, tab

ACTION = Action(Principal("me", "claude-code", "s1"), "javascript_tool", Access.SCRIPT, {"text": "1"}, "https://a.test")
ASK = Ask("default", "May claude-code run scripts?", (Access.SCRIPT,))


async def test_the_dashboard_alone_is_asked_where_no_browser_can_show_it() -> None:
    async with world() as made:
        questions = OpenQuestions()
        approver = InBrowser(made.browsers, lambda browser: True, questions)
        with pytest.raises(NobodyToAsk):
            await approver.approve(ACTION, ASK)
        with questions.watching():
            asking = asyncio.create_task(approver.approve(ACTION, ASK))
            await settle()
            (question,) = questions.listed()
            assert question.told["details"] == [{"name": "text", "value": "1"}]
            assert not questions.answer(question.id, Pressed("perhaps"))
            assert not questions.answer("another", Pressed("always"))
            assert questions.answer(question.id, Pressed("session"))
            assert not questions.answer(question.id, Pressed("deny")), "answered once"
            assert await asking == Consent(Scope.SESSION)
        assert questions.listed() == []
        with pytest.raises(NobodyToAsk):
            await approver.approve(ACTION, ASK)


async def test_a_question_the_browser_shows_may_be_answered_on_the_dashboard() -> None:
    async with world() as made:
        chrome, questions = made.chrome(), OpenQuestions()
        chrome.link(tab(5, "https://a.test/"))
        approver = InBrowser(made.browsers, lambda browser: True, questions)
        chrome.gates["askPerson"] = asyncio.Event()
        asking = asyncio.create_task(approver.approve(ACTION, ASK))
        await settle()
        assert questions.answer(questions.listed()[0].id, Pressed("deny"))
        with pytest.raises(Denied):
            await asking
        assert questions.listed() == []


async def test_a_call_that_is_given_up_takes_its_question_along() -> None:
    async with world() as made:
        questions = OpenQuestions()
        with questions.watching():
            asking = asyncio.create_task(InBrowser(made.browsers, lambda browser: True, questions).approve(ACTION, ASK))
            await settle()
            assert len(questions.listed()) == 1
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            assert questions.listed() == []


PLAN = Ask("plan", "Agree?", choices=("https://a.test", "https://b.test", "https://c.test"))


@pytest.mark.parametrize(
    ("told", "left"),
    [
        ({}, ("https://a.test", "https://b.test", "https://c.test")),
        ({"chosen": ["https://c.test", "https://a.test"]}, ("https://a.test", "https://c.test")),
        ({"chosen": ["https://b.test", "https://evil.test", 7]}, ("https://b.test",)),
    ],
)
async def test_what_is_struck_out_of_a_question_is_not_agreed_to(told: dict[str, Json], left: tuple[str, ...]) -> None:
    async with world() as made:
        questions = OpenQuestions()
        with questions.watching():
            asking = asyncio.create_task(
                InBrowser(made.browsers, lambda browser: True, questions).approve(ACTION, PLAN)
            )
            await settle()
            (question,) = questions.listed()
            assert question.told["choices"] == [*PLAN.choices]
            assert questions.answer(question.id, Pressed.of({"answer": "once", **told}))
            assert await asking == Consent(Scope.ONCE, left)


@pytest.mark.parametrize("chosen", [[], ["https://evil.test"], "https://a.test", {"https://a.test": True}])
async def test_a_yes_to_nothing_is_a_no(chosen: Json) -> None:
    async with world() as made:
        questions = OpenQuestions()
        with questions.watching():
            asking = asyncio.create_task(
                InBrowser(made.browsers, lambda browser: True, questions).approve(ACTION, PLAN)
            )
            await settle()
            assert questions.answer(questions.listed()[0].id, Pressed.of({"answer": "once", "chosen": chosen}))
            with pytest.raises(Denied):
                await asking
