"""Numbers in a query: a name that the page writes ("Order 15"), or a place in a list ("row 3").

Pure. A number beside its word is a name where the page writes it so, or writes other numbers beside that word; then a
candidate without the number is not what was asked for. Only where the page names nothing by numbers does "item 3"
count. Numbers that are part of a price, a date, a time or a longer word name nothing.
"""

import re
from collections.abc import Iterable
from enum import Enum
from functools import lru_cache
from typing import Final, TypeAlias

from tabwright.browser.finding.synonyms import BETWEEN, STOP, UNITS
from tabwright.browser.finding.text import KEPT, words_of

Numbered: TypeAlias = tuple[str, str]
"""A number and the word before it; that word may be missing."""

POSITIONS: Final = frozenset({"row", "line", "cell"})
"""What has no number but its place, unless the page writes the two together."""
ELSEWHERE: Final = 0.9
MISSING: Final = 0.35
"""How much is left of the score of a candidate that has the number in another sense, and of one without it."""
_ALONE: Final = re.compile(r"(?<![\w$€£¥])(?<!\d[.,:/-])\d{1,9}(?![\w%])(?![.,:/-]\d)(?!\s?[€£¥])")
_FILLERS: Final = frozenset({"no", "nr", "num", "number", "id"})
_BEFORE: Final = 40


class Meaning(Enum):
    """What a number of a query is on a page."""

    NAME = "name"
    PLACE = "place"
    WORD = "word"


@lru_cache(KEPT)
def numbers_in(text: str) -> frozenset[Numbered]:
    """The numbers that stand alone in a text, each with the word before it."""
    return frozenset(
        (_word_before(text[max(0, found.start() - _BEFORE) : found.start()]), found.group())
        for found in _ALONE.finditer(text)
    )


def _word_before(text: str) -> str:
    return next((word for word in reversed(words_of(text)) if word not in _FILLERS), "")


def numbers_of(texts: Iterable[str]) -> frozenset[Numbered]:
    return frozenset(numbered for text in texts for numbered in numbers_in(text))


class Numbers:
    """The numbers of one query, judged by all that a page's candidates have: `written`."""

    def __init__(self, query: str, written: frozenset[Numbered]) -> None:
        self._written = written
        asked = [each for each in numbers_in(query) if each[0] and each[0] not in STOP | BETWEEN]
        meanings = {each: self._meaning(*each) for each in asked}
        self._names = [each for each, meaning in meanings.items() if meaning is Meaning.NAME]
        self.may_count = not self._names and Meaning.PLACE in meanings.values()
        """Whether "item 3" is the third of several."""

    def _meaning(self, word: str, digits: str) -> Meaning:
        is_unit = word in UNITS or word.removesuffix("s") in UNITS
        if (word, digits) in self._written:
            return Meaning.NAME
        if is_unit and word not in POSITIONS and any(number == digits for _, number in self._written):
            return Meaning.NAME
        if any(other == word for other, _ in self._written):
            return Meaning.NAME
        return Meaning.PLACE if is_unit else Meaning.WORD

    def share(self, has: frozenset[Numbered]) -> float:
        """How much is left of the score of a candidate that has these numbers."""
        left = 1.0
        for word, digits in self._names:
            if (word, digits) in has:
                continue
            is_elsewhere = any(number == digits for _, number in has)
            left *= (ELSEWHERE if (word, digits) in self._written else 1.0) if is_elsewhere else MISSING
        return left
