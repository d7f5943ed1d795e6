"""What the person sees in the browser itself: grants in the popup, the latest calls in the side panel.

A browser is told only while a page that shows it is open there, and only what concerns it: changes are gathered, one
message is under way at a time, and none holds more than the newest calls. Also answers what is pressed in those pages:
a grant taken back, the dashboard asked for.

Lifecycle of a look: `lookedAt` -> everything is told -> changes are told -> `lookedAt` without wishes, or the browser
is lost. A browser that comes back says again what it looks at.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Final, cast

from tabwright.browser import changes
from tabwright.browser.browser import Browser
from tabwright.browser.browsers import Browsers
from tabwright.browser.changes import Change
from tabwright.calls.asking import profile_of
from tabwright.calls.audit import Audit
from tabwright.calls.timeline import PastCall, Timeline
from tabwright.edges.commands.grant_control import GrantControl
from tabwright.errors import ToolError
from tabwright.link import events
from tabwright.model import BrowserId, Json, JsonObject
from tabwright.policy.grants import ANY, Grants
from tabwright.policy.text import clean

log = logging.getLogger(__name__)

BY: Final = "popup"
GATHER_S: Final = 0.15
"""Changes come in bursts; what is shown is drawn once for each."""
LOOK_S: Final = 2.0
"""Grants that were given or taken elsewhere are not told: they are looked for so often."""
MAX_CALLS: Final = 100
MAX_GRANTS: Final = 200
MAX_NAME: Final = 80


@dataclass(slots=True)
class _Look:
    """What one browser has open, and what it was told."""

    browser: Browser
    grants: bool
    calls: bool
    news: asyncio.Event = field(default_factory=asyncio.Event)
    seen: int = 0
    told: list[Json] | None = None
    task: asyncio.Task[None] | None = None

    def end(self) -> None:
        if self.task is not None:
            self.task.cancel()


class Onlookers:
    """All browsers in which somebody looks on."""

    def __init__(
        self, browsers: Browsers, timeline: Timeline, grants: Grants, audit: Audit, dashboard: Callable[[], str]
    ) -> None:
        self._timeline = timeline
        self._grants = GrantControl(grants, audit, BY)
        self._dashboard = dashboard
        self._looks: dict[BrowserId, _Look] = {}
        self._tasks: asyncio.TaskGroup | None = None
        browsers.listen(self._changed)
        timeline.listen(self._ended)

    async def run(self) -> None:
        """Lets browsers be told until it is cancelled."""
        async with asyncio.TaskGroup() as self._tasks:
            try:
                await asyncio.Event().wait()
            finally:
                self._tasks = None

    # --- what happens

    def _changed(self, browser: Browser, change: Change) -> None:
        match change:
            case events.LookedAt(grants=grants, calls=calls):
                self._looked(browser, grants, calls)
            case events.GrantRevoked(grant=grant):
                self._revoke(browser, grant)
            case events.DashboardWanted():
                self._open_dashboard(browser)
            case changes.Lost():
                self._forget(browser)
            case _:
                pass

    def _looked(self, browser: Browser, grants: bool, calls: bool) -> None:
        """It may have forgotten what it was told, so it is told everything."""
        self._forget(browser)
        if grants or calls:
            look = self._looks[browser.id] = _Look(browser, grants, calls)
            look.task = self._spawn(self._tell(look))

    def _forget(self, browser: Browser) -> None:
        if (look := self._looks.pop(browser.id, None)) is not None:
            look.end()

    def _revoke(self, browser: Browser, grant_id: str) -> None:
        if any(grant["id"] == grant_id for grant in self._listed(browser)):
            self._grants.handle("grants-revoke", {"id": grant_id})
        if browser.id in self._looks:
            self._looks[browser.id].news.set()

    def _open_dashboard(self, browser: Browser) -> None:
        # its page is on this machine, and so must be who sees it
        if not browser.remote:
            self._spawn(_quietly(browser.person.open_dashboard(self._dashboard())))

    def _ended(self, call: PastCall) -> None:
        look = self._looks.get(BrowserId(call.entry.browser))
        if look is not None:
            look.news.set()

    # --- what is told

    async def _tell(self, look: _Look) -> None:
        first = True
        while True:
            told = self._news_for(look)
            if told or first:
                first = not await _arrived(look, told)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await look.news.wait()
            await asyncio.sleep(GATHER_S)
            look.news.clear()

    def _news_for(self, look: _Look) -> JsonObject:
        told: JsonObject = {}
        if look.calls:
            own = [call for call in self._timeline.calls if call.entry.browser == look.browser.id]
            fresh = [call for call in own if call.number > look.seen][-MAX_CALLS:]
            if fresh:
                told["calls"] = [_call(look.browser, call) for call in fresh]
        if look.grants and (grants := self._listed(look.browser)) != look.told:
            told["grants"] = list[Json](grants)
        return told

    def _listed(self, browser: Browser) -> list[JsonObject]:
        """The grants that are good in this browser. Names of clients and of page tools are cleaned: they are theirs."""
        every = cast(list[dict[str, Any]], self._grants.handle("grants-list", {})["grants"])
        return [
            {
                "id": grant["id"],
                "origin": grant["origin"],
                "kind": grant["class"],
                "client": "" if grant["client"] == ANY else clean(grant["client"], MAX_NAME),
                "tool": clean(grant["tool"], MAX_NAME),
                "scope": grant["scope"],
            }
            for grant in every
            if grant["profile"] in (ANY, profile_of(browser))
        ][:MAX_GRANTS]

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None] | None:
        if self._tasks is None:
            work.close()
            return None
        return self._tasks.create_task(work)


async def _arrived(look: _Look, told: JsonObject) -> bool:
    try:
        await look.browser.person.show_activity(told)
    except ToolError as exc:
        log.info("%s was not told what happens: %s", look.browser.id, exc)
        return False
    calls, grants = told.get("calls"), told.get("grants")
    if isinstance(calls, list) and calls:
        look.seen = cast(int, cast(JsonObject, calls[-1])["number"])
    if isinstance(grants, list):
        look.told = grants
    return True


async def _quietly(work: Coroutine[Any, Any, None]) -> None:
    """What the person pressed for shows by itself whether it worked."""
    with contextlib.suppress(ToolError):
        await work


def _call(browser: Browser, call: PastCall) -> JsonObject:
    """Who, what, where and how it ended; what it was called with is nobody's to see."""
    entry = call.entry
    here = entry.tab_id is not None and entry.tab_id in browser.tabs
    return {
        "number": call.number,
        "endedAt": round(call.ended * 1000),
        "sessionId": entry.session,
        "client": clean(entry.client, MAX_NAME),
        "tool": clean(entry.tool, MAX_NAME),
        "tabId": browser.raw_tab_id(entry.tab_id) if here and entry.tab_id is not None else None,
        "origin": clean(entry.origin, 200),
        "outcome": entry.outcome,
        "ms": round(entry.seconds * 1000, 1),
    }
