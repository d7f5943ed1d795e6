"""What ends calls: the person's stop, after which none begins until they let the agent go on, and the session's end."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from tabwright.errors import Stopped

T = TypeVar("T")


class Brake:
    """One session's."""

    def __init__(self) -> None:
        self.is_on = False
        self._running: dict[asyncio.Task[Any], bool] = {}
        """The calls under way; True: ended by the person, not by the client."""

    @property
    def running(self) -> int:
        """How many calls are under way."""
        return len(self._running)

    def pull(self) -> None:
        self.is_on = True
        for task in self._running:
            self._running[task] = True
            task.cancel()

    def end(self) -> None:
        """What runs ends as if its client had called it off: that is gone."""
        for task in self._running:
            task.cancel()

    def release(self) -> None:
        self.is_on = False

    def check(self) -> None:
        """Raises:
        Stopped: the person has stopped the agent before.
        """
        if self.is_on:
            raise _stopped("was not run")

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Work that `check`s before it begins.

        Raises:
            Stopped: the person stopped it in its midst.
        """
        task = asyncio.current_task()
        assert task is not None
        self._running[task] = False
        try:
            return await work
        except asyncio.CancelledError:
            if not self._running[task]:
                raise
            task.uncancel()
            raise _stopped("was stopped in the midst") from None
        finally:
            del self._running[task]


def _stopped(what: str) -> Stopped:
    return Stopped(
        f"The person stopped this agent in the tabwright popup; the call {what}.",
        "Do nothing more in the browser until they let you go on.",
    )
