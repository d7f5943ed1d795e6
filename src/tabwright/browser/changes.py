"""What happens in a browser, in the words sessions understand. Tab ids are the ones clients see."""

from dataclasses import dataclass
from typing import TypeAlias

from tabwright.link import events
from tabwright.model import DocumentId, JsonObject, SessionId, TabId, TabInfo


@dataclass(frozen=True, slots=True)
class Linked:
    """The browser told its tabs for the first time: it can be worked with."""


@dataclass(frozen=True, slots=True)
class TabOpened:
    tab: TabInfo


@dataclass(frozen=True, slots=True)
class TabChanged:
    tab: TabInfo
    activated: bool = False


@dataclass(frozen=True, slots=True)
class TabGone:
    """Closed by anyone, crashed, or replaced while the link was down."""

    tab_id: TabId
    crashed: bool = False
    """It is still there for whoever holds it, and can be loaded anew."""


@dataclass(frozen=True, slots=True)
class ToolsChanged:
    tab_id: TabId


@dataclass(frozen=True, slots=True)
class PageSpoke:
    """A frame's message in the hub protocol; who sent it is the browser's word."""

    tab_id: TabId
    frame_id: int
    document_id: DocumentId
    origin: str
    message: JsonObject
    path: str = ""
    """Its frame's place in the page."""


@dataclass(frozen=True, slots=True)
class FrameGone:
    tab_id: TabId
    frame_id: int
    document_id: DocumentId


@dataclass(frozen=True, slots=True)
class PopupOpened:
    tab_id: TabId
    opener: TabId


@dataclass(frozen=True, slots=True)
class DownloadTold:
    """A file began to be saved, or it became known which tab it came from."""

    download_id: int


@dataclass(frozen=True, slots=True)
class AgentStopped:
    """The person stopped a session, or let it go on."""

    session: SessionId
    stopped: bool


@dataclass(frozen=True, slots=True)
class TakenBack:
    """The person took this tab back from whatever session holds it."""

    tab_id: TabId


@dataclass(frozen=True, slots=True)
class Resynchronised:
    """The link broke and is whole again; what the person sees must be drawn anew."""


@dataclass(frozen=True, slots=True)
class Lost:
    reason: str


Change: TypeAlias = (
    Linked
    | TabOpened
    | TabChanged
    | TabGone
    | ToolsChanged
    | PageSpoke
    | FrameGone
    | PopupOpened
    | DownloadTold
    | AgentStopped
    | TakenBack
    | events.LookedAt
    | events.GrantRevoked
    | events.DashboardWanted
    | Resynchronised
    | Lost
)
