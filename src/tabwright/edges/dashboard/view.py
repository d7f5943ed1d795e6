"""What the dashboard shows, as JSON: browsers with their tabs, sessions with what they hold, calls that have ended."""

from collections.abc import Mapping
from typing import Final

from tabwright.browser.browser import Browser
from tabwright.browser.browsers import Browsers
from tabwright.calls.audit import decision_word
from tabwright.calls.glimpses import Glimpses
from tabwright.calls.session import Session
from tabwright.calls.sessions import Sessions
from tabwright.calls.timeline import PastCall, Timeline
from tabwright.model import Json, JsonObject, PageTool, SessionId, TabId
from tabwright.policy.text import clean

MAX_TITLE: Final = 200
MAX_URL: Final = 500
MAX_NAME: Final = 120


class Overlook:
    """Everything that changes of itself. Text of pages is cleaned: it may stand beside ours."""

    def __init__(self, browsers: Browsers, sessions: Sessions, timeline: Timeline, glimpses: Glimpses) -> None:
        self._browsers = browsers
        self._sessions = sessions
        self._timeline = timeline
        self._glimpses = glimpses

    def view(self) -> JsonObject:
        sessions = self._sessions
        holders = {tab_id: session.workspace.id for session in sessions for tab_id in sessions.held(session)}
        return {
            "browsers": [self._browser(browser, holders) for browser in self._browsers.all()],
            "sessions": [self._session(session) for session in sessions],
            "pictures": list[Json](self._glimpses.numbers),
        }

    def _session(self, session: Session) -> JsonObject:
        workspace, arrival, total = session.workspace, session.arrival, self._timeline.total(session.workspace.id)
        return {
            "id": workspace.id,
            "client": clean(workspace.client, MAX_NAME),
            "version": arrival.version,
            "transport": arrival.transport,
            "protocol": arrival.protocol,
            "modern": arrival.modern,
            "since": round(arrival.since, 3),
            "toolsets": list[Json](sorted(toolset.value for toolset in workspace.options.toolsets)),
            "color": workspace.group.color,
            "state": workspace.state.value,
            "stopped": session.brake.is_on,
            "focusedTabId": workspace.focus,
            "tabs": list[Json](self._sessions.held(session)),
            "calls": total.calls,
            "failed": total.failed,
            "characters": total.characters,
            "recording": [
                {"tabId": tab_id, "frames": len(recording.frames), "on": recording.on}
                for tab_id, recording in session.recordings.kept.items()
            ],
        }

    def _browser(self, browser: Browser, holders: Mapping[TabId, SessionId]) -> JsonObject:
        tabs: list[Json] = [
            {
                "id": tab.id,
                "title": clean(tab.title, MAX_TITLE),
                "url": clean(tab.url, MAX_URL),
                "active": tab.active,
                "loading": tab.loading,
                "session": holders.get(tab.id),
                "tools": len(browser.pages.tools(tab.id)),
                "picture": self._glimpses.latest(tab.id),
            }
            for tab in browser.tabs.values()
        ]
        return {
            "id": browser.id,
            "name": clean(browser.name, MAX_NAME),
            "version": clean(browser.version, MAX_NAME),
            "launched": browser.launched,
            "tabs": tabs,
        }


def described_call(call: PastCall) -> JsonObject:
    entry = call.entry
    told: JsonObject = {
        "number": call.number,
        "ended": round(call.ended, 3),
        "session": entry.session,
        "client": clean(entry.client, MAX_NAME),
        "tool": clean(entry.tool, MAX_NAME),
        "tabId": entry.tab_id,
        "origin": clean(entry.origin, MAX_NAME),
        "outcome": entry.outcome,
        "ms": round(entry.seconds * 1000, 1),
        "characters": entry.characters,
    }
    if entry.decision is not None:
        told |= {"decision": decision_word(entry.decision), "rule": entry.decision.rule}
    return told


def described_tool(name: str, tool: PageTool) -> JsonObject:
    return {
        "name": name,
        "description": clean(tool.description, 2000),
        "inputSchema": tool.input_schema,
        "source": tool.source,
        "origin": tool.origin,
    }
