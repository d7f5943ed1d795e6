"""The dialog that stands open in a tab, as the debugger tells of it, and waiting no longer than it lets one.

A dialog that opened while nobody was attached is told by no event: whoever finds the page standing still says so here.
"""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from tabwright.browser.debugger.interruption import Interruptible
from tabwright.errors import DialogOpen, ToolError
from tabwright.model import JsonObject

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Dialog:
    """An `alert`, `confirm`, `prompt` or `beforeunload` that holds the page up."""

    kind: str
    message: str
    default: str = ""


class Dialogs:
    """One tab's."""

    def __init__(self) -> None:
        self.current: Dialog | None = None
        self.unwatched = False
        """A dialog was found open that nobody was told of; it may be closed by now."""
        self.elsewhere: Callable[[], DialogOpen | None] = lambda: None
        """A dialog of a tab that this one opened."""
        self._last = Dialog("", "")
        self._waiting: set[asyncio.Future[None]] = set()
        """Those who wait for the page, and are told when they wait in vain. Not events: each wait would be a task."""
        self._asking: set[Interruptible] = set()
        self._over: ToolError | None = None

    def check(self) -> None:
        """Raises:
        DialogOpen: one is known to be open.
        """
        if self.current is not None:
            raise DialogOpen(self.current.kind, self.current.message)

    async def unless_open(self, work: Coroutine[Any, Any, T], last_word_s: float = 0.0) -> T:
        """What `work` gives, unless a dialog opens meanwhile and holds the page up.

        Raises:
            DialogOpen: there is one; `work` was abandoned.
            ToolError: the tab is over, and `work` said nothing of its own within `last_word_s`; or `work` failed.
        """
        task = asyncio.ensure_future(work)
        news: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(news)
        if self.current is not None or self._over is not None:
            news.set_result(None)
        try:
            await asyncio.wait({task, news}, return_when=asyncio.FIRST_COMPLETED)
            if self._over is not None and last_word_s and not task.done():
                await asyncio.wait({task}, timeout=last_word_s)
            if task.done():
                return task.result()
            raise self._reason()
        finally:
            self._waiting.discard(news)
            if not task.done():
                task.add_done_callback(_heard)
                task.cancel()
                # not awaited itself: who cancels us again, as the SDK does, would cancel its cleaning up
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.wait({task})

    async def unless_open_asking(self, work: Coroutine[Any, Any, T]) -> T:
        """The same for mere questions, in the task of whoever asks: what has to clean up after itself needs its own.

        Raises:
            ToolError: as `unless_open`.
        """
        with Interruptible() as asking:
            self._asking.add(asking)
            if self.current is not None or self._over is not None:
                asking.end(self._reason)
            try:
                return await work
            finally:
                self._asking.discard(asking)

    # --- what happens

    def opened(self, told: JsonObject) -> None:
        self.current = self._last = Dialog(
            str(told.get("type")), str(told.get("message", "")), str(told.get("defaultPrompt", ""))
        )
        self.stir()

    def closed(self) -> None:
        self.current = None

    def stir(self) -> None:
        """Whoever waits for what this one does is told: it is held up, by its own dialog or by that of a tab that it
        opened, or it is no more.
        """
        for news in self._waiting:
            if not news.done():
                news.set_result(None)
        for asking in self._asking:
            asking.end(self._reason)

    def over(self, why: ToolError) -> None:
        """The tab is no more."""
        self._over = why
        self.stir()

    def _reason(self) -> ToolError:
        """Why nobody waits any longer."""
        if self._over is not None:
            return self._over
        if self.current is None and (elsewhere := self.elsewhere()) is not None:
            return elsewhere
        # closed already, perhaps: still it opened in the midst of this
        dialog = self.current or self._last
        return DialogOpen(dialog.kind, dialog.message)


def _heard(task: asyncio.Task[Any]) -> None:
    """How abandoned work failed is no news to anybody."""
    if not task.cancelled():
        task.exception()
