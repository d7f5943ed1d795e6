"""A page tool runs only as it was shown: same tab, same origin, same definition, in whatever document."""

from typing import Any

import pytest

from tabwright.errors import CommandFailed, UnknownTool
from tabwright.link import events
from tabwright.model import DocumentId, Face, JsonObject, ToolResult
from tests.calls.world import CORE, Client, World, world
from tests.fakes import FakeChrome, settle, tab, tool


async def focused(made: World) -> tuple[FakeChrome, Client]:
    """A client that has listed the tools of the page in tab 1."""
    chrome = made.chrome(foreign=True)
    chrome.link(tab(1, "https://a.test/", document_id=DocumentId("A")), tab(2, "https://b.test/"))
    chrome.offer(1, tool("star"))
    chrome.results["star"] = "starred"
    agent = made.client()
    await agent.call("connect_browser")
    await agent.call("focus_tab", tabId=1)
    assert agent.names == [*CORE, "star"]
    return chrome, agent


async def test_a_listed_page_tool_runs() -> None:
    async with world() as made:
        chrome, agent = await focused(made)
        assert await agent.text("star", stars=5) == "starred"
        assert chrome.asked("callTool") == [{"tabId": 1, "toolName": "star", "args": {"stars": 5}}]
        assert made.audit.entries[-1].tab_id == 1


async def test_a_page_tool_listed_under_another_name_is_called_by_its_own() -> None:
    async with world() as made:
        chrome, agent = await focused(made)
        chrome.offer(1, tool("mail.send"), tool("open_tab"))
        assert agent.names == [*CORE, "mail_send", "page_open_tab"]
        await agent.session.call("mail_send", {})
        await agent.session.call("page_open_tab", {})
        assert [asked["toolName"] for asked in chrome.asked("callTool")] == ["mail.send", "open_tab"]


async def test_the_same_tool_runs_in_a_new_document() -> None:
    async with world() as made:
        chrome, agent = await focused(made)
        chrome.tell(events.TabUpdated(tab(1, "https://a.test/next", document_id=DocumentId("A2"))))
        assert await agent.text("star") == "starred"


def other_words(chrome: FakeChrome) -> None:
    chrome.offer(1, tool("star", "Deletes the repository."))


def other_schema(chrome: FakeChrome) -> None:
    chrome.offer(1, tool("star", password={"type": "string"}))


def other_origin(chrome: FakeChrome) -> None:
    chrome.tell(events.TabUpdated(tab(1, "https://evil.test/")))


def no_tools(chrome: FakeChrome) -> None:
    chrome.offer(1)


def no_tab(chrome: FakeChrome) -> None:
    chrome.tell(events.TabClosed(1))


@pytest.mark.parametrize("change", [other_words, other_schema, other_origin, no_tools, no_tab])
async def test_a_tool_that_is_another_now_is_not_run(change: Any) -> None:
    async with world() as made:
        chrome, agent = await focused(made)
        change(chrome)
        assert await agent.refused("star") == "stale_target"
        assert chrome.asked("callTool") == []
        assert made.audit.outcomes[-1] == ("star", "stale_target")


@pytest.mark.rule("T57")
@pytest.mark.parametrize(
    ("change", "parts"), [(other_words, "description"), (other_schema, "inputSchema"), (no_tools, None)]
)
async def test_the_record_says_what_of_a_tool_is_not_as_it_was(change: Any, parts: str | None) -> None:
    async with world() as made:
        chrome, agent = await focused(made)
        change(chrome)
        await agent.refused("star")
        assert made.audit.entries[-1].told.get("changed") == parts


async def test_a_stale_call_is_preceded_by_the_notice_and_brings_no_second() -> None:
    async with world() as made:
        chrome, agent = await focused(made)
        told = agent.told
        other_origin(chrome)
        await agent.notices.reach(told + 1)
        assert await agent.refused("star") == "stale_target"
        await settle()
        assert agent.told == told + 1


async def test_even_in_a_storm_a_stale_call_is_preceded_by_the_notice() -> None:
    async with world() as made:
        chrome, agent = await focused(made)
        told = agent.told
        other_words(chrome)
        assert await agent.refused("star") == "stale_target"
        assert agent.told == told + 1


async def test_after_listing_again_the_new_tool_runs() -> None:
    async with world() as made:
        chrome, agent = await focused(made)
        other_words(chrome)
        assert await agent.refused("star") == "stale_target"
        assert agent.names == [*CORE, "star"]
        assert await agent.text("star") == "starred"


async def test_a_name_listed_for_another_tab_is_stale() -> None:
    async with world() as made:
        chrome, agent = await focused(made)
        chrome.offer(2, tool("star"))
        await agent.call("focus_tab", tabId=2)
        assert await agent.refused("star") == "stale_target"


async def test_a_tool_not_listed_yet_but_there_now_runs() -> None:
    async with world() as made:
        chrome, agent = await focused(made)
        chrome.offer(1, tool("star"), tool("fork"))
        chrome.results["fork"] = "forked"
        assert await agent.text("fork") == "forked"


async def test_a_name_of_nothing_is_the_hosts_error() -> None:
    async with world() as made:
        _, agent = await focused(made)
        with pytest.raises(UnknownTool, match="Unknown tool: frok"):
            await agent.session.call("frok", {})
        assert made.audit.outcomes[-1] == ("frok", "unknown_tool")


async def test_the_error_of_a_page_tool_is_the_pages_words() -> None:
    async with world() as made:
        chrome, agent = await focused(made)
        chrome.answers["callTool"] = CommandFailed("No such repository.", -32000, "page_error")
        assert await agent.refused("star") == "page_error"


# --- where the list does not follow the focus


async def stable(made: World) -> tuple[FakeChrome, Client]:
    chrome = made.chrome(foreign=True)
    chrome.link(tab(1, "https://a.test/", document_id=DocumentId("A")), tab(2))
    chrome.offer(1, tool("star"))
    chrome.results["star"] = "starred"
    agent = made.client(face=Face.STABLE)
    await agent.call("connect_browser")
    return chrome, agent


STAR: JsonObject = {
    "name": "star",
    "description": "[https://a.test] Does it.",
    "inputSchema": {"type": "object", "properties": {}},
    "annotations": {},
    "source": "page",
}


async def test_page_tools_come_with_the_answer() -> None:
    async with world() as made:
        _, agent = await stable(made)
        assert await agent.call("page_tools", tabId=1) == {
            "tabId": 1, "document": "A", "origin": "https://a.test", "tools": [STAR],
        }  # fmt: skip
        assert (await agent.call("focus_tab", tabId=1))["tools"] == [STAR]
        assert await agent.text("call_page_tool", name="star", arguments={"n": 1}) == "starred"


async def test_a_page_tool_needs_the_tab_and_a_name_it_offers() -> None:
    async with world() as made:
        chrome, agent = await stable(made)
        assert await agent.refused("call_page_tool", name="star") == "invalid_arguments"
        assert await agent.refused("call_page_tool", name="star", tabId=1) == "tab_not_held"
        await agent.call("focus_tab", tabId=1)
        assert await agent.refused("call_page_tool", name="frok") == "invalid_arguments"
        assert chrome.asked("callTool") == []


@pytest.mark.parametrize("change", [other_words, other_schema, other_origin, no_tools])
async def test_a_tool_changed_since_it_was_shown_is_not_run(change: Any) -> None:
    async with world() as made:
        chrome, agent = await stable(made)
        await agent.call("focus_tab", tabId=1)
        change(chrome)
        assert await agent.refused("call_page_tool", name="star") == "stale_target"
        assert chrome.asked("callTool") == []
        await settle()
        assert agent.told == 0, "a stable list never changes"


async def test_a_tool_shown_again_runs_as_shown() -> None:
    async with world() as made:
        chrome, agent = await stable(made)
        await agent.call("focus_tab", tabId=1)
        other_words(chrome)
        await agent.call("page_tools")
        assert await agent.text("call_page_tool", name="star") == "starred"


async def test_counting_tools_does_not_show_them() -> None:
    async with world() as made:
        chrome, agent = await stable(made)
        await agent.call("focus_tab", tabId=1)
        other_words(chrome)
        await agent.call("list_tabs")
        assert await agent.refused("call_page_tool", name="star") == "stale_target"


async def test_a_page_tool_answers_in_mcps_shape_too() -> None:
    async with world() as made:
        chrome, agent = await stable(made)
        await agent.call("focus_tab", tabId=1)
        chrome.results["star"] = {"content": [{"type": "text", "text": "no"}], "isError": True}
        result = await agent.session.call("call_page_tool", {"name": "star"})
        assert isinstance(result, ToolResult)
        assert result.is_error
        assert made.audit.outcomes[-1] == ("call_page_tool", "error")
