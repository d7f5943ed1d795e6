"""The dashboard's routes: an empty page for anyone, its data for whoever came by a one-time link.

`/` and `/ui/*` are files; `/api/*` answers JSON, `/api/events` tells changes as they happen. The guard has checked
that no other site asks, and who it is.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tabwright.browser.browsers import Browsers
from tabwright.calls.sessions import Sessions
from tabwright.calls.timeline import Timeline
from tabwright.edges.dashboard_approvals import Approvals
from tabwright.edges.dashboard_door import VISIT_S, DashboardDoor
from tabwright.edges.dashboard_tries import Tries
from tabwright.edges.dashboard_view import described_call, view
from tabwright.edges.extension_files import FOLDER as EXTENSION
from tabwright.edges.replies import error
from tabwright.errors import INVALID_PARAMS, INVALID_REQUEST
from tabwright.model import JsonObject, TabId

WEB: Final = Path(__file__).parent.parent / "web"
SHARED_FILES: Final = {"theme.css": EXTENSION / "ui" / "theme.css", "icon.png": EXTENSION / "icons" / "icon-48.png"}
"""One look with the extension's own pages."""
HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
GATHER_S: Final = 0.15
"""Changes come in bursts; what is shown is drawn once for each."""
LOOK_S: Final = 2.0
MAX_BODY: Final = 256 * 1024
MAX_LOG: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class DashboardParts:
    """What the composition root introduces to the dashboard."""

    door: DashboardDoor
    browsers: Browsers
    sessions: Sessions
    timeline: Timeline
    tries: Tries
    approvals: Approvals
    about: Callable[[], JsonObject]
    """What does not change while the gateway runs: version, pid, ports, when it started."""
    log_file: Path
    stopping: asyncio.Event


class Dashboard:
    """Answers the routes."""

    def __init__(self, parts: DashboardParts) -> None:
        self._parts = parts
        self._news: set[asyncio.Event] = set()
        parts.browsers.listen(lambda browser, change: self._stir())
        parts.timeline.listen(lambda call: self._stir())
        parts.approvals.questions.listen(self._stir)

    @property
    def door(self) -> DashboardDoor:
        return self._parts.door

    @property
    def routes(self) -> list[Route]:
        return [
            Route("/", self._page, methods=["GET"]),
            Route("/ui/{name}", self._file, methods=["GET"]),
            Route("/api/enter", self._enter, methods=["POST"]),
            Route("/api/state", self._state, methods=["GET"]),
            Route("/api/events", self._events, methods=["GET"]),
            Route("/api/log", self._log, methods=["GET"]),
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

    async def _state(self, request: Request) -> Response:
        parts = self._parts
        calls = [described_call(call) for call in parts.timeline.calls]
        state = {"about": parts.about(), **self._view(), "calls": calls}
        return JSONResponse(state, headers=HEADERS)

    async def _events(self, request: Request) -> Response:
        headers = HEADERS | {"X-Accel-Buffering": "no"}
        return StreamingResponse(self._stream(), media_type="text/event-stream", headers=headers)

    async def _stream(self) -> AsyncGenerator[str]:
        """The whole picture when it is another, each call that has ended, and now and then a sign of life."""
        parts, news = self._parts, asyncio.Event()
        shown, seen = "", max((call.number for call in parts.timeline.calls), default=0)
        self._news.add(news)
        try:
            with parts.approvals.questions.watching():
                while not parts.stopping.is_set():
                    now = json.dumps(self._view())
                    yield _event("view", now) if now != shown else ": still here\n\n"
                    shown = now
                    for call in parts.timeline.calls:
                        if call.number > seen:
                            seen = call.number
                            yield _event("call", json.dumps(described_call(call)))
                    await self._await_news(news)
        finally:
            self._news.discard(news)

    async def _await_news(self, news: asyncio.Event) -> None:
        """Until something happened, or it is time to look: who opens and leaves is not told."""
        waiting = [asyncio.ensure_future(event.wait()) for event in (news, self._parts.stopping)]
        try:
            await asyncio.wait(waiting, timeout=LOOK_S, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()
        await asyncio.sleep(GATHER_S)
        news.clear()

    async def _log(self, request: Request) -> Response:
        def tail() -> str:
            with open(self._parts.log_file, "rb") as log:
                size = log.seek(0, 2)
                log.seek(max(0, size - MAX_LOG))
                text = log.read().decode("utf-8", "replace")
            return text if size <= MAX_LOG else text.partition("\n")[2]

        try:
            return JSONResponse({"lines": (await asyncio.to_thread(tail)).splitlines()}, headers=HEADERS)
        except OSError:
            return JSONResponse({"lines": []}, headers=HEADERS)

    async def _tools(self, request: Request) -> Response:
        return JSONResponse({"tools": await self._parts.tries.tools(_tab(request))}, headers=HEADERS)

    async def _call(self, request: Request) -> Response:
        body = await _body(request)
        name, arguments = body.get("name"), body.get("arguments", {})
        if not isinstance(name, str) or not isinstance(arguments, dict):
            return error(400, INVALID_PARAMS, "A call has a name, and arguments in an object.")
        return JSONResponse(
            await self._parts.tries.call(_tab(request), name, cast(JsonObject, arguments)), headers=HEADERS
        )

    async def _take_back(self, request: Request) -> Response:
        self._parts.sessions.take_back(_tab(request))
        self._stir()
        return Response(status_code=204)

    async def _answer(self, request: Request) -> Response:
        word = (await _body(request)).get("answer")
        if not self._parts.approvals.answer(request.path_params["question_id"], word):
            return error(409, INVALID_REQUEST, "That question is not open any more, or this is no answer to it.")
        self._stir()
        return Response(status_code=204)

    async def _revoke(self, request: Request) -> Response:
        if not self._parts.approvals.revoke(request.path_params["grant_id"]):
            return error(404, INVALID_REQUEST, "There is no such grant (any more).")
        self._stir()
        return Response(status_code=204)

    def _view(self) -> JsonObject:
        parts = self._parts
        return {**view(parts.browsers, parts.sessions), **parts.approvals.view()}

    def _stir(self) -> None:
        for news in self._news:
            news.set()


def _tab(request: Request) -> TabId:
    return TabId(request.path_params["tab_id"])


def _event(name: str, data: str) -> str:
    return f"event: {name}\ndata: {data}\n\n"


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
