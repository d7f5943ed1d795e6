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
"""More than one reading gives; those of the oldest documents are forgotten first."""
MAX_LEFT: Final = 5_000
"""How many of documents that the tab has left: one may come back to them."""
_MAIN_FRAME: Final = 0


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

    def __init__(self, most: int = MAX_REFS, most_left: int = MAX_LEFT) -> None:
        self._most = most
        self._most_left = most_left
        self._targets: dict[int, Target] = {}
        self._numbers: dict[DocumentId, dict[tuple[str, int], int]] = {}
        """By document, the oldest first."""
        self._at: dict[int, DocumentId] = {}
        """Which document each frame showed last."""
        self._last = 0
        self._giving = threading.Lock()

    def give(self, target: Target) -> str:
        """The element's ref: the one it has, or a new one. What is said of the element is brought up to date."""
        key = (target.agent, target.number)
        with self._giving:
            if self._at.get(target.frame_id) != target.document_id:
                self._arrived(target.frame_id, target.document_id)
            numbers = self._numbers.setdefault(target.document_id, {})
            number = numbers.get(key)
            if number is None:
                number = numbers[key] = self._last = self._last + 1
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

    def _arrived(self, frame_id: int, document: DocumentId) -> None:
        if frame_id == _MAIN_FRAME:
            # the frames of the page before went with it
            self._at.clear()
        self._at[frame_id] = document
        here = set(self._at.values())
        left = [each for each in self._numbers if each not in here]
        spare = sum(len(self._numbers[each]) for each in left) - self._most_left
        for each in left:
            if spare <= 0:
                break
            gone = self._numbers.pop(each)
            spare -= len(gone)
            for number in gone.values():
                self._targets.pop(number, None)

    def _forget_oldest(self) -> None:
        if len(self._targets) < self._most:
            return
        document, numbers = next(iter(self._numbers.items()))
        self._targets.pop(numbers.pop(next(iter(numbers))), None)
        if not numbers:
            del self._numbers[document]
