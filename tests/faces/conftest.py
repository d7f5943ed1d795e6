"""The person's own browser, in which pages for people are looked at: apart from the one that agents work in."""

import shutil
from collections.abc import AsyncIterator

import pytest_asyncio
from playwright.async_api import Browser, async_playwright, expect

from tests.faces.person import Person


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chromium() -> AsyncIterator[Browser]:
    found = next(path for name in ("google-chrome", "chromium", "chromium-browser") if (path := shutil.which(name)))
    expect.set_options(timeout=15_000)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="module")
async def person(chromium: Browser) -> AsyncIterator[Person]:
    """Somebody with a window of their own, who has been nowhere yet."""
    made = Person(chromium)
    yield made
    await made.leave()
    assert made.complaints == [], "the page's own errors, and what its policy of content refused"
