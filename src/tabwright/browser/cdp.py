"""The debugger of one tab: commands, ordered events, and domains in use.

The second seam: tools send CDP here and nowhere else. The extension attaches on the first command; what a fresh
attachment needs (dialogs are told, the page behaves as if it were in front) is set up here once, and again whenever
the attachment was lost. Idle, it detaches, unless somebody still records.

Lifecycle: detached -> prepared on first need -> lost (another page, a broken link, idle) -> prepared; or stopped by the
person (Cancel on the bar), which ends the call under way: only the next call attaches again.

A dialog that opened while nobody was attached is told by no event, and no command closes it: it shows only in that the
page stands still although no script runs.
"""

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from typing import Any, Final, TypeVar

from tabwright.browser.dialogs import Dialog, Dialogs
from tabwright.browser.drawing import Drawing
from tabwright.browser.interruption import Interruptible
from tabwright.browser.link import Link
from tabwright.browser.patience import BUSY_S, PATIENCE_S, PROBE_S, IsAlive, Patience
from tabwright.errors import (
    CommandFailed,
    OutcomeUnknown,
    PageBusy,
    Stopped,
    TimedOut,
    ToolError,
    UnwatchedDialog,
)
from tabwright.link.events import CdpEvent
from tabwright.model import JsonObject

log = logging.getLogger(__name__)

IDLE_S: Final = 60.0
CLOSING_S: Final = 2.0
SCRIPT_S: Final = 6.5
"""How long a page may be busy where the script may be ours, which is ended sooner than one of its own."""
CRASHED_S: Final = 1.0
_CRASHED: Final = "The page crashed. Call navigate with reload or another address, or close the tab."
CANCELLED: Final = "canceled_by_user"
DETACHED: Final = "detached"
CUT_OFF: Final = "cut_off"
Listener = Callable[[CdpEvent], None]
Watcher = Callable[[str, JsonObject], None]
T = TypeVar("T")


class Cdp:
    """One tab's debugger. `raw` is the browser's own number of the tab."""

    def __init__(self, link: Link, raw: int) -> None:
        self._link = link
        self._raw = raw
        self._prepared = False
        self._preparing = asyncio.Lock()
        self._domains: Counter[str] = Counter()
        self._listeners: list[tuple[str, Listener]] = []
        self._watchers: list[Watcher] = []
        self.dialogs = Dialogs()
        self._patience = Patience(self, self.dialogs)
        self._over: ToolError | None = None
        self._stopped = False
        self._pending: set[Interruptible] = set()
        self._idle: asyncio.TimerHandle | None = None
        self._idle_at = 0.0
        self._detaching: asyncio.Task[None] | None = None
        self._drawing = Drawing(self.in_passing)
        self._passing: set[asyncio.Task[None]] = set()
        self.ready: Callable[[], Awaitable[None]] = _at_once
        """Returns when the page can be asked: Chrome holds commands back while the tab is on its way to another."""
        self.alive: IsAlive = _always
        """Whether the page's own thread answers."""

    @property
    def attached(self) -> bool:
        return self._prepared

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
        await self.prepare()
        self._rest()
        if method.startswith("Input."):
            self.waken()
        else:
            await self.ready()
        self.sends(method, params or {})
        try:
            # input is the one thing that Chrome does not hold back
            return await self._send(method, params or {}, session, within_s, leaving=not method.startswith("Input."))
        except CommandFailed as exc:
            if exc.word not in (DETACHED, CUT_OFF) or session is not None:
                raise
            if exc.word == CUT_OFF and method.startswith("Input."):
                # it arrived, and did something that ended the attachment: doing it twice is not what was asked
                self.lost()
                return {}
        # the attachment had ended unheard; nothing was executed
        self._prepared = False
        await self.prepare()
        return await self._send(method, params or {}, session, within_s)

    async def prepare(self) -> None:
        """Attach if need be, and set up what every attachment has.

        Raises:
            DialogOpen: a dialog that opened before holds the page up.
            Stopped: the person ended the attachment during this call.
        """
        if self._prepared and not self._preparing.locked():
            return
        # in turn: what is sent meanwhile must not overtake what attaches
        async with self._preparing:
            if self._prepared:
                return
            self._check()
            await self.ready()
            await self._attach()
            self._prepared = True
            await asyncio.gather(
                self._send("Emulation.setFocusEmulationEnabled", {"enabled": True}),
                self._send("Inspector.enable", {}),
                *(self._send(f"{domain}.enable", {}) for domain in self._domains if domain != "Page"),
            )

    async def hear(self) -> None:
        """Be told of dialogs from now on, until idle.

        Raises:
            DialogOpen: as `prepare`.
        """
        await self.prepare()
        self._rest()

    def allow(self) -> None:
        """A new call is allowed: it may attach again though the person had stopped one before."""
        self._stopped = False

    async def look(self) -> None:
        """The page does not answer: find out whether a dialog holds it up that nobody told of.

        Raises:
            DialogOpen: it does.
        """
        self.dialogs.check()
        if self._prepared or self._stopped:
            return
        async with self._preparing:
            if self._prepared:
                return
            try:
                await self._attach(PROBE_S)
            except TimedOut:
                log.info("tab %s is busy with a script", self._raw)
            finally:
                await self._looked()

    async def _looked(self) -> None:
        """Let go again, unless a dialog was told of in that very moment: whoever heard of it can answer it."""
        if self.dialogs.current is None:
            await self._let_go()
            return
        self.adopt()

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
        await self.ready()
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
            self.in_passing(f"{domain}.disable", {})
        self._rest()

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

    async def once(self, work: Coroutine[Any, Any, T]) -> T:
        """What `work` gives that must not be done twice: where its tab goes meanwhile, nobody knows what became of it.

        Raises:
            CommandFailed: `outcome_unknown`.
            ToolError: `work` failed by itself.
        """
        try:
            return await work
        except ToolError as exc:
            # what the tab's end made of it, and nothing that the work found out by itself
            if exc is not self._over:
                raise
            raise unknown_outcome(exc.message) from None

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

    async def unless_leaving(self, work: Coroutine[Any, Any, T]) -> T:
        """What `work` gives, unless the tab turns out to be on its way to another page: Chrome holds back what `work`
        may need until that one is there.

        Raises:
            UnreachablePage: it has not come in time; `work` was abandoned.
            ToolError: `work` failed by itself.
        """
        with Interruptible() as asking:
            asking.watch_after(PATIENCE_S, self._arrive)
            return await work

    async def close_dialog(self, *, accept: bool, text: str | None = None) -> None:
        """Answer the dialog that is open, and wait until it is closed.

        Raises:
            ToolError: the browser refused.
        """
        answered = self.dialogs.current
        params: JsonObject = {"accept": accept} if text is None else {"accept": accept, "promptText": text}
        await self._send("Page.handleJavaScriptDialog", params, within_s=CLOSING_S)
        self._rest()
        if self.dialogs.current is answered:
            # the answer may overtake the event; another dialog is none of this one's
            self.dialogs.closed()

    def answered(self) -> None:
        """Somebody else answers the dialog that is open."""
        self._rest()
        self.dialogs.closed()

    async def detach(self) -> None:
        """Let go of the tab: the browser's bar goes, and with it everything that was switched on. Not while a dialog
        stands open: nobody but the person could answer it then.
        """
        if not self._prepared or self.dialogs.current is not None:
            return
        self.lost()
        with contextlib.suppress(ToolError):
            await self._link.request("detach", {"tabId": self._raw})

    async def capture(self, asked: JsonObject, within_s: float | None = None) -> JsonObject:
        """A picture, by the command that draws tabs nobody sees."""
        await self.prepare()
        self._rest()
        self.waken(certainly=True)
        return await self._waiting("screenshot", {"tabId": self._raw, **asked}, within_s)

    # --- what happens

    def apply(self, event: CdpEvent) -> None:
        match event.method:
            case "Page.javascriptDialogOpening":
                self.dialogs.opened(event.params)
            case "Inspector.targetCrashed" if event.session_id is None:
                self.lost()
                # the browser's own word, that the tab is lost, comes a moment later and says more
                asyncio.get_running_loop().call_later(CRASHED_S, self._reject, CommandFailed(_CRASHED, word="crashed"))
            case "Page.javascriptDialogClosed":
                self.dialogs.closed()
                self._rest()
            case "Inspector.detached" if event.session_id is None:
                self._stopped = self._stopped or event.params.get("reason") == CANCELLED
                self.lost()
                if self._stopped:
                    self._reject(Stopped())
            case _:
                pass
        for prefix, listener in tuple(self._listeners):
            if event.method.startswith(prefix):
                listener(event)

    def adopt(self) -> None:
        """The extension attached by itself, to a tab that one with a debugger opened: its dialogs are told of."""
        self._prepared = True
        self.in_passing("Emulation.setFocusEmulationEnabled", {"enabled": True})
        self.in_passing("Inspector.enable", {})
        self._rest()

    def lost(self) -> None:
        """The attachment is gone, or nobody knows: the next command prepares anew."""
        self._prepared = False
        self.dialogs.closed()
        self._drawing.lost()
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    def resume(self) -> None:
        """The link is back: what happened meanwhile is lost, and whoever records wants to hear on at once."""
        self.lost()
        if self._domains and not self._stopped:
            self.aside(self.prepare())

    def over(self, why: ToolError) -> None:
        """The tab is no more: whatever waits for it ends now."""
        self.lost()
        self._over = why
        self.dialogs.over(why)
        self._reject(why)

    def _check(self) -> None:
        self._check_over()
        if self._stopped:
            raise Stopped

    def _check_over(self) -> None:
        if self._over is not None:
            raise self._over

    async def _attach(self, patience_s: float = PATIENCE_S) -> None:
        """Attach and hear of dialogs from now on.

        Raises:
            DialogOpen: the page stands still though no script runs.
            TimedOut: a script keeps the page busy, for as long as one may.
            PageBusy: and longer.
        """
        try:
            await self._send("Page.enable", {}, within_s=patience_s, attach=True)
            return
        except TimedOut:
            pass
        try:
            await self.probe()
        except TimedOut:
            await self._let_go()
            self.dialogs.unwatched = True
            raise UnwatchedDialog from None
        if patience_s < PATIENCE_S:
            raise TimedOut("Page.enable", patience_s)
        try:
            await self._send("Page.enable", {}, within_s=BUSY_S)
        except TimedOut:
            raise PageBusy from None

    async def _let_go(self) -> None:
        with contextlib.suppress(ToolError):
            await self._link.request("detach", {"tabId": self._raw})

    async def probe(self) -> None:
        """Raises:
        TimedOut: the page waits for a person; one in the midst of a script answers.
        """
        await self._send("Performance.getMetrics", {}, within_s=PROBE_S)

    def _reject(self, why: ToolError) -> None:
        for waiting in tuple(self._pending):
            waiting.end(lambda: why)

    async def _send(
        self,
        method: str,
        params: JsonObject,
        session: str | None = None,
        within_s: float | None = None,
        *,
        attach: bool = False,
        leaving: bool = False,
        unless_seen: bool = False,
    ) -> JsonObject:
        """`leaving`: the tab may have gone on its way to another page right before the command."""
        # only the first command may attach: another one under way while the person presses Cancel must not
        asked: JsonObject = {"tabId": self._raw, "method": method, "params": params, "attach": attach}
        if session is not None:
            asked["sessionId"] = session
        if unless_seen:
            asked["unlessSeen"] = True
        return await self._waiting("forwardCDPCommand", asked, within_s, leaving=leaving)

    async def _waiting(
        self, command: str, asked: JsonObject, within_s: float | None, *, leaving: bool = False
    ) -> JsonObject:
        """A request that ends at once when the tab does."""
        self._check_over()
        limit = SCRIPT_S if str(asked.get("method")).startswith("Runtime.") else BUSY_S
        with Interruptible() as asking:
            self._pending.add(asking)
            if within_s is None or within_s > limit:
                asking.watch_after(PATIENCE_S, lambda: self._patience.watch(self.alive, limit))
            if leaving:
                asking.watch_after(PATIENCE_S, self._arrive)
            try:
                return await self._link.request(command, asked, within_s)
            finally:
                self._pending.discard(asking)

    async def _arrive(self) -> None:
        await self.ready()

    def waken(self, *, certainly: bool = False) -> None:
        """Have the tab drawn at the usual pace for a while, though nobody sees it."""
        self._drawing.waken(lambda: self._prepared and self.dialogs.current is None, certainly=certainly)

    def in_passing(self, method: str, params: JsonObject, unless_seen: bool = False) -> None:
        """A command that nobody waits for: events that come after it must not come before others. `unless_seen`: it may
        be left out while the tab is in sight.
        """
        self.aside(self._send(method, params, within_s=CLOSING_S, unless_seen=unless_seen))

    def aside(self, work: Coroutine[Any, Any, object]) -> asyncio.Task[None]:
        """Do it to its end, even if whoever wants it is cancelled meanwhile; that it fails is no news."""

        async def quietly() -> None:
            with contextlib.suppress(ToolError):
                await work

        task = asyncio.get_running_loop().create_task(quietly())
        self._passing.add(task)
        task.add_done_callback(self._passing.discard)
        return task

    def _rest(self) -> None:
        """From now on idle, until the next command."""
        loop = asyncio.get_running_loop()
        self._idle_at = loop.time() + IDLE_S
        if self._idle is None:
            self._idle = loop.call_at(self._idle_at, self._idled)

    def _idled(self) -> None:
        self._idle = None
        loop = asyncio.get_running_loop()
        if loop.time() < self._idle_at:
            # used meanwhile: one timer a minute, in place of one a command
            self._idle = loop.call_at(self._idle_at, self._idled)
            return
        if self._domains or self.dialogs.current is not None:
            return
        self._detaching = asyncio.get_running_loop().create_task(self.detach())


async def _always() -> bool:
    """Nobody is there to ask."""
    return True


async def _at_once() -> None:
    """Nobody knows of anything to wait for."""


def unknown_outcome(why: str) -> CommandFailed:
    """The page was given something, and its tab went."""
    text = f"{why} What was under way in it may or may not have happened; look before you try again."
    return CommandFailed(text, OutcomeUnknown.code, OutcomeUnknown.word)
