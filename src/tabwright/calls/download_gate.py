"""Files that begin to be saved in a tab an agent holds: whether it may, asked as soon as the browser tells of one.

A click is allowed before anybody knows that it saves a file, so the file is judged by itself: for the page it came from
and for the site it comes from. While the person is asked it stands still; what may not be is taken away again.
"""

from collections.abc import Callable, Coroutine, Iterable, Iterator
from typing import Any, Final

from tabwright.browser.browser import Browser
from tabwright.browser.downloads import Download
from tabwright.calls.audit import Event
from tabwright.calls.desk import CallDesk
from tabwright.calls.session import Session
from tabwright.errors import ToolError
from tabwright.model import TabInfo
from tabwright.policy.actions import Access, Action, Allow, Deny
from tabwright.policy.urls import origin_of, scheme_of

NAME: Final = "download"


class DownloadGate:
    """Judges each file once. `spawn` lets work go on beside the calls."""

    def __init__(self, spawn: Callable[[Coroutine[Any, Any, None]], object]) -> None:
        self._spawn = spawn

    def judge(self, sessions: Iterable[Session], browser: Browser, download_id: int) -> None:
        download = browser.downloads.get(download_id)
        if download is None or download.judged:
            return
        for session in sessions:
            tab = _source(session, browser, download)
            if tab is not None:
                self._judge(session, browser, download, tab)
                return

    def _judge(self, session: Session, browser: Browser, download: Download, tab: TabInfo) -> None:
        actions = list(_actions(session, download, tab))
        decisions = [session.context.permissions.judge(session, action) for action in actions]
        if all(isinstance(decision, Allow) for decision in decisions):
            return
        browser.downloads.hold(download.id)
        asks = not any(isinstance(decision, Deny) for decision in decisions)
        self._spawn(_settle(session, browser, download, actions, asks))


def _source(session: Session, browser: Browser, download: Download) -> TabInfo | None:
    """The tab of this session's that it came from."""
    if session.workspace.browser != browser.id:
        return None
    held = [browser.tabs.get(tab_id) for tab_id, _ in session.context.holds.of(session.workspace.id)]
    return next((tab for tab in held if tab and download in browser.downloads.of(tab.id, tab.url)), None)


def _actions(session: Session, download: Download, tab: TabInfo) -> Iterator[Action]:
    for url in dict.fromkeys((tab.url, download.url)):
        scheme = scheme_of(url)
        # what a page made itself comes from no site but its own
        if scheme in ("http", "https", "blob") and origin_of(url):
            yield Action(session.principal, NAME, Access.DOWNLOAD, {"file": url}, origin_of(url), scheme=scheme)


async def _settle(
    session: Session, browser: Browser, download: Download, actions: Iterable[Action], asks: bool
) -> None:
    refused = ""
    try:
        if asks:
            await browser.judge_download(download.id, "hold")
        for action in actions:
            await session.context.permissions.permit(session, CallDesk(session), action)
    except ToolError as exc:
        refused = str(exc)
        _record(session, download, exc.word)
    try:
        await browser.judge_download(download.id, "drop" if refused else "keep")
    except ToolError as exc:
        refused = refused and f"{refused} The browser could not take it away: {exc.message}"
    finally:
        browser.downloads.settle(download.id, refused)


def _record(session: Session, download: Download, outcome: str) -> None:
    who, told = session.workspace, {"origin": origin_of(download.url), "outcome": outcome}
    session.context.audit.record(Event("download", who.id, who.client, {**told}))
