"""What one client has been shown of tools, and what it would be shown now: a call runs only what was shown."""

from typing import Final, cast

from tabwright.browser.browser import Browser
from tabwright.calls.context import CallContext
from tabwright.errors import ChooseBrowser, InvalidArguments, StaleTarget
from tabwright.hub.entries import Entry
from tabwright.hub.memory import CachedTool
from tabwright.hub.snapshot import Found, View, search
from tabwright.model import Face, PageTool, TabId, Toolset, changed_parts
from tabwright.policy.urls import origin_of
from tabwright.session.listing import Listing, list_tools
from tabwright.session.page_names import PageEntry, page_entries
from tabwright.session.workspace import Workspace


class ShownTools:
    """The lists of one session: of ours, of the focused page, of the hub."""

    def __init__(self, workspace: Workspace, context: CallContext) -> None:
        self._workspace: Final = workspace
        self._context: Final = context
        self.fetched = Listing(())
        """The list that the client has."""
        self._shown: dict[tuple[TabId, str], PageEntry] = {}
        self._entries: dict[TabId, tuple[str, tuple[PageTool, ...], dict[str, PageEntry]]] = {}
        """What was made of a page's tools, while neither they nor the page's address change."""
        self._made = Listing(())
        self._made_of: tuple[object, ...] = ()
        self._hub_shown: dict[str, Entry | CachedTool] = {}
        """What hub_list_tools showed, by name."""

    @property
    def browser(self) -> Browser | None:
        """The one whose tools they are; None while none is chosen."""
        chosen = self._workspace.browser
        return None if chosen is None else self._context.browsers.get(chosen)

    def fetch(self) -> Listing:
        """What `tools/list` answers; the client knows this list from now on."""
        self.fetched = self.now()
        self._hub_shown.clear()
        return self.fetched

    def now(self) -> Listing:
        """What it would be shown."""
        workspace, browser = self._workspace, self.browser
        wants_pages = workspace.options.face is Face.DYNAMIC and Toolset.FOCUS in workspace.options.toolsets
        pages = self.entries(workspace.focus) if workspace.focus is not None and wants_pages else {}
        linked = len(self._context.browsers.all())
        automates = browser is None or not browser.foreign
        hub = self._context.hub.view(workspace.browser) if self.sees_hub else None
        made_of = (workspace.state, pages, linked > 1, automates)
        if made_of != self._made_of:
            self._made = list_tools(workspace, self._context.catalog.tools, pages, linked, hub, automates=automates)
            self._made_of = made_of
        elif self._made.hub is not hub:
            self._made = self._made.with_hub(hub)
        return self._made

    def entries(self, tab_id: TabId) -> dict[str, PageEntry]:
        """A tab's page tools as this session would see them, by listed name."""
        browser = self.browser
        if browser is None or tab_id not in browser.tabs:
            return {}
        url, tools = browser.tabs[tab_id].url, browser.pages.tools(tab_id)
        kept = self._entries.get(tab_id)
        if kept is None or kept[:2] != (url, tools):
            # the automation tools do better what works on any page
            plain = Toolset.AUTOMATION not in self._workspace.options.toolsets
            listed = [tool for tool in tools if plain or not tool.generic]
            made = page_entries(tab_id, origin_of(url), listed, self._context.catalog.names)
            kept = self._entries[tab_id] = (url, tools, made)
        return kept[2]

    def show(self, tab_id: TabId) -> dict[str, PageEntry]:
        """The same, remembered as shown to the client."""
        entries = self.entries(tab_id)
        self._shown = {key: entry for key, entry in self._shown.items() if key[0] != tab_id}
        self._shown.update({(tab_id, name): entry for name, entry in entries.items()})
        return entries

    def meant(self, tab_id: TabId, name: str) -> PageEntry:
        """The page tool a client means by a name it was shown.

        Raises:
            StaleTarget: the name stands for something else now, or for nothing any more.
            InvalidArguments: it never stood for anything.
        """
        now, shown = self.entries(tab_id).get(name), self._shown.get((tab_id, name))
        if shown is not None and (now is None or not now.same_as(shown)):
            changed = () if now is None else changed_parts(shown.tool, now.tool)
            raise StaleTarget(name, "the page no longer offers what was listed under that name.", changed)
        if now is None:
            raise InvalidArguments(f"Tab {tab_id} offers no tool {name!r}.", "Call page_tools to see what it offers.")
        return now

    def forget(self, tab_id: TabId) -> None:
        """The tab is gone, and with it what was made of its page."""
        self._entries.pop(tab_id, None)
        self._shown = {key: entry for key, entry in self._shown.items() if key[0] != tab_id}

    @property
    def sees_hub(self) -> bool:
        return Toolset.HUB in self._workspace.options.toolsets

    def search_hub(self, query: str, domain: str, cursor: str | None) -> Found:
        """A page of the hub's tools, remembered as shown.

        Raises:
            ChooseBrowser: several are linked, and this session has none.
        """
        self.check_chosen()
        found = search(self._context.hub.view(self._workspace.browser), query, domain, cursor)
        self._hub_shown.update({spec.name: tool for spec, tool in found.tools})
        return found

    def of_hub(self, name: str) -> Entry | CachedTool | None:
        """What the client was shown under a name of the hub."""
        listed = None if self.fetched.hub is None else cast(View, self.fetched.hub).find(name)
        return self._hub_shown.get(name, listed)

    def check_chosen(self) -> None:
        """Raises:
        ChooseBrowser: several are linked, and this session has none.
        """
        linked = self._context.browsers.all()
        if self._workspace.browser is None and len(linked) > 1:
            raise ChooseBrowser(tuple((browser.id, f"{browser.name} {browser.version}") for browser in linked))
