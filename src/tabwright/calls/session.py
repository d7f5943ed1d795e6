"""One MCP client at work: its list, its calls, and when it is told that the list changed.

The async shell around the pure workspace. Lifecycle: opened by an edge with a way to notify the client -> lists and
calls -> closed by the edge; what it held is free again.
"""

import asyncio
import contextlib
import logging
import time
from collections import Counter
from collections.abc import Generator
from typing import Final

from tabwright.browser.browser import Browser
from tabwright.browser.pictures import Album
from tabwright.calls.advice import advise
from tabwright.calls.arrival import Arrival
from tabwright.calls.asking import Approver, Asking
from tabwright.calls.audit import Entry as AuditEntry
from tabwright.calls.brake import Brake
from tabwright.calls.context import CallContext
from tabwright.calls.desk import CallDesk, Progress
from tabwright.calls.history import History, is_read_alone, is_read_beside
from tabwright.calls.hub_calls import HubCall
from tabwright.calls.notices import Notices, Notify
from tabwright.calls.page_calls import PageCall
from tabwright.calls.recording import Recordings
from tabwright.calls.results import cleaned_result, error_result
from tabwright.calls.shown_tools import ShownTools
from tabwright.errors import (
    DefinitionChanged,
    LimitReached,
    StaleTarget,
    Stopped,
    ToolError,
    UnknownTool,
    UnreachablePage,
)
from tabwright.hub.names import PREFIX
from tabwright.model import JsonObject, TabId, TabInfo, ToolResult, Toolset, ToolSpec, changed_parts
from tabwright.policy.actions import Access, Action, Principal
from tabwright.policy.urls import origin_of, read_address, scheme_of
from tabwright.session.listing import Listing
from tabwright.session.workspace import Workspace
from tabwright.tools.tool import AnyTool, Hold, Params

log = logging.getLogger(__name__)


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
        self.tools: Final = ShownTools(workspace, context)
        self._hub_locks: dict[str, asyncio.Lock] = {}
        self._under_way: Counter[str] = Counter()
        self.hub_tabs: Final[dict[str, TabId]] = {}
        """The tab last opened for a cached tool, by the tool's origin."""
        self.notices: Final = Notices(self.tools, workspace.options.face, notify, context.spawn)

    @property
    def principal(self) -> Principal:
        return Principal(self._user, self.workspace.client, self.workspace.id)

    # --- the list

    def list(self) -> Listing:
        """What `tools/list` answers; the client knows this list from now on."""
        self.last_used = time.monotonic()
        return self.notices.list()

    def page(self, cursor: str | None) -> tuple[tuple[ToolSpec, ...], str | None]:
        """One page of it, and where the next begins."""
        self.last_used = time.monotonic()
        return self.notices.page(cursor)

    def forget(self, tab_id: TabId) -> None:
        """The tab is gone, and with it what was made of its page."""
        self.album.forget(tab_id)
        self.recordings.clear(tab_id)
        self.tools.forget(tab_id)

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
        outcome, characters, changed = "cancelled", 0, ()
        try:
            self.brake.check()
            result = await self._watched(desk, name, arguments)
            characters = result.characters
            outcome = "error" if result.is_error else "ok"
        except (ToolError, UnknownTool) as exc:
            outcome, characters = exc.word, len(str(exc))
            changed = exc.changed if isinstance(exc, StaleTarget | DefinitionChanged) else ()
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
                    changed,
                )
            )
        return result

    async def call_page_tool(self, desk: CallDesk, tab_id: TabId, name: str, arguments: JsonObject) -> ToolResult:
        """A tool of a tab's page, by the name it was shown under."""
        try:
            entry = self.tools.meant(tab_id, name)
        except StaleTarget:
            self.notices.reconsider()
            raise
        return await PageCall(self, desk).run(entry, arguments)

    def close(self) -> None:
        """The client is gone, and its calls with it, whenever its transport would call them off."""
        self.brake.end()
        self.recordings.drop()
        self.notices.close()

    @property
    def browser(self) -> Browser | None:
        return self.tools.browser

    async def _watched(self, desk: CallDesk, name: str, arguments: JsonObject) -> ToolResult:
        """Run it; nothing is told of a page it led to that is closed to agents, not even how it failed there."""
        try:
            result = await self._run(desk, name, arguments)
        except ToolError:
            await self.context.permissions.look_again(self, desk)
            raise
        await self.context.permissions.look_again(self, desk)
        return result

    async def _run(self, desk: CallDesk, name: str, arguments: JsonObject) -> ToolResult:
        tool = self.context.catalog.find(name)
        if tool is None or not self._offers(tool):
            return await self._run_page_tool(desk, name, arguments)
        params, arguments = tool.parse(arguments)
        await self._aim(desk, tool, params)
        await self.permit(self._action(desk, tool, params, arguments), desk)
        with self._one_of(tool):
            if not tool.own_list:
                return await self._perform(desk, tool, params, arguments)
            async with self.notices.after(lambda: desk.moved):
                return await self._perform(desk, tool, params, arguments)

    @contextlib.contextmanager
    def _one_of(self, tool: AnyTool) -> Generator[None]:
        """Raises:
        LimitReached: as many of its calls are under way as may be.
        """
        if tool.at_once is None:
            yield
            return
        if self._under_way[tool.name] >= tool.at_once:
            raise LimitReached(
                f"{tool.at_once} calls of {tool.name} are under way already.", "Wait for them, then call it again."
            )
        self._under_way[tool.name] += 1
        try:
            yield
        finally:
            self._under_way[tool.name] -= 1

    async def _perform(self, desk: CallDesk, tool: AnyTool, params: Params, arguments: JsonObject) -> ToolResult:
        """Run the tool; what it does is seen by the recording of its tab, and kept in the history if it works."""
        if tool.toolset is not Toolset.AUTOMATION:
            async with self.recordings.around(desk.acting_in, tool.name, arguments):
                result = await tool.run(desk, params)
            if not result.is_error:
                self.history.worked_beside(tool.name, arguments)
            return result
        if not is_read_alone(tool.name, arguments):
            return await self._perform_read(desk, tool, params, arguments)
        result = await self._recorded(desk, tool, params, arguments)
        if not result.is_error:
            self.history.worked(tool.name, arguments)
        return result

    async def _perform_read(self, desk: CallDesk, tool: AnyTool, params: Params, arguments: JsonObject) -> ToolResult:
        """The same, where the page says what is kept of the call, before it is another."""
        reading = self.history.read(tool.name, arguments, desk.acting_in)
        beside = asyncio.ensure_future(reading) if is_read_beside(tool.name) else None
        try:
            call = await reading if beside is None else None
            result = await self._recorded(desk, tool, params, arguments)
            call = call if beside is None else await beside
            if call is not None and not result.is_error:
                self.history.keep(call)
            return result
        finally:
            if beside is not None:
                beside.cancel()

    async def _recorded(self, desk: CallDesk, tool: AnyTool, params: Params, arguments: JsonObject) -> ToolResult:
        async with self.recordings.around(desk.acting_in, tool.name, arguments):
            return cleaned_result(await tool.run(desk, params))

    async def _aim(self, desk: CallDesk, tool: AnyTool, params: Params) -> None:
        """The browser and the tab the call is about, which no dialog holds up.

        Raises:
            ToolError: none, not this session's, or held up.
        """
        automates = tool.toolset is Toolset.AUTOMATION and not tool.chooses_browser
        if self.browser is not None:
            await self.browser.present()
        if automates and self.browser is None and tool.works_alone is not None and tool.works_alone(params):
            await desk.join()
        elif automates and self.browser is None:
            # whoever knows these tools only has no other way to ask for a browser; a new one has no tab to act in
            await desk.connect(launch=tool.hold is Hold.NONE or tool.opens_tab)
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
        desk.tab.cdp.attachment.allow()
        # a page may hold frames of sites that it may not speak for
        access = _access(tool, params)
        desk.tab.frames.is_closed = lambda origin: self.context.permissions.is_closed(self, origin, access=access)
        desk.tab.shown = desk.shown
        if not tool.while_dialog:
            desk.tab.cdp.dialogs.check()
            if tool.access is not Access.READ and not tool.opens_tab:
                await desk.browser.journeys.arrived(desk.target)

    async def _run_page_tool(self, desk: CallDesk, name: str, arguments: JsonObject) -> ToolResult:
        """A name that is none of ours: a tool of the focused page, if this list shows those."""
        listed = self.tools.fetched.pages.get(name)
        now = self.tools.now().pages.get(name)
        if listed is None and now is None:
            return await self.call_hub_tool(desk, name, arguments)
        entry = now if listed is None else listed
        assert entry is not None
        desk.tab_id = entry.tab_id
        if now is None or not now.same_as(entry):
            # a refusal for staleness is preceded by the notice
            await self.notices.announce()
            changed = () if now is None else changed_parts(entry.tool, now.tool)
            raise StaleTarget(name, "the focused page no longer offers what was listed under that name.", changed)
        # as it is now: the same tool, perhaps in a document that came since
        return await PageCall(self, desk).run(now, arguments)

    async def call_hub_tool(self, desk: CallDesk, name: str, arguments: JsonObject) -> ToolResult:
        """A tool of any tab, by its hub name, as it was listed.

        Raises:
            UnknownTool: it stands for nothing, or this session has no hub.
        """
        if not self.tools.sees_hub:
            raise UnknownTool(name)
        shown = self.tools.of_hub(name)
        if name.startswith(PREFIX) and self.context.hub.view(self.workspace.browser).find(name) is None:
            self.tools.check_chosen()
        return await HubCall(self.context.hub, self, desk).run(name, arguments, shown)

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


def _access(tool: AnyTool, params: Params) -> Access:
    return Access.READ if tool.only_looks is not None and tool.only_looks(params) else tool.access
