"""What the dashboard shows, as JSON: browsers with their tabs, sessions with what they hold, calls that have ended."""

from collections.abc import Mapping
from typing import Final

from tabwright.browser.browser import Browser
from tabwright.browser.browsers import Browsers
from tabwright.calls.sessions import Sessions
from tabwright.calls.timeline import PastCall
from tabwright.model import Json, JsonObject, PageTool, SessionId, TabId
from tabwright.policy.text import clean

MAX_TITLE: Final = 200
MAX_URL: Final = 500


def view(browsers: Browsers, sessions: Sessions) -> JsonObject:
    """Everything that changes of itself. Text of pages is cleaned: it may stand beside ours."""
    holders = {tab_id: session.workspace.id for session in sessions for tab_id in sessions.held(session)}
    return {
        "browsers": [_browser(browser, holders) for browser in browsers.all()],
        "sessions": [
            {
                "id": session.workspace.id,
                "client": session.workspace.client,
                "color": session.workspace.group.color,
                "state": session.workspace.state.value,
                "focusedTabId": session.workspace.focus,
                "tabs": list[Json](sessions.held(session)),
            }
            for session in sessions
        ],
    }


def _browser(browser: Browser, holders: Mapping[TabId, SessionId]) -> JsonObject:
    tabs: list[Json] = [
        {
            "id": tab.id,
            "title": clean(tab.title, MAX_TITLE),
            "url": clean(tab.url, MAX_URL),
            "active": tab.active,
            "loading": tab.loading,
            "session": holders.get(tab.id),
            "tools": len(browser.pages.tools(tab.id)),
        }
        for tab in browser.tabs.values()
    ]
    return {
        "id": browser.id,
        "name": browser.name,
        "version": browser.version,
        "launched": browser.launched,
        "tabs": tabs,
    }


def described_call(call: PastCall) -> JsonObject:
    entry = call.entry
    return {
        "number": call.number,
        "ended": round(call.ended, 3),
        "session": entry.session,
        "client": entry.client,
        "tool": entry.tool,
        "tabId": entry.tab_id,
        "outcome": entry.outcome,
        "ms": round(entry.seconds * 1000, 1),
        "characters": entry.characters,
    }


def described_tool(name: str, tool: PageTool) -> JsonObject:
    return {
        "name": name,
        "description": clean(tool.description, 2000),
        "inputSchema": tool.input_schema,
        "source": tool.source,
        "origin": tool.origin,
    }
