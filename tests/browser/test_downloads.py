"""Downloads: whose each is, what is told of it, and how long a call waits for it."""

import asyncio

import pytest

from tabwright.browser.downloads import KEPT, Downloads, begins_within, without_signs
from tabwright.link.events import CdpEvent, DownloadReported
from tabwright.model import TabId
from tests.fakes import BOUND_S

ONE, TWO = TabId(1), TabId(2)
URL = "https://a.test/file"


def reported(number: int = 7, state: str = "in_progress", *, referrer: str = "", url: str = URL) -> DownloadReported:
    return DownloadReported(number, url, "/tmp/file", state, 1000, 2500, referrer=referrer)


def begins(url: str = URL) -> CdpEvent:
    return CdpEvent(1, "Page.downloadWillBegin", {"url": url, "guid": "g"})


def numbers(downloads: Downloads, tab_id: TabId, page: str = "", since: int = 0) -> list[int]:
    return [download.id for download in downloads.of(tab_id, page, since=since)]


def test_the_extension_says_whose_it_is() -> None:
    downloads = Downloads()
    downloads.apply(reported(), ONE)
    downloads.apply(reported(state="complete"), None)
    assert (numbers(downloads, ONE), numbers(downloads, TWO)) == ([7], [])


@pytest.mark.parametrize("debugger_first", [True, False])
def test_the_debugger_says_it_in_either_order_and_for_one_download_only(debugger_first: bool) -> None:
    downloads = Downloads()
    if debugger_first:
        downloads.begun_in(ONE, begins())
    downloads.apply(reported(), None)
    if not debugger_first:
        downloads.begun_in(ONE, begins())
    downloads.apply(reported(8), None)
    assert numbers(downloads, ONE) == [7]


def test_the_page_it_was_linked_from_says_it_where_nobody_else_does() -> None:
    downloads = Downloads()
    downloads.apply(reported(referrer="https://a.test/"), None)
    assert numbers(downloads, ONE, "https://a.test/") == [7]
    assert numbers(downloads, TWO, "https://b.test/") == []
    downloads.apply(reported(8), None)
    assert numbers(downloads, ONE, "") == []


def test_only_what_began_since_a_mark_counts() -> None:
    downloads = Downloads()
    downloads.apply(reported(7), ONE)
    mark = downloads.mark
    downloads.apply(reported(7, "complete"), ONE)
    downloads.apply(reported(8), ONE)
    assert numbers(downloads, ONE, since=mark) == [8]


def test_a_closed_tabs_number_does_not_pass_its_files_on() -> None:
    downloads = Downloads()
    downloads.begun_in(ONE, begins())
    downloads.apply(reported(8, url="https://a.test/other"), ONE)
    downloads.forget(ONE)
    downloads.apply(reported(), None)
    assert numbers(downloads, ONE) == []


def test_the_oldest_are_forgotten() -> None:
    downloads = Downloads()
    for number in range(KEPT + 5):
        downloads.apply(reported(number), ONE)
    assert numbers(downloads, ONE) == list(range(5, KEPT + 5))


def test_what_is_said_of_one() -> None:
    downloads = Downloads()
    downloads.apply(reported(), ONE)
    downloads.apply(reported(8, "complete"), ONE)
    downloads.apply(DownloadReported(9, URL, "", "interrupted", 0, -1, "NETWORK_FAILED"), ONE)
    assert [download.text for download in downloads.of(ONE)] == [
        "Downloading /tmp/file: 1.0 KB of 2.5 KB so far. tabs_context tells when it is done.",
        "Downloaded /tmp/file (2.5 KB).",
        "The download of a file whose place is not chosen yet failed (NETWORK_FAILED).",
    ]


async def test_a_call_waits_for_the_file_it_caused_and_for_no_other() -> None:
    downloads = Downloads()
    downloads.apply(reported(6, "in_progress"), TWO)
    assert await downloads.caused(ONE, "", 0) == []
    downloads.apply(reported(7), ONE)
    waiting = asyncio.create_task(downloads.caused(ONE, "", 0))
    await asyncio.sleep(0)
    assert not waiting.done()
    downloads.apply(reported(7, "complete"), None)
    async with asyncio.timeout(BOUND_S):
        assert [download.state for download in await waiting] == ["complete"]


async def test_what_a_call_was_told_of_stays_its_tabs() -> None:
    downloads = Downloads()
    downloads.apply(reported(7, "complete", referrer="https://a.test/"), None)
    assert len(await downloads.caused(ONE, "https://a.test/", 0)) == 1
    assert (numbers(downloads, ONE), numbers(downloads, TWO, "https://a.test/")) == ([7], [])


async def test_an_expected_file_is_given_a_moment_to_begin() -> None:
    downloads = Downloads()
    waiting = asyncio.create_task(downloads.caused(ONE, "", 0, begins_within_s=BOUND_S))
    await asyncio.sleep(0)
    downloads.apply(reported(7, "complete"), ONE)
    async with asyncio.timeout(BOUND_S):
        assert len(await waiting) == 1


def test_what_the_page_says_of_a_gesture_tells_how_long_a_file_may_take_to_begin() -> None:
    lines = ("A download started: x.", "The heading is now “A”.")
    assert begins_within(lines) > begins_within(("That led to no other page.",)) > begins_within(lines[1:]) == 0
    assert without_signs(lines) == lines[1:]
