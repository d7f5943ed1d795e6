"""The life of a call: parsed, permitted, run, written down; and what happens beside it."""

import asyncio
import logging

import pytest

from tabwright.browser.browsers import Browsers
from tabwright.calls.asking import InBrowser
from tabwright.calls.audit import Afterwards, Entry, LogAudit
from tabwright.calls.context import Catalog
from tabwright.calls.permission import Permissions
from tabwright.calls.sessions import Parts, Sessions
from tabwright.errors import CommandFailed, NobodyToAsk, UnknownTool
from tabwright.link import events
from tabwright.model import Face, SessionId, TabId, ToolResult, Toolset
from tabwright.policy.actions import Access, Action, Ask, Principal
from tabwright.policy.rules import Rules
from tabwright.session.workspace import Options
from tabwright.tools import TOOLS
from tabwright.tools.tool import Desk, Params, Tool
from tests.calls.world import CORE, STABLE, world
from tests.fakes import FakeApprover, FakeAudit, FakeLauncher, Notices, settle, tab, tool


async def test_every_call_is_written_down_with_how_it_ended() -> None:
    async with world() as made:
        made.chrome().link(tab(1))
        agent = made.client(name="Codex")
        await agent.call("connect_browser")
        await agent.call("focus_tab", tabId=1)
        await agent.refused("focus_tab", tabId=2)
        await agent.refused("focus_tab")
        assert made.audit.outcomes == [
            ("connect_browser", "ok"),
            ("focus_tab", "ok"),
            ("focus_tab", "tab_not_found"),
            ("focus_tab", "invalid_arguments"),
        ]
        entry = made.audit.entries[1]
        assert (entry.session, entry.client, entry.tab_id) == (agent.session.workspace.id, "Codex", 1)
        assert entry.seconds >= 0


async def test_a_call_that_is_cancelled_is_written_down_as_such() -> None:
    async with world() as made:
        chrome = made.chrome()
        chrome.link()
        chrome.gates["createTab"] = asyncio.Event()
        agent = made.client()
        await agent.call("connect_browser")
        opening = asyncio.create_task(agent.call("open_tab", url="https://a.test"))
        await chrome.reached.wait()
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        assert made.audit.outcomes[-1] == ("open_tab", "cancelled")


class NoParams(Params):
    pass


async def broken(desk: Desk, params: NoParams) -> ToolResult:
    raise RuntimeError("our own bug")


async def test_a_bug_of_ours_is_not_written_down_as_cancelled() -> None:
    tool_of_ours = Tool("broken", "Fails.", NoParams, Access.READ, broken, Toolset.FOCUS)
    async with world(Catalog((*TOOLS, tool_of_ours))) as made:
        with pytest.raises(RuntimeError):
            await made.client(face=Face.STABLE).session.call("broken", {})
        assert made.audit.outcomes[-1][1] not in ("cancelled", "ok")


async def test_a_tool_of_another_toolset_or_face_is_unknown() -> None:
    async with world() as made:
        with pytest.raises(UnknownTool):
            await made.client(Toolset.AUTOMATION).session.call("list_tabs", {})
        with pytest.raises(UnknownTool):
            await made.client().session.call("page_tools", {})


async def test_a_denied_call_names_the_rule() -> None:
    async with world(rules=Rules()) as made:
        made.chrome().link()
        agent = made.client()
        await agent.call("connect_browser")
        result = await agent.session.call("open_tab", {"url": "chrome://settings"})
        assert result.structured is not None
        assert result.structured["error"] == {
            "code": "denied",
            "message": "chrome: addresses are not opened for agents.",
            "next": "(rule: navigation: web pages only)",
        }


async def test_where_nobody_can_be_asked_the_answer_is_no_at_once() -> None:
    nobody = InBrowser(Browsers(), lambda browser: True)
    with pytest.raises(NobodyToAsk, match=r"buy needs the person's consent \(Really\?\), and nobody can be asked"):
        await nobody.approve(Action(Principal("user"), "buy", Access.PAGE_TOOL, {}), Ask("rule", "Really?"))


@pytest.mark.parametrize(("tab_id", "where"), [(TabId(4), " tab=4"), (None, "")])
def test_the_log_keeps_one_line_a_call(tab_id: TabId | None, where: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        LogAudit().record(Entry(SessionId("s1"), "Codex", "focus_tab", tab_id, "ok", 0.0123))
    assert caplog.messages == [f"call s1 'Codex' tool='focus_tab'{where} outcome='ok' ms=12.3"]


async def test_an_answer_does_not_wait_for_who_is_told_afterwards() -> None:
    told = FakeAudit()
    afterwards = Afterwards(told)
    afterwards.record(Entry(SessionId("s1"), "Codex", "focus_tab", None, "ok", 0.0123))
    await asyncio.sleep(0)
    assert told.outcomes == []
    afterwards.catch_up()
    assert told.outcomes == [("focus_tab", "ok")]


# --- the list


async def test_a_stable_list_stays_whatever_happens() -> None:
    async with world() as made:
        chrome = made.chrome(foreign=True)
        chrome.link()
        agent = made.client(face=Face.STABLE)
        assert agent.names == STABLE
        before = agent.session.list().fingerprint
        await agent.call("connect_browser")
        opened = (await agent.call("open_tab", url="https://a.test"))["tab"]["id"]
        chrome.offer(opened, tool("star"))
        await agent.call("open_tab", url="https://b.test")
        await agent.call("close_tab", tabId=opened)
        chrome.tell(events.Ended("closed"))
        await settle()
        assert agent.session.list().fingerprint == before
        assert agent.told == 0


async def test_a_storm_of_changes_within_the_window_is_told_once() -> None:
    async with world() as made:
        chrome = made.chrome(foreign=True)
        chrome.link(tab(1))
        agent = made.client()
        await agent.call("connect_browser")
        await agent.call("focus_tab", tabId=1)
        told = agent.told
        for number in range(20):
            chrome.offer(1, tool(f"tool_{number}"))
        await agent.notices.reach(told + 1)
        await agent.call("focus_tab", tabId=1)
        assert agent.told == told + 1, "nothing was left to tell"
        assert agent.names == [*CORE, "tool_19"]


async def test_a_lone_change_after_quiet_is_told_at_once() -> None:
    async with world() as made:
        made.chrome("one").link()
        agent = made.client()
        made.chrome("two").link()
        await settle()
        assert agent.told == 1


async def test_a_closed_session_is_told_nothing_more() -> None:
    async with world() as made:
        chrome = made.chrome(foreign=True)
        chrome.link(tab(1))
        agent = made.client()
        await agent.call("connect_browser")
        await agent.call("focus_tab", tabId=1)
        chrome.offer(1, tool("star"))
        told = agent.told
        made.sessions.close(agent.session)
        chrome.offer(1, tool("fork"))
        await settle()
        assert agent.told == told


async def test_a_client_that_cannot_be_told_harms_nobody(caplog: pytest.LogCaptureFixture) -> None:
    async def broken_pipe() -> None:
        raise BrokenPipeError

    async with world() as made:
        made.chrome("one").link()
        options = Options(frozenset({Toolset.FOCUS}), Face.DYNAMIC)
        made.sessions.open(options, broken_pipe)
        whole = made.client()
        made.chrome("two").link()
        await settle()
        assert whole.told == 1
        assert "work beside the calls failed" in caplog.text


async def test_before_it_runs_nothing_is_done_beside_the_calls() -> None:
    async with world() as made:
        parts = Parts(
            Catalog(TOOLS),
            made.browsers,
            Permissions(lambda: Rules(), made.grants, made.audit),
            FakeApprover(),
            FakeAudit(),
            FakeLauncher(),
            made.files,
            made.shortcuts,
        )
        sessions, notices = Sessions(parts), Notices()
        sessions.open(Options(frozenset({Toolset.FOCUS}), Face.DYNAMIC), notices)
        made.chrome("one").link()
        made.chrome("two").link()
        await settle()
        assert notices.count == 0


async def test_the_gateway_is_idle_only_while_there_is_no_session() -> None:
    async with world() as made:
        before = made.sessions.idle_since
        assert before is not None
        agent = made.client()
        assert made.sessions.idle_since is None
        made.sessions.close(agent.session)
        after = made.sessions.idle_since
        assert after is not None
        assert after >= before


async def test_a_browser_that_fails_to_open_a_tab_leaves_nothing_held() -> None:
    async with world() as made:
        chrome = made.chrome()
        chrome.link()
        chrome.answers["createTab"] = CommandFailed("No window.")
        agent = made.client()
        await agent.call("connect_browser")
        assert await agent.refused("open_tab", url="https://a.test") == "failed"
        assert made.sessions.held(agent.session) == ()
