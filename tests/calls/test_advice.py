"""The next step that a failure names is one that the session has."""

import pytest

from tabwright.calls.advice import advise
from tabwright.errors import BrowserNotConnected, DialogOpen, TabNotFound, TabNotHeld, ToolError
from tabwright.model import Toolset
from tabwright.tools import TOOLS
from tests.calls.world import world
from tests.fakes import tab


def failures() -> list[ToolError]:
    return [BrowserNotConnected(), TabNotFound(7), TabNotHeld(7), DialogOpen("alert", "Hi")]


@pytest.mark.parametrize("toolset", list(Toolset))
def test_no_tool_is_named_that_the_session_lacks(toolset: Toolset) -> None:
    others = [tool.name for tool in TOOLS if tool.toolset is not toolset]
    for error in failures():
        advise(error, frozenset({toolset}))
        assert error.next_step
        assert str(error) == f"{error.message} {error.next_step}"
        assert [name for name in others if name in str(error).replace(",", "").split()] == []


def test_a_next_step_of_its_own_is_kept() -> None:
    error = TabNotFound(7, "List the tools again.")
    advise(error, frozenset({Toolset.AUTOMATION}))
    assert error.next_step == "List the tools again."


async def test_a_client_with_automation_only_is_told_of_its_own_tools() -> None:
    async with world() as made:
        made.chrome().link(tab(1), tab(2))
        agent = made.client(Toolset.AUTOMATION)
        for tab_id in (99, 1):
            result = await agent.session.call("read_page", {"tabId": tab_id})
            assert result.structured is not None
            error = result.structured["error"]
            assert isinstance(error, dict)
            assert "tabs_context" in str(error["next"])


async def test_a_tab_with_a_file_of_this_machine_is_out_of_bounds() -> None:
    async with world() as made:
        made.chrome().link(tab(1, url="file:///home/ann/notes.html"))
        agent = made.client()
        await agent.call("connect_browser")
        assert await agent.refused("focus_tab", tabId=1) == "denied"
