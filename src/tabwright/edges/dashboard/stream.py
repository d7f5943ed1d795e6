"""What the dashboard is told as it happens, over server-sent events.

Nothing waits in a queue: whoever reads slowly is told the newest picture when it is ready for it, and the calls that
ended meanwhile, no more than so many. A call never waits for a dashboard.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from typing import Final

from tabwright.calls.glimpses import Glimpses
from tabwright.calls.questions import OpenQuestions
from tabwright.calls.timeline import Timeline
from tabwright.edges.dashboard.view import described_call
from tabwright.model import JsonObject

GATHER_S: Final = 0.15
"""Changes come in bursts; what is shown is drawn once for each."""
LOOK_S: Final = 2.0
MOST: Final = 500
"""Calls told at once; who has missed more asks for them."""


class Feed:
    """One stream for each page that is open."""

    def __init__(
        self,
        view: Callable[[], JsonObject],
        timeline: Timeline,
        glimpses: Glimpses,
        questions: OpenQuestions,
        stopping: asyncio.Event,
    ) -> None:
        self._view = view
        self._timeline = timeline
        self._glimpses = glimpses
        self._questions = questions
        self._stopping = stopping
        self._news: set[asyncio.Event] = set()

    def stir(self) -> None:
        """Something is another."""
        for news in self._news:
            news.set()

    async def stream(self) -> AsyncGenerator[str]:
        """The whole picture when it is another, the calls that have ended, and at least a sign of life."""
        news, shown, seen = asyncio.Event(), "", self._timeline.last
        self._news.add(news)
        try:
            with self._questions.watching(), self._glimpses.watching():
                while not self._stopping.is_set():
                    now = json.dumps(self._view())
                    yield _event("view", now) if now != shown else _event("tick", "{}")
                    shown = now
                    if calls := self._timeline.after(seen, MOST):
                        seen = calls[-1].number
                        yield _event("calls", json.dumps([described_call(call) for call in calls]))
                    await self._await_news(news)
        finally:
            self._news.discard(news)

    async def _await_news(self, news: asyncio.Event) -> None:
        """Until something happened, or it is time to look: who opens and leaves is not told."""
        stopping = asyncio.ensure_future(self._stopping.wait())
        heard = asyncio.ensure_future(news.wait())
        try:
            await asyncio.wait((heard, stopping), timeout=LOOK_S, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait((stopping,), timeout=GATHER_S)
        finally:
            heard.cancel()
            stopping.cancel()
        news.clear()


def _event(name: str, data: str) -> str:
    return f"event: {name}\ndata: {data}\n\n"
