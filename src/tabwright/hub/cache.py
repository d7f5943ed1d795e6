"""Tools that outlive their tabs: those a page says may be cached, until the page says otherwise.

Only what the page itself offers is kept, never what a frame in it does: calling a cached tool opens its site.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final

from tabwright.hub.entries import Entry, cached_digest
from tabwright.hub.memory import CachedTool, HubMemory
from tabwright.hub.names import Identity, name_of

MAX_OF_ORIGIN: Final = 256
MAX_IN_ALL: Final = 5_000


class Cache:
    """One browser's cached tools, by the name they are listed under."""

    def __init__(self, profile: str | None, memory: HubMemory, is_taken: Callable[[str], bool]) -> None:
        self._profile = profile
        self._is_taken = is_taken
        self._memory = memory
        self.tools: dict[str, CachedTool] = {}
        self.names: dict[str, tuple[str, str]] = {}
        self.version = 0
        self.fingerprint = 0
        self._of_origin: Counter[str] = Counter()
        self._by_key: dict[tuple[str, str], str] = {}
        for cached in memory.cached(profile):
            # the newest of what several profiles keep
            if cached.name not in self.tools and cached.key not in self._by_key:
                self._put(cached)

    def get(self, origin: str, tool: str) -> CachedTool | None:
        name = self._by_key.get((origin, tool))
        return None if name is None else self.tools[name]

    def offered(self, origin: str, entries: Iterable[Entry], now: float) -> None:
        """What a page of this origin offers now; what it no longer wants cached is forgotten."""
        if not self._profile:
            # of whoever has no profile nothing is kept
            return
        kept: list[CachedTool] = []
        for entry in entries:
            known = self.get(origin, entry.tool.name)
            if not entry.tool.cached:
                if known is not None:
                    self.drop([known.key])
                continue
            if known is not None and (known.tool.definition, known.url) == (entry.tool.definition, entry.url):
                continue
            if known is None and (self._of_origin[origin] >= MAX_OF_ORIGIN or len(self.tools) >= MAX_IN_ALL):
                continue
            made = CachedTool(known.name if known else self._name(entry), origin, entry.tool, entry.url, now)
            self._put(made)
            kept.append(made)
        if kept:
            self._memory.keep(self._profile, kept)

    def drop(self, keys: Iterable[tuple[str, str]]) -> None:
        wanted = [key for key in dict.fromkeys(keys) if key in self._by_key]
        for key in wanted:
            self._take(self._by_key[key])
        if wanted and self._profile is not None:
            self._memory.drop(self._profile, wanted)

    def _name(self, entry: Entry) -> str:
        identity = Identity(entry.origin, "", entry.tool.name)
        plain = name_of(identity, None)
        free = plain not in self.tools and not self._is_taken(plain)
        return plain if free else name_of(identity, None, distinct=True)

    def _put(self, cached: CachedTool) -> None:
        for past in {cached.name, self._by_key.get(cached.key, cached.name)} & self.tools.keys():
            self._take(past)
        self.tools[cached.name] = cached
        self.names[cached.name] = cached.key
        self._by_key[cached.key] = cached.name
        self._of_origin[cached.origin] += 1
        self.fingerprint += cached_digest(cached)
        self.version += 1

    def _take(self, name: str) -> None:
        cached = self.tools.pop(name)
        del self.names[name], self._by_key[cached.key]
        self._of_origin[cached.origin] -= 1
        self.fingerprint -= cached_digest(cached)
        self.version += 1
