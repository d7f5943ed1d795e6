"""tabs.md's typed messages as values: full, sparse, malformed."""

import pytest

from tabwright.errors import InvalidRequest
from tabwright.link.events import (
    Connected,
    DashboardWanted,
    DownloadReported,
    Ended,
    GrantRevoked,
    LinkEvent,
    LookedAt,
    PopupOpened,
    SessionStopped,
    TabClosed,
    TabCreated,
    TabReleased,
    TabUpdated,
    ToolsReported,
)
from tabwright.link.wire import MAX_TITLE_CHARS, parse_event, parse_tab, parse_tools
from tabwright.model import DocumentId, Json, JsonObject, PageTool, TabId, TabInfo

BARE_TAB: JsonObject = {"id": 5, "title": "T", "url": "https://a.test/"}
TAB = TabInfo(TabId(5), "T", "https://a.test/")


@pytest.mark.parametrize(
    ("message", "event"),
    [
        (
            {"type": "connected", "browser": {"name": "Chrome", "version": "120"}, "tabs": [BARE_TAB]},
            Connected("Chrome", "120", (TAB,)),
        ),
        ({"type": "connected"}, Connected("Browser", "", ())),
        ({"type": "tabCreated", "tab": BARE_TAB}, TabCreated(TAB)),
        ({"type": "tabUpdated", "tab": BARE_TAB}, TabUpdated(TAB)),
        ({"type": "tabClosed", "tabId": 5}, TabClosed(5)),
        ({"type": "tabClosed", "tabId": 5, "reason": "crashed"}, TabClosed(5, crashed=True)),
        ({"type": "tabFocused", "tabId": 5, "tools": []}, ToolsReported(5, ())),
        ({"type": "toolsChanged", "tabId": 5}, ToolsReported(5, ())),
        ({"type": "popupOpened", "tabId": 6, "openerTabId": 5}, PopupOpened(6, 5)),
        ({"type": "tabReleased", "tabId": 5}, TabReleased(5)),
        ({"type": "lookedAt", "calls": True}, LookedAt(grants=False, calls=True)),
        ({"type": "lookedAt", "grants": True, "calls": 1}, LookedAt(grants=True, calls=False)),
        ({"type": "grantRevoked", "grantId": "ab"}, GrantRevoked("ab")),
        ({"type": "dashboardWanted"}, DashboardWanted()),
        ({"type": "sessionStopped", "sessionId": "s1"}, SessionStopped("s1", True)),
        ({"type": "sessionStopped", "sessionId": "s1", "stopped": False}, SessionStopped("s1", False)),
        (
            {
                "type": "download",
                "id": 3,
                "url": "https://a.test/f",
                "referrer": "https://a.test/",
                "filename": "/tmp/f",
                "state": "complete",
                "bytes": 7,
                "total": 7,
                "tabId": 5,
            },
            DownloadReported(3, "https://a.test/f", "/tmp/f", "complete", 7, 7, "", "https://a.test/", 5),
        ),
        ({"type": "download", "id": 3}, DownloadReported(3, "", "", "", 0, -1)),
        ({"type": "disconnected"}, Ended("the browser said goodbye")),
        ({"type": "ping"}, None),
        ({"type": "toolResult", "callId": "1"}, None),
        ({"type": "a word of a later version"}, None),
        ({"no": "type"}, None),
    ],
)
def test_each_message_becomes_its_event(message: JsonObject, event: LinkEvent | None) -> None:
    assert parse_event(message) == event


@pytest.mark.parametrize(
    "message",
    [
        {"type": "connected", "browser": "Chrome"},
        {"type": "connected", "tabs": {}},
        {"type": "tabCreated"},
        {"type": "tabUpdated", "tab": {"title": "no id"}},
        {"type": "tabClosed", "tabId": "5"},
        {"type": "tabClosed", "tabId": True},
        {"type": "tabClosed", "tabId": 5.5},
        {"type": "toolsChanged", "tabId": 5, "tools": "none"},
        {"type": "popupOpened", "tabId": 5},
        {"type": "download", "url": "https://a.test/f"},
    ],
)
def test_a_known_type_of_a_wrong_shape_is_malformed(message: JsonObject) -> None:
    with pytest.raises(InvalidRequest):
        parse_event(message)


def test_a_tab_carries_all_it_is_told() -> None:
    told: JsonObject = {
        **BARE_TAB,
        "active": True, "windowId": 1, "groupId": 2, "openerTabId": 3, "discarded": True, "documentId": "D",
        "status": "loading", "favIconUrl": "unknown fields are ignored",
    }  # fmt: skip
    assert parse_tab(told) == TabInfo(
        TabId(5), "T", "https://a.test/", True, 1, 2, TabId(3), True, DocumentId("D"), True
    )


def test_missing_and_wrong_fields_of_a_tab_get_plain_defaults() -> None:
    told: JsonObject = {"id": 5.0, "title": 7, "url": None, "active": "yes", "windowId": "1", "documentId": 9}
    assert parse_tab(told) == TabInfo(TabId(5), "", "")


def test_a_huge_title_is_cut() -> None:
    assert len(parse_tab({"id": 1, "title": "x" * 5_000}).title) == MAX_TITLE_CHARS


def test_a_tool_carries_all_it_is_told() -> None:
    schema: JsonObject = {"type": "object", "properties": {"to": {"type": "string"}}}
    hints: JsonObject = {"readOnlyHint": True}
    raw: Json = [
        {"name": "send", "description": "Sends.", "inputSchema": schema, "annotations": hints, "source": "webmcp",
         "digest": "1f"}
    ]  # fmt: skip
    assert parse_tools(raw) == (PageTool("send", "Sends.", schema, hints, "webmcp", digest="1f"),)


def test_a_sparse_tool_gets_an_empty_schema() -> None:
    assert parse_tools([{"name": "go"}]) == (PageTool("go", "", {"type": "object", "properties": {}}, {}, "page"),)


def test_a_broken_tool_is_left_out_and_the_rest_stay() -> None:
    raw: Json = [7, {"description": "no name"}, {"name": "a", "inputSchema": []}, {"name": "b", "annotations": 1}]
    assert [tool.name for tool in parse_tools(raw)] == ["b"]


def test_one_tab_that_makes_no_sense_does_not_cost_the_others() -> None:
    told = parse_event({"type": "connected", "tabs": [7, {"title": "no id"}, {"id": 5, "title": "", "url": ""}]})
    assert isinstance(told, Connected)
    assert [tab.id for tab in told.tabs] == [5]
