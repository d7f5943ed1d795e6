"""Open questions: whoever sees one may answer it, once; without anybody to see it nobody waits."""

import asyncio

import pytest

from tabwright.calls.asking import InBrowser
from tabwright.calls.questions import OpenQuestions
from tabwright.errors import Denied, NobodyToAsk
from tabwright.policy.actions import Access, Action, Ask, Principal
from tabwright.policy.grants import Scope
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
            assert not questions.answer(question.id, "perhaps")
            assert not questions.answer("another", "always")
            assert questions.answer(question.id, "session")
            assert not questions.answer(question.id, "deny"), "answered once"
            assert await asking is Scope.SESSION
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
        assert questions.answer(questions.listed()[0].id, "deny")
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
