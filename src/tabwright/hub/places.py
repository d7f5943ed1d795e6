"""Where a tool of the hub lives, and which origins may offer any."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from tabwright.errors import InvalidArguments
from tabwright.model import BrowserId, DocumentId, TabId
from tabwright.policy.urls import origin_of, read_address

_WEB: Final = frozenset({"http", "https"})


@dataclass(frozen=True, slots=True)
class Place:
    """One document in one frame: the identity of whoever speaks, stamped by the browser and never by the page."""

    browser: BrowserId
    tab_id: TabId
    frame_id: int
    document_id: DocumentId
    origin: str
    path: str = field(default="", compare=False)
    """Where its frame stands in the page, like `0.2`: the third frame of the first. Empty where nobody tells."""

    @property
    def document(self) -> tuple[BrowserId, TabId, int, DocumentId]:
        """The same without its origin, which is the browser's word too: no two documents have one identity."""
        return self.browser, self.tab_id, self.frame_id, self.document_id

    @property
    def is_page(self) -> bool:
        """Whether it is the page itself, not a frame in it."""
        return self.frame_id == 0


@dataclass(frozen=True, slots=True)
class Allowed:
    """The origins whose pages may register: all of http(s), or exactly these (`https://*.example.com`: any below)."""

    patterns: frozenset[str] = frozenset()

    @classmethod
    def of(cls, patterns: Iterable[str]) -> "Allowed":
        return cls(frozenset(patterns))

    def __contains__(self, origin: object) -> bool:
        if not isinstance(origin, str) or origin_of(origin) != origin:
            return False
        try:
            address = read_address(origin)
        except InvalidArguments:
            return False
        if address.scheme not in _WEB:
            return False
        return not self.patterns or origin in self.patterns or any(map(self.patterns.__contains__, _above(origin)))


def _above(origin: str) -> list[str]:
    """The patterns that would cover this origin: every domain above it."""
    scheme, _, host = origin.partition("://")
    labels = host.split(".")
    return [f"{scheme}://*.{'.'.join(labels[start:])}" for start in range(1, len(labels))]
