"""The tools of one browser as they are looked up: by name, by who offers the same, by name without a tab.

Owns the ways to find an entry, how many an origin has, and a fingerprint of all of them. Leaves to others: which
entries there are, and why (the registry).
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from tabwright.hub.entries import Entry
from tabwright.hub.names import Identity, name_of

Key = tuple[str, str]
"""An origin, and what it calls its tool."""


class Index:
    """Every entry, under a name that only it has."""

    def __init__(self) -> None:
        self._named: dict[str, Entry] = {}
        self._groups: dict[Key, dict[str, Entry]] = {}
        self._tabless: dict[str, dict[Key, None]] = {}
        self._of_origin: Counter[str] = Counter()
        self.fingerprint = 0
        self.version = 0
        """Another one whenever the entries are."""

    def __len__(self) -> int:
        return len(self._named)

    def __contains__(self, name: object) -> bool:
        return name in self._named

    @property
    def named(self) -> Mapping[str, Entry]:
        return self._named

    def count_of(self, origin: str) -> int:
        return self._of_origin[origin]

    def group(self, origin: str, tool: str) -> Sequence[Entry]:
        """What pages offer under one name, of one origin."""
        return tuple(self._groups.get((origin, tool), {}).values())

    def tabless(self, name: str) -> Sequence[Key]:
        """What a name without a tab may stand for."""
        return tuple(self._tabless.get(name, ()))

    def enter(self, entry: Entry) -> None:
        self._named[entry.name] = entry
        self._of_origin[entry.origin] += 1
        if entry.is_page:
            key = _key(entry)
            self._groups.setdefault(key, {})[entry.name] = entry
            self._tabless.setdefault(_tabless(entry), {})[key] = None
        self.fingerprint += entry.digest
        self.version += 1

    def leave(self, entry: Entry) -> None:
        del self._named[entry.name]
        self._of_origin[entry.origin] -= 1
        if not self._of_origin[entry.origin]:
            del self._of_origin[entry.origin]
        if entry.is_page:
            self._ungroup(entry)
        self.fingerprint -= entry.digest
        self.version += 1

    def _ungroup(self, entry: Entry) -> None:
        key, name = _key(entry), _tabless(entry)
        del self._groups[key][entry.name]
        if self._groups[key]:
            return
        del self._groups[key]
        del self._tabless[name][key]
        if not self._tabless[name]:
            del self._tabless[name]


def _key(entry: Entry) -> Key:
    return entry.origin, entry.tool.name


def _tabless(entry: Entry) -> str:
    return name_of(Identity(entry.origin, "", entry.tool.name), None)
