"""The hub's tools at one moment: looked up by name, listed in order, searched in pages."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Final

from tabwright.errors import InvalidArguments
from tabwright.hub.entries import Entry, cached_spec
from tabwright.hub.memory import CachedTool
from tabwright.hub.names import domain_of, host_of
from tabwright.model import TabId, ToolSpec
from tabwright.policy.cursors import read_cursor, write_cursor
from tabwright.policy.urls import read_address

FOUND_IN_PAGE: Final = 50
_JOINTS: Final = re.compile(r"[_.-]")


@dataclass(frozen=True, eq=False)
class Snapshot:
    """One registry. Live tools and cached ones have names of their own."""

    version: tuple[int, ...]
    active: frozenset[TabId]
    fingerprint: int
    """Of everything but which tab is the active one."""
    live: dict[str, Entry]
    cached: dict[str, CachedTool]

    @cached_property
    def specs(self) -> tuple[ToolSpec, ...]:
        """All of them as a list shows them, by name."""
        made = {name: entry.shown(active=entry.place.tab_id in self.active) for name, entry in self.live.items()}
        made.update({name: cached_spec(cached) for name, cached in self.cached.items()})
        return tuple(made[name] for name in sorted(made))


@dataclass(frozen=True, eq=False)
class View:
    """What one session sees of the hub: its browser's registry, and what comes by other ways."""

    parts: tuple[Snapshot, ...] = ()

    @property
    def fingerprint(self) -> str:
        return ":".join(f"{part.fingerprint:x}" for part in self.parts)

    @property
    def active(self) -> str:
        """Which tabs are active, for telling that alone changed."""
        return ",".join(str(tab) for part in self.parts for tab in sorted(part.active))

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        return self._specs

    @cached_property
    def _specs(self) -> tuple[ToolSpec, ...]:
        specs = tuple(spec for part in self.parts for spec in part.specs)
        return specs if len(self.parts) < 2 else tuple(sorted(specs, key=lambda spec: spec.name))

    def find(self, name: str) -> Entry | CachedTool | None:
        for part in self.parts:
            found = part.live.get(name) or part.cached.get(name)
            if found is not None:
                return found
        return None


@dataclass(frozen=True, slots=True)
class Found:
    """One page of what was searched for."""

    tools: Sequence[tuple[ToolSpec, Entry | CachedTool]]
    total: int
    cursor: str | None


def search(view: View, query: str, domain: str, cursor: str | None) -> Found:
    """The tools whose name or description holds every word, of one site if it is named.

    Raises:
        InvalidArguments: the cursor is none of ours.
    """
    after = "" if cursor is None else read_cursor(cursor)
    words, site = query.casefold().split(), _site(domain)
    hits = [
        (spec, found)
        for spec in view.specs
        if (found := view.find(spec.name)) is not None and _is_of(found, site) and _holds(spec, found, words)
    ]
    rest = [hit for hit in hits if hit[0].name > after]
    page = list(islice(rest, FOUND_IN_PAGE))
    return Found(page, len(hits), write_cursor(page[-1][0].name) if len(rest) > len(page) else None)


def _site(domain: str) -> str:
    """A site as hosts are spelled: of an address its host, of a name in other letters what browsers make of it."""
    written = domain.strip()
    if not written:
        return ""
    try:
        address = read_address(written)
    except InvalidArguments:
        return written.casefold()
    return host_of(address.origin) if address.origin != "null" else written.casefold()


def _is_of(found: Entry | CachedTool, site: str) -> bool:
    """A site is meant by its host with or without its port, any domain above it, or the way names spell it."""
    host = host_of(found.origin)
    bare = host.rpartition(":")[0] if ":" in host and not host.endswith("]") else host
    return not site or site in (host, bare, domain_of(found.origin)) or bare.endswith(f".{site}")


def _holds(spec: ToolSpec, found: Entry | CachedTool, words: Iterable[str]) -> bool:
    """A word may be spelled as names in programs are, whichever way the page writes them."""
    text = f"{spec.name} {found.tool.name} {spec.description}".casefold()
    names = _JOINTS.sub("", f"{spec.name} {found.tool.name}".casefold())
    return all(word in text or ((bare := _JOINTS.sub("", word)) != "" and bare in names) for word in words)
