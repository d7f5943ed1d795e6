"""One MCP client at work: its list, its calls, and when it is told that the list changed.

The async shell around the pure workspace. Lifecycle: opened by an edge with a way to notify the client -> lists and
calls -> closed by the edge; what it held is free again.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Coroutine
from typing import Any, Final, cast

from tabwright.browser.browser import Browser
from tabwright.browser.pages import FOUND
from tabwright.browser.pictures import Album
from tabwright.calls.advice import advise
from tabwright.calls.arrival import Arrival
from tabwright.calls.asking import Approver, Asking
from tabwright.calls.audit import Entry as AuditEntry
from tabwright.calls.brake import Brake
from tabwright.calls.context import CallContext
from tabwright.calls.desk import CallDesk, Progress
from tabwright.calls.history import History
from tabwright.calls.hub_calls import HubCall
from tabwright.calls.page_calls import call_page
from tabwright.calls.recording import Recordings
from tabwright.calls.results import cleaned_result, deed_result, error_result, page_result
from tabwright.errors import (
    ChooseBrowser,
    CommandFailed,
    InvalidArguments,
    StaleTarget,
    Stopped,
    ToolError,
    UnknownTool,
    UnreachablePage,
)
from tabwright.hub.entries import Entry
from tabwright.hub.memory import CachedTool
from tabwright.hub.names import PREFIX
from tabwright.hub.snapshot import Found, View, search
from tabwright.model import Face, JsonObject, PageTool, TabId, TabInfo, ToolResult, Toolset, ToolSpec
from tabwright.policy.actions import Access, Action, Principal
from tabwright.policy.schemas import problems
from tabwright.policy.urls import origin_of, read_address, scheme_of
from tabwright.session.announcements import Announcer, Verdict
from tabwright.session.listing import Listing, list_tools
from tabwright.session.page_names import PageEntry, page_entries
from tabwright.session.workspace import Workspace
from tabwright.tools.tool import AnyTool, Hold, Params

log = logging.getLogger(__name__)

LOOK_AFTER_S: Final = 1.0

Notify = Callable[[], Coroutine[Any, Any, None]]


class Session:
    """Calls of one client, in its own workspace."""

    def __init__(
        self, workspace: Workspace, principal: str, context: CallContext, notify: Notify, arrival: Arrival
    ) -> None:
        self.workspace = workspace
        self.arrival: Final = arrival
        self._user = principal
        self.context = context
        self.group_lock: Final = asyncio.Lock()
        self.last_used = time.monotonic()
        self.album: Final = Album()
        self.recordings: Final = Recordings()
        self.history: Final = History()
        self.brake: Final = Brake()
        self._notify = notify
        self._fetched = Listing(())
        self._shown: dict[tuple[TabId, str], PageEntry] = {}
        self._entries: dict[TabId, tuple[str, tuple[PageTool, ...], dict[str, PageEntry]]] = {}
        """What was made of a page's tools, while neither they nor the page's address change."""
        self._made = Listing(())
        self._made_of: tuple[object, ...] = ()
        self._hub_shown: dict[str, Entry | CachedTool] = {}
        """What hub_list_tools showed, by name."""
        self._hub_locks: dict[str, asyncio.Lock] = {}
        self.hub_tabs: Final[dict[str, TabId]] = {}
        """The tab last opened for a cached tool, by the tool's origin."""
        listing = self._list()
        self._announcer = Announcer(listing.fingerprint, listing.minor)
        self._timer: asyncio.TimerHandle | None = None

    @property
    def principal(self) -> Principal:
        return Principal(self._user, self.workspace.client, self.workspace.id)

    # --- the list

    def list(self) -> Listing:
        """What `tools/list` answers; the client knows this list from now on."""
        self.last_used = time.monotonic()
        listing = self._fetched = self._list()
        self._hub_shown.clear()
        self._announcer.fetched(listing.fingerprint, listing.minor)
        return listing

    def page(self, cursor: str | None) -> tuple[tuple[ToolSpec, ...], str | None]:
        """One page of `tools/list`, and where the next begins; later pages are of the list the first one was of.

        Raises:
            InvalidArguments: the cursor is none of ours.
        """
        # a client may come back with a cursor when its session has long been forgotten
        begins = cursor is None or not self._fetched.own
        return (self.list() if begins else self._fetched).page(cursor)

    def entries(self, tab_id: TabId) -> dict[str, PageEntry]:
        """A tab's page tools as this session would see them, by listed name."""
        browser = self.browser
        if browser is None or tab_id not in browser.tabs:
            return {}
        url, tools = browser.tabs[tab_id].url, browser.pages.tools(tab_id)
        kept = self._entries.get(tab_id)
        if kept is None or kept[:2] != (url, tools):
            # the automation tools do better what works on any page
            plain = Toolset.AUTOMATION not in self.workspace.options.toolsets
            listed = [tool for tool in tools if plain or not tool.generic]
            made = page_entries(tab_id, origin_of(url), listed, self.context.catalog.names)
            kept = self._entries[tab_id] = (url, tools, made)
        return kept[2]

    def show(self, tab_id: TabId) -> dict[str, PageEntry]:
        """The same, remembered as shown to the client: a later call runs only what was shown."""
        entries = self.entries(tab_id)
        self._shown = {key: entry for key, entry in self._shown.items() if key[0] != tab_id}
        self._shown.update({(tab_id, name): entry for name, entry in entries.items()})
        return entries

    def forget(self, tab_id: TabId) -> None:
        """The tab is gone, and with it what was made of its page."""
        self.album.forget(tab_id)
        self.recordings.clear(tab_id)
        self._entries.pop(tab_id, None)
        self._shown = {key: entry for key, entry in self._shown.items() if key[0] != tab_id}

    def reconsider(self) -> None:
        """Something happened in the browser: tell the client if its list is another now."""
        listing = self._list()
        self._act_on(self._announcer.changed(listing.fingerprint, time.monotonic(), listing.minor))

    @property
    def sees_hub(self) -> bool:
        return Toolset.HUB in self.workspace.options.toolsets

    def search_hub(self, query: str, domain: str, cursor: str | None) -> Found:
        """A page of the hub's tools, remembered as shown.

        Raises:
            ChooseBrowser: several are linked, and this session has none.
        """
        self._check_chosen()
        found = search(self.context.hub.view(self.workspace.browser), query, domain, cursor)
        self._hub_shown.update({spec.name: tool for spec, tool in found.tools})
        return found

    def hub_lock(self, origin: str) -> asyncio.Lock:
        """Held while a tab is found or opened for a tool of this origin."""
        return self._hub_locks.setdefault(origin, asyncio.Lock())

    # --- calls

    async def call(
        self,
        name: str,
        arguments: JsonObject,
        progress: Progress | None = None,
        approver: Approver | None = None,
    ) -> ToolResult:
        """Run a tool of ours, of the focused page, or of the hub. `approver` asks this client's person, if it can.

        Raises:
            UnknownTool: this session has no such tool.
        """
        try:
            return await self.brake.run(self.step(name, arguments, progress, approver))
        except ToolError as exc:
            return error_result(exc)

    async def step(
        self,
        name: str,
        arguments: JsonObject,
        progress: Progress | None = None,
        approver: Approver | None = None,
    ) -> ToolResult:
        """The same, for a call that is part of another: failures are raised.

        Raises:
            ToolError: it failed, in a way a model can act on.
            UnknownTool: this session has no such tool.
        """
        began = self.last_used = time.monotonic()
        desk = CallDesk(self, progress, approver)
        outcome, characters = "cancelled", 0
        try:
            self.brake.check()
            result = await self._watched(desk, name, arguments)
            characters = result.characters
            outcome = "error" if result.is_error else "ok"
        except (ToolError, UnknownTool) as exc:
            outcome, characters = exc.word, len(str(exc))
            advise(exc, self.workspace.options.toolsets)
            raise
        except Asking:
            outcome = "asking"
            raise
        except asyncio.CancelledError:
            outcome = Stopped.word if self.brake.is_on else outcome
            raise
        except Exception:
            outcome = "internal_error"
            raise
        finally:
            seconds = time.monotonic() - began
            self.last_used = time.monotonic()
            self.context.audit.record(
                AuditEntry(
                    self.workspace.id,
                    self.workspace.client,
                    name,
                    desk.tab_id,
                    outcome,
                    seconds,
                    desk.site,
                    desk.decision,
                    characters,
                    self.workspace.browser or "",
                )
            )
        return result

    async def call_page_tool(self, desk: CallDesk, entry: PageEntry, arguments: JsonObject) -> ToolResult:
        """Run one page tool as it was listed: arguments, policy, then the page."""
        wrong = problems(entry.tool.input_schema, arguments)
        if wrong is not None:
            raise InvalidArguments(f"{entry.spec.name} was not called: {wrong}.", "Mend the arguments and call again.")
        browser = desk.browser
        tab = browser.tab(entry.tab_id)
        self.context.holds.check(self.workspace.id, tab.id, names=self.context.names())
        action = Action(
            self.principal, entry.tool.name, Access.PAGE_TOOL, arguments, entry.origin,
            scheme=scheme_of(tab.url), document=tab.document_id, consequential=_says_consequential(entry.tool),
            definition=entry.tool.definition,
        )  # fmt: skip
        await self.permit(action, desk)
        browser.at(tab.id).cdp.allow()
        await browser.journeys.arrived(tab.id)
        try:
            async with self.recordings.around(browser.acted_on(tab.id), entry.spec.name, arguments):
                return await self._called(desk, entry, arguments)
        except CommandFailed as exc:
            if exc.word != StaleTarget.word:
                raise
        # refused before it ran: another document is there, which may well offer the same
        await browser.pages.look_at(tab.id)
        now = self.entries(tab.id).get(entry.spec.name)
        if now is None or not now.same_as(entry):
            await self.announce()
            raise StaleTarget(entry.spec.name, "another document is there now, which does not offer it.")
        return await self._called(desk, now, arguments)

    async def _called(self, desk: CallDesk, entry: PageEntry, arguments: JsonObject) -> ToolResult:
        """Call it; what the call made of the page is in the list before the answer is."""
        browser = desk.browser
        answer = await call_page(self, desk, entry, arguments)
        result = deed_result(answer) if _is_deed(entry.tool) else page_result(answer, entry.origin)
        if entry.tool.source in FOUND and self.workspace.focus == entry.tab_id:
            with contextlib.suppress(ToolError):
                await browser.journeys.loaded(entry.tab_id)
                await browser.pages.look_at(entry.tab_id, within_s=LOOK_AFTER_S)
            await self.announce()
        return result

    def listed_entry(self, tab_id: TabId, name: str) -> PageEntry:
        """The page tool a client means by a name it was shown.

        Raises:
            StaleTarget: the name stands for something else now, or for nothing any more.
            InvalidArguments: it never stood for anything.
        """
        now, shown = self.entries(tab_id).get(name), self._shown.get((tab_id, name))
        if shown is not None and (now is None or not now.same_as(shown)):
            self.reconsider()
            raise StaleTarget(name, "the page no longer offers what was listed under that name.")
        if now is None:
            raise InvalidArguments(f"Tab {tab_id} offers no tool {name!r}.", "Call page_tools to see what it offers.")
        return now

    def close(self) -> None:
        """The client is gone."""
        self.recordings.drop()
        if self._timer is not None:
            self._timer.cancel()

    @property
    def browser(self) -> Browser | None:
        chosen = self.workspace.browser
        return None if chosen is None else self.context.browsers.get(chosen)

    async def _watched(self, desk: CallDesk, name: str, arguments: JsonObject) -> ToolResult:
        """Run it; nothing is told of a page it led to that is closed to agents, not even how it failed there."""
        try:
            result = await self._run(desk, name, arguments)
        except ToolError:
            self.context.permissions.look_again(self, desk)
            raise
        self.context.permissions.look_again(self, desk)
        return result

    async def _run(self, desk: CallDesk, name: str, arguments: JsonObject) -> ToolResult:
        tool = self.context.catalog.find(name)
        if tool is None or not self._offers(tool):
            return await self._run_page_tool(desk, name, arguments)
        params: Params = tool.parse(arguments)
        await self._aim(desk, tool, params)
        await self.permit(self._action(desk, tool, params, arguments), desk)
        if not tool.own_list:
            return await self._perform(desk, tool, params, arguments)
        self._announcer.call_began()
        try:
            return await self._perform(desk, tool, params, arguments)
        finally:
            await self._call_ended(desk.moved)

    async def _perform(self, desk: CallDesk, tool: AnyTool, params: Params, arguments: JsonObject) -> ToolResult:
        """Run the tool; what it does is seen by the recording of its tab, and kept in the history if it works."""
        if tool.toolset is not Toolset.AUTOMATION:
            async with self.recordings.around(desk.acting_in, tool.name, arguments):
                return await tool.run(desk, params)
        call = await self.history.read(tool.name, arguments, desk.acting_in)
        async with self.recordings.around(desk.acting_in, tool.name, arguments):
            result = cleaned_result(await tool.run(desk, params))
        if call is not None and not result.is_error:
            self.history.keep(call)
        return result

    async def _aim(self, desk: CallDesk, tool: AnyTool, params: Params) -> None:
        """The browser and the tab the call is about, which no dialog holds up.

        Raises:
            ToolError: none, not this session's, or held up.
        """
        automates = tool.toolset is Toolset.AUTOMATION and not tool.chooses_browser
        if self.browser is not None:
            await self.browser.present()
        if automates and self.browser is None:
            # whoever knows these tools only has no other way to ask for a browser
            await desk.connect(launch=True)
        if tool.hold is Hold.NONE:
            return
        named: int | None = getattr(params, "tabId", None)
        if named is None and tool.opens_tab and not desk.held:
            return
        needs_page = not (tool.opens_tab or tool.while_dialog)
        desk.aim(named, tool.hold, or_last=automates, or_crashed=not needs_page)
        if automates and needs_page and desk.browser.tab(desk.target).discarded:
            raise UnreachablePage(
                f"Tab {desk.target} was unloaded to save memory and shows nothing.", "Call navigate with reload first."
            )
        desk.tab.cdp.allow()
        # a page may hold frames of sites that it may not speak for
        access = _access(tool, params)
        desk.tab.frames.is_closed = lambda origin: self.context.permissions.is_closed(self, origin, access=access)
        desk.tab.shown = desk.shown
        if not tool.while_dialog:
            desk.tab.cdp.dialogs.check()
            if tool.access is not Access.READ and not tool.opens_tab:
                await desk.browser.journeys.arrived(desk.target)

    async def announce(self, *, moved: bool = False) -> None:
        """Tell of a changed list now, however lately another notice was sent; a moved focus is told in any case."""
        self._announcer.call_began()
        await self._call_ended(moved)

    async def _call_ended(self, moved: bool) -> None:
        # only the dynamic list follows the focus
        moved = moved and self.workspace.options.face is Face.DYNAMIC
        listing = self._list()
        verdict = self._announcer.call_ended(listing.fingerprint, time.monotonic(), moved=moved, minor=listing.minor)
        if verdict is Verdict.NOW:
            # before the result: a client that lists on the notice sees what the call did
            await self._notify()

    async def _run_page_tool(self, desk: CallDesk, name: str, arguments: JsonObject) -> ToolResult:
        """A name that is none of ours: a tool of the focused page, if this list shows those."""
        listed = self._fetched.pages.get(name)
        now = self._list().pages.get(name)
        if listed is None and now is None:
            return await self.call_hub_tool(desk, name, arguments)
        entry = now if listed is None else listed
        assert entry is not None
        desk.tab_id = entry.tab_id
        if now is None or not now.same_as(entry):
            # a refusal for staleness is preceded by the notice
            await self.announce()
            raise StaleTarget(name, "the focused page no longer offers what was listed under that name.")
        # as it is now: the same tool, perhaps in a document that came since
        return await self.call_page_tool(desk, now, arguments)

    async def call_hub_tool(self, desk: CallDesk, name: str, arguments: JsonObject) -> ToolResult:
        """A tool of any tab, by its hub name, as it was listed.

        Raises:
            UnknownTool: it stands for nothing, or this session has no hub.
        """
        if not self.sees_hub:
            raise UnknownTool(name)
        listed = None if self._fetched.hub is None else cast(View, self._fetched.hub).find(name)
        shown = self._hub_shown.get(name, listed)
        if name.startswith(PREFIX) and self.context.hub.view(self.workspace.browser).find(name) is None:
            self._check_chosen()
        return await HubCall(self.context.hub, self, desk).run(name, arguments, shown)

    def _check_chosen(self) -> None:
        linked = self.context.browsers.all()
        if self.workspace.browser is None and len(linked) > 1:
            raise ChooseBrowser(tuple((browser.id, f"{browser.name} {browser.version}") for browser in linked))

    def _offers(self, tool: AnyTool) -> bool:
        options = self.workspace.options
        if tool.chooses_browser:
            return len(self.context.browsers.all()) > 1
        return tool.toolset in options.toolsets and options.face in tool.faces

    def _action(self, desk: CallDesk, tool: AnyTool, params: Params, arguments: JsonObject) -> Action:
        address = None if tool.destination is None else tool.destination(params)
        destination = None if address is None else read_address(address)
        tab = self._tab(desk)
        return Action(
            self.principal, tool.name, _access(tool, params), arguments,
            origin="" if tab is None else origin_of(tab.url),
            scheme="" if tab is None else scheme_of(tab.url),
            document=None if tab is None else tab.document_id,
            destination=destination,
        )  # fmt: skip

    def _tab(self, desk: CallDesk) -> TabInfo | None:
        browser = self.browser
        return None if desk.tab_id is None or browser is None else browser.tabs.get(desk.tab_id)

    async def permit(self, action: Action, desk: CallDesk) -> None:
        """Raises:
        ToolError: denied, or not agreed to.
        """
        await self.context.permissions.permit(self, desk, action)

    def _list(self) -> Listing:
        workspace = self.workspace
        wants_pages = workspace.options.face is Face.DYNAMIC and Toolset.FOCUS in workspace.options.toolsets
        pages = self.entries(workspace.focus) if workspace.focus is not None and wants_pages else {}
        linked = len(self.context.browsers.all())
        browser = self.browser
        automates = browser is None or not browser.foreign
        hub = self.context.hub.view(workspace.browser) if self.sees_hub else None
        made_of = (workspace.state, pages, linked > 1, automates)
        if made_of != self._made_of:
            self._made = list_tools(workspace, self.context.catalog.tools, pages, linked, hub, automates=automates)
            self._made_of = made_of
        elif self._made.hub is not hub:
            self._made = self._made.with_hub(hub)
        return self._made

    def _act_on(self, verdict: Verdict) -> None:
        if verdict is Verdict.NOW:
            self.context.spawn(self._notify())
        if verdict is Verdict.LATER:
            loop = asyncio.get_running_loop()
            delay = max(0.0, self._announcer.due_at - time.monotonic())
            if self._timer is not None and self._timer.when() > loop.time() + delay:
                # what is due later may wait for less than that
                self._timer.cancel()
                self._timer = None
            if self._timer is None:
                self._timer = loop.call_later(delay, self._window_ended)

    def _window_ended(self) -> None:
        self._timer = None
        self.reconsider()


def _access(tool: AnyTool, params: Params) -> Access:
    return Access.READ if tool.only_looks is not None and tool.only_looks(params) else tool.access


def _is_deed(tool: PageTool) -> bool:
    """Whether we found it and it does something; one that reads answers in the page's words."""
    return tool.source in FOUND and tool.annotations.get("readOnlyHint") is not True


def _says_consequential(tool: PageTool) -> bool:
    """What a page says of its own tool; what we found by looking is our word, not the page's."""
    said = tool.annotations
    return tool.source not in FOUND and (said.get("consequentialHint") is True or said.get("destructiveHint") is True)
