"""A person at a page: looks, presses keys, and is told what a screen reader or a checker of accessibility would be."""

from pathlib import Path
from typing import Any, Final

from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Error, Page

AXE: Final = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
_EXPECTED: Final = ("Failed to load resource", "ERR_")
"""What a browser says of requests that are refused or cut; tests that do that look at the page itself."""


class Person:
    """Windows of one person; each `visit` has cookies of its own."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._contexts: list[BrowserContext] = []
        self.complaints: list[str] = []

    async def window(self, *, width: int = 1280, height: int = 900, scheme: Any = "light", motion: Any = None) -> Page:
        context = await self._browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion=motion
        )
        context.set_default_timeout(15_000)
        self._contexts.append(context)
        page = await context.new_page()
        page.on("pageerror", self._wrong)
        page.on("console", self._said)
        return page

    async def visit(self, address: str, **look: Any) -> Page:
        page = await self.window(**look)
        await page.goto(address)
        return page

    async def leave(self) -> None:
        for context in self._contexts:
            await context.close()

    def _wrong(self, error: Error) -> None:
        self.complaints.append(str(error))

    def _said(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not any(word in message.text for word in _EXPECTED):
            self.complaints.append(message.text)


async def violations(page: Page) -> list[str]:
    """What axe finds wrong with a page as it looks now, one line for each rule and element."""
    # not as a script of the page: its policy would refuse that
    await page.evaluate(AXE.read_text() + "; undefined")
    told = await page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{found['id']}: {node['target']} {node['failureSummary']}"
        for found in told["violations"]
        for node in found["nodes"]
    ]


async def focus(page: Page) -> dict[str, Any]:
    """What has the focus, and whether a person sees that."""
    return await page.evaluate(
        """() => {
          const at = document.activeElement, {outlineStyle, outlineWidth} = getComputedStyle(at);
          const {width, height} = at.getBoundingClientRect();
          return {tag: at.localName, id: at.id, name: at.getAttribute('aria-label') ?? at.textContent.trim(),
                  seen: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && width > 0 && height > 0};
        }"""
    )
