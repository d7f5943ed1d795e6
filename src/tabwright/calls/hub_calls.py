"""One call of a hub tool: found, permitted, routed to a tab (opened if there is none), and run once.

Named with its tab, a tool runs there or nowhere. Named without, in the active tab that offers it, else in the one that
changed last, else in a new one; never in a tab another session holds. Once a page was given the call nothing is
retried and no other tab is tried.
"""

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, Final

from tabwright.browser.browser import Browser
from tabwright.calls.desk import CallDesk
from tabwright.calls.hub import Hub
from tabwright.calls.page_questions import caller_of
from tabwright.calls.results import page_result
from tabwright.errors import (
    BrowserNotConnected,
    CommandFailed,
    DefinitionChanged,
    InvalidArguments,
    StaleTarget,
    TabNotFound,
    ToolError,
    UnknownTool,
)
from tabwright.hub.entries import Entry
from tabwright.hub.memory import CachedTool
from tabwright.hub.registry import Registry
from tabwright.hub.routing import best
from tabwright.hub.tools import HubTool
from tabwright.model import Json, JsonObject, TabId, ToolResult, changed_parts
from tabwright.policy.actions import Access, Action
from tabwright.policy.page_arguments import read_page_arguments
from tabwright.policy.urls import read_address

if TYPE_CHECKING:
    from tabwright.calls.session import Session

RETRIES: Final = 3
RETRY_S: Final = 1.0
OPEN_S: Final = 10.0
_LIST_AGAIN: Final = "List the tools again: it was closed."
_UNDELIVERED: Final = frozenset({StaleTarget.word, "unreachable_page"})


class HubCall:
    """A name and arguments on their way to a page."""

    def __init__(self, hub: Hub, session: "Session", desk: CallDesk) -> None:
        self._hub = hub
        self._session = session
        self._desk = desk

    async def run(self, name: str, arguments: JsonObject, shown: Entry | CachedTool | None) -> ToolResult:
        """Run what this name stands for. `shown` is what it stood for when the client was last told.

        Raises:
            ToolError: refused, not reached, or nobody knows.
            UnknownTool: it stands for nothing.
        """
        now = self._hub.view(self._session.workspace.browser).find(name)
        if isinstance(shown, CachedTool) or (shown is None and isinstance(now, CachedTool)):
            return await self._run_cached(name, arguments, shown, now)
        if now is None and shown is None:
            return await self._run_anywhere(name, arguments)
        entry = await self._unchanged(name, shown, now)
        self._desk.tab_id = entry.place.tab_id
        arguments = read_page_arguments(name, entry.tool.input_schema, arguments)
        workspace, context = self._session.workspace, self._session.context
        context.holds.check_free(workspace.id, entry.place.tab_id, names=context.names())
        await self._permit(name, entry.origin, entry.tool, arguments, entry)
        return await self._deliver(entry, arguments)

    async def _unchanged(self, name: str, shown: Entry | None, now: Entry | CachedTool | None) -> Entry:
        """Raises:
        TabNotFound: its tab is gone.
        StaleTarget: the name stands for something else by now, or for nothing.
        """
        if isinstance(now, Entry) and (shown is None or now.same_as(shown)):
            return now
        await self._session.notices.announce()
        assert shown is not None
        registry = self._hub.registry_at(shown.place)
        if registry is None or not registry.knows(shown.place.tab_id):
            raise TabNotFound(shown.place.tab_id, _LIST_AGAIN)
        changed = changed_parts(shown.tool, now.tool) if isinstance(now, Entry) else ()
        raise StaleTarget(name, "its page no longer offers what was listed under that name.", changed)

    async def _run_cached(
        self, name: str, arguments: JsonObject, shown: CachedTool | None, now: Entry | CachedTool | None
    ) -> ToolResult:
        """A tool that outlives its tabs: as it was listed, or not at all."""
        cached = shown or now
        assert isinstance(cached, CachedTool)
        if not isinstance(now, CachedTool) or now.tool.definition != cached.tool.definition:
            await self._session.notices.announce()
            if now is None:
                raise StaleTarget(name, "its page no longer wants it kept.")
            raise DefinitionChanged(name, changed_parts(cached.tool, now.tool))
        arguments = read_page_arguments(name, cached.tool.input_schema, arguments)
        await self._permit(name, cached.origin, cached.tool, arguments)
        entry = await self._routed(cached.origin, cached.tool, cached.url)
        return await self._deliver(entry, arguments, anywhere=True)

    async def _run_anywhere(self, name: str, arguments: JsonObject) -> ToolResult:
        """A name without a tab that only open tabs stand for."""
        registry = self._registry
        match registry.tabless(name):
            case ():
                raise UnknownTool(name)
            case (key,):
                entry = self._best(registry, *key, definition=None)
            case keys:
                tools = ", ".join(tool for _, tool in keys)
                raise InvalidArguments(
                    f"{name} was not called: it may stand for any of {tools}.", "Use the name with the tab."
                )
        if entry is None:
            # every tab that offers it is another session's: one of our own then
            entry = next(iter(registry.group(*key)))
        arguments = read_page_arguments(name, entry.tool.input_schema, arguments)
        await self._permit(name, entry.origin, entry.tool, arguments)
        entry = await self._routed(entry.origin, entry.tool, entry.url)
        return await self._deliver(entry, arguments, anywhere=True)

    # --- where

    @property
    def _registry(self) -> Registry:
        return self._hub.registry(self._session.workspace.browser)

    def _best(self, registry: Registry, origin: str, tool: str, *, definition: str | None) -> Entry | None:
        return best(
            registry.group(origin, tool), definition=definition, is_free=self._is_free, is_active=registry.is_active
        )

    def _is_free(self, tab_id: TabId) -> bool:
        holder = self._session.context.holds.holder(tab_id)
        return holder in (None, self._session.workspace.id)

    async def _routed(self, origin: str, tool: HubTool, url: str) -> Entry:
        """The tab to use, opened if there is none; two calls of one session open one."""
        async with self._session.hub_lock(origin):
            found = self._best(self._registry, origin, tool.name, definition=tool.definition)
            entry = found or await self._open(origin, tool, url)
        self._desk.tab_id = entry.place.tab_id
        return entry

    async def _open(self, origin: str, tool: HubTool, url: str) -> Entry:
        """Open the site in a background tab of the caller's, and wait until its page offers the tool.

        Raises:
            DefinitionChanged: it offers another one under that name.
            ToolError: it did not load, or does not offer it.
        """
        browser = await self._connected()
        address = read_address(url)
        action = Action(self._session.principal, tool.name, Access.ACT, {}, origin, destination=address)
        await self._session.permit(action, self._desk)
        tab_id = await self._visit(browser, origin, address.href)
        registry = self._hub.registry(browser.id)

        def offered() -> Entry | None:
            return registry.offered_by(tab_id, origin, tool.name)

        await self._hub.until(lambda: offered() is not None or tab_id not in browser.tabs, OPEN_S)
        entry = offered()
        if entry is None:
            raise _not_offered(browser, tab_id, tool.name)
        if entry.tool.definition != tool.definition:
            await self._session.notices.announce()
            raise DefinitionChanged(tool.name, changed_parts(tool, entry.tool))
        return entry

    async def _visit(self, browser: Browser, origin: str, href: str) -> TabId:
        """A tab of the caller's that shows this: the one a call before opened for the site, or a new one.

        Raises:
            ToolError: it did not load.
        """
        kept = self._session.hub_tabs.pop(origin, None)
        if kept is not None and kept in browser.tabs and self._holds(kept):
            if not browser.foreign:
                self._session.hub_tabs[origin] = self._desk.tab_id = kept
                arrival = await browser.journeys.go(kept, href)
                if arrival.error:
                    raise CommandFailed(f"{href} did not load: {arrival.error}")
                return kept
            # tabs.md cannot send a tab elsewhere
            await browser.close_tab(kept)
        opened = await browser.new_tabs.open(href)
        await self._desk.adopt(opened.tab)
        self._session.hub_tabs[origin] = opened.tab.id
        if opened.problem is not None:
            raise CommandFailed(f"{href} did not load: {opened.problem}")
        return opened.tab.id

    def _holds(self, tab_id: TabId) -> bool:
        return self._session.context.holds.holder(tab_id) == self._session.workspace.id

    async def _connected(self) -> Browser:
        browser = self._session.browser or await self._desk.connect(launch=True)
        if browser is None:
            raise BrowserNotConnected
        return browser

    # --- whether

    async def _permit(
        self, name: str, origin: str, tool: HubTool, arguments: JsonObject, entry: Entry | None = None
    ) -> None:
        document = None if entry is None else entry.place.document_id
        action = Action(
            self._session.principal, name, Access.PAGE_TOOL, arguments, origin, document,
            consequential=tool.consequential, definition=tool.definition,
        )  # fmt: skip
        await self._session.permit(action, self._desk)

    # --- how

    async def _deliver(self, entry: Entry, arguments: JsonObject, *, anywhere: bool = False) -> ToolResult:
        """Give the page the call. What provably did not reach it is tried again, in whatever document is there."""
        for attempt in range(RETRIES + 1):
            try:
                return page_result(await self._execute(entry, arguments), entry.origin)
            except CommandFailed as exc:
                if exc.word not in _UNDELIVERED or attempt == RETRIES:
                    raise
            except StaleTarget:
                if attempt == RETRIES:
                    raise
            entry = await self._again(entry, anywhere=anywhere)
        raise AssertionError("the last attempt answers or raises")

    async def _execute(self, entry: Entry, arguments: JsonObject) -> Json:
        """Raises:
        DialogOpen: the tool opened a dialog, or one holds its page up.
        """

        caller = caller_of(self._session, self._desk, entry.name, entry.origin)

        def work() -> Coroutine[Any, Any, Json]:
            return self._hub.execute(entry, arguments, caller)

        place = entry.place
        linked = self._session.context.browsers.all()
        browser = next((each for each in linked if each.id == place.browser), None)
        if browser is None or browser.foreign or place.tab_id not in browser.tabs:
            return await work()
        browser.at(place.tab_id).cdp.attachment.allow()
        return await browser.pages.unless_dialog(place.tab_id, place.frame_id, place.document_id, work)

    async def _again(self, entry: Entry, *, anywhere: bool) -> Entry:
        """The same tool once its page is back, or after a second; elsewhere if the call named no tab."""
        registry = self._hub.registry_at(entry.place)

        def back() -> Entry | None:
            now = None if registry is None else registry.again(entry)
            if now is None and anywhere and registry is not None:
                now = self._best(registry, entry.origin, entry.tool.name, definition=entry.tool.definition)
            return now

        def decided() -> bool:
            now = back()
            if now is not None:
                return now.place != entry.place
            # its page offers another one by that name
            return registry is not None and registry.find(entry.name) is not None

        await self._hub.until(decided, RETRY_S)
        now = back()
        if now is not None:
            return now
        await self._session.notices.announce()
        if registry is None or not registry.knows(entry.place.tab_id):
            raise TabNotFound(entry.place.tab_id, _LIST_AGAIN)
        raise StaleTarget(entry.name, "its page no longer offers what was listed under that name.")


def _not_offered(browser: Browser, tab_id: TabId, tool: str) -> ToolError:
    tab = browser.tabs.get(tab_id)
    where = "the tab was closed" if tab is None else f"tab {tab_id} shows {tab.url[:200]}"
    return CommandFailed(
        f"The page was opened but did not offer {tool} within {OPEN_S:g} s; {where}. It may want the person to log in.",
        -32014,
        "timeout",
    )
