"""How a navigation of a tab ended, in words: the browser's error names become reasons a person would give."""

from dataclasses import dataclass
from enum import Enum
from typing import Final

from tabwright.link.wire import MAX_TITLE_CHARS, MAX_URL_CHARS
from tabwright.model import JsonObject


class Ending(Enum):
    """What became of it."""

    ARRIVED = "committed"
    FAILED = "failed"
    RUNNING = "running"
    """The server has not answered yet."""
    HELD_UP = "asked"
    """It has not begun: the page asks whether to leave it."""
    DOWNLOAD = "download"
    EMPTY = "empty"
    """The server answered that there is nothing to show."""
    SUPERSEDED = "superseded"
    """Another navigation of the tab took over."""


@dataclass(frozen=True, slots=True)
class Arrival:
    ending: Ending
    url: str
    title: str
    status: int | None = None
    error: str = ""
    same_document: bool = False
    loading: bool = False
    silent: bool = False
    """The page is there, but stands still."""
    download: int | None = None


def read_arrival(told: JsonObject) -> Arrival:
    """What the extension answered."""
    status, download = told.get("status"), told.get("download")
    return Arrival(
        ending=Ending(told.get("outcome")),
        # a page may give itself an address of megabytes
        url=str(told.get("url", ""))[:MAX_URL_CHARS],
        title=str(told.get("title", ""))[:MAX_TITLE_CHARS],
        status=status if isinstance(status, int) else None,
        error=str(told.get("error", "")),
        same_document=told.get("sameDocument") is True,
        loading=told.get("loading") is True,
        silent=told.get("silent") is True,
        download=download if isinstance(download, int) else None,
    )


_REASONS: Final = {
    "ERR_NAME_NOT_RESOLVED": ("no server has this name", "Check the spelling of the host."),
    "ERR_CONNECTION_REFUSED": ("nothing listens at this address", "Check host and port, or start the server."),
    "ERR_CONNECTION_TIMED_OUT": ("the server does not answer", "Try again later, or check host and port."),
    "ERR_TIMED_OUT": ("the server does not answer", "Try again later, or check host and port."),
    "ERR_CONNECTION_RESET": ("the server cut the connection", "Try again."),
    "ERR_CONNECTION_CLOSED": ("the server cut the connection", "Try again."),
    "ERR_EMPTY_RESPONSE": ("the server answered nothing", "Try again, or check the port."),
    "ERR_INVALID_HTTP_RESPONSE": ("what answers there is not a web server", "Check the port."),
    "ERR_ADDRESS_UNREACHABLE": ("this address cannot be reached from here", "Check host and network."),
    "ERR_INTERNET_DISCONNECTED": ("this machine has no network", "Ask the person to connect it."),
    "ERR_TOO_MANY_REDIRECTS": ("it redirects in a circle", "Cookies may be missing: begin at the site's first page."),
    "ERR_SSL_PROTOCOL_ERROR": ("the server speaks no HTTPS there", "Try the address with http://."),
    "ERR_UNSAFE_PORT": ("browsers open no pages on this port", "Use another port."),
    "ERR_BLOCKED_BY_CLIENT": ("an extension of this browser blocks it", "Ask the person."),
    "ERR_BLOCKED_BY_ADMINISTRATOR": ("a policy of this browser blocks it", "Ask the person."),
    "ERR_BLOCKED_BY_RESPONSE": ("the site forbids showing it this way", "Open another page of the site."),
    "ERR_FILE_NOT_FOUND": ("there is no such file", "Check the path."),
}
_CERTIFICATE: Final = ("its certificate is not valid", "Only the person may go on: ask them to look at the tab.")
_OTHER: Final = ("the browser could not load it", "Check the address, or try again.")


def reason(error: str) -> tuple[str, str]:
    """Why a page did not load, and what to do about it, from a name like `net::ERR_NAME_NOT_RESOLVED`."""
    name = error.removeprefix("net::")
    if name.startswith("ERR_CERT_"):
        return _CERTIFICATE
    return _REASONS.get(name, _OTHER)
