"""What the hub needs of whatever carries its messages: hub.md's TabHubTransport, with whole addresses for tab ids.

A transport also tells which tabs there are: the hub never asks a browser anything else.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from tabwright.hub.places import Place
from tabwright.model import BrowserId, DocumentId, JsonObject, TabId, TabInfo


@dataclass(frozen=True, slots=True)
class BrowserSeen:
    """A browser is there. `profile` is what it is kept under; empty: nothing of it is kept."""

    browser: BrowserId
    profile: str
    raws: frozenset[int] | None = None
    """Its tabs by its own numbers, once it has told all of them."""
    recognised: bool = True
    """Whether its tabs are the same ones when it comes back, and it tells of frames that go."""


@dataclass(frozen=True, slots=True)
class BrowserGone:
    browser: BrowserId


@dataclass(frozen=True, slots=True)
class TabSeen:
    browser: BrowserId
    tab: TabInfo
    raw: int
    activated: bool = False


@dataclass(frozen=True, slots=True)
class TabGone:
    browser: BrowserId
    tab_id: TabId


@dataclass(frozen=True, slots=True)
class FrameGone:
    browser: BrowserId
    tab_id: TabId
    frame_id: int
    document_id: DocumentId


News: TypeAlias = BrowserSeen | BrowserGone | TabSeen | TabGone | FrameGone


class TabHubTransport(Protocol):
    """Between the hub and the pages. Callbacks are called in the order in which things happen."""

    async def send_request(self, place: Place, message: JsonObject, timeout_s: float) -> JsonObject:
        """The page's answer.

        Raises:
            ToolError: not delivered (`stale_target`, `unreachable_page`), no answer in time, or nobody knows.
        """
        ...

    def on_message(self, callback: Callable[[Place, JsonObject], None]) -> None: ...

    def on_news(self, callback: Callable[[News], None]) -> None:
        """Tabs and frames that come, change and go; hub.md's onDisconnect is `TabGone` and `FrameGone`."""
        ...

    def disconnect(self, browser: BrowserId, tab_id: TabId) -> None:
        """Hear no more of a tab."""
        ...
