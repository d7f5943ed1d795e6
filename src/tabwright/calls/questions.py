"""Questions that stand open before the person, wherever they are shown: listed while they do, answered once.

Lifecycle of a question: put -> shown to whoever watches -> answered by one of them, or withdrawn by whoever put it.
"""

import asyncio
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from tabwright.model import Json, JsonObject

ANSWERS: Final = frozenset({"once", "session", "always", "deny"})


@dataclass(frozen=True, slots=True)
class Pressed:
    """What the person pressed, and what they left of the choices; None: nobody showed them any."""

    word: str
    chosen: frozenset[str] | None = None

    @staticmethod
    def of(told: JsonObject) -> "Pressed":
        return Pressed(str(told.get("answer")), _chosen(told.get("chosen")))


def _chosen(told: Json) -> frozenset[str] | None:
    """What is no list is no choice; a list that makes no sense chooses nothing."""
    if told is None:
        return None
    return frozenset(each for each in told if isinstance(each, str)) if isinstance(told, list) else frozenset()


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """One of them. `told` is what the prompt shows."""

    id: str
    told: JsonObject
    until: float
    """The time of day at which it is refused by itself."""
    answer: "asyncio.Future[Pressed]"


class OpenQuestions:
    """All of them, oldest first. `now` is the time of day."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._open: dict[str, OpenQuestion] = {}
        self._watchers = 0
        self._listeners: list[Callable[[], None]] = []

    @property
    def watched(self) -> bool:
        """Whether somebody sees them here."""
        return self._watchers > 0

    @contextmanager
    def watching(self) -> Generator[None]:
        self._watchers += 1
        try:
            yield
        finally:
            self._watchers -= 1

    @contextmanager
    def put(self, question_id: str, told: JsonObject, within_s: float) -> Generator["asyncio.Future[Pressed]"]:
        """List a question; what comes out is its answer, if one is given here."""
        answer: asyncio.Future[Pressed] = asyncio.get_running_loop().create_future()
        self._open[question_id] = OpenQuestion(question_id, told, self._now() + within_s, answer)
        self._tell()
        try:
            yield answer
        finally:
            answer.cancel()
            del self._open[question_id]
            self._tell()

    def answer(self, question_id: str, pressed: Pressed) -> bool:
        """Whether that answered a question that was still open."""
        found = self._open.get(question_id)
        if found is None or found.answer.done() or pressed.word not in ANSWERS:
            return False
        found.answer.set_result(pressed)
        return True

    def listed(self) -> Sequence[OpenQuestion]:
        return [question for question in self._open.values() if not question.answer.done()]

    def listen(self, listener: Callable[[], None]) -> None:
        """Tell when the list is another."""
        self._listeners.append(listener)

    def _tell(self) -> None:
        for listener in self._listeners:
            listener()
