"""Page tools that call themselves consequential need the person; what was found by looking is not the page's word."""

from dataclasses import replace

import pytest

from tabwright.errors import Denied
from tabwright.model import PageTool
from tests.calls.world import world
from tests.fakes import tab, tool


def hinted(source: str, **annotations: bool) -> PageTool:
    return replace(tool("pay"), annotations={**annotations}, source=source)


@pytest.mark.parametrize("hint", ["consequentialHint", "destructiveHint"])
async def test_the_person_is_asked_before_it_runs_and_obeyed(hint: str) -> None:
    async with world() as made:
        chrome, client = made.chrome(foreign=True), made.client()
        chrome.link(tab(5))
        await client.call("connect_browser")
        chrome.offer(5, hinted("page", **{hint: True}))
        await client.call("focus_tab", tabId=5)
        chrome.results["pay"] = "paid"
        assert await client.text("pay") == "paid"
        [(action, ask)] = made.approver.asked
        assert (action.tool, ask.question) == ("pay", "Run pay of https://example.com?")
        made.approver.refusal = Denied("no")
        assert await client.refused("pay") == "denied"
        assert [command for command, _ in chrome.sent].count("callTool") == 1


@pytest.mark.parametrize(
    "offered",
    [hinted("page"), hinted("page", readOnlyHint=False, destructiveHint=False)],
    ids=["no word", "a no"],
)
async def test_no_word_is_no_reason_to_ask(offered: PageTool) -> None:
    async with world() as made:
        chrome, client = made.chrome(foreign=True), made.client()
        chrome.link(tab(5))
        await client.call("connect_browser")
        chrome.offer(5, offered)
        await client.call("focus_tab", tabId=5)
        chrome.results["pay"] = "paid"
        assert await client.text("pay") == "paid"
        assert made.approver.asked == []


async def test_what_we_found_ourselves_is_not_the_pages_word() -> None:
    async with world() as made:
        chrome, client = made.chrome(), made.client()
        chrome.link(tab(5))
        await client.call("connect_browser")
        chrome.offer(5, hinted("introspection", destructiveHint=True))
        await client.call("focus_tab", tabId=5)
        chrome.answers["runTool"] = {"result": "done"}
        assert await client.text("pay") == "done"
        assert made.approver.asked == []
