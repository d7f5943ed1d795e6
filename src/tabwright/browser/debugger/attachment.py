"""Whether the debugger is attached to a tab, and what every attachment has.

Lifecycle: detached -> prepared on first need -> lost (another page, a broken link, idle) -> prepared; or stopped by the
person (Cancel on the bar), which ends the call under way: only the next call attaches again. Idle, it detaches, unless
somebody still records.

A dialog that opened while nobody was attached is told by no event, and no command closes it: it shows only in that the
page stands still although no script runs.
"""

import asyncio
import logging
from collections import Counter
from typing import Final

from tabwright.browser.debugger.dialogs import Dialogs
from tabwright.browser.debugger.requests import Requests
from tabwright.browser.drawing import Drawing
from tabwright.browser.patience import BUSY_S, PATIENCE_S, PROBE_S
from tabwright.errors import PageBusy, Stopped, TimedOut, UnwatchedDialog

log = logging.getLogger(__name__)

IDLE_S: Final = 60.0


class Attachment:
    """One tab's. `raw` is the browser's own number of it, for the log."""

    def __init__(self, requests: Requests, dialogs: Dialogs, raw: int) -> None:
        self._requests = requests
        self._dialogs = dialogs
        self._raw = raw
        self._prepared = False
        self._preparing = asyncio.Lock()
        self._domains: Counter[str] = Counter()
        self._stopped: Stopped | None = None
        self._idle: asyncio.TimerHandle | None = None
        self._idle_at = 0.0
        self._detaching: asyncio.Task[None] | None = None
        self._drawing = Drawing(requests.in_passing)

    @property
    def is_there(self) -> bool:
        return self._prepared

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
            self._requests.check()
            if self._stopped is not None:
                raise self._stopped
            await self._requests.ready()
            await self._requests.again(self._set_up)

    async def _set_up(self) -> None:
        await self._attach()
        self._prepared = True
        command = self._requests.command
        await asyncio.gather(
            command("Emulation.setFocusEmulationEnabled", {"enabled": True}),
            command("Inspector.enable", {}),
            *(command(f"{domain}.enable", {}) for domain in self._domains if domain != "Page"),
        )

    def allow(self) -> None:
        """A new call is allowed: it may attach again though the person had stopped one before."""
        self._stopped = None

    async def look(self) -> None:
        """The page does not answer: find out whether a dialog holds it up that nobody told of.

        Raises:
            DialogOpen: it does.
        """
        self._dialogs.check()
        if self._prepared or self._stopped is not None:
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
        if self._dialogs.current is None:
            await self._requests.let_go()
            return
        self.adopt()

    async def enable(self, domain: str) -> None:
        """One more user of a domain's events."""
        self._domains[domain] += 1
        await self._requests.ready()
        if self._domains[domain] == 1 and self._prepared:
            await self._requests.command(f"{domain}.enable", {})
        await self.prepare()

    async def disable(self, domain: str) -> None:
        """One user less; the last one ends the events."""
        self._domains[domain] -= 1
        if self._domains[domain] > 0:
            return
        del self._domains[domain]
        if self._prepared and domain != "Page":
            self._requests.in_passing(f"{domain}.disable", {})
        self.rest()

    def waken(self, *, certainly: bool = False) -> None:
        """Have the tab drawn at the usual pace for a while, though nobody sees it. `certainly`: as `Drawing.waken`."""
        self._drawing.waken(lambda: self._prepared and self._dialogs.current is None, certainly=certainly)

    def rest(self) -> None:
        """From now on idle, until the next command."""
        loop = asyncio.get_running_loop()
        self._idle_at = loop.time() + IDLE_S
        if self._idle is None:
            self._idle = loop.call_at(self._idle_at, self._idled)

    async def detach(self) -> None:
        """Let go of the tab: the browser's bar goes, and with it everything that was switched on. Not while a dialog
        stands open: nobody but the person could answer it then.
        """
        if not self._prepared or self._dialogs.current is not None:
            return
        self.lost()
        await self._requests.let_go()

    # --- what happens

    def adopt(self) -> None:
        """The extension attached by itself, to a tab that one with a debugger opened: its dialogs are told of."""
        self._prepared = True
        self._requests.in_passing("Emulation.setFocusEmulationEnabled", {"enabled": True})
        self._requests.in_passing("Inspector.enable", {})
        self.rest()

    def lost(self) -> None:
        """The attachment is gone, or nobody knows: the next command prepares anew."""
        self._prepared = False
        self._dialogs.closed()
        self._drawing.lost()
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    def ended(self, stopped: Stopped | None = None) -> None:
        """The browser let go of the tab. Where the person wanted that (`stopped`), it ends the call under way."""
        self._stopped = self._stopped or stopped
        self.lost()
        if self._stopped is not None:
            self._requests.end(self._stopped)

    async def give_back(self, stopped: Stopped) -> None:
        """The person wants the tab: let go of it, whatever is under way, and even while a dialog stands open."""
        self.ended(stopped)
        await self._requests.let_go()

    def resume(self) -> None:
        """The link is back: what happened meanwhile is lost, and whoever records wants to hear on at once."""
        self.lost()
        if self._domains and self._stopped is None:
            self._requests.aside(self.prepare())

    async def _attach(self, patience_s: float = PATIENCE_S) -> None:
        """Attach and hear of dialogs from now on.

        Raises:
            DialogOpen: the page stands still though no script runs.
            TimedOut: a script keeps the page busy, for as long as one may.
            PageBusy: and longer.
        """
        try:
            await self._requests.command("Page.enable", {}, within_s=patience_s, attach=True)
            return
        except TimedOut:
            pass
        try:
            await self._requests.probe()
        except TimedOut:
            await self._requests.let_go()
            self._dialogs.unwatched = True
            raise UnwatchedDialog from None
        if patience_s < PATIENCE_S:
            raise TimedOut("Page.enable", patience_s)
        try:
            await self._requests.command("Page.enable", {}, within_s=BUSY_S)
        except TimedOut:
            raise PageBusy from None

    def _idled(self) -> None:
        self._idle = None
        loop = asyncio.get_running_loop()
        if loop.time() < self._idle_at:
            # used meanwhile: one timer a minute, in place of one a command
            self._idle = loop.call_at(self._idle_at, self._idled)
            return
        if self._domains or self._dialogs.current is not None:
            return
        self._detaching = loop.create_task(self.detach())
