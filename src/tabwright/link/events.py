"""What a link tells those above it. Tab ids here are the browser's own numbers."""

from dataclasses import dataclass
from typing import TypeAlias

from tabwright.model import DocumentId, JsonObject, PageTool, TabInfo


@dataclass(frozen=True, slots=True)
class Connected:
    """The browser and all its tabs: after connecting, and whenever it is asked for."""

    name: str
    version: str
    tabs: tuple[TabInfo, ...]
    extension: str = ""
    """The extension's own version; empty where it does not tell."""


@dataclass(frozen=True, slots=True)
class TabCreated:
    tab: TabInfo


@dataclass(frozen=True, slots=True)
class TabUpdated:
    tab: TabInfo


@dataclass(frozen=True, slots=True)
class TabClosed:
    tab_id: int
    crashed: bool = False


@dataclass(frozen=True, slots=True)
class ToolsReported:
    """The tools of one tab: `tabFocused` and `toolsChanged` both carry all of them."""

    tab_id: int
    tools: tuple[PageTool, ...]


@dataclass(frozen=True, slots=True)
class TabMessage:
    """A message of the hub protocol from one frame of a page; who sent it is the browser's word, not the page's."""

    tab_id: int
    frame_id: int
    document_id: DocumentId
    origin: str
    message: JsonObject
    path: str = ""
    """Its frame's place in the page, each frame counted in its parent: `0.2`."""


@dataclass(frozen=True, slots=True)
class FrameGone:
    """A frame that had offered tools is no more: left, removed, or put aside by the browser."""

    tab_id: int
    frame_id: int
    document_id: DocumentId


@dataclass(frozen=True, slots=True)
class PopupOpened:
    tab_id: int
    opener_tab_id: int


@dataclass(frozen=True, slots=True)
class TabActivated:
    """The person switched to this tab, where the browser tells it apart from any other news of the tab."""

    tab_id: int


@dataclass(frozen=True, slots=True)
class SessionStopped:
    """The person stopped an agent in the popup, or let it go on."""

    session: str
    stopped: bool


@dataclass(frozen=True, slots=True)
class TabReleased:
    """The person took the tab back in the popup."""

    tab_id: int


@dataclass(frozen=True, slots=True)
class LookedAt:
    """The person has pages of the extension open, or no longer, that show grants or the latest calls."""

    grants: bool
    calls: bool


@dataclass(frozen=True, slots=True)
class GrantRevoked:
    """The person took back in the popup what they had allowed."""

    grant: str


@dataclass(frozen=True, slots=True)
class DashboardWanted:
    """The person pressed for the dashboard in the popup."""


@dataclass(frozen=True, slots=True)
class DownloadReported:
    """A file the browser saves, as it is now. `path` is empty until it is known, `total` -1 where nobody says."""

    id: int
    url: str
    path: str
    state: str
    received: int
    total: int
    error: str = ""
    referrer: str = ""
    tab_id: int | None = None
    """Where a navigation of that tab became the download."""


@dataclass(frozen=True, slots=True)
class CdpEvent:
    tab_id: int
    method: str
    params: JsonObject
    session_id: str | None = None


@dataclass(frozen=True, slots=True)
class Suspended:
    """The socket is gone; the browser may be back within the grace."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """The socket is back; a `Connected` follows and tells what is left."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The browser is gone for good: it said so, its process ended, or the grace ran out."""

    reason: str


LinkEvent: TypeAlias = (
    Connected
    | TabCreated
    | TabUpdated
    | TabClosed
    | ToolsReported
    | TabMessage
    | FrameGone
    | PopupOpened
    | TabActivated
    | SessionStopped
    | TabReleased
    | LookedAt
    | GrantRevoked
    | DashboardWanted
    | DownloadReported
    | CdpEvent
    | Suspended
    | Resumed
    | Ended
)
