"""Which tabs agents hold, as every browser shows it to its person: kept up to date, one drawing at a time."""

import logging
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

from tabwright.browser.browser import Browser
from tabwright.browser.browsers import Browsers
from tabwright.calls.session import Session
from tabwright.errors import ToolError
from tabwright.model import Json
from tabwright.session.holds import Holds

log = logging.getLogger(__name__)


class HoldsDrawing:
    """Told that something changed, draws what is so then; what changes meanwhile is drawn once, after it."""

    def __init__(
        self,
        browsers: Browsers,
        sessions: Iterable[Session],
        holds: Holds,
        spawn: Callable[[Coroutine[Any, Any, None]], bool],
    ) -> None:
        self._browsers = browsers
        self._sessions = sessions
        self._holds = holds
        self._spawn = spawn
        self._drawing = False
        self._again = False

    def wanted(self) -> None:
        """Show the holds in every browser; while one drawing is under way, once more after it."""
        self._again = True
        if not self._drawing:
            self._drawing = self._spawn(self._draw())

    async def _draw(self) -> None:
        try:
            while self._again:
                self._again = False
                for browser in self._browsers.all():
                    try:
                        await browser.person.show_holds(self._picture(browser))
                    except ToolError as exc:
                        log.info("holds are not shown in %s: %s", browser.id, exc)
        finally:
            self._drawing = False

    def _picture(self, browser: Browser) -> list[Json]:
        return [
            {
                "id": session.workspace.id,
                "name": session.workspace.client,
                "color": session.workspace.group.color,
                "stopped": session.brake.is_on,
                "tabs": [
                    {"tabId": browser.raw_tab_id(tab_id), "claimed": hold.claimed}
                    for tab_id, hold in self._holds.of(session.workspace.id)
                    if tab_id in browser.tabs
                ],
            }
            for session in self._sessions
            if session.workspace.browser == browser.id
        ]
