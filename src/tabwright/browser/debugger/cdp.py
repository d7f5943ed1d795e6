"""The debugger of one tab: commands, ordered events, and dialogs.

The second seam: tools send CDP here and nowhere else. The extension attaches on the first command; what a fresh
attachment needs (dialogs are told, the page behaves as if it were in front) is set up by `attachment` once, and again
whenever the attachment was lost.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

from tabwright.browser.debugger.attachment import Attachment
from tabwright.browser.debugger.dialogs import Dialog, Dialogs
from tabwright.browser.debugger.requests import CLOSING_S, CUT_OFF, DETACHED, Requests
from tabwright.browser.link import Link
from tabwright.browser.patience import IsAlive, Patience
from tabwright.errors import CommandFailed, Stopped, ToolError
from tabwright.link.events import CdpEvent
from tabwright.model import JsonObject

CRASHED_S: Final = 1.0
_CRASHED: Final = "The page crashed. Call navigate with reload or another address, or close the tab."
CANCELLED: Final = "canceled_by_user"
Listener = Callable[[CdpEvent], None]
Watcher = Callable[[str, JsonObject], None]
T = TypeVar("T")


class Cdp:
    """One tab's debugger. `raw` is the browser's own number of the tab."""

    def __init__(self, link: Link, raw: int) -> None:
        self._listeners: list[tuple[str, Listener]] = []
        self._watchers: list[Watcher] = []
        self.dialogs = Dialogs()
        self._patience = Patience(self, self.dialogs)
        self.requests = Requests(link, raw, self._patience)
        self.attachment = Attachment(self.requests, self.dialogs, raw)

    @property
    def attached(self) -> bool:
        return self.attachment.is_there

    @property
    def dialog(self) -> Dialog | None:
        return self.dialogs.current

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
        is_input = method.startswith("Input.")
        await self.hear()
        if is_input:
            self.waken()
        else:
            await self.requests.ready()
        self.sends(method, params or {})
        try:
            # input is the one thing that Chrome does not hold back
            return await self.requests.command(method, params or {}, session, within_s, leaving=not is_input)
        except CommandFailed as exc:
            if exc.word not in (DETACHED, CUT_OFF) or session is not None:
                raise
            self.attachment.lost()
            if exc.word == CUT_OFF and is_input:
                # it arrived, and did something that ended the attachment: doing it twice is not what was asked
                return {}
        # the attachment had ended unheard; nothing was executed
        await self.hear()
        return await self.requests.command(method, params or {}, session, within_s)

    async def read(self, method: str, params: JsonObject, *, within_s: float | None = None) -> JsonObject:
        """A command that only looks: a broken link costs no answer.

        Raises:
            ToolError: as `send`.
        """
        return await self.requests.again(lambda: self.send(method, params, within_s=within_s))

    async def prepare(self) -> None:
        """Attach if need be.

        Raises:
            DialogOpen: a dialog that opened before holds the page up.
            Stopped: the person ended the attachment during this call.
        """
        await self.attachment.prepare()

    async def hear(self) -> None:
        """Be told of dialogs from now on, until idle.

        Raises:
            DialogOpen: as `prepare`.
        """
        await self.attachment.prepare()
        self.attachment.rest()

    async def look(self) -> None:
        """The page does not answer: find out whether a dialog holds it up that nobody told of.

        Raises:
            DialogOpen: it does.
        """
        await self.attachment.look()

    async def probe(self) -> bool:
        """Whether it was the way to the browser that took long, and not the page.

        Raises:
            ToolError: as `Requests.probe`.
        """
        return await self.requests.probe()

    def waken(self) -> None:
        """Have the tab drawn at the usual pace for a while, though nobody sees it."""
        self.attachment.waken()

    async def capture(self, asked: JsonObject, within_s: float | None = None) -> JsonObject:
        """A picture, by the command that draws tabs nobody sees."""

        async def taken() -> JsonObject:
            await self.hear()
            self.attachment.waken(certainly=True)
            return await self.requests.ask("screenshot", asked, within_s)

        return await self.requests.again(taken)

    def listen(self, prefix: str, listener: Listener) -> Callable[[], None]:
        """Hear of events whose method begins so, in order; returns what ends it."""
        entry = (prefix, listener)
        self._listeners.append(entry)
        return lambda: self._listeners.remove(entry) if entry in self._listeners else None

    def watch(self, watcher: Watcher) -> Callable[[], None]:
        """Hear of the commands that are sent; returns what ends it."""
        self._watchers.append(watcher)
        return lambda: self._watchers.remove(watcher) if watcher in self._watchers else None

    def sends(self, method: str, params: JsonObject) -> None:
        """Those who watch are told of a command, be it sent from here or by the extension itself."""
        for watcher in tuple(self._watchers):
            watcher(method, params)

    async def unless_held_up(self, work: Coroutine[Any, Any, T], is_alive: IsAlive, last_word_s: float = 0.0) -> T:
        """What `work` gives that the page agent does, unless a dialog holds the page up. Where nobody is attached, no
        event tells of one: an agent that is silent for long is asked whether it lives before the debugger is used to
        find out.

        Raises:
            ToolError: as `Dialogs.unless_open`.
        """
        patient = self._patience.given(work, is_alive)
        if last_word_s:
            return await self.dialogs.unless_open(patient, last_word_s)
        return await self.dialogs.unless_open_asking(patient)

    async def close_dialog(self, *, accept: bool, text: str | None = None) -> None:
        """Answer the dialog that is open, and wait until it is closed.

        Raises:
            ToolError: the browser refused.
        """
        answered = self.dialogs.current
        params: JsonObject = {"accept": accept} if text is None else {"accept": accept, "promptText": text}
        within_s = CLOSING_S + self.requests.way_s
        await self.requests.command("Page.handleJavaScriptDialog", params, within_s=within_s)
        self.attachment.rest()
        if self.dialogs.current is answered:
            # the answer may overtake the event; another dialog is none of this one's
            self.dialogs.closed()

    # --- what happens

    def apply(self, event: CdpEvent) -> None:
        match event.method:
            case "Page.javascriptDialogOpening":
                self.dialogs.opened(event.params)
            case "Inspector.targetCrashed" if event.session_id is None:
                self.attachment.lost()
                # the browser's own word, that the tab is lost, comes a moment later and says more
                crashed = CommandFailed(_CRASHED, word="crashed")
                asyncio.get_running_loop().call_later(CRASHED_S, self.requests.end, crashed)
            case "Page.javascriptDialogClosed":
                self.answered()
            case "Inspector.detached" if event.session_id is None:
                self.attachment.ended(Stopped() if event.params.get("reason") == CANCELLED else None)
            case _:
                pass
        for prefix, listener in tuple(self._listeners):
            if event.method.startswith(prefix):
                listener(event)

    def answered(self) -> None:
        """Somebody answered the dialog that was open."""
        self.attachment.rest()
        self.dialogs.closed()

    def over(self, why: ToolError) -> None:
        """The tab is no more: whatever waits for it ends now."""
        self.attachment.lost()
        self.dialogs.over(why)
        self.requests.over(why)
