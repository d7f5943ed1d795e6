"""The awaitable Link: performs what the link's core decides, on whatever socket speaks for the browser now."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from typing import Protocol

from tabwright.link.core import Drop, Effect, Emit, LinkCore, Reject, Resolve, Send
from tabwright.link.dialect import Dialect
from tabwright.link.events import LinkEvent
from tabwright.model import JsonObject

log = logging.getLogger(__name__)


class Wire(Protocol):
    """A socket's sending half. Neither call blocks."""

    def send(self, text: str) -> None: ...
    def close(self, code: int, reason: str) -> None: ...


class SocketLink:
    """One browser's link over any number of sockets, one after the other."""

    def __init__(self, name: str, grace_s: float, *, remote: bool = False) -> None:
        self.name = name
        self.remote = remote
        self._core = LinkCore(grace_s)
        self._wire: Wire | None = None
        self._grace = True
        self._waiting: dict[int, asyncio.Future[JsonObject]] = {}
        self._listener: Callable[[LinkEvent], None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._due = 0.0
        """When that is. It need not know itself: uvloop gives another handle for what is due at once."""
        self._loop = asyncio.get_running_loop()

    @property
    def commands(self) -> frozenset[str]:
        return self._core.commands

    @property
    def ended(self) -> bool:
        return self._core.ended

    def listen(self, listener: Callable[[LinkEvent], None]) -> None:
        self._listener = listener

    async def request(self, command: str, params: JsonObject, timeout_s: float | None = None) -> JsonObject:
        """Ask the browser and wait for its answer, within the command's bound.

        Raises:
            ToolError: the browser refused, the link broke, or nothing came in time.
        """
        call_id, effects = self._core.call(command, params, self._loop.time(), timeout_s)
        future: asyncio.Future[JsonObject] = self._loop.create_future()
        self._waiting[call_id] = future
        self._perform(effects)
        try:
            return await future
        finally:
            if self._waiting.pop(call_id, None) is not None and future.cancelled():
                self._perform(self._core.abandoned(call_id))

    def attach(self, dialect: Dialect, wire: Wire, *, grace: bool) -> None:
        """This socket speaks for the browser from now on; the newest wins.

        With grace the browser may come back on another one when this is gone.
        """
        if self._wire is not None:
            self._wire.close(4409, "replaced by a newer connection")
            self._perform(self._core.cut(self._loop.time()))
        self._wire, self._grace = wire, grace
        self._perform(self._core.attached(dialect, self._loop.time()))

    def received(self, wire: Wire, text: str | bytes) -> None:
        if wire is self._wire:
            self._perform(self._core.received(text, self._loop.time()))

    def tell(self, event: LinkEvent) -> None:
        """What the browser said of itself before its socket became the link."""
        self._perform([Emit(event)])

    def cut(self, wire: Wire, grace_s: float | None = None) -> None:
        """That socket is gone. A replaced one is no news."""
        if wire is not self._wire:
            return
        self._wire = None
        self._perform(self._core.cut(self._loop.time(), grace=self._grace, grace_s=grace_s))

    def end(self, reason: str) -> None:
        """The browser itself is gone."""
        wire, self._wire = self._wire, None
        self._perform(self._core.end(reason))
        if wire is not None:
            wire.close(1001, reason)

    def _perform(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            match effect:
                case Send(text=text):
                    if self._wire is not None:
                        self._wire.send(text)
                case Resolve(call_id=call_id, result=result):
                    future = self._waiting.pop(call_id, None)
                    if future is not None and not future.done():
                        future.set_result(result)
                case Reject(call_id=call_id, error=error):
                    future = self._waiting.pop(call_id, None)
                    if future is not None and not future.done():
                        future.set_exception(error)
                case Emit(event=event):
                    self._tell(event)
                case Drop(reason=reason):
                    log.warning("link %s dropped: %s", self.name, reason)
                    if self._wire is not None:
                        wire = self._wire
                        wire.close(1001, reason)
                        self.cut(wire)
        self._schedule()

    def _tell(self, event: LinkEvent) -> None:
        if self._listener is None:
            return
        try:
            self._listener(event)
        except Exception:
            # a bug above must not take the socket down with it
            log.exception("link %s: an event could not be applied", self.name)

    def _schedule(self) -> None:
        due = self._core.next_deadline()
        if self._timer is not None:
            if due is not None and self._due <= due:
                # a look too early sets the next one, and costs less than a new timer for every call
                return
            self._timer.cancel()
        self._timer = None
        if due is not None:
            self._due, self._timer = due, self._loop.call_at(due, self._tick)

    def _tick(self) -> None:
        self._timer = None
        self._perform(self._core.tick(self._loop.time()))
