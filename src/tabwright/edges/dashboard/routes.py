"""The dashboard's routes: an empty page for anyone, its data for whoever came by a one-time link.

`/` and `/ui/*` are files; `/api/*` answers JSON, `/api/events` tells changes as they happen. The guard has checked
that no other site asks, and who it is.
"""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tabwright.browser.browsers import Browsers
from tabwright.calls.glimpses import Glimpses
from tabwright.calls.sessions import Sessions
from tabwright.calls.timeline import PastCall, Timeline
from tabwright.edges.chrome.extension_files import FOLDER as EXTENSION
from tabwright.edges.dashboard.approvals import Approvals
from tabwright.edges.dashboard.door import VISIT_S, DashboardDoor
from tabwright.edges.dashboard.files import LogTail, SavedRecordings
from tabwright.edges.dashboard.stream import Feed
from tabwright.edges.dashboard.tries import Tries
from tabwright.edges.dashboard.view import Overlook, described_call
from tabwright.edges.http.replies import error
from tabwright.errors import INVALID_PARAMS, INVALID_REQUEST
from tabwright.model import Json, JsonObject, TabId

WEB: Final = Path(__file__).parents[2] / "web"
SHARED_FILES: Final = {name: EXTENSION / "ui" / name for name in ("theme.css", "elements.js", "deeds.js")} | {
    "icon.png": EXTENSION / "icons" / "icon-48.png"
}
"""One look with the extension's own pages, and the same words for the same things."""
HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
MAX_BODY: Final = 256 * 1024
PAGE: Final = 1000
"""Calls told at once to who asks for them."""


@dataclass(frozen=True, slots=True)
class DashboardParts:
    """What the composition root introduces to the dashboard."""

    door: DashboardDoor
    browsers: Browsers
    sessions: Sessions
    timeline: Timeline
    glimpses: Glimpses
    tries: Tries
    approvals: Approvals
    recordings: SavedRecordings
    about: Callable[[], JsonObject]
    """What does not change while the gateway runs: version, pid, ports, when it started."""
    settings: Callable[[], JsonObject]
    log: LogTail
    stopping: asyncio.Event


class Dashboard:
    """Answers the routes."""

    def __init__(self, parts: DashboardParts) -> None:
        self._parts = parts
        self._overlook = Overlook(parts.browsers, parts.sessions, parts.timeline, parts.glimpses)
        questions = parts.approvals.questions
        self._feed = Feed(self._view, parts.timeline, parts.glimpses, questions, parts.stopping)
        parts.browsers.listen(lambda browser, change: self._feed.stir())
        parts.timeline.listen(lambda call: self._feed.stir())
        parts.glimpses.listen(self._feed.stir)
        questions.listen(self._feed.stir)

    @property
    def door(self) -> DashboardDoor:
        return self._parts.door

    @property
    def routes(self) -> list[Route]:
        recording = "/api/recordings/{session}/{name}"
        return [
            Route("/", self._page, methods=["GET"]),
            Route("/ui/{name}", self._file, methods=["GET"]),
            Route("/api/enter", self._enter, methods=["POST"]),
            Route("/api/state", self._state, methods=["GET"]),
            Route("/api/events", self._events, methods=["GET"]),
            Route("/api/calls", self._calls, methods=["GET"]),
            Route("/api/thumbnails/{number:int}", self._thumbnail, methods=["GET"]),
            Route("/api/log", self._log, methods=["GET"]),
            Route("/api/settings", self._settings, methods=["GET"]),
            Route("/api/recordings", self._recordings, methods=["GET"]),
            Route(recording, self._recording, methods=["GET"]),
            Route(f"{recording}/delete", self._delete_recording, methods=["POST"]),
            Route("/api/tabs/{tab_id:int}/tools", self._tools, methods=["GET"]),
            Route("/api/tabs/{tab_id:int}/call", self._call, methods=["POST"]),
            Route("/api/tabs/{tab_id:int}/take-back", self._take_back, methods=["POST"]),
            Route("/api/questions/{question_id}", self._answer, methods=["POST"]),
            Route("/api/grants/{grant_id}/revoke", self._revoke, methods=["POST"]),
        ]

    async def _page(self, request: Request) -> Response:
        return FileResponse(WEB / "index.html", headers=HEADERS)

    async def _file(self, request: Request) -> Response:
        name = request.path_params["name"]
        files = SHARED_FILES | {file.name: file for file in WEB.iterdir() if file.suffix in (".js", ".css")}
        if name not in files:
            return error(404, INVALID_REQUEST, "Not Found")
        return FileResponse(files[name], headers=HEADERS)

    async def _enter(self, request: Request) -> Response:
        code = (await _body(request)).get("code")
        cookie = self._parts.door.enter(code) if isinstance(code, str) else None
        if cookie is None:
            return error(401, INVALID_REQUEST, "This link was used or is too old. Run `tabwright dashboard` again.")
        answer = Response(status_code=204)
        answer.set_cookie(
            self._parts.door.cookie_name, cookie, max_age=int(VISIT_S), path="/api", httponly=True, samesite="strict"
        )
        return answer

    # --- what is shown

    async def _state(self, request: Request) -> Response:
        timeline = self._parts.timeline
        return _json({"about": self._parts.about(), **self._view(), **_page_of(timeline, timeline.last + 1)})

    async def _events(self, request: Request) -> Response:
        headers = HEADERS | {"X-Accel-Buffering": "no"}
        return StreamingResponse(self._feed.stream(), media_type="text/event-stream", headers=headers)

    async def _calls(self, request: Request) -> Response:
        before = request.query_params.get("before", "")
        if not before.isascii() or not before.isdigit() or len(before) > 15:
            return error(400, INVALID_PARAMS, "`before` is the number of a call.")
        return _json(_page_of(self._parts.timeline, int(before)))

    async def _thumbnail(self, request: Request) -> Response:
        data = self._parts.glimpses.find(request.path_params["number"])
        if data is None:
            return error(404, INVALID_REQUEST, "There is no picture of that call (any more).")
        return Response(data, media_type="image/jpeg", headers=HEADERS)

    async def _log(self, request: Request) -> Response:
        level = request.query_params.get("level", "").upper()
        return _json({"records": await asyncio.to_thread(self._parts.log.records, level)})

    async def _settings(self, request: Request) -> Response:
        return _json({"about": self._parts.about(), **self._parts.settings()})

    async def _recordings(self, request: Request) -> Response:
        found = await asyncio.to_thread(self._parts.recordings.listed)
        return _json({"recordings": [each.told for each in found]})

    async def _recording(self, request: Request) -> Response:
        data = await asyncio.to_thread(self._parts.recordings.read, *_recording(request))
        if data is None:
            return error(404, INVALID_REQUEST, "There is no such recording (any more).")
        return Response(data, media_type="image/gif", headers=HEADERS)

    async def _delete_recording(self, request: Request) -> Response:
        try:
            deleted = await asyncio.to_thread(self._parts.recordings.delete, *_recording(request))
        except OSError as exc:
            return error(500, INVALID_REQUEST, f"It cannot be deleted: {exc.strerror}.")
        if not deleted:
            return error(404, INVALID_REQUEST, "There is no such recording (any more).")
        return Response(status_code=204)

    async def _tools(self, request: Request) -> Response:
        return _json({"tools": list[Json](await self._parts.tries.tools(_tab(request)))})

    # --- what is done

    async def _call(self, request: Request) -> Response:
        body = await _body(request)
        name, arguments = body.get("name"), body.get("arguments", {})
        if not isinstance(name, str) or not isinstance(arguments, dict):
            return error(400, INVALID_PARAMS, "A call has a name, and arguments in an object.")
        return _json(await self._parts.tries.call(_tab(request), name, cast(JsonObject, arguments)))

    async def _take_back(self, request: Request) -> Response:
        self._parts.sessions.take_back(_tab(request))
        return self._done()

    async def _answer(self, request: Request) -> Response:
        if not self._parts.approvals.answer(request.path_params["question_id"], await _body(request)):
            return error(409, INVALID_REQUEST, "That question is not open any more, or this is not an answer to it.")
        return self._done()

    async def _revoke(self, request: Request) -> Response:
        if not self._parts.approvals.revoke(request.path_params["grant_id"]):
            return error(404, INVALID_REQUEST, "There is no such grant (any more).")
        return self._done()

    def _done(self) -> Response:
        self._feed.stir()
        return Response(status_code=204)

    def _view(self) -> JsonObject:
        return {**self._overlook.view(), **self._parts.approvals.view()}


def _page_of(timeline: Timeline, before: int) -> JsonObject:
    """Calls before that one, and whether there are older ones still."""
    calls: list[PastCall] = [*timeline.before(before, PAGE)]
    older = bool(calls) and bool(timeline.before(calls[0].number, 1))
    return {"calls": [described_call(call) for call in calls], "older": older}


def _json(told: JsonObject) -> Response:
    return JSONResponse(told, headers=HEADERS)


def _tab(request: Request) -> TabId:
    return TabId(request.path_params["tab_id"])


def _recording(request: Request) -> tuple[str, str]:
    return request.path_params["session"], request.path_params["name"]


async def _body(request: Request) -> dict[str, Any]:
    """A small JSON object, or an empty one: every route says what it misses."""
    data = bytearray()
    async for chunk in request.stream():
        data += chunk
        if len(data) > MAX_BODY:
            return {}
    try:
        told = json.loads(data or b"{}")
    except ValueError:
        return {}
    return cast(dict[str, Any], told) if isinstance(told, dict) else {}
