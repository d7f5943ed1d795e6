"""Calls that pages are working on: each with its own clock, its own end, and the questions its page asks meanwhile.

Lifecycle of a question: its page asks -> the call it belongs to is found, or the answer is no -> the call's clock
stands still while the person is asked -> the answer goes to the page. When the call is over what is still open is
withdrawn, and the page is told no.
"""

import asyncio
import logging
import secrets
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

from tabwright.errors import ApprovalTimeout, LimitReached, NobodyToAsk
from tabwright.hub.places import Place
from tabwright.link.hub_wire import Confirming

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
Answer: TypeAlias = Callable[[Place, Confirming, str | None], None]


class RunningCall:
    """One call in one document."""

    def __init__(self, place: Place, session: str, confirm: Confirm, answer: Answer, within_s: float = CALL_S) -> None:
        self.id: Final = secrets.token_hex(16)
        self.session: Final = session
        self.gone: Final[asyncio.Future[None]] = asyncio.get_running_loop().create_future()
        """Done when the document goes."""
        self._place = place
        self._confirm = confirm
        self._answer = answer
        self._clock = asyncio.timeout(within_s)
        self._left: float | None = None
        """Seconds, while the clock stands still."""
        self._asked = 0
        self._open: set[asyncio.Task[str | None]] = set()
        self._over = False

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

    async def end(self) -> None:
        """The call is over: nobody need answer any more."""
        self._over = True
        questions = set(self._open)
        for question in questions:
            question.cancel()
        if questions:
            # the client is told that its question is withdrawn before it reads the result
            await asyncio.wait(questions, timeout=WITHDRAW_S)

    async def _question(self, asked: Confirming) -> str | None:
        try:
            async with asyncio.timeout(QUESTION_S):
                return await self._confirm(asked)
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

    def asking(self, place: Place, asked: Confirming) -> RunningCall | None:
        """The call a question belongs to: the one it names, or else the latest, if all are of one session."""
        there = self._calls.get(place.document, {})
        if asked.call is not None or asked.id in there:
            return there.get(str(asked.id if asked.call is None else asked.call))
        if len({call.session for call in there.values()}) > 1:
            # one session's person must not answer for another's call
            return None
        return next(reversed(there.values()), None)
