"""All sessions: opening and closing them, and telling each what happens in its browser."""

import asyncio
import contextlib
import itertools
import logging
import secrets
import time
from collections.abc import Coroutine, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from tabwright.browser import changes
from tabwright.browser.browser import Browser
from tabwright.browser.browsers import Browsers
from tabwright.browser.changes import Change
from tabwright.calls.arrival import Arrival
from tabwright.calls.asking import Approver
from tabwright.calls.audit import Audit, Event
from tabwright.calls.context import CallContext, Catalog, FileKeeper, Launcher
from tabwright.calls.desk import CallDesk
from tabwright.calls.download_gate import DownloadGate
from tabwright.calls.holds_drawing import HoldsDrawing
from tabwright.calls.hub import Hub
from tabwright.calls.hub_audit import LogHubAudit
from tabwright.calls.hub_link import LinkTransport
from tabwright.calls.notices import Notify
from tabwright.calls.permission import Permissions
from tabwright.calls.session import Session
from tabwright.errors import ToolError
from tabwright.hub.memory import NoMemory
from tabwright.hub.places import Allowed
from tabwright.link import events
from tabwright.model import BrowserId, JsonObject, SessionId, TabId, TabInfo, Toolset
from tabwright.policy.grants import Grants
from tabwright.policy.text import clean
from tabwright.session.holds import Holds
from tabwright.session.listing import Listing, list_tools
from tabwright.session.workspace import Group, Options, Workspace
from tabwright.tools.shortcut import Shortcuts

log = logging.getLogger(__name__)

COLORS: Final = ("blue", "green", "purple", "orange", "cyan", "pink", "yellow", "red")
MAX_NAME: Final = 40
_MOVES: Final = (changes.TabOpened, changes.TabGone, changes.TabChanged, changes.Lost)
"""Changes that move sessions themselves; the others are many, and sessions may be too."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What the composition root introduces to the sessions."""

    catalog: Catalog
    browsers: Browsers
    permissions: Permissions
    approver: Approver
    audit: Audit
    launcher: Launcher
    files: FileKeeper
    shortcuts: Shortcuts
    connect_wait_s: float = 3.0
    hub: Hub = field(default_factory=lambda: Hub(NoMemory(), Allowed(), LogHubAudit()))


class Sessions:
    """The register of sessions."""

    def __init__(self, parts: Parts) -> None:
        self._sessions: dict[SessionId, Session] = {}
        self._holds = Holds()
        self._tasks: asyncio.TaskGroup | None = None
        self._colors = itertools.cycle(COLORS)
        self._hub_lists: dict[BrowserId | None, tuple[str, str]] = {}
        """The hub's list in each browser when sessions were last told of it."""
        self._idle_since = time.monotonic()
        self._gate = DownloadGate(self._spawn)
        self._drawing = HoldsDrawing(parts.browsers, self, self._holds, self._spawn)
        self._context = CallContext(
            catalog=parts.catalog,
            browsers=parts.browsers,
            holds=self._holds,
            permissions=parts.permissions,
            approver=parts.approver,
            audit=parts.audit,
            launcher=parts.launcher,
            files=parts.files,
            shortcuts=parts.shortcuts,
            hub=parts.hub,
            connect_wait_s=parts.connect_wait_s,
            names=lambda: {session.workspace.id: session.workspace.client for session in self},
            focus_left=self._focus_left,
            holds_changed=self._drawing.wanted,
            spawn=self._spawn,
        )
        parts.browsers.listen(self._changed)
        parts.hub.carry(LinkTransport(parts.browsers))
        parts.hub.listen(self._hub_changed)

    def __iter__(self) -> Iterator[Session]:
        return iter(tuple(self._sessions.values()))

    def __len__(self) -> int:
        return len(self._sessions)

    def find(self, session_id: SessionId) -> Session | None:
        return self._sessions.get(session_id)

    @property
    def tool_names(self) -> frozenset[str]:
        """All tools of ours, whoever may see them."""
        return self._context.catalog.names

    @property
    def grants(self) -> Grants:
        return self._context.permissions.grants

    @property
    def audit(self) -> Audit:
        return self._context.audit

    async def run(self) -> None:
        """Lets sessions work beside their calls (notices, drawings) until it is cancelled."""
        async with asyncio.TaskGroup() as self._tasks:
            try:
                await asyncio.Event().wait()
            finally:
                # whoever leaves from now on needs no drawings
                self._tasks = None

    def open(
        self,
        options: Options,
        notify: Notify,
        *,
        client: str = "agent",
        principal: str = "user",
        arrival: Arrival | None = None,
    ) -> Session:
        session_id = SessionId(secrets.token_hex(16))
        group = Group(client, next(self._colors))
        workspace = Workspace(session_id, client, options, group)
        session = Session(workspace, principal, self._context, notify, arrival or Arrival())
        self._sessions[session_id] = session
        self._context.audit.record(Event("session", session_id, client, {"what": "opened"}))
        return session

    def preview(self, options: Options) -> Listing:
        """What a session with these options would see before it has done anything."""
        workspace = Workspace(SessionId("preview"), "preview", options, Group("preview", COLORS[0]))
        return list_tools(workspace, self._context.catalog.tools, {}, len(self._context.browsers.all()))

    @property
    def capabilities(self) -> JsonObject:
        """hub.md's `browser` block: what the pages of all tabs can do together."""
        said = self._context.hub.says
        return {
            "multiTabSupport": True,
            "cacheSupported": "cacheSupported" in said,
            "elicitation": "elicitation" in said,
        }

    def forget_cached(self) -> None:
        """The hub's cache was cleared."""
        self._context.hub.forget_cached()

    def identify(self, session: Session, client: str) -> None:
        """The client has said what it is called."""
        name = clean(client, MAX_NAME) or "agent"
        if name == session.workspace.client:
            return
        session.workspace.client = name
        session.workspace.group.title = name
        self._context.audit.record(Event("session", session.workspace.id, name, {"what": "named"}))

    def close(self, session: Session) -> None:
        """The client is gone: its tabs are free, and stay open unless it asked for the end of its group."""
        if self._sessions.pop(session.workspace.id, None) is None:
            return
        session.close()
        if session.browser is not None and session.workspace.focus is not None:
            self._focus_left(session.browser, session.workspace.focus)
        self._idle_since = time.monotonic()
        self._detach(session)
        self._close_group(session)
        if self._holds.release_all(session.workspace.id):
            self._drawing.wanted()
        self._context.permissions.session_ended(session.workspace.id)
        self._context.audit.record(Event("session", session.workspace.id, session.workspace.client, {"what": "closed"}))

    def _detach(self, session: Session) -> None:
        """Let go of the debugger in the tabs it held: nobody else worked there."""
        if (browser := session.browser) is None:
            return
        for tab_id in self.held(session):
            if (tab := browser.acted_on(tab_id)) is not None:
                self._spawn(self._quietly(tab.let_go()))

    def _close_group(self, session: Session) -> None:
        group = session.workspace.group.id
        if session.workspace.options.close_group_on_end and group is not None and session.browser is not None:
            self._spawn(self._quietly(session.browser.person.close_group(group)))

    @property
    def idle_since(self) -> float | None:
        """Since when there has been no session; None while there is one."""
        return None if self._sessions else self._idle_since

    def held(self, session: Session) -> tuple[TabId, ...]:
        return tuple(tab_id for tab_id, _ in self._holds.of(session.workspace.id))

    # --- what happens in browsers

    def _hub_changed(self) -> None:
        """Much that happens in tabs changes no list: that is found out once for a browser, not once for a session."""
        seeing = [session for session in self if session.tools.sees_hub]
        views = {browser: self._context.hub.view(browser) for browser in {each.workspace.browser for each in seeing}}
        now = {browser: (view.fingerprint, view.active) for browser, view in views.items()}
        before, self._hub_lists = self._hub_lists, now
        for session in seeing:
            browser = session.workspace.browser
            if before.get(browser) != now[browser]:
                session.notices.reconsider()

    def _changed(self, browser: Browser, change: Change) -> None:
        if isinstance(change, _MOVES):
            for session in self:
                if session.workspace.browser == browser.id:
                    self._apply(session, browser, change)
        match change:
            case changes.TabGone(tab_id=tab_id, crashed=crashed):
                if not crashed or not self._may_revive(tab_id):
                    self._holds.release(tab_id)
                self._drawing.wanted()
            case changes.TakenBack(tab_id=tab_id):
                self.take_back(tab_id)
            case changes.AgentStopped(session=session_id, stopped=stopped):
                self._stop(browser, session_id, stopped)
            case changes.PopupOpened(tab_id=tab_id, opener=opener):
                self._adopt_popup(tab_id, opener)
            case changes.DownloadTold(download_id=download_id):
                self._gate.judge(self, browser, download_id)
            case changes.Linked():
                self._drawing.wanted()
            case changes.Resynchronised():
                self._drawing.wanted()
                self._watch_again(browser)
            case _:
                pass
        for session in self._concerned(browser, change):
            session.notices.reconsider()

    def _concerned(self, browser: Browser, change: Change) -> Iterable[Session]:
        """The sessions whose list a change can make another one."""
        match change:
            case changes.PageSpoke() | changes.FrameGone():
                # what comes of it is told as ToolsChanged, or by the hub
                return ()
            case events.LookedAt() | events.GrantRevoked() | events.DashboardWanted():
                return ()
            case changes.Linked() | changes.Lost():
                # one more or one less browser changes every list that offers the choice
                return self
            case changes.TabChanged(tab=TabInfo(id=tab_id)) | changes.ToolsChanged(tab_id=tab_id):
                return [session for session in self if session.workspace.focus == tab_id]
            case _:
                return [session for session in self if session.workspace.browser in (browser.id, None)]

    def _apply(self, session: Session, browser: Browser, change: Change) -> None:
        workspace = session.workspace
        match change:
            case changes.TabOpened(tab=tab):
                workspace.tab_opened(tab.id)
                self._follow_to(session, tab)
            case changes.TabGone(tab_id=tab_id):
                workspace.tab_gone(tab_id)
                session.forget(tab_id)
            case changes.TabChanged(tab=tab, activated=True):
                self._follow_to(session, tab)
            case changes.Lost():
                self._holds.release_all(workspace.id)
                workspace.disconnected()
            case _:
                pass

    def _may_revive(self, tab_id: TabId) -> bool:
        """Whether whoever holds a crashed tab has the tools to load it anew; for others it is gone (tabs.md)."""
        holder = self._holds.holder(tab_id)
        return any(
            session.workspace.id == holder and Toolset.AUTOMATION in session.workspace.options.toolsets
            for session in self
        )

    def _focus_left(self, browser: Browser, tab_id: TabId) -> None:
        """Stop watching a page when nobody has its tab in focus."""
        if not any(session.workspace.focus == tab_id for session in self):
            self._spawn(self._quietly(browser.pages.look_away(tab_id)))

    def _watch_again(self, browser: Browser) -> None:
        """A reloaded extension has forgotten what it watched."""
        focused = {session.workspace.focus for session in self if session.workspace.browser == browser.id}
        for tab_id in focused - {None}:
            assert tab_id is not None
            self._spawn(self._quietly(browser.pages.look_at(tab_id)))

    async def _quietly(self, work: Coroutine[Any, Any, object]) -> None:
        """What is only done for freshness may fail: a tab that is gone or slow has its own events."""
        with contextlib.suppress(ToolError):
            await work

    def _follow_to(self, session: Session, tab: TabInfo) -> None:
        if session.workspace.options.follow_active_tab and tab.active:
            self._spawn(self._follow(session, tab.id))

    async def _follow(self, session: Session, tab_id: TabId) -> None:
        """tabs.md "User switches tab in browser", where it is switched on."""
        if session.workspace.focus == tab_id or self._holds.holder(tab_id) not in (None, session.workspace.id):
            return
        desk = CallDesk(session)
        try:
            await desk.focus(tab_id)
        except ToolError as exc:
            log.info("session %s does not follow to tab %s: %s", session.workspace.id, tab_id, exc)
        await session.notices.announce(moved=desk.moved)

    def _stop(self, browser: Browser, session_id: SessionId, stopped: bool) -> None:
        """The person's stop in the browser it works in: its calls end, the debugger lets go, and nothing new begins."""
        session = self._sessions.get(session_id)
        if session is None or session.workspace.browser != browser.id:
            return
        if stopped:
            session.brake.pull()
            self._detach(session)
        else:
            session.brake.release()
        what = "stopped" if stopped else "resumed"
        self._context.audit.record(Event("session", session_id, session.workspace.client, {"what": what}))
        self._drawing.wanted()

    def take_back(self, tab_id: TabId) -> None:
        """The person wants the tab: whoever held it does no longer."""
        holder = self._holds.release(tab_id)
        if holder is not None and holder in self._sessions:
            session = self._sessions[holder]
            session.workspace.taken_back(tab_id)
            self._spawn(self._quietly(_give_back(session, tab_id)))
        self._drawing.wanted()

    def _adopt_popup(self, tab_id: TabId, opener: TabId) -> None:
        holder = self._holds.holder(opener)
        if holder is None or holder not in self._sessions or self._holds.holder(tab_id) is not None:
            return
        self._holds.take(holder, tab_id, claimed=False, names={})
        self._spawn(CallDesk(self._sessions[holder]).join_group(tab_id))
        self._drawing.wanted()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> bool:
        """Whether it is done: not before sessions run, nor after."""
        if self._tasks is None:
            work.close()
            return False
        self._tasks.create_task(_guarded(work))
        return True


async def _give_back(session: Session, tab_id: TabId) -> None:
    """Out of the session's group, which may be closed with all that is in it when the session ends."""
    browser = session.browser
    if browser is None:
        return
    if (tab := browser.acted_on(tab_id)) is not None:
        await tab.give_back()
    async with session.group_lock:
        group = session.workspace.group.id
        if group is not None:
            await browser.person.ungroup(tab_id, group)


async def _guarded(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except Exception:
        # a client that cannot be told, a drawing that failed: logged, and nobody else is harmed
        log.exception("work beside the calls failed")
