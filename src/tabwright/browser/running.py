"""A page's tool at work, which outlives whoever waits for it: a dialog ends the call that opened it, not the tool."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from tabwright.model import Json


class Running:
    """Begins when its result is first asked for."""

    def __init__(self, work: Callable[[], Coroutine[Any, Any, Json]]) -> None:
        self._work = work
        self._task: asyncio.Task[Json] | None = None

    @property
    def begun(self) -> bool:
        return self._task is not None

    async def result(self) -> Json:
        """What it gives. Whoever stops waiting does not end it.

        Raises:
            ToolError: it failed.
        """
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._work())
            self._task.add_done_callback(_heard)
        return await asyncio.shield(self._task)

    def cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()


def _heard(task: asyncio.Task[Json]) -> None:
    """That it failed is no news to anybody who does not ask."""
    if not task.cancelled():
        task.exception()
