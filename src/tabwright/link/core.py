"""The link's one table of calls: ids, deadlines, suspension, and what becomes of a call when the socket breaks.

Lifecycle: `attached` (a socket speaks) -> `cut` (suspended for the grace: unwritten calls wait, written ones that may
be repeated are queued again, all others end `outcome_unknown`) -> `attached` again, or ended. Told what happened and
when, returns what to do; the awaitable half lives in the edges.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from tabwright.deeds import deed_of
from tabwright.errors import BrowserNotConnected, CommandFailed, OutcomeUnknown, TimedOut, ToolError
from tabwright.link.commands import COMMANDS
from tabwright.link.dialect import Answered, Dialect, Incoming, Lost, Refused, Reply, Told, Undelivered
from tabwright.link.events import Ended, LinkEvent, Resumed, Suspended
from tabwright.model import JsonObject


@dataclass(frozen=True, slots=True)
class Send:
    text: str


@dataclass(frozen=True, slots=True)
class Resolve:
    call_id: int
    result: JsonObject


@dataclass(frozen=True, slots=True)
class Reject:
    call_id: int
    error: ToolError


@dataclass(frozen=True, slots=True)
class Emit:
    event: LinkEvent


@dataclass(frozen=True, slots=True)
class Drop:
    """Close the socket: the peer has been silent too long."""

    reason: str


Effect: TypeAlias = Send | Resolve | Reject | Emit | Drop
UNSENT_S: Final = 3.0
"""How long a call that cannot be sent waits for the link at least: its own time is for the browser's answer."""


@dataclass(slots=True)
class _Call:
    command: str
    params: JsonObject
    deadline: float
    seconds: float
    written: bool = False
    again: bool = False
    """It was sent a second time on the same socket: there is no third."""

    def wait(self, now: float) -> None:
        """It cannot be sent now."""
        self.written, self.deadline = False, max(self.deadline, now + UNSENT_S)


class LinkCore:
    """One browser's calls and events, whatever happens to its socket."""

    def __init__(self, grace_s: float) -> None:
        self._grace_s = grace_s
        self._dialect: Dialect | None = None
        self._commands: frozenset[str] = frozenset()
        self._calls: dict[int, _Call] = {}
        self._next_id = 1
        self._ended: str | None = None
        self._ends_at: float | None = None
        self._heard_at = 0.0
        self._was_attached = False

    @property
    def ended(self) -> bool:
        return self._ended is not None

    @property
    def suspended(self) -> bool:
        return self._dialect is None and not self.ended

    @property
    def commands(self) -> frozenset[str]:
        """What the browser can be asked, as far as known: a suspended one can do what it could before."""
        return self._commands

    def attached(self, dialect: Dialect, now: float) -> list[Effect]:
        """A socket speaks for this browser (again): what waited goes out."""
        self._dialect, self._ends_at, self._heard_at = dialect, None, now
        self._commands = dialect.commands
        effects: list[Effect] = [Emit(Resumed())] if self._was_attached else []
        self._was_attached = True
        for call_id, call in list(self._calls.items()):
            call.again = False
            if not call.written:
                call.deadline = now + call.seconds
            effects += self._write(call_id, call)
        return effects

    def call(
        self, command: str, params: JsonObject, now: float, timeout_s: float | None = None
    ) -> tuple[int, list[Effect]]:
        """Open a call. It is answered by exactly one `Resolve` or `Reject`, perhaps at once."""
        seconds = COMMANDS[command].timeout_s if timeout_s is None else timeout_s
        call_id, self._next_id = self._next_id, self._next_id + 1
        if self._ended is not None:
            return call_id, [Reject(call_id, BrowserNotConnected(f"The browser is gone: {self._ended}."))]
        call = self._calls[call_id] = _Call(command, params, now + seconds, seconds)
        if self._dialect is None:
            call.wait(now)
        return call_id, self._write(call_id, call)

    def received(self, text: str | bytes, now: float) -> list[Effect]:
        """A frame from the peer."""
        if self._dialect is None:
            return []
        self._heard_at = now
        return [effect for incoming in self._dialect.decode(text) for effect in self._handle(incoming, now)]

    def abandoned(self, call_id: int) -> list[Effect]:
        """Whoever waited for this call has gone."""
        call = self._calls.pop(call_id, None)
        return [] if call is None else self._forget(call_id, call)

    def cut(
        self,
        now: float,
        *,
        grace: bool = True,
        grace_s: float | None = None,
        reason: str = "the extension disconnected",
    ) -> list[Effect]:
        """The socket broke. With grace the browser may come back, by default within the link's; without, it ends."""
        if self.ended or self._dialect is None:
            return []
        self._recall()
        self._dialect = None
        effects: list[Effect] = []
        for call_id, call in list(self._calls.items()):
            if not call.written or COMMANDS[call.command].repeatable:
                call.wait(now)
            else:
                del self._calls[call_id]
                effects.append(Reject(call_id, OutcomeUnknown(call.command)))
        if not grace:
            return effects + self.end(reason)
        self._ends_at = now + (self._grace_s if grace_s is None else grace_s)
        return [*effects, Emit(Suspended())]

    def end(self, reason: str) -> list[Effect]:
        """The browser is gone for good."""
        if self.ended:
            return []
        self._recall()
        self._ended, self._dialect, self._ends_at = reason, None, None
        calls, self._calls = self._calls, {}
        return [
            *(Reject(call_id, self._lost(call, reason)) for call_id, call in calls.items()),
            Emit(Ended(reason)),
        ]

    def tick(self, now: float) -> list[Effect]:
        """Time has passed: late calls end, a silent peer is dropped, the grace runs out."""
        effects: list[Effect] = []
        for call_id, call in [entry for entry in self._calls.items() if entry[1].deadline <= now]:
            del self._calls[call_id]
            effects += [Reject(call_id, self._late(call)), *self._forget(call_id, call)]
        if self._ends_at is not None and self._ends_at <= now:
            effects += self.end("the extension did not come back")
        dies_at = self._dies_at()
        if dies_at is not None and dies_at <= now:
            effects.append(Drop(f"silent for {now - self._heard_at:g} s"))
        return effects

    def next_deadline(self) -> float | None:
        """When `tick` has something to do, if nothing happens before."""
        times = [call.deadline for call in self._calls.values()]
        if self._ends_at is not None:
            times.append(self._ends_at)
        if (dies_at := self._dies_at()) is not None:
            times.append(dies_at)
        return min(times, default=None)

    def _dies_at(self) -> float | None:
        """When silence counts as death."""
        if self._dialect is None or self._dialect.silence_s is None:
            return None
        return self._heard_at + self._dialect.silence_s

    def _write(self, call_id: int, call: _Call) -> list[Effect]:
        if self._dialect is None or call.written:
            return []
        if call.command not in self._dialect.commands:
            del self._calls[call_id]
            return [Reject(call_id, CommandFailed(f"This browser cannot {deed_of(call.command)}.", -32601))]
        try:
            frames = self._dialect.encode(call_id, call.command, call.params)
        except ToolError as exc:
            del self._calls[call_id]
            return [Reject(call_id, exc)]
        call.written = True
        return _sends(frames)

    def _recall(self) -> None:
        """Calls that only waited their turn in the dialect were never written."""
        for call_id, call in self._calls.items():
            if self._dialect is not None and self._dialect.waiting(call_id):
                call.written = False

    def _forget(self, call_id: int, call: _Call) -> list[Effect]:
        if self._dialect is None or not call.written:
            return []
        return _sends(self._dialect.abandon(call_id))

    def _handle(self, incoming: Incoming, now: float) -> list[Effect]:
        match incoming:
            case Answered(call_id=call_id, result=result):
                return [Resolve(call_id, result)] if self._calls.pop(call_id, None) else []
            case Refused(call_id=call_id, code=code, message=message, word=word):
                error = CommandFailed(message, code, word)
                return [Reject(call_id, error)] if self._calls.pop(call_id, None) else []
            case Undelivered(call_id=call_id):
                # it waits for the next socket, or for its deadline
                if call_id in self._calls:
                    self._calls[call_id].wait(now)
                return []
            case Lost(refused=refused):
                return self._repeat(refused.call_id) or self._handle(refused, now)
            case Told(event=Ended(reason=reason)):
                return self.end(reason)
            case Told(event=event):
                return [Emit(event)]
            case Reply(text=text):
                return [Send(text)]

    def _repeat(self, call_id: int) -> list[Effect]:
        """Send a call again whose outcome nobody knows, once, if doing it twice is doing it once."""
        call = self._calls.get(call_id)
        if call is None or call.again or not COMMANDS[call.command].repeatable:
            return []
        call.written, call.again = False, True
        return self._write(call_id, call)

    @staticmethod
    def _late(call: _Call) -> ToolError:
        if call.written:
            return TimedOut(call.command, call.seconds)
        return BrowserNotConnected("The link to the browser is down and did not come back in time.")

    @staticmethod
    def _lost(call: _Call, reason: str) -> ToolError:
        if call.written and not COMMANDS[call.command].repeatable:
            return OutcomeUnknown(call.command)
        return BrowserNotConnected(f"The browser is gone: {reason}.")


def _sends(frames: Iterable[str]) -> list[Effect]:
    return [Send(frame) for frame in frames]
