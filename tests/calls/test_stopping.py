"""The person's stop, and a session's end: calls under way end, as stopped or as cancelled."""

import asyncio

import pytest

from tabwright.calls.brake import Brake
from tabwright.errors import Stopped
from tabwright.link import events
from tests.calls.world import world
from tests.fakes import settle, tab


async def forever() -> None:
    await asyncio.Event().wait()


async def test_what_runs_is_stopped_and_what_comes_is_not_begun() -> None:
    brake, begun = Brake(), list[str]()

    async def work() -> None:
        brake.check()
        begun.append("work")
        await forever()

    running = asyncio.create_task(brake.run(work()))
    await asyncio.sleep(0)
    brake.pull()
    with pytest.raises(Stopped, match="in the midst"):
        await running
    with pytest.raises(Stopped, match="was not run"):
        await brake.run(work())
    assert begun == ["work"]
    brake.release()
    assert await brake.run(asyncio.sleep(0, "again")) == "again"


async def test_a_client_that_cancels_is_not_told_that_the_person_did() -> None:
    running = asyncio.create_task(Brake().run(forever()))
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_a_browser_stops_only_the_agents_that_work_in_it() -> None:
    async with world() as made:
        one, two = made.chrome("one"), made.chrome("two")
        one.link(tab(1))
        agent = made.client()
        await agent.call("connect_browser")
        two.link()
        session = agent.session.workspace.id
        two.tell(events.SessionStopped(session, stopped=True))
        assert len((await agent.call("list_tabs"))["tabs"]) == 1
        one.tell(events.SessionStopped("nobody", stopped=True))
        one.tell(events.SessionStopped(session, stopped=True))
        assert await agent.refused("list_tabs") == "stopped"
        one.tell(events.SessionStopped(session, stopped=False))
        assert len((await agent.call("list_tabs"))["tabs"]) == 1


async def test_a_session_that_ends_takes_its_calls_along() -> None:
    async with world() as made:
        chrome = made.chrome()
        chrome.link(tab(1))
        agent, other = made.client(), made.client()
        await agent.call("connect_browser")
        await other.call("connect_browser")
        chrome.gates["createTab"] = asyncio.Event()
        running = asyncio.create_task(agent.call("open_tab", url="https://a.test/"))
        staying = asyncio.create_task(other.call("open_tab", url="https://b.test/"))
        await settle()
        made.sessions.close(agent.session)
        with pytest.raises(asyncio.CancelledError):
            await running
        assert made.audit.outcomes[-1] == ("open_tab", "cancelled")
        chrome.gates["createTab"].set()
        assert (await staying)["tab"]["url"] == "https://b.test/"


async def test_the_record_tells_of_calls_that_were_stopped_and_of_those_that_were_refused_then() -> None:
    async with world() as made:
        chrome = made.chrome()
        chrome.link(tab(1))
        agent = made.client()
        await agent.call("connect_browser")
        chrome.gates["createTab"] = asyncio.Event()
        running = asyncio.create_task(agent.refused("open_tab", url="https://a.test/"))
        await settle()
        chrome.tell(events.SessionStopped(agent.session.workspace.id, stopped=True))
        assert await running == "stopped"
        assert await agent.refused("list_tabs") == "stopped"
        assert made.audit.outcomes[-2:] == [("open_tab", "stopped"), ("list_tabs", "stopped")]
