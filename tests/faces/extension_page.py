"""A page of the extension in a tab, used with the keyboard and looked at as axe looks at it."""

import asyncio
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Final, Literal

from playwright.async_api import BrowserContext, Page, async_playwright, expect

from tabwright.edges.chrome.extension_files import extension_id
from tests.cdp import Cdp
from tests.faces.person import violations

SLOW_S: Final = 20.0
STICKS_OUT: Final = """[...document.querySelectorAll('button, input')].filter(each => each.offsetParent)
    .filter(each => each.getBoundingClientRect().right > each.parentElement.getBoundingClientRect().right + 1)
    .map(each => each.innerText || each.id)"""
Scheme = Literal["light", "dark"]


@asynccontextmanager
async def window(cdp: Cdp) -> AsyncGenerator[BrowserContext]:
    """The person's own browser, in which an agent may be at work, as Playwright sees it."""
    expect.set_options(timeout=SLOW_S * 1000)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.connect_over_cdp(cdp.address)
        context = browser.contexts[0]
        context.set_default_timeout(SLOW_S * 1000)
        yield context
        await browser.close()


class ExtensionPage:
    """One of them: made anew, or one that opened by itself."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._words = page.locator("body")

    @classmethod
    async def open(cls, context: BrowserContext, name: str) -> "ExtensionPage":
        page = await context.new_page()
        await page.goto(f"chrome-extension://{extension_id()}/ui/{name}")
        return cls(page)

    @classmethod
    async def met(cls, context: BrowserContext, name: str) -> "ExtensionPage":
        """The one that opens, or has opened, without being asked for."""
        async with asyncio.timeout(SLOW_S):
            while True:
                for page in context.pages:
                    if f"/ui/{name}" in page.url:
                        return cls(page)
                await context.wait_for_event("page")

    async def shows(self, *words: str) -> None:
        """Wait until it says all this."""
        for each in words:
            await expect(self._words).to_contain_text(each, use_inner_text=True)

    async def lacks(self, *words: str) -> None:
        for each in words:
            await expect(self._words).not_to_contain_text(each, use_inner_text=True)

    async def run(self, expression: str) -> Any:
        return await self.page.evaluate(expression)

    async def answerable(self) -> None:
        """What comes up under a hand takes no answer for a moment."""
        await expect(self.page.locator("[data-answer=deny]:not([aria-disabled=true], :disabled)")).to_be_visible()

    # --- the keyboard alone

    async def press(self, key: str) -> None:
        await self.page.keyboard.press(key)

    async def write(self, text: str) -> None:
        await self.page.keyboard.insert_text(text)

    async def tab_to(self, name: str, most: int = 40) -> None:
        """Press Tab until what a screen reader calls so has the focus, and see that one sees it."""
        await self.page.bring_to_front()
        met: list[str] = []
        for _ in range(most):
            await self.press("Tab")
            met.append(await self.focused())
            if name in met[-1]:
                seen = await self.run("getComputedStyle(document.activeElement).outlineStyle")
                assert seen != "none", f"{name} shows no focus"
                return
        raise AssertionError(f"no {name} among {met}")

    async def focused(self) -> str:
        """What has the focus, by its label, its field's label or its words."""
        said: str = await self.run(
            "(() => { const it = document.activeElement;"
            " return it.ariaLabel || it.labels?.[0]?.innerText || it.innerText || it.tagName; })()"
        )
        return re.sub(r"\s+", " ", said).strip()

    # --- looks

    async def check(self, narrow: int = 320, wide: int = 800) -> None:
        """Nothing that axe finds wrong, light and narrow, dark and wide; and at no width anything that sticks out."""
        size = self.page.viewport_size
        for width in range(narrow, wide + 1, 160):
            await self.page.set_viewport_size({"width": width, "height": 800})
            beyond = await self.run("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert beyond <= 0, f"{beyond} px too wide at {width}"
            assert await self.run(STICKS_OUT) == [], f"sticks out of its box at {width}"
        looks: tuple[tuple[Scheme, int], ...] = (("light", narrow), ("dark", wide))
        for scheme, width in looks:
            await self.page.emulate_media(color_scheme=scheme)
            await self.page.set_viewport_size({"width": width, "height": 800})
            assert await violations(self.page) == [], f"{scheme} at {width}"
        if size is not None:
            await self.page.set_viewport_size(size)
