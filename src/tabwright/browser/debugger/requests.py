"""What is asked of one tab in its browser: each request ends when it is answered, and at once when its tab is gone.

Owns what is under way, and how long a page is waited for meanwhile. Leaves to others: what has to be attached first.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine, Generator
from typing import Any, Final, TypeVar

from tabwright.browser.debugger.interruption import Interruptible
from tabwright.browser.link import Link
from tabwright.browser.patience import BUSY_S, PATIENCE_S, PROBE_S, IsAlive, Patience
from tabwright.errors import BrowserNotConnected, CommandFailed, OutcomeUnknown, TimedOut, ToolError
from tabwright.model import JsonObject

CLOSING_S: Final = 2.0
DETACHED: Final = "detached"
CUT_OFF: Final = "cut_off"
_BROKEN: Final = (OutcomeUnknown.word, DETACHED, CUT_OFF)
SCRIPT_S: Final = 6.5
"""How long a page may be busy where the script may be ours, which is ended sooner than one of its own."""
T = TypeVar("T")


class Requests:
    """One tab's. `raw` is the browser's own number of it."""

    def __init__(self, link: Link, raw: int, patience: Patience) -> None:
        self._link = link
        self._raw = raw
        self._patience = patience
        self._over: ToolError | None = None
        self._pending: set[Interruptible] = set()
        self._passing: set[asyncio.Task[None]] = set()
        self._acts = 0
        self.way_s = 0.0
        """How long the way to the browser and back took when a page seemed to be silent last."""
        self.ready: Callable[[], Awaitable[None]] = _at_once
        """Returns when the page can be asked: Chrome holds commands back while the tab is on its way to another."""
        self.alive: IsAlive = _always
        """Whether the page's own thread answers."""

    async def command(
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
        """One of the debugger's. `leaving`: the tab may have gone on its way to another page right before.

        Raises:
            ToolError: refused, not answered in time, or the tab is gone.
        """
        # only the first command may attach: another one under way while the person presses Cancel must not
        asked: JsonObject = {"method": method, "params": params, "attach": attach}
        if session is not None:
            asked["sessionId"] = session
        if unless_seen:
            asked["unlessSeen"] = True
        return await self.ask("forwardCDPCommand", asked, within_s, leaving=leaving)

    async def ask(
        self, command: str, asked: JsonObject, within_s: float | None, *, leaving: bool = False
    ) -> JsonObject:
        """One of the extension's, for this tab.

        Raises:
            ToolError: as `command`.
        """
        self.check()
        limit = SCRIPT_S if str(asked.get("method")).startswith("Runtime.") else BUSY_S
        with Interruptible() as asking:
            self._pending.add(asking)
            if within_s is None or within_s > limit:
                asking.watch_after(PATIENCE_S, lambda: self._patience.watch(self.alive, limit))
            if leaving:
                asking.watch_after(PATIENCE_S, self._arrive)
            try:
                return await self._link.request(command, {"tabId": self._raw, **asked}, within_s)
            finally:
                self._pending.discard(asking)

    async def probe(self) -> bool:
        """Whether it was the way to the browser that took long, and not the page.

        Raises:
            TimedOut: the page waits for a person; one in the midst of a script answers.
            BrowserNotConnected: the browser itself does not answer, which says nothing of the page.
        """
        try:
            await self.command("Performance.getMetrics", {}, within_s=PROBE_S + self.way_s)
        except TimedOut:
            self.way_s = await self._way()
            if self.way_s <= PROBE_S:
                raise
            # what is on its way in the other direction makes it take longer yet
            await self.command("Performance.getMetrics", {}, within_s=PROBE_S + 2 * self.way_s)
            return True
        return False

    async def _way(self) -> float:
        """How long the extension takes for an answer that needs no page: the way to it, be it a network, a proxy or a
        machine that stood still.

        Raises:
            BrowserNotConnected: it does not answer.
        """
        if "getStatus" not in self._link.commands:
            return 0.0
        began = asyncio.get_running_loop().time()
        try:
            await self._link.request("getStatus", {}, BUSY_S)
        except TimedOut:
            raise BrowserNotConnected("The browser does not answer.", "Call again in a moment.") from None
        return asyncio.get_running_loop().time() - began

    async def again(self, work: Callable[[], Awaitable[T]]) -> T:
        """What `work` gives, which only looks or sets up: done once more where link or attachment broke meanwhile.

        Raises:
            ToolError: as `work`.
        """
        try:
            return await work()
        except ToolError as exc:
            if exc.word not in _BROKEN:
                raise
        return await work()

    async def let_go(self) -> None:
        """Detach the debugger; that there is none, or no tab, is no news."""
        with contextlib.suppress(ToolError):
            await self._link.request("detach", {"tabId": self._raw})

    async def once(self, work: Coroutine[Any, Any, T]) -> T:
        """What `work` gives that must not be done twice: where its tab goes meanwhile, nobody knows what became of it.

        Raises:
            CommandFailed: `outcome_unknown`.
            ToolError: `work` failed by itself.
        """
        try:
            with self.acting():
                return await work
        except ToolError as exc:
            # what the tab's end made of it, and nothing that the work found out by itself
            if exc is not self._over:
                raise
            raise unknown_outcome(exc.message) from None

    @contextlib.contextmanager
    def acting(self) -> Generator[None]:
        """Meanwhile another page that comes into the tab may be our doing."""
        self._acts += 1
        try:
            yield
        finally:
            self._acts -= 1

    @property
    def is_acting(self) -> bool:
        return self._acts > 0

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

    def in_passing(self, method: str, params: JsonObject, unless_seen: bool = False) -> None:
        """A command that nobody waits for: events that come after it must not come before others. `unless_seen`: it may
        be left out while the tab is in sight.
        """
        self.aside(self.command(method, params, within_s=CLOSING_S, unless_seen=unless_seen))

    def aside(self, work: Coroutine[Any, Any, object]) -> asyncio.Task[None]:
        """Do it to its end, even if whoever wants it is cancelled meanwhile; that it fails is no news."""

        async def quietly() -> None:
            with contextlib.suppress(ToolError):
                await work

        task = asyncio.get_running_loop().create_task(quietly())
        self._passing.add(task)
        task.add_done_callback(self._passing.discard)
        return task

    def check(self) -> None:
        """Raises:
        ToolError: the tab is no more.
        """
        if self._over is not None:
            raise self._over

    def over(self, why: ToolError) -> None:
        """The tab is no more: whatever waits for it ends now, and whatever will be asked of it."""
        self._over = why
        self.end(why)

    def end(self, why: ToolError) -> None:
        """Whatever is under way ends now."""
        for waiting in tuple(self._pending):
            waiting.end(lambda: why)

    async def _arrive(self) -> None:
        await self.ready()


async def _always() -> bool:
    """Nobody is there to ask."""
    return True


async def _at_once() -> None:
    """Nobody knows of anything to wait for."""


def unknown_outcome(why: str) -> CommandFailed:
    """The page was given something, and its tab went."""
    text = f"{why} What was under way in it may or may not have happened; look before you try again."
    return CommandFailed(text, OutcomeUnknown.code, OutcomeUnknown.word)
