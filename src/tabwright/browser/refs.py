"""Refs: the short names (`e12`) under which clients mean elements of a page.

Pure. A ref is bound to its document: it is never given to another element, and after a navigation it is refused. The
page agent numbers its elements; a fresh agent in the same document (after the extension was reloaded) knows nothing of
those numbers, so everything that finds the element again travels with every request. What was given in documents that
the tab has left is packed: nine of ten bytes less, and hardly ever asked for.
"""

import marshal
import threading
import zlib
from collections.abc import Mapping
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


class _Packed:
    """The refs of one document that the tab has left, by their numbers."""

    def __init__(self, document: DocumentId, targets: Mapping[int, Target]) -> None:
        self._document = document
        self._lowest, self._highest = min(targets), max(targets)
        self.count = len(targets)
        rows = [(ref, it.frame_id, it.agent, it.number, it.path, it.role, it.name) for ref, it in targets.items()]
        self._data = zlib.compress(marshal.dumps(rows), 1)

    def may_have(self, ref: int) -> bool:
        return self._lowest <= ref <= self._highest

    def unpacked(self) -> dict[int, Target]:
        rows = marshal.loads(zlib.decompress(self._data))
        return {ref: Target(frame_id, self._document, *told) for ref, frame_id, *told in rows}


class Refs:
    """The refs given out for one tab. Outlines are written beside the event loop, so several may be given at once."""

    def __init__(self, most: int = MAX_REFS, most_left: int = MAX_LEFT) -> None:
        self._most = most
        self._most_left = most_left
        self._targets: dict[int, Target] = {}
        self._numbers: dict[DocumentId, dict[tuple[str, int], int]] = {}
        """Of the documents that are shown, the oldest first."""
        self._left: dict[DocumentId, _Packed] = {}
        """Those that were, the first to be left first."""
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
        digits = (
            ref.strip().removeprefix("[").removesuffix("]").removeprefix("ref=").removeprefix("@").removeprefix("e")
        )
        if not digits.isascii() or not digits.isdigit():
            raise InvalidArguments(f"{ref!r} is not a ref; refs look like e12.", "Take one from read_page or find.")
        with self._giving:
            target = self._targets.get(int(digits)) or self._found_in_left(int(digits))
        if target is None:
            raise StaleRef(ref)
        return target

    def _found_in_left(self, number: int) -> Target | None:
        packed = (each for each in self._left.values() if each.may_have(number))
        return next((found for each in packed if (found := each.unpacked().get(number))), None)

    def _arrived(self, frame_id: int, document: DocumentId) -> None:
        if frame_id == _MAIN_FRAME:
            # the frames of the page before went with it
            self._at.clear()
        self._at[frame_id] = document
        here = set(self._at.values())
        for each in [each for each in self._numbers if each not in here]:
            self._leave(each)
        back = self._left.pop(document, None)
        if back is not None:
            targets = back.unpacked()
            self._targets |= targets
            self._numbers[document] = {(target.agent, target.number): ref for ref, target in targets.items()}
        self._forget_left()

    def _leave(self, document: DocumentId) -> None:
        targets = {ref: self._targets.pop(ref) for ref in self._numbers.pop(document).values()}
        if targets:
            self._left[document] = _Packed(document, targets)

    def _forget_left(self) -> None:
        spare = sum(each.count for each in self._left.values()) - self._most_left
        while spare > 0:
            spare -= self._left.pop(next(iter(self._left))).count

    def _forget_oldest(self) -> None:
        if len(self._targets) < self._most:
            return
        document, numbers = next(iter(self._numbers.items()))
        self._targets.pop(numbers.pop(next(iter(numbers))), None)
        if not numbers:
            del self._numbers[document]
