"""tabs.md's typed messages as values: what both the local and the foreign dialect read.

Wire spelling stops here. Unknown fields are ignored, missing ones get a plain default, wrong types make the
message malformed.
"""

import re
from typing import Final

from tabwright.errors import InvalidRequest
from tabwright.link.events import (
    CdpEvent,
    Connected,
    DashboardWanted,
    DownloadReported,
    Ended,
    FrameGone,
    GrantRevoked,
    LinkEvent,
    LookedAt,
    PopupOpened,
    SessionStopped,
    TabClosed,
    TabCreated,
    TabMessage,
    TabReleased,
    TabUpdated,
    ToolsReported,
)
from tabwright.model import DocumentId, Json, JsonObject, PageTool, TabId, TabInfo

MAX_TITLE_CHARS: Final = 1_000
MAX_URL_CHARS: Final = 8_000
_PATH: Final = re.compile(r"\d{1,4}(?:\.\d{1,4}){0,31}")


def parse_event(message: JsonObject) -> LinkEvent | None:
    """The event a typed message carries; None for a type that is none (`ping`, `toolResult`, a later word).

    Raises:
        InvalidRequest: a known type with a wrong shape.
    """
    match message.get("type"):
        case "connected":
            return _parse_connected(message)
        case "tabCreated":
            return TabCreated(parse_tab(message.get("tab")))
        case "tabUpdated":
            return TabUpdated(parse_tab(message.get("tab")))
        case "tabClosed":
            return TabClosed(parse_number(message, "tabId"), crashed=message.get("reason") == "crashed")
        case "tabFocused" | "toolsChanged":
            return ToolsReported(parse_number(message, "tabId"), parse_tools(message.get("tools", [])))
        case "tabMessage":
            return _parse_tab_message(message)
        case "frameGone":
            frame = (parse_number(message, "tabId"), parse_number(message, "frameId"))
            return FrameGone(*frame, _parse_document(message))
        case "popupOpened":
            return PopupOpened(parse_number(message, "tabId"), parse_number(message, "openerTabId"))
        case "sessionStopped":
            return SessionStopped(str(message.get("sessionId")), message.get("stopped") is not False)
        case "tabReleased":
            return TabReleased(parse_number(message, "tabId"))
        case "lookedAt":
            return LookedAt(message.get("grants") is True, message.get("calls") is True)
        case "grantRevoked":
            return GrantRevoked(str(message.get("grantId")))
        case "dashboardWanted":
            return DashboardWanted()
        case "download":
            return _parse_download(message)
        case "disconnected":
            return Ended("the browser said goodbye")
        case _:
            return None


def parse_cdp_event(params: JsonObject) -> CdpEvent:
    """Raises:
    InvalidRequest: it has another shape.
    """
    method, inner, session = params.get("method"), params.get("params", {}), params.get("sessionId")
    if not isinstance(method, str) or not isinstance(inner, dict):
        raise InvalidRequest("forwardCDPEvent carries tabId, method and params.")
    return CdpEvent(parse_number(params, "tabId"), method, inner, session if isinstance(session, str) else None)


def _parse_tab_message(message: JsonObject) -> TabMessage:
    inner = message.get("message")
    if not isinstance(inner, dict):
        raise InvalidRequest("tabMessage carries a message object.")
    return TabMessage(
        parse_number(message, "tabId"),
        _optional_number(message, "frameId") or 0,
        _parse_document(message),
        _text(message.get("origin"), MAX_URL_CHARS),
        inner,
        _parse_path(message.get("path")),
    )


def _parse_path(raw: Json) -> str:
    return raw if isinstance(raw, str) and _PATH.fullmatch(raw) else ""


def _parse_download(message: JsonObject) -> DownloadReported:
    total = _optional_number(message, "total")
    return DownloadReported(
        id=parse_number(message, "id"),
        url=_text(message.get("url"), MAX_URL_CHARS),
        path=_text(message.get("filename"), MAX_URL_CHARS),
        state=_text(message.get("state"), 40),
        received=_optional_number(message, "bytes") or 0,
        total=-1 if total is None else total,
        error=_text(message.get("error"), 200),
        referrer=_text(message.get("referrer"), MAX_URL_CHARS),
        tab_id=_optional_number(message, "tabId"),
    )


def _parse_document(message: JsonObject) -> DocumentId:
    document = message.get("documentId")
    if not isinstance(document, str):
        raise InvalidRequest("documentId is a string.")
    return DocumentId(document)


def _parse_connected(message: JsonObject) -> Connected:
    browser, tabs = message.get("browser", {}), message.get("tabs", [])
    if not isinstance(browser, dict) or not isinstance(tabs, list):
        raise InvalidRequest("connected carries browser {name, version} and tabs [].")
    return Connected(
        _text(browser.get("name"), 100) or "Browser",
        _text(browser.get("version"), 100),
        # one tab that makes no sense must not cost all the others
        tuple(parse_tab(tab) for tab in tabs if _is_tab(tab)),
        _text(message.get("extension"), 100),
    )


def _is_tab(raw: Json) -> bool:
    return isinstance(raw, dict) and _optional_number(raw, "id") is not None


def parse_tab(raw: Json) -> TabInfo:
    """A TabInfo: `{id, title, url}` at least.

    Raises:
        InvalidRequest: it has no numeric id.
    """
    if not isinstance(raw, dict):
        raise InvalidRequest("tab is an object {id, title, url}.")
    opener, document = _optional_number(raw, "openerTabId"), raw.get("documentId")
    return TabInfo(
        id=TabId(parse_number(raw, "id")),
        title=_text(raw.get("title"), MAX_TITLE_CHARS),
        url=_text(raw.get("url"), MAX_URL_CHARS),
        active=raw.get("active") is True,
        window_id=_optional_number(raw, "windowId"),
        group_id=_optional_number(raw, "groupId"),
        opener_tab_id=None if opener is None else TabId(opener),
        discarded=raw.get("discarded") is True,
        document_id=DocumentId(document) if isinstance(document, str) else None,
        loading=raw.get("status") == "loading",
        pending_url=_text(raw.get("pendingUrl"), MAX_URL_CHARS),
    )


def parse_tools(raw: Json) -> tuple[PageTool, ...]:
    """The tools of a page. One without a name or with a schema that is no object is left out, the rest stay."""
    if not isinstance(raw, list):
        raise InvalidRequest("tools is an array.")
    return tuple(tool for entry in raw if (tool := _parse_tool(entry)) is not None)


def _parse_tool(raw: Json) -> PageTool | None:
    if not isinstance(raw, dict):
        return None
    name, schema, annotations = raw.get("name"), raw.get("inputSchema"), raw.get("annotations")
    document = raw.get("documentId")
    if not isinstance(name, str) or not isinstance(schema, dict | None):
        return None
    return PageTool(
        name=name,
        description=_text(raw.get("description"), 100_000),
        input_schema=schema or {"type": "object", "properties": {}},
        annotations=annotations if isinstance(annotations, dict) else {},
        source=_text(raw.get("source"), 40) or "page",
        origin=_text(raw.get("origin"), MAX_URL_CHARS),
        frame_id=_optional_number(raw, "frameId") or 0,
        document_id=DocumentId(document) if isinstance(document, str) else None,
        generic=raw.get("source") == "generic",
        digest=_text(raw.get("digest"), 100),
        title=parse_title(raw),
    )


def parse_title(tool: JsonObject) -> str:
    """What a page calls its tool for people: MCP has two places for it, of which the newer one counts first."""
    hints = tool.get("annotations")
    older = hints.get("title") if isinstance(hints, dict) else None
    return _text(tool.get("title"), MAX_TITLE_CHARS) or _text(older, MAX_TITLE_CHARS)


def parse_number(message: JsonObject, key: str) -> int:
    """Raises:
    InvalidRequest: there is no whole number under that key.
    """
    value = _optional_number(message, key)
    if value is None:
        raise InvalidRequest(f"{key} is a number.")
    return value


def _optional_number(message: JsonObject, key: str) -> int | None:
    value = message.get(key)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(value: Json, limit: int) -> str:
    return value[:limit] if isinstance(value, str) else ""
