"""Files that begin in a held tab: judged once, kept or dropped as the policy and the person say."""

import pytest

from tabwright.errors import Denied
from tabwright.link.events import DownloadReported
from tabwright.policy.rule_file import read_rules
from tabwright.policy.rules import Rules
from tests.calls.world import World, world
from tests.fakes import FakeChrome, settle, tab

RULES = read_rules(
    '[[site]]\nmatch = "a.test"\ndownload = "ask"\n[[site]]\nmatch = ["b.test", "files.test"]\ndownload = "deny"',
    Rules(),
)


async def holding(made: World, url: str) -> FakeChrome:
    """A browser whose one tab an agent holds."""
    chrome, client = made.chrome(), made.client()
    chrome.link(tab(5, url))
    await client.call("connect_browser")
    await client.call("focus_tab", tabId=5)
    return chrome


def report(url: str, state: str = "in_progress", referrer: str = "", tab_id: int | None = 5) -> DownloadReported:
    return DownloadReported(1, url, "/tmp/x", state, 0, 10, "", referrer, tab_id)


def verdicts(chrome: FakeChrome) -> list[object]:
    return [asked["verdict"] for asked in chrome.asked("judgeDownload")]


@pytest.mark.rule("T71")
@pytest.mark.parametrize(
    ("page", "file", "expected"),
    [
        ("https://other.test/", "https://other.test/x", []),
        ("https://b.test/", "https://b.test/x", ["drop"]),
        ("https://b.test/", "https://other.test/x", ["drop"]),
        ("https://other.test/", "https://files.test/x", ["drop"]),
        ("https://b.test/", "blob:https://b.test/1-2", ["drop"]),
        ("https://a.test/", "https://a.test/x", ["hold", "keep"]),
        ("https://a.test/", "https://files.test/x", ["drop"]),
    ],
)
async def test_a_file_is_judged_for_its_page_and_for_its_site(page: str, file: str, expected: list[str]) -> None:
    async with world(rules=RULES) as made:
        chrome = await holding(made, page)
        for state in ("in_progress", "in_progress", "complete"):
            chrome.tell(report(file, state))
            await settle()
        assert verdicts(chrome) == expected


@pytest.mark.rule("T71")
async def test_what_the_person_refuses_is_dropped_and_they_are_asked_once() -> None:
    async with world(rules=RULES) as made:
        made.approver.refusal = Denied("The person said no.")
        chrome = await holding(made, "https://a.test/")
        chrome.tell(report("https://a.test/x"))
        await settle()
        chrome.tell(report("https://a.test/x", "interrupted"))
        await settle()
        assert verdicts(chrome) == ["hold", "drop"]
        assert len(made.approver.asked) == 1
        download = chrome.browser.downloads.get(1)
        assert download is not None
        assert download.text == "A download was not kept: The person said no."


async def test_files_of_tabs_that_no_agent_holds_are_the_person_s() -> None:
    async with world(rules=RULES) as made:
        chrome = await holding(made, "https://other.test/")
        chrome.link(tab(5, "https://other.test/"), tab(6, "https://b.test/"))
        chrome.tell(report("https://b.test/x", tab_id=6))
        chrome.tell(report("https://b.test/x", referrer="https://b.test/", tab_id=None))
        await settle()
        assert verdicts(chrome) == []
