"""Permission: asked once where one answer is enough, kept as long as the person said, written down."""

import asyncio

from tabwright.calls.asking import InBrowser
from tabwright.errors import Denied
from tabwright.link import events
from tabwright.model import Face, JsonObject, Toolset
from tabwright.policy.grants import Consent, Scope
from tabwright.policy.rule_file import read_rules
from tabwright.policy.rules import Rules
from tests.calls.world import Client, World, world
from tests.fakes import FakeApprover, settle, tab, tool

ASKED = '[[site]]\nmatch = "a.test"\npage_tool = "ask"\n[[site]]\nmatch = "closed.test"\nall = "deny"'


def rules(text: str) -> Rules:
    return read_rules(text, Rules())


async def shopping(made: World) -> Client:
    """A client that has a page with a tool in focus."""
    chrome, client = made.chrome(foreign=True), made.client()
    chrome.link(tab(5, "https://a.test/"))
    await client.call("connect_browser")
    chrome.offer(5, tool("buy"))
    await client.call("focus_tab", tabId=5)
    chrome.results["buy"] = "bought"
    return client


async def test_how_long_a_yes_is_good_for_is_the_person_s_choice() -> None:
    for scope, questions in ((Scope.ONCE, 3), (Scope.SESSION, 1), (Scope.ALWAYS, 1)):
        async with world(rules=rules(ASKED)) as made:
            made.approver.scope = scope
            client = await shopping(made)
            for _ in range(3):
                assert await client.text("buy") == "bought"
            assert len(made.approver.asked) == questions
            answers = [event.told["answer"] for event in made.audit.events if event.kind == "approval"]
            assert answers == [scope.value] * questions


async def test_the_end_of_a_session_is_the_end_of_its_grants() -> None:
    async with world(rules=rules(ASKED)) as made:
        made.approver.scope = Scope.SESSION
        client = await shopping(made)
        await client.text("buy")
        assert len(made.grants.listed()) == 1
        made.sessions.close(client.session)
        assert made.grants.listed() == []


async def test_questions_of_the_same_kind_wait_for_the_first_answer() -> None:
    class Slow(FakeApprover):
        def __init__(self) -> None:
            super().__init__()
            self.gate = asyncio.Event()

        async def approve(self, *given: object, **more: object) -> Consent:
            self.asked.append(given)  # pyright: ignore[reportArgumentType] - only counted
            await self.gate.wait()
            return Consent(Scope.SESSION)

    async with world(rules=rules(ASKED)) as made:
        client, slow = await shopping(made), Slow()
        calls = [asyncio.create_task(client.session.call("buy", {}, approver=slow)) for _ in range(4)]
        await settle()
        slow.gate.set()
        results = await asyncio.gather(*calls)
        assert [result.is_error for result in results] == [False] * 4
        assert len(slow.asked) == 1


async def test_a_refusal_runs_nothing_and_is_written_down() -> None:
    async with world(rules=rules(ASKED)) as made:
        client = await shopping(made)
        made.approver.refusal = Denied("no")
        assert await client.refused("buy") == "denied"
        entry = made.audit.entries[-1]
        assert (entry.tool, entry.origin, entry.outcome) == ("buy", "https://a.test", "denied")
        assert entry.told["decision"] == "ask"


async def test_a_page_that_a_call_led_to_is_asked_about_again() -> None:
    async with world(rules=rules(ASKED)) as made:
        chrome, client = made.chrome(foreign=True), made.client()
        chrome.link(tab(5, "https://b.test/"))
        await client.call("connect_browser")
        chrome.offer(5, tool("go"))
        await client.call("focus_tab", tabId=5)
        perform = chrome.perform

        def lead(command: str, params: JsonObject) -> JsonObject:
            if command == "callTool":
                chrome.tell(events.TabUpdated(tab(5, "https://closed.test/secret", "secret title")))
                return {"result": "secret text"}
            return perform(command, params)

        chrome.perform = lead
        result = await client.session.call("go", {})
        assert result.is_error
        assert "secret" not in str(result)
        assert "closed to agents" in str(result)


async def test_a_plan_that_is_agreed_to_opens_its_sites_but_not_what_is_denied() -> None:
    async with world(rules=rules('[default]\nall = "ask"\n[[site]]\nmatch = "closed.test"\nall = "deny"')) as made:
        made.chrome(launched=True).link()
        agent = made.client(Toolset.AUTOMATION, face=Face.STABLE)
        plan: JsonObject = {"domains": ["a.test", "closed.test", "http://b.test:8080"], "approach": ["Look"]}
        result = await agent.session.call("update_plan", plan)
        assert result.structured == {"approved": True, "domains": ["a.test", "b.test:8080"], "denied": ["closed.test"]}
        given = {(grant.key.origin, grant.key.access.value) for grant in made.grants.listed()}
        assert {origin for origin, _ in given} == {"https://a.test", "http://b.test:8080"}
        assert {access for _, access in given} == {"read", "act", "page_tool", "download"}
        assert len(made.approver.asked) == 1
        said = await agent.session.call("permissions_check", {"url": "https://a.test/", "action": "act"})
        assert "allowed (rule: grant" in str(said.content)
        said = await agent.session.call("permissions_check", {"url": "https://a.test/", "action": "script"})
        assert "the person is asked" in str(said.content)


async def test_a_plan_of_denied_sites_is_not_even_asked_about() -> None:
    async with world(rules=rules('[default]\nall = "deny"')) as made:
        made.chrome().link()
        agent = made.client(Toolset.AUTOMATION, face=Face.STABLE)
        assert await agent.refused("update_plan", domains=["a.test"], approach=["Look"]) == "denied"
        assert made.approver.asked == []


async def test_the_browser_asks_in_the_window_of_whoever_it_is_about() -> None:
    async with world(rules=rules(ASKED)) as made:
        chrome, client = made.chrome("one"), made.client(Toolset.AUTOMATION, face=Face.STABLE)
        chrome.link(tab(5, "https://a.test/"))
        seen = InBrowser(made.browsers, lambda browser: True)
        for answer, code in (("deny", "denied"), ("timeout", "approval_timeout"), ("nonsense", "denied")):
            chrome.answers["askPerson"] = {"answer": answer}
            plan: JsonObject = {"domains": ["b.test"], "approach": ["Look"]}
            result = await client.session.call("update_plan", plan, approver=seen)
            assert result.structured is not None
            error = result.structured["error"]
            assert isinstance(error, dict)
            assert error["code"] == code
        chrome.answers["askPerson"] = {"answer": "always"}
        assert not (await client.session.call("update_plan", plan, approver=seen)).is_error
        assert chrome.asked("askPerson")[-1]["lasting"] is False
        unseen = InBrowser(made.browsers, lambda browser: False)
        result = await client.session.call("update_plan", plan, approver=unseen)
        assert "nobody_to_ask" in str(result.structured)


async def test_a_far_browser_opens_nothing_of_its_own_network_unasked() -> None:
    async with world() as made:
        chrome, client = made.chrome(), made.client()
        chrome.link(tab(5, "http://192.168.0.1/admin"))
        (browser,) = made.browsers.all()
        browser.far = True
        made.approver.refusal = Denied("The person said no.")
        await client.call("connect_browser")
        asked = len(made.approver.asked)
        for url in ("http://localhost:3000/", "http://192.168.0.1/"):
            assert await client.refused("open_tab", url=url) == "denied"
        assert [ask.in_browser for _, ask in made.approver.asked[asked:]] == [True, True]
        assert not [command for command, *_ in chrome.sent if command == "createTab"], "nothing happened in the browser"
        (listed,) = (await client.call("list_tabs"))["tabs"]
        assert (listed["title"], listed["url"]) == ("(closed to agents)", "http://192.168.0.1")
