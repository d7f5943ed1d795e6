"""The register of browsers: who is in it, and waiting for the first."""

import asyncio

import pytest

from tabwright.browser.browser import Browser
from tabwright.browser.browsers import Browsers
from tabwright.browser.changes import Change, Linked, Lost
from tabwright.errors import InvalidArguments
from tabwright.link import events
from tests.fakes import BOUND_S, FakeChrome, settle, tab


async def test_a_browser_is_in_the_register_from_its_link_to_its_end() -> None:
    browsers = Browsers()
    chrome = FakeChrome(browsers, "chrome")
    assert browsers.all() == (), "who has said nothing is no choice"
    assert browsers.silent
    chrome.link()
    assert browsers.all() == (chrome.browser,)
    assert not browsers.silent
    assert browsers.get("chrome") is chrome.browser
    chrome.tell(events.Ended("closed"))
    assert browsers.all() == ()
    with pytest.raises(InvalidArguments, match=r"No browser 'chrome' is linked\. Call list_connected_browsers"):
        browsers.get("chrome")


async def test_listeners_hear_of_every_browser() -> None:
    browsers = Browsers()
    heard: list[tuple[Browser, Change]] = []
    browsers.listen(lambda browser, change: heard.append((browser, change)))
    one, two = FakeChrome(browsers, "one"), FakeChrome(browsers, "two", launched=True)
    one.link()
    two.link()
    one.tell(events.Ended("closed"))
    assert heard == [(one.browser, Linked()), (two.browser, Linked()), (one.browser, Lost("closed"))]
    assert (one.browser.launched, two.browser.launched) == (False, True)


async def test_the_end_of_a_replaced_browser_does_not_remove_its_successor() -> None:
    browsers = Browsers()
    old = FakeChrome(browsers, "chrome")
    new = FakeChrome(browsers, "chrome")
    new.link()
    old.tell(events.Ended("replaced"))
    assert browsers.all() == (new.browser,)


async def test_two_browsers_with_the_same_tab_number_show_two_numbers() -> None:
    browsers = Browsers()
    one, two = FakeChrome(browsers, "one"), FakeChrome(browsers, "two")
    one.link(tab(5))
    two.link(tab(5))
    assert list(one.browser.tabs) == [5]
    assert list(two.browser.tabs) == [6]


async def test_waiting_ends_with_the_first_browser() -> None:
    browsers = Browsers()
    waiting = asyncio.create_task(browsers.wait_for_any(BOUND_S))
    await settle()
    assert not waiting.done()
    chrome = FakeChrome(browsers, "chrome")
    await settle()
    assert not waiting.done()
    chrome.link()
    assert await waiting
    assert await browsers.wait_for_any(0)


async def test_who_waits_to_be_asked_is_asked() -> None:
    browsers = Browsers()
    chrome = FakeChrome(browsers, "chrome", foreign=True)
    waiting = asyncio.create_task(browsers.wait_for_any(BOUND_S))
    await settle()
    assert chrome.asked("connect") == [{}]
    chrome.link()
    assert await waiting


async def test_waiting_in_vain_is_told() -> None:
    assert not await Browsers().wait_for_any(0.01)
