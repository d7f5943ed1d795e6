"""The debugger of one tab: commands, ordered events, domains in use, and the dialog that stands open.

The second seam: tools send CDP here and nowhere else. The extension attaches on the first command; what a fresh
attachment needs (dialogs are told, the page behaves as if it were in front) is set up here once, and again whenever
the attachment was lost. Idle, it detaches, unless somebody still records.

Lifecycle: detached -> prepared on first need -> lost (Cancel on the bar, another page, a broken link) -> prepared.
"""

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from tabwright.browser.link import Link
from tabwright.errors import DialogOpen, ToolError
from tabwright.link.events import CdpEvent
from tabwright.model import JsonObject

log = logging.getLogger(__name__)

IDLE_S: Final = 60.0
Listener = Callable[[CdpEvent], None]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Dialog:
    """An `alert`, `confirm`, `prompt` or `beforeunload` that holds the page up."""

    kind: str
    message: str
    default: str = ""


class Cdp:
    """One tab's debugger. `raw` is the browser's own number of the tab."""

    def __init__(self, link: Link, raw: int) -> None:
        self._link = link
        self._raw = raw
        self._prepared = False
        self._preparing = asyncio.Lock()
        self._domains: Counter[str] = Counter()
        self._listeners: list[tuple[str, Listener]] = []
        self._dialog: Dialog | None = None
        self._dialog_news = asyncio.Event()
        self._idle: asyncio.TimerHandle | None = None
        self._detaching: asyncio.Task[None] | None = None

    @property
    def attached(self) -> bool:
        return self._prepared

    @property
    def dialog(self) -> Dialog | None:
        return self._dialog

    async def send(
        self,
        method: str,
        params: JsonObject | None = None,
        *,
        session: str | None = None,
        within_s: float | None = None,
    ) -> JsonObject:
        """One command, after whatever the attachment needs first.

        Raises:
            ToolError: refused, or not answered in time.
        """
        await self.prepare()
        self._rest()
        return await self._send(method, params or {}, session, within_s)

    async def prepare(self) -> None:
        """Attach if need be, and set up what every attachment has."""
        if self._prepared:
            return
        async with self._preparing:
            if self._prepared:
                return
            await self._send("Page.enable", {})
            self._prepared = True
            await asyncio.gather(
                self._send("Emulation.setFocusEmulationEnabled", {"enabled": True}),
                *(self._send(f"{domain}.enable", {}) for domain in self._domains if domain != "Page"),
            )

    @contextlib.asynccontextmanager
    async def using(self, domain: str) -> AsyncGenerator[None]:
        """The events of a domain flow while this lasts."""
        await self.enable(domain)
        try:
            yield
        finally:
            await self.disable(domain)

    async def enable(self, domain: str) -> None:
        """One more user of a domain's events."""
        self._domains[domain] += 1
        if self._domains[domain] == 1 and self._prepared:
            await self._send(f"{domain}.enable", {})
        await self.prepare()

    async def disable(self, domain: str) -> None:
        """One user less; the last one ends the events."""
        self._domains[domain] -= 1
        if self._domains[domain] > 0:
            return
        del self._domains[domain]
        if self._prepared and domain != "Page":
            with contextlib.suppress(ToolError):
                await self._send(f"{domain}.disable", {})
        self._rest()

    def listen(self, prefix: str, listener: Listener) -> Callable[[], None]:
        """Hear of events whose method begins so, in order; returns what ends it."""
        entry = (prefix, listener)
        self._listeners.append(entry)
        return lambda: self._listeners.remove(entry) if entry in self._listeners else None

    async def unless_dialog(self, work: Coroutine[Any, Any, T]) -> T:
        """What `work` gives, unless a dialog opens meanwhile and holds the page up.

        Raises:
            DialogOpen: there is one; `work` was abandoned.
        """
        task = asyncio.ensure_future(work)
        opened = asyncio.ensure_future(self._dialog_opened())
        try:
            await asyncio.wait({task, opened}, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            assert self._dialog is not None
            raise DialogOpen(self._dialog.kind, self._dialog.message)
        finally:
            opened.cancel()
            if not task.done():
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError, ToolError):
                    await task

    async def detach(self) -> None:
        """Let go of the tab: the browser's bar goes, and with it everything that was switched on."""
        if not self._prepared:
            return
        self.lost()
        with contextlib.suppress(ToolError):
            await self._link.request("detach", {"tabId": self._raw})

    # --- what happens

    def apply(self, event: CdpEvent) -> None:
        match event.method:
            case "Page.javascriptDialogOpening":
                told = event.params
                self._dialog = Dialog(
                    str(told.get("type")), str(told.get("message", "")), str(told.get("defaultPrompt", ""))
                )
                self._dialog_news.set()
            case "Page.javascriptDialogClosed":
                self._close_dialog()
            case "Inspector.detached" if event.session_id is None:
                self.lost()
            case _:
                pass
        for prefix, listener in tuple(self._listeners):
            if event.method.startswith(prefix):
                listener(event)

    def lost(self) -> None:
        """The attachment is gone, or nobody knows: the next command prepares anew."""
        self._prepared = False
        self._close_dialog()
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    def _close_dialog(self) -> None:
        self._dialog = None
        self._dialog_news.clear()

    async def _dialog_opened(self) -> None:
        await self._dialog_news.wait()

    async def _send(
        self, method: str, params: JsonObject, session: str | None = None, within_s: float | None = None
    ) -> JsonObject:
        asked: JsonObject = {"tabId": self._raw, "method": method, "params": params}
        if session is not None:
            asked["sessionId"] = session
        return await self._link.request("forwardCDPCommand", asked, within_s)

    def _rest(self) -> None:
        """From now on idle, until the next command."""
        loop = asyncio.get_running_loop()
        if self._idle is not None:
            self._idle.cancel()
        self._idle = loop.call_later(IDLE_S, self._idled)

    def _idled(self) -> None:
        self._idle = None
        if self._domains or self._dialog is not None:
            return
        self._detaching = asyncio.get_running_loop().create_task(self.detach())
