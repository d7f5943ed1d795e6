"""The dashboard's page before a gateway of paper: the real files and headers, and whatever a test has it told."""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tabwright.edges.dashboard.routes import HEADERS, SHARED_FILES, WEB

ABOUT = {"version": "0.1.0", "pid": 42, "port": 3456, "extensionPort": 8765, "startedAt": 1_790_000_000.0}
EMPTY: dict[str, Any] = {"browsers": [], "sessions": [], "pictures": [], "questions": [], "grants": []}


class Stage:
    """One such gateway. `told` is what each address under `/api/` answers; `posted` what came in."""

    def __init__(self, view: dict[str, Any], calls: list[dict[str, Any]]) -> None:
        self.view = {**EMPTY, **view}
        self.calls = calls
        self.told: dict[str, Any] = {"recordings": {"recordings": []}, "log": {"records": []}}
        self.posted: list[tuple[str, Any]] = []
        self._news: list[asyncio.Queue[str]] = []
        self._over = asyncio.Event()
        self.url = ""

    def tell(self, name: str, data: Any) -> None:
        """Say this to every page that listens."""
        for queue in self._news:
            queue.put_nowait(f"event: {name}\ndata: {json.dumps(data)}\n\n")

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncGenerator["Stage"]:
        routes = [
            Route("/", self._page),
            Route("/ui/{name}", self._file),
            Route("/api/{path:path}", self._api, methods=["GET", "POST"]),
        ]
        config = uvicorn.Config(Starlette(routes=routes), port=0, log_config=None, timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server._serve())  # pyright: ignore[reportPrivateUsage] - signals are pytest's
        try:
            async with asyncio.timeout(5):
                while not server.started:  # noqa: ASYNC110 - uvicorn tells its start by a flag alone
                    await asyncio.sleep(0.01)
            self.url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/"
            yield self
        finally:
            self._over.set()
            for queue in self._news:
                queue.put_nowait("")
            server.should_exit = True
            await serving

    async def _page(self, request: Request) -> Response:
        return FileResponse(WEB / "index.html", headers=HEADERS)

    async def _file(self, request: Request) -> Response:
        name = request.path_params["name"]
        return FileResponse(SHARED_FILES[name] if name in SHARED_FILES else WEB / name, headers=HEADERS)

    async def _api(self, request: Request) -> Response:
        path = request.path_params["path"]
        if request.method == "POST":
            self.posted.append((path, await request.json()))
            return JSONResponse(self.told[path]) if path in self.told else Response(status_code=204)
        if path == "events":
            return StreamingResponse(self._events(), media_type="text/event-stream", headers=HEADERS)
        if path == "state":
            return JSONResponse({"about": ABOUT, **self.view, "calls": self.calls, "older": False}, headers=HEADERS)
        if path in self.told:
            return JSONResponse(self.told[path], headers=HEADERS)
        return JSONResponse({"error": {"message": "There is nothing."}}, 404)

    async def _events(self) -> AsyncGenerator[str]:
        queue: asyncio.Queue[str] = asyncio.Queue()
        self._news.append(queue)
        yield f"event: view\ndata: {json.dumps(self.view)}\n\n"
        while not self._over.is_set():
            try:
                async with asyncio.timeout(2):
                    yield await queue.get()
            except TimeoutError:
                yield "event: tick\ndata: {}\n\n"


def call(number: int, **other: Any) -> dict[str, Any]:
    """A call that has ended, like the gateway tells of it."""
    return {
        "number": number, "ended": 1_790_000_000.0 + number, "session": "a" * 32, "client": "Claude Code",
        "tool": ("read_page", "find", "computer", "navigate")[number % 4], "tabId": 1, "origin": "https://shop.example",
        "outcome": "denied" if number % 17 == 0 else "ok", "ms": 20.0 + number % 90, "characters": 40 * (number % 50),
        "decision": "allow", "rule": "default: reading and acting are allowed", **other,
    }  # fmt: skip


def tab(tab_id: int, **other: Any) -> dict[str, Any]:
    return {
        "id": tab_id, "title": f"Shop, page {tab_id}", "url": f"https://shop.example/{tab_id}", "active": tab_id == 1,
        "loading": False, "session": "a" * 32 if tab_id < 3 else None, "tools": 3, "picture": None, **other,
    }  # fmt: skip


def session(number: int, **other: Any) -> dict[str, Any]:
    return {
        "id": "abcdef"[number % 6] * 32, "client": ("Claude Code", "Cursor", "Codex")[number % 3], "version": "1.2.3",
        "transport": ("stdio", "http", "sse")[number % 3], "protocol": "2025-11-25", "modern": False,
        "since": 1_790_000_000.0, "toolsets": ["automation", "focus"], "color": "blue", "state": "tab focused",
        "stopped": False, "focusedTabId": 1, "tabs": [1, 2], "calls": 200, "failed": 3, "characters": 40_000,
        "recording": [], **other,
    }  # fmt: skip


def busy(*, calls: int = 200, tabs: int = 8) -> Stage:
    """Three agents at work, a question, a grant, a recording, a log."""
    question = {
        "id": "q1", "client": "Claude Code", "origin": "https://shop.example", "tool": "javascript_tool",
        "kind": "script", "question": "May Claude Code run scripts in pages of https://shop.example?",
        "details": [{"name": "text", "value": "document.title"}], "lasting": True, "until": 1_790_000_060.0,
    }  # fmt: skip
    grant = {
        "id": "g1", "origin": "https://shop.example", "class": "script", "client": "Claude Code", "tool": "",
        "where": "your own browser", "scope": "session",
    }  # fmt: skip
    browser = {
        "id": "b1", "name": "Chrome", "version": "156", "launched": False,
        "tabs": [tab(number) for number in range(1, tabs + 1)],
    }  # fmt: skip
    sessions = [session(0, recording=[{"tabId": 1, "frames": 4, "on": True}]), session(1), session(2, stopped=True)]
    view = {"browsers": [browser], "sessions": sessions, "questions": [question], "grants": [grant]}
    stage = Stage(view, [call(number) for number in range(1, calls + 1)])
    record = {"time": "2026-11-15 18:00:00,123", "level": "WARNING", "source": "tabwright.app", "text": "something"}
    stage.told |= {
        "log": {"records": [record, record | {"level": "ERROR"}, record | {"level": "INFO"}]},
        "recordings": {"recordings": [{"session": "a" * 32, "name": "tour.gif", "size": 90_000, "saved": 1.79e9}]},
        "settings": {
            "about": ABOUT,
            "files": {"home": "/h", "settings": "/h/settings.toml", "policy": "/h/policy.toml", "policyExists": False,
                      "log": "/h/logs/gateway.log", "output": "/h/output"},
            "settings": [{"name": "auth", "value": "same-user", "usual": True, "session": False, "description": "Who."},
                         {"name": "list", "value": "auto", "usual": False, "session": True, "description": "`x`."}],
        },
        "tabs/1/tools": {"tools": [TOOL]},
        "tabs/1/call": {"isError": False, "text": "Found 3 flights", "pictures": [], "hidden": 0},
    }  # fmt: skip
    return stage


TOOL: dict[str, Any] = {
    "name": "search_flights",
    "description": "Searches flights.",
    "source": "webmcp",
    "origin": "https://shop.example",
    "inputSchema": {
        "type": "object",
        "required": ["to", "people"],
        "properties": {
            "to": {"type": "string", "description": "Where to"},
            "people": {"type": "integer", "minimum": 1, "maximum": 9},
            "class": {"type": "string", "enum": ["economy", "business"]},
            "direct": {"type": "boolean"},
            "stops": {"type": "array", "items": {"type": "string"}},
            "options": {"type": "object", "properties": {"meal": {"type": "string"}}},
        },
    },
}
