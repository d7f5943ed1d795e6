"""Calls that pages are working on: each with its own clock, its own end, and what its page asks and tells meanwhile.

Lifecycle of a question: its page asks -> the call it belongs to is found, or the answer is no -> the call's clock
stands still while the person is asked -> the answer goes to the page. When the call is over what is still open is
withdrawn, and the page is told no.

A page that tells how far it is lives: its time begins anew, up to the longest that any call may take.
"""

import asyncio
import logging
import secrets
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from tabwright.errors import ApprovalTimeout, LimitReached, NobodyToAsk
from tabwright.hub.places import Place
from tabwright.link.hub_wire import Confirming, Progressing

log = logging.getLogger(__name__)

CALL_S: Final = 10.0
QUESTION_S: Final = 60.0
MAX_QUESTIONS: Final = 3
"""So often may a page ask the person during one call."""
LONGEST_S: Final = CALL_S + MAX_QUESTIONS * QUESTION_S
WITHDRAW_S: Final = 1.0

NO_CALL: Final = "no_call"
"""Why a question is refused that belongs to no call under way."""

Confirm: TypeAlias = Callable[[Confirming], Coroutine[Any, Any, str | None]]
"""Asks the person of one call; why they did not agree, or None."""
Report: TypeAlias = Callable[[Progressing], Coroutine[Any, Any, None]]
"""Tells the client of one call how far it is."""
Answer: TypeAlias = Callable[[Place, Confirming, str | None], None]


@dataclass(frozen=True, slots=True)
class Caller:
    """For whom a call runs."""

    session: str
    confirm: Confirm
    report: Report


class RunningCall:
    """One call in one document."""

    def __init__(self, place: Place, caller: Caller, answer: Answer, within_s: float = CALL_S) -> None:
        self.id: Final = secrets.token_hex(16)
        self.session: Final = caller.session
        self.gone: Final[asyncio.Future[None]] = asyncio.get_running_loop().create_future()
        """Done when the document goes."""
        self._place = place
        self._caller = caller
        self._answer = answer
        self._within_s = within_s
        self._ends = asyncio.get_running_loop().time() + LONGEST_S
        self._clock = asyncio.timeout(within_s)
        self._left: float | None = None
        """Seconds, while the clock stands still."""
        self._asked = 0
        self._open: set[asyncio.Task[str | None]] = set()
        self._over = False
        self._done: float | None = None
        """How far it was when it last told."""
        self._telling: asyncio.Task[None] | None = None

    async def wait(self, request: "asyncio.Future[Any]") -> None:
        """Until the page answers or goes.

        Raises:
            TimeoutError: neither, within the call's time.
        """
        async with self._clock:
            await asyncio.wait({request, self.gone}, return_when=asyncio.FIRST_COMPLETED)
            self._over = True

    def ask(self, asked: Confirming) -> None:
        self._asked += 1
        if self._over or self._clock.expired() or self._asked > MAX_QUESTIONS:
            log.warning("%s asks the person too often or too late; answered no", self._place.origin[:200])
            self._answer(self._place, asked, LimitReached.word if self._asked > MAX_QUESTIONS else NO_CALL)
            return
        if not self._open:
            self._stop_clock()
        question = asyncio.create_task(self._question(asked))
        self._open.add(question)
        question.add_done_callback(lambda done: self._answered(asked, done))

    def progressed(self, told: Progressing) -> None:
        """Renew the clock, and pass it on if it is further than before and the client has heard of the last."""
        if self._over or self._clock.expired():
            return
        if self._left is None:
            self._clock.reschedule(min(asyncio.get_running_loop().time() + self._within_s, self._ends))
        else:
            self._left = self._within_s
        is_further = self._done is None or told.done > self._done
        if is_further and (self._telling is None or self._telling.done()):
            self._done = told.done
            self._telling = asyncio.create_task(self._report(told))

    async def end(self) -> None:
        """The call is over: nobody need answer any more."""
        self._over = True
        questions = set(self._open)
        for question in questions:
            question.cancel()
        # the client hears that its question is withdrawn, and how far the call was, before it reads the result
        ending = questions if self._telling is None else {*questions, self._telling}
        if ending:
            await asyncio.wait(ending, timeout=WITHDRAW_S)

    async def _report(self, told: Progressing) -> None:
        try:
            await self._caller.report(told)
        except Exception:
            log.exception("how far a call of %s is could not be told", self._place.origin[:200])

    async def _question(self, asked: Confirming) -> str | None:
        try:
            async with asyncio.timeout(QUESTION_S):
                return await self._caller.confirm(asked)
        except TimeoutError:
            log.info("a question of %s got no answer", self._place.origin[:200])
            return ApprovalTimeout.word
        except Exception:
            log.exception("a question of %s could not be put", self._place.origin[:200])
            return NobodyToAsk.word

    def _answered(self, asked: Confirming, question: "asyncio.Task[str | None]") -> None:
        self._open.discard(question)
        # a late yes is worth nothing
        self._answer(self._place, asked, NO_CALL if question.cancelled() or self._over else question.result())
        if not self._open:
            self._start_clock()

    def _stop_clock(self) -> None:
        until = self._clock.when()
        if until is not None:
            self._left = until - asyncio.get_running_loop().time()
            self._clock.reschedule(None)

    def _start_clock(self) -> None:
        if self._left is not None and not self._over:
            self._clock.reschedule(asyncio.get_running_loop().time() + self._left)
        self._left = None


class RunningCalls:
    """All of them, by document."""

    def __init__(self) -> None:
        self._calls: dict[tuple[object, ...], dict[str, RunningCall]] = {}

    @contextmanager
    def entered(self, place: Place, call: RunningCall) -> Generator[None]:
        there = self._calls.setdefault(place.document, {})
        there[call.id] = call
        try:
            yield
        finally:
            del there[call.id]
            if not there:
                del self._calls[place.document]

    def gone(self, place: Place) -> None:
        """The document is no more."""
        for call in self._calls.get(place.document, {}).values():
            if not call.gone.done():
                call.gone.set_result(None)

    def named(self, place: Place, call_id: str) -> RunningCall | None:
        return self._calls.get(place.document, {}).get(call_id)

    def asking(self, place: Place, asked: Confirming) -> RunningCall | None:
        """The call a question belongs to: the one it names, or else the latest, if all are of one session."""
        there = self._calls.get(place.document, {})
        if asked.call is not None or asked.id in there:
            return there.get(str(asked.id if asked.call is None else asked.call))
        if len({call.session for call in there.values()}) > 1:
            # one session's person must not answer for another's call
            return None
        return next(reversed(there.values()), None)
