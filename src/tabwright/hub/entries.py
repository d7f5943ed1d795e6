"""A tool of the hub as a list shows it: its name, whose words its description is, and where it lives."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from tabwright.hub.memory import CachedTool
from tabwright.hub.names import host_of
from tabwright.hub.places import Place
from tabwright.hub.tools import HubTool
from tabwright.model import JsonObject, ToolHints, ToolSpec
from tabwright.policy.schemas import cleaned
from tabwright.policy.text import MAX_DESCRIPTION, MAX_TITLE, clean

# what a page says of itself never makes its tool look harmless
_HINTS: Final = ToolHints(read_only=False, destructive=True, open_world=True)


@dataclass(frozen=True)
class Entry:
    """A tool that some document offers now."""

    name: str
    place: Place
    number: int
    """Of its tab."""
    origin: str
    """Whose tool it is: the document's own, or of a frame the page speaks for."""
    tool: HubTool
    url: str
    """Where its page can be opened again."""
    updated_at: float
    old: bool = False
    """Its page speaks the older spelling."""

    @cached_property
    def spec(self) -> ToolSpec:
        """As lists show it; made when one is asked for, which most pages never live to see."""
        return _spec(self.name, self.label(active=False), self.tool)

    @cached_property
    def digest(self) -> int:
        return _digest(self.name, str(self.place.tab_id), self.origin, self.tool)

    @property
    def is_page(self) -> bool:
        """Whether the page itself offers it, not a frame in it."""
        return self.place.is_page and self.origin == self.place.origin

    def label(self, *, active: bool) -> str:
        where = "" if self.is_page else ", in a frame"
        return f"[{host_of(self.origin)} • Tab {self.number}{' Active' if active else ''}{where}]"

    def shown(self, *, active: bool) -> ToolSpec:
        """As a list shows it while its tab is the one the person looks at, or not."""
        return _spec(self.name, self.label(active=True), self.tool) if active else self.spec

    def same_as(self, other: "Entry") -> bool:
        """Whether calling the one is calling the other: same tab, same origin, same definition."""
        mine = (self.place.tab_id, self.origin, self.tool.definition)
        return mine == (other.place.tab_id, other.origin, other.tool.definition)


def cached_spec(cached: CachedTool) -> ToolSpec:
    """A cached tool as a list shows it: no tab, and what calling it means."""
    return _spec(cached.name, f"[{host_of(cached.origin)} • opened when called]", cached.tool)


def cached_digest(cached: CachedTool) -> int:
    return _digest(cached.name, "", cached.origin, cached.tool)


def _digest(*told: object) -> int:
    words = [word.definition if isinstance(word, HubTool) else str(word) for word in told]
    return int.from_bytes(hashlib.sha256("\0".join(words).encode()).digest()[:16])


def _spec(name: str, label: str, tool: HubTool) -> ToolSpec:
    # the label tells whose words these are
    description = f"{label} {clean(tool.description, MAX_DESCRIPTION)}".strip()
    schema: JsonObject = {**cleaned(tool.input_schema), "type": "object"}
    return ToolSpec(name, description, schema, _HINTS, tool.meta or None, clean(tool.title, MAX_TITLE))
