"""dev_utils: how gateway, link and extension are, and how fast."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final, Literal

from tabwright import __version__
from tabwright.browser.browser import Browser
from tabwright.errors import TimedOut
from tabwright.model import JsonObject, Text, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.tools.tool import Desk, Params, Tool

PINGS: Final = 7
RELOAD_S: Final = 10.0
_POLL_S: Final = 0.1


class DevUtils(Params):
    action: Literal["status", "version", "reload_extension", "list_attached", "ping"] = "status"


async def run(desk: Desk, params: DevUtils) -> ToolResult:
    return ToolResult((Text(await _ACTIONS[params.action](desk)),))


async def _status(desk: Desk) -> str:
    if desk.chosen is None:
        return await _version(desk)
    told = await desk.browser.status()
    held = desk.held
    return "\n".join([
        await _version(desk),
        f"Link: up; the extension's worker runs for {_seconds(told.get('upForMs'))}.",
        f"Tabs: {len(desk.browser.tabs)} open, {len(held)} of this session"
        + (f" ({', '.join(str(tab.id) for tab in held)})." if held else "."),
        _attached(desk.browser, told),
    ])  # fmt: skip


async def _version(desk: Desk) -> str:
    if desk.chosen is None:
        return f"tabwright {__version__}. {desk.trouble or _linked(len(desk.browsers))}"
    browser, told = desk.browser, await desk.browser.status()
    return f"tabwright {__version__}, extension {told.get('version')}, {browser.name} {browser.version}."


def _linked(count: int) -> str:
    return "No browser is connected." if count < 2 else f"{count} browsers are linked: call select_browser with one."


async def _reload(desk: Desk) -> str:
    began = time.monotonic()
    await desk.browser.reload_extension()
    for _ in range(int(RELOAD_S / _POLL_S)):
        await asyncio.sleep(_POLL_S)
        # the old worker may still answer; the new one is younger than this call
        if _age(await desk.browser.status()) < time.monotonic() - began:
            return f"The extension was reloaded and is back after {time.monotonic() - began:.1f} s."
    raise TimedOut("reload", RELOAD_S)


async def _list_attached(desk: Desk) -> str:
    return _attached(desk.browser, await desk.browser.status())


async def _ping(desk: Desk) -> str:
    lines = [f"gateway – extension: {await _latency(desk.browser.status)}"]
    for tab in desk.held:
        acted_on = desk.browser.acted_on(tab.id)
        if acted_on is not None and acted_on.cdp.attached and acted_on.cdp.dialog is None:
            cdp = acted_on.cdp
            took = await _latency(lambda cdp=cdp: cdp.send("Runtime.evaluate", {"expression": "1"}, within_s=2.0))
            lines.append(f"gateway – page of tab {tab.id} by the debugger: {took}")
    return "\n".join(lines)


async def _latency(ask: Callable[[], Awaitable[JsonObject]]) -> str:
    taken: list[float] = []
    for _ in range(PINGS):
        began = time.perf_counter()
        await ask()
        taken.append((time.perf_counter() - began) * 1000)
    return f"{sorted(taken)[PINGS // 2]:.1f} ms (median of {PINGS}, at most {max(taken):.1f})"


def _attached(browser: Browser, told: JsonObject) -> str:
    listed = told.get("attached")
    raw = [each for each in listed if isinstance(each, int)] if isinstance(listed, list) else []
    shown = [str(tab_id) for each in raw if (tab_id := browser.shown_tab(each)) is not None]
    return f"The debugger is attached to tab {', '.join(shown)}." if shown else "The debugger is attached to no tab."


def _age(told: JsonObject) -> float:
    age = told.get("upForMs")
    return age / 1000 if isinstance(age, int | float) else 0.0


def _seconds(ms: object) -> str:
    return f"{ms / 1000:.0f} s" if isinstance(ms, int | float) else "a while"


_ACTIONS: Final = {
    "status": _status,
    "version": _version,
    "reload_extension": _reload,
    "list_attached": _list_attached,
    "ping": _ping,
}

TOOL = Tool(
    name="dev_utils",
    description="Diagnose gateway, link and extension.",
    params=DevUtils,
    access=Access.READ,
    run=run,
    toolset=Toolset.AUTOMATION,
    works_alone=lambda _: True,
    hints=ToolHints(read_only=False, destructive=False, open_world=False),
)
