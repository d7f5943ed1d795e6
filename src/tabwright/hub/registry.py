"""The tools that pages of one browser offer, by who offers them; fed with what happens, never awaits.

Lifecycle of a tool: its document registers (all tools of a frame at once, each message replacing the one before) ->
it is listed under a name that is its own for as long as it is there -> its document changes or drops it, leaves its
frame, or its tab closes. A tool the page wants cached is kept besides, under a name without a tab.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tabwright.errors import InvalidRequest
from tabwright.hub.cache import Cache
from tabwright.hub.entries import Entry
from tabwright.hub.index import Index
from tabwright.hub.memory import HubMemory
from tabwright.hub.names import Identity, domain_of, name_of
from tabwright.hub.numbers import Numbers
from tabwright.hub.places import Allowed, Place
from tabwright.hub.snapshot import Snapshot
from tabwright.hub.tabs import HubFrame, HubTab
from tabwright.hub.tools import HubTool, read_tools
from tabwright.link.hub_wire import Registering, parse_hub_message
from tabwright.model import DocumentId, JsonObject, TabId, TabInfo
from tabwright.policy.text import clean
from tabwright.policy.urls import origin_of

MAX_OF_ORIGIN: Final = 256
MAX_IN_BROWSER: Final = 20_000


@dataclass(frozen=True, slots=True)
class Registered:
    """What became of a registration. `rejected` pairs a tool's own name with the reason."""

    added: int = 0
    removed: int = 0
    kept: int = 0
    rejected: tuple[tuple[str, str], ...] = ()
    gone: tuple[Place, ...] = ()
    """The documents that are past by it."""


@dataclass(frozen=True, slots=True)
class Ignored:
    reason: str


class Registry:
    """One browser's tools. Names are unique in it; `salt` keeps them apart from another registry's.

    `tells_frames`: the browser says when a frame goes. Else the frames of a page go with it.
    """

    def __init__(
        self,
        profile: str | None,
        memory: HubMemory,
        allowed: Allowed,
        *,
        salt: str = "",
        numbers: HubMemory | None = None,
        tells_frames: bool = True,
    ) -> None:
        self._tells_frames = tells_frames
        self._allowed = allowed
        self._salt = salt
        self._numbers = Numbers(profile or "", numbers or memory)
        self._index = Index()
        self.cache = Cache(profile, memory, self._index.__contains__)
        self._tabs: dict[TabId, HubTab] = {}
        self._moves = 0
        """How often another tab became the active one."""
        self._snapshot: Snapshot | None = None

    # --- what there is

    def find(self, name: str) -> Entry | None:
        return self._index.named.get(name)

    def knows(self, tab_id: TabId) -> bool:
        return tab_id in self._tabs

    def is_active(self, tab_id: TabId) -> bool:
        tab = self._tabs.get(tab_id)
        return tab is not None and tab.info.active

    def offered_by(self, tab_id: TabId, origin: str, tool: str) -> Entry | None:
        """What the page of one tab offers under the page's own name for it."""
        return next((entry for entry in self.group(origin, tool) if entry.place.tab_id == tab_id), None)

    def group(self, origin: str, tool: str) -> Iterable[Entry]:
        """The tabs whose pages offer the same: same origin, same name."""
        return self._index.group(origin, tool)

    def tabless(self, name: str) -> Sequence[tuple[str, str]]:
        """The origins and tools that a name without a tab may stand for: one if it is listed."""
        cached = self.cache.names.get(name)
        return self._index.tabless(name) if cached is None else (cached,)

    def again(self, entry: Entry) -> Entry | None:
        """The same tool as it is offered now, in whatever document."""
        now = self._index.named.get(entry.name)
        return now if now is not None and now.same_as(entry) else None

    @property
    def version(self) -> tuple[int, ...]:
        """Another one whenever a snapshot would be."""
        return self._index.version, self.cache.version, self._moves

    @property
    def says(self) -> frozenset[str]:
        """Capabilities that any page declares, or that its tools show."""
        shown = {"cacheSupported"} if self.cache.tools else set[str]()
        frames = (frame for tab in self._tabs.values() for frame in tab.frames.values())
        return frozenset(shown.union(*(frame.says for frame in frames)))

    def snapshot(self) -> Snapshot:
        """Everything as it is now, for lists; the same object until something changes."""
        made = self._snapshot
        if made is None or made.version != self.version:
            made = self._snapshot = Snapshot(
                self.version,
                frozenset(tab_id for tab_id, tab in self._tabs.items() if tab.info.active and tab.frames),
                (self._index.fingerprint + self.cache.fingerprint) % 2**128,
                dict(self._index.named),
                dict(self.cache.tools),
            )
        return made

    # --- what happens

    def tab_seen(self, info: TabInfo, raw: int, *, activated: bool = False) -> list[Place]:
        """A tab opened or changed; the documents that are past by it."""
        tab = self._tabs.get(info.id)
        if tab is None:
            tab = self._tabs[info.id] = HubTab(info, raw)
        self._moves += tab.info.active != info.active
        before, tab.info = tab.info, info
        if activated:
            self._activate(info.id)
        page = tab.frames.get(0)
        if not (tab.went_on_from(before) if page is None else tab.is_past(page)):
            return []
        if not self._tells_frames:
            return self._drop_all(info.id)
        return [] if page is None else [self._drop(info.id, 0)]

    def tabs_are(self, raws: Iterable[int], now: float) -> None:
        """The browser has told all its tabs: numbers of others are past."""
        self._numbers.only(raws, now)

    def told(self, place: Place, message: JsonObject, now: float) -> Registered | Ignored:
        """A document's message in the hub protocol."""
        tab = self._tabs.get(place.tab_id)
        if tab is None:
            return Ignored("its tab is unknown")
        if place.origin not in self._allowed:
            return Ignored(f"{clean(place.origin, 200) or 'an opaque origin'} may not register tools here")
        try:
            told = parse_hub_message(message)
        except InvalidRequest as exc:
            return Ignored(exc.message)
        if not isinstance(told, Registering):
            return Ignored("it says nothing of tools")
        return self._register(tab, place, told, now)

    def frame_gone(self, tab_id: TabId, frame_id: int, document: DocumentId) -> list[Place]:
        tab = self._tabs.get(tab_id)
        frame = None if tab is None else tab.frames.get(frame_id)
        if frame is None or frame.place.document_id != document:
            return []
        return [self._drop(tab_id, frame_id)]

    def tab_gone(self, tab_id: TabId) -> list[Place]:
        tab = self._tabs.get(tab_id)
        if tab is None:
            return []
        gone = self._drop_all(tab_id)
        del self._tabs[tab_id]
        self._numbers.gone(tab.raw)
        return gone

    def frames(self) -> Mapping[Place, Mapping[str, Entry]]:
        """Every document that offers something, and what."""
        return {frame.place: frame.entries for tab in self._tabs.values() for frame in tab.frames.values()}

    # --- inside

    def _register(self, tab: HubTab, place: Place, told: Registering, now: float) -> Registered:
        tools, rejected = read_tools(told.tools)
        before = tab.frames.get(place.frame_id)
        if not told.tools and not told.update and (before is None or before.place == place):
            # hub.md 2: an empty first list is no registration
            return Registered()
        known = dict(before.entries) if before is not None else {}
        gone = self._replaced(tab, place, before)
        if before is not None and not rejected and self._is_same(before, place, tools, told):
            return Registered(kept=len(known))
        for entry in known.values():
            self._index.leave(entry)
        frame = tab.frames[place.frame_id] = HubFrame(place, says=_said(told))
        kept = 0
        # whoever stays keeps its name, whatever comes before it in the list
        reserved = {known[tool.name].name for tool in tools if tool.name in known}
        for tool in tools:
            entry = self._entry(tab, place, tool, told, known.get(tool.name), reserved, now)
            if isinstance(entry, str):
                rejected.append((tool.name, entry))
                continue
            kept += entry is known.get(tool.name)
            self._index.enter(entry)
            frame.entries[tool.name] = entry
        self._settle(frame, place, now)
        if not frame.entries and not frame.says:
            del tab.frames[place.frame_id]
        return Registered(len(frame.entries) - kept, len(known) - kept, kept, tuple(rejected), gone)

    def _replaced(self, tab: HubTab, place: Place, before: HubFrame | None) -> tuple[Place, ...]:
        """The documents that are past when this one speaks in its frame."""
        if before is None or before.place == place:
            return ()
        if self._tells_frames or not place.is_page:
            return (before.place,)
        return (before.place, *(self._drop(tab.info.id, frame_id) for frame_id in [*tab.frames] if frame_id != 0))

    @staticmethod
    def _is_same(before: HubFrame, place: Place, tools: list[HubTool], told: Registering) -> bool:
        """Whether a registration says nothing new."""
        url = _url(told.tab_url, place.origin)
        same = {tool.name: tool for tool in tools} == {name: entry.tool for name, entry in before.entries.items()}
        return (
            same
            and (before.place, before.says) == (place, _said(told))
            and all((entry.url, entry.old) == (url, told.old) for entry in before.entries.values())
        )

    def _settle(self, frame: HubFrame, place: Place, now: float) -> None:
        if place.is_page:
            self.cache.offered(place.origin, [entry for entry in frame.entries.values() if entry.is_page], now)

    def _entry(
        self,
        tab: HubTab,
        place: Place,
        tool: HubTool,
        told: Registering,
        known: Entry | None,
        reserved: set[str],
        now: float,
    ) -> Entry | str:
        """The tool under its name, as it was if nothing about it changed; or why it cannot be."""
        origin = self._owner(place, tool)
        problem = self._over_quota(origin)
        if problem is not None:
            return problem
        url = _url(told.tab_url, place.origin)
        if known is not None and known.origin == origin:
            made = Entry(known.name, place, known.number, origin, tool, url, known.updated_at, told.old)
            return known if made == known else replace(made, updated_at=now)
        number = self._numbers.of(tab.raw, now)
        name = self._name(tab, origin, tool.name, number, place, reserved)
        if name is None:
            return "its name is taken"
        return Entry(name, place, number, origin, tool, url, now, told.old)

    def _over_quota(self, origin: str) -> str | None:
        if origin not in self._allowed:
            return "its origin may not register tools here"
        if self._index.count_of(origin) >= MAX_OF_ORIGIN:
            return f"an origin may register {MAX_OF_ORIGIN}"
        return f"a browser may hold {MAX_IN_BROWSER}" if len(self._index) >= MAX_IN_BROWSER else None

    def _name(self, tab: HubTab, origin: str, tool: str, number: int, place: Place, reserved: set[str]) -> str | None:
        """A name nobody has. A frame never gets the plain name that its page might want."""
        is_page = place.is_page and origin == place.origin
        poses = not is_page and domain_of(origin) == domain_of(origin_of(tab.info.url))
        path = self._path(tab, place)
        identity = Identity(origin, path, tool)
        # a frame may stand where another one stood when that got its name
        moved = Identity(origin, f"{path}#{place.frame_id}", tool)
        names = (
            name_of(identity, number, distinct=poses or bool(self._salt)),
            name_of(identity, number, distinct=True),
            name_of(moved, number, distinct=True),
        )
        taken = (self._index, self.cache.names, reserved)
        return next((name for name in names if not any(name in others for others in taken)), None)

    def _path(self, tab: HubTab, place: Place) -> str:
        """Where the frame stands, which a reload does not change, as it does the browser's number for it."""
        if place.is_page:
            return self._salt
        order = sum(0 < frame_id < place.frame_id for frame_id in tab.frames)
        return f"{self._salt}{place.path or f'?{order}'}"

    @staticmethod
    def _owner(place: Place, tool: HubTool) -> str:
        """Whose tool it is. The page may speak for servers in its frames; no frame speaks for another origin."""
        return tool.claimed_origin if place.is_page and tool.claimed_origin else place.origin

    def _activate(self, tab_id: TabId) -> None:
        """For browsers that tell which tab comes to the front, but not which one goes."""
        self._moves += 1
        window = self._tabs[tab_id].info.window_id
        for tab in self._tabs.values():
            if tab.info.window_id == window:
                tab.show(active=tab.info.id == tab_id)

    def _drop_all(self, tab_id: TabId) -> list[Place]:
        return [self._drop(tab_id, frame_id) for frame_id in list(self._tabs[tab_id].frames)]

    def _drop(self, tab_id: TabId, frame_id: int) -> Place:
        frame = self._tabs[tab_id].frames.pop(frame_id)
        for entry in frame.entries.values():
            self._index.leave(entry)
        return frame.place


def _url(told: str, origin: str) -> str:
    """Where the page can be opened again: its own word if that is its own site, else the site's front door.

    A blob's address has its maker's origin, and ends with its maker.
    """
    return told if origin_of(told) == origin and not told.strip().lower().startswith("blob:") else f"{origin}/"


def _said(told: Registering) -> frozenset[str]:
    declared = told.extensions.get("browser")
    if not isinstance(declared, dict):
        return frozenset()
    return frozenset(key for key in ("cacheSupported", "elicitation") if declared.get(key) is True)
