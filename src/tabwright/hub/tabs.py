"""A tab as the hub knows it: what its browser says of it, and what its frames offer."""

from dataclasses import dataclass, field, replace

from tabwright.hub.entries import Entry
from tabwright.hub.places import Place
from tabwright.model import TabInfo
from tabwright.policy.urls import origin_of


@dataclass(slots=True)
class HubFrame:
    """One document that registered something."""

    place: Place
    entries: dict[str, Entry] = field(default_factory=dict[str, Entry])
    says: frozenset[str] = frozenset()
    """Capabilities its page declares."""


@dataclass(slots=True)
class HubTab:
    info: TabInfo
    raw: int
    """The browser's own number of it."""
    frames: dict[int, HubFrame] = field(default_factory=dict[int, HubFrame])

    def is_past(self, page: HubFrame) -> bool:
        """Whether the tab shows another document by now than this one of its own, as far as its browser tells."""
        if self.info.document_id is not None:
            return self.info.document_id != page.place.document_id
        return origin_of(self.info.url) not in ("", page.place.origin)

    def went_on_from(self, before: TabInfo) -> bool:
        """Whether the tab went elsewhere, though its page itself offered nothing."""
        if before.document_id is not None and self.info.document_id is not None:
            return before.document_id != self.info.document_id
        return origin_of(before.url) != origin_of(self.info.url)

    def show(self, *, active: bool) -> None:
        """It came to the front of its window, or went."""
        if self.info.active != active:
            self.info = replace(self.info, active=active)
