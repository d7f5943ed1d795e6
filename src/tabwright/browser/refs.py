"""Refs: the short names (`e12`) under which clients mean elements of a page.

Pure. A ref is bound to its document: it is never given to another element, and after a navigation it is refused. The
page agent numbers its elements; a fresh agent in the same document (after the extension was reloaded) knows nothing of
those numbers, so everything that finds the element again travels with every request.
"""

import threading
from dataclasses import dataclass
from typing import Final

from tabwright.errors import InvalidArguments, StaleRef
from tabwright.model import DocumentId, JsonObject

MAX_REFS: Final = 80_000
"""More than one reading gives; the oldest are forgotten first."""


@dataclass(frozen=True, slots=True)
class Target:
    """An element of one document: the agent that numbered it, its number, and where and what it was."""

    frame_id: int
    document_id: DocumentId
    agent: str
    number: int
    path: str
    role: str
    name: str

    @property
    def wire(self) -> JsonObject:
        """What the page agent's `refs` part resolves."""
        return {"agent": self.agent, "number": self.number, "path": self.path, "role": self.role, "name": self.name}


class Refs:
    """The refs given out for one tab. Outlines are written beside the event loop, so several may be given at once."""

    def __init__(self, most: int = MAX_REFS) -> None:
        self._most = most
        self._targets: dict[int, Target] = {}
        self._numbers: dict[tuple[DocumentId, str, int], int] = {}
        self._last = 0
        self._giving = threading.Lock()

    def give(self, target: Target) -> str:
        """The element's ref: the one it has, or a new one. What is said of the element is brought up to date."""
        key = (target.document_id, target.agent, target.number)
        with self._giving:
            number = self._numbers.get(key)
            if number is None:
                number = self._last = self._last + 1
                self._numbers[key] = number
                self._forget_oldest()
            self._targets[number] = target
        return f"e{number}"

    def find(self, ref: str) -> Target:
        """Raises:
        InvalidArguments: no ref was ever spelt so.
        StaleRef: it is not known (any more).
        """
        digits = ref.strip().removeprefix("[").removesuffix("]").removeprefix("ref=").removeprefix("e")
        if not digits.isascii() or not digits.isdigit():
            raise InvalidArguments(f"{ref!r} is no ref; refs look like e12.", "Take one from read_page or find.")
        target = self._targets.get(int(digits))
        if target is None:
            raise StaleRef(ref)
        return target

    def _forget_oldest(self) -> None:
        while len(self._numbers) > self._most:
            key = next(iter(self._numbers))
            self._targets.pop(self._numbers.pop(key), None)
