"""What one running call may do to its session and its browser: the desk a tool works at."""

import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tabwright.browser.browser import Browser
from tabwright.browser.pictures import Album
from tabwright.browser.tab import Tab
from tabwright.calls.asking import Approver, Running, profile_of
from tabwright.errors import (
    CONNECT,
    BrowserNotConnected,
    ChooseBrowser,
    DialogOpen,
    InvalidArguments,
    TabNotFound,
    TabNotHeld,
    TimedOut,
    ToolError,
    UnknownTool,
)
from tabwright.hub.entries import Entry
from tabwright.hub.memory import CachedTool
from tabwright.model import BrowserId, Face, Json, JsonObject, PageTool, TabId, TabInfo, ToolResult, Toolset, ToolSpec
from tabwright.policy.actions import Access, Action, Ask, Decision, Deny
from tabwright.policy.grants import Scope
from tabwright.policy.urls import read_address, scheme_of
from tabwright.session.states import State
from tabwright.session.workspace import Turn
from tabwright.tools.files import Files
from tabwright.tools.recorder import Recorder
from tabwright.tools.shortcut import Shortcuts
from tabwright.tools.tool import Agreement, Hold

if TYPE_CHECKING:
    from tabwright.calls.session import Session

log = logging.getLogger(__name__)

ASKED_S: Final = 1.0
"""How long a peer that has said nothing may take to answer before a browser is launched instead."""
LINK_WAIT_S: Final = 15.0
"""How long a launched browser may take to link."""

PLANNED: Final = (Access.READ, Access.ACT, Access.PAGE_TOOL, Access.DOWNLOAD)
"""What a plan that was agreed to allows on its sites."""

Progress = Callable[[float, float | None, str], Awaitable[None]]
"""Tells the client how far a call is: done, of how much, in which words."""


class CallDesk:
    """One call's view. `tab_id` is the tab it names, once known."""

    def __init__(self, session: "Session", progress: Progress | None = None, approver: Approver | None = None) -> None:
        self._session = session
        self._progress = progress
        self.approver = approver or session.context.approver
        self._workspace = session.workspace
        self._context = session.context
        self.tab_id: TabId | None = None
        self.moved = False
        self._told: tuple[float, float | None] = (0.0, None)
        self._has_run = False
        self.decision: Decision | None = None
        """What the policy said of it last."""
        self.site = ""
        """The origin that was about."""
        self.page: str | None = None
        """The address of its tab's page then; None: the policy was not asked."""

    @property
    def browser(self) -> Browser:
        browser = self._session.browser
        if browser is None:
            self._session.tools.check_chosen()
            raise BrowserNotConnected(next_step=_FIRST_BROWSER[self._has_focus_tools()])
        return browser

    @property
    def trouble(self) -> str:
        return self._context.browsers.trouble

    @property
    def browsers(self) -> Sequence[Browser]:
        return self._context.browsers.all()

    @property
    def chosen(self) -> BrowserId | None:
        return self._workspace.browser

    @property
    def focused(self) -> TabId | None:
        return self._workspace.focus

    @property
    def face(self) -> Face:
        return self._workspace.options.face

    @property
    def target(self) -> TabId:
        assert self.tab_id is not None, "a tool that uses its target declares a hold"
        return self.tab_id

    @property
    def tab(self) -> Tab:
        return self.browser.at(self.target)

    @property
    def acting_in(self) -> Tab | None:
        """The tab it acts on; None where there is none (yet)."""
        browser = self._session.browser
        return None if self.tab_id is None or browser is None or self.tab_id not in browser.tabs else self.tab

    @property
    def has_target(self) -> bool:
        return self.tab_id is not None

    @property
    def held(self) -> Sequence[TabInfo]:
        browser = self._session.browser
        tabs = {} if browser is None else {**browser.crashed, **browser.tabs}
        return [tabs[tab_id] for tab_id, _ in self._context.holds.of(self._workspace.id) if tab_id in tabs]

    def shown(self, tab: TabInfo) -> TabInfo:
        return self._context.permissions.shown(self._session, tab)

    @property
    def group(self) -> int | None:
        return self._workspace.group.id

    def aim(self, tab_id: int | None, hold: Hold, *, or_last: bool = False, or_crashed: bool = False) -> None:
        """Settle which tab the call is about, and whether this session may. `or_last`: the one used last will do;
        `or_crashed`: one without a page, too.

        Raises:
            ToolError: no such tab, none named, or not this session's.
        """
        browser = self.browser
        tab = browser.tab(self._default_tab(or_last) if tab_id is None else tab_id, or_crashed=or_crashed)
        me, names = self._workspace.id, self._context.names()
        if hold is Hold.HELD:
            self._context.holds.check(me, tab.id, names=names)
        else:
            self._context.holds.check_free(me, tab.id, names=names)
        self.tab_id = self._workspace.current = tab.id

    async def connect(self, *, launch: bool) -> Browser | None:
        """The session's browser: the one it has, a linked one, or a launched one; None if there is none."""
        if self._workspace.state is not State.DISCONNECTED:
            return self.browser
        await self._find_browser(launch=launch)
        browsers = self.browsers
        if not browsers:
            return None
        self._session.tools.check_chosen()
        await browsers[0].present()
        if browsers[0].reachable:
            await browsers[0].introduce()
            self.select(browsers[0])
        return browsers[0]

    async def join(self) -> None:
        """Work with a linked browser, or with one that is just coming, if there is any; none is launched."""
        if await self._context.browsers.wait_for_any(self._context.launcher.expected()):
            # of several, which one is asked by whatever needs one
            with contextlib.suppress(ChooseBrowser):
                await self.connect(launch=False)

    def select(self, browser: Browser) -> None:
        """The session works with this browser from now on; what it held elsewhere is free."""
        if self._workspace.browser == browser.id:
            return
        if self._context.holds.release_all(self._workspace.id):
            self._context.holds_changed()
        self._workspace.connected(browser.id, browser.tabs)

    async def adopt(self, tab: TabInfo, *, grouped: bool = True) -> None:
        self._context.holds.take(self._workspace.id, tab.id, claimed=False, names=self._context.names())
        self.tab_id = self._workspace.current = tab.id
        if grouped:
            await self.join_group(tab.id)
        self._context.holds_changed()

    async def join_group(self, tab_id: TabId) -> None:
        """Put a tab into the session's group. A tab outside it is no reason to fail the call."""
        group = self._workspace.group
        async with self._session.group_lock:
            try:
                group.id = await self.browser.person.group(tab_id, group.id, *group.look)
            except ToolError as exc:
                log.warning("tab %s is not in the group of %s: %s", tab_id, self._workspace.id, exc)

    async def focus(self, tab_id: TabId, *, fresh: bool = True, within_s: float = 3.0) -> None:
        """Claim the tab, have its page looked at, and make it the session's focus. Slow tools follow by themselves.

        Raises:
            DialogOpen: a dialog holds the page up; the tab is the session's all the same, or it could not answer it.
        """
        browser, holds, held_up = self.browser, self._context.holds, None
        claimed = holds.take(self._workspace.id, tab_id, claimed=True, names=self._context.names())
        try:
            if self._workspace.options.activate_on_focus or browser.launched:
                await browser.activate_tab(tab_id)
            await browser.pages.look_at(tab_id, fresh=fresh, within_s=within_s)
        except TimedOut:
            log.info("tab %s did not tell its tools in time; they follow when it does", tab_id)
        except DialogOpen as exc:
            held_up = exc
        except ToolError:
            if claimed and holds.holder(tab_id) == self._workspace.id:
                holds.release(tab_id)
            raise
        if tab_id not in browser.tabs:
            holds.release(tab_id)
            raise TabNotFound(tab_id)
        if holds.holder(tab_id) != self._workspace.id:
            raise TabNotHeld(tab_id)
        left = self._workspace.focus
        if self._workspace.focused(tab_id):
            self.moved = True
            if left is not None:
                self._context.focus_left(browser, left)
        if claimed:
            self._context.holds_changed()
        if held_up is not None:
            raise held_up

    def consult(self, access: Access, url: str, *, going: bool = False) -> Decision:
        address = read_address(url)
        where = Action(
            self._session.principal, "navigate" if going else "", access, {},
            origin="" if going else address.origin,
            scheme="" if going else scheme_of(address.href),
            destination=address if going else None,
        )  # fmt: skip
        return self._context.permissions.judge(self._session, where)

    async def agree_on(self, question: str, arguments: JsonObject, urls: Sequence[str]) -> Agreement:
        open_, in_browser = list[Action](), False
        permissions = self._context.permissions
        for url in urls:
            going = self._placed(url, arguments)
            decision = permissions.judge(self._session, going)
            in_browser = in_browser or (isinstance(decision, Ask) and decision.in_browser)
            if not isinstance(decision, Deny):
                open_.append(going)
        if not open_:
            return Agreement()
        ask = Ask(
            "plan: the person agrees",
            question,
            in_browser=in_browser,
            choices=tuple(dict.fromkeys(each.site for each in open_)),
        )
        plan = Action(self._session.principal, "update_plan", Access.READ, arguments)
        consent = await permissions.ask(self, plan, ask)
        for going in open_:
            if going.site in consent.chosen:
                permissions.grants.agreed(going, replace(ask, covers=PLANNED), Scope.SESSION)
        return Agreement(consent.chosen, tuple(site for site in ask.choices if site not in consent.chosen))

    def _placed(self, url: str, arguments: JsonObject) -> Action:
        browser = self._session.browser
        going = Action(self._session.principal, "update_plan", Access.READ, arguments, destination=read_address(url))
        return going if browser is None else replace(going, profile=profile_of(browser), far=browser.far)

    async def show_answering(self, answering: bool) -> None:
        group = self._workspace.group
        group.turn = Turn.ANSWERING if answering else Turn.ANSWERED
        browser = self._session.browser
        if group.id is None or browser is None:
            return
        async with self._session.group_lock:
            try:
                await browser.person.show_group(group.id, *group.look)
            except ToolError as exc:
                log.info("the group of %s shows nothing: %s", self._workspace.id, exc)

    async def progress(self, done: float, total: float | None = None, message: str = "") -> None:
        self._told = done, total
        if self._progress is not None:
            await self._progress(done, total, message)

    @property
    def files(self) -> Files:
        options = self._workspace.options
        return self._context.files.of(self._workspace.id, options.upload_dirs, options.output_dir)

    @property
    def shortcuts(self) -> Shortcuts:
        return self._context.shortcuts

    @property
    def recorder(self) -> Recorder:
        return self._session.recordings

    @property
    def album(self) -> Album:
        return self._session.album

    async def call(self, name: str, arguments: JsonObject, *, tab_id: TabId | None = None) -> ToolResult:
        tool = self._context.catalog.find(name)
        if tab_id is not None and tool is not None and "tabId" in tool.params.model_fields:
            arguments = {"tabId": tab_id, **arguments}
        # what has run must not run again because a later step has to ask
        approver = Running(self.approver) if self._has_run else self.approver
        try:
            return await self._session.step(name, arguments, self._part_of, approver)
        finally:
            self._has_run = True

    async def _part_of(self, done: float, total: float | None, message: str) -> None:
        """How far a step is, as a part of how far this call is: what is told only ever grows."""
        if self._progress is not None:
            begun, all_ = self._told
            part = min(done / total, 0.99) if total else 0.0
            await self._progress(begun + part, all_, message)

    def count_tools(self, tab_id: TabId) -> int:
        """How many page tools the tab would list; counting them shows none."""
        return len(self._session.tools.entries(tab_id))

    def listed(self, tab_id: TabId) -> Sequence[tuple[ToolSpec, PageTool]]:
        return [(entry.spec, entry.tool) for entry in self._session.tools.show(tab_id).values()]

    async def call_page_tool(self, tab_id: TabId, name: str, arguments: JsonObject) -> ToolResult:
        return await self._session.call_page_tool(self, tab_id, name, arguments)

    def search_hub(self, query: str, domain: str, cursor: str | None) -> JsonObject:
        found = self._session.tools.search_hub(query, domain, cursor)
        tools: list[Json] = [_describe_hub_tool(spec, tool) for spec, tool in found.tools]
        return {"tools": tools, "total": found.total, **({"nextCursor": found.cursor} if found.cursor else {})}

    async def call_hub_tool(self, name: str, arguments: JsonObject) -> ToolResult:
        try:
            return await self._session.call_hub_tool(self, name, arguments)
        except UnknownTool:
            raise InvalidArguments(
                f"The hub has no tool {name!r}.", "Call hub_list_tools to see what it has."
            ) from None

    async def _find_browser(self, *, launch: bool) -> None:
        browsers, launcher = self._context.browsers, self._context.launcher
        wait_s = launcher.expected() if launch else self._context.connect_wait_s
        if browsers.silent:
            wait_s = max(wait_s, ASKED_S)
        if await browsers.wait_for_any(wait_s) or not launch:
            return
        await launcher.launch()
        if not await browsers.wait_for_any(LINK_WAIT_S):
            raise TimedOut("connect", LINK_WAIT_S)

    def _default_tab(self, or_last: bool) -> TabId:
        """The tab a call means that names none: the focused one, the one used last, or the only one held."""
        workspace, held = self._workspace, [tab_id for tab_id, _ in self._context.holds.of(self._workspace.id)]
        if len(held) == 1:
            return held[0]
        usual = workspace.current if workspace.focus is None and or_last else workspace.focus
        if usual is not None and usual in held and not workspace.options.shared:
            return usual
        if not held:
            raise InvalidArguments(
                f"{workspace.parted} This session holds no other."
                if workspace.parted
                else "This session has no tab yet.",
                _FIRST_TAB[self._has_focus_tools()],
            )
        listed = ", ".join(f"{tab.id} ({tab.title[:40]})" for tab in self.held)
        raise InvalidArguments(f"This session holds more than one tab: {listed}.", "Pass tabId.")

    def _has_focus_tools(self) -> bool:
        return Toolset.FOCUS in self._workspace.options.toolsets


_FIRST_BROWSER: Final = {True: CONNECT, False: "Call navigate with a url."}
_FIRST_TAB: Final = {
    True: "Call open_tab, or focus_tab with a tab of list_tabs.",
    False: "Call navigate with a url, or tabs_create_mcp.",
}


_HUB_HINTS: Final = ("readOnlyHint", "destructiveHint", "consequentialHint", "idempotentHint", "openWorldHint", "cache")


def _describe_hub_tool(spec: ToolSpec, tool: Entry | CachedTool) -> JsonObject:
    """A tool of the hub with its schema, and where it is."""
    told: JsonObject = {"name": spec.name, "description": spec.description, "inputSchema": spec.input_schema}
    hints: JsonObject = {key: True for key in _HUB_HINTS if tool.tool.annotations.get(key) is True}
    where: JsonObject = {"tabId": tool.place.tab_id} if isinstance(tool, Entry) else {"cached": True}
    return {**told, "origin": tool.origin, **where, **({"annotations": hints} if hints else {})}
