"""Which ways to read a query make sense on one page: what is a name there, what is done, what may be counted.

Pure.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from tabwright.browser.finding.cards import Card
from tabwright.browser.finding.index import Index
from tabwright.browser.finding.kinds import ROLES
from tabwright.browser.finding.numbers import Numbers
from tabwright.browser.finding.query import SEEKING, Reading, is_unit, readings
from tabwright.browser.finding.synonyms import ACTIONS, ORDINALS
from tabwright.browser.finding.units import labels_of

MAKING: Final = frozenset({"add", "insert", "create", "attach", "upload"})
NAMED: Final = 0.7
"""How well a word is met at least that is taken for a name."""


class Readings:
    """Of any query, on the page that has these cards."""

    def __init__(self, cards: Sequence[Card], index: Index) -> None:
        self._index = index
        self._written = Counter(card.main for card in cards)
        self._labels = labels_of(cards)
        self._spoken_of = frozenset(word for card in cards for word in card.main if _is_name(card, word))

    def of(self, query: str, asked: Sequence[str], numbers: Numbers) -> list[Reading]:
        """Those in which a number, a counting word or a kind of thing is what it is on this page."""
        meant = [each for each in readings(query) if not any(word in self._labels for word in each.called)]
        found = [each for read in meant for each in (*self._named(read, asked), *self._as_deeds(read))]
        by_number = [each for each in found if each.by_number]
        if by_number and numbers.may_count:
            return by_number
        is_name = self._is_written(asked)
        return [each for each in found if not (each.nth and (is_name or each.by_number))]

    def _named(self, reading: Reading, asked: Sequence[str]) -> list[Reading]:
        """With kinds of things as such, and as names; what is added is no control that is there yet."""
        is_made = reading.own[:1] and reading.own[0] in MAKING
        if is_made and any(self._is_done_to(reading, kind) for kind in reading.kinds):
            return self._as_names(reading, asked)
        return [reading, *self._as_names(reading, asked)]

    def _as_names(self, reading: Reading, asked: Sequence[str]) -> list[Reading]:
        """ "Image" is a picture, and what is called so: an entry of a menu, an option of a list."""
        before = {word for word, after in pairwise(asked) if after in reading.own}
        names = [
            word
            for word in reading.kinds
            if (word,) in self._written or word in before or word in self._spoken_of or self._is_done_to(reading, word)
        ]
        if not names:
            return []
        own = tuple(word for word in asked if word in names or word in reading.own)
        return [replace(reading, own=own, kinds=tuple(kind for kind in reading.kinds if kind not in names))]

    def _as_deeds(self, reading: Reading) -> list[Reading]:
        """ "Rate the red shoes": what is done is said by a control, to what by what it stands in."""
        done = reading.own[0] if len(reading.own) > 1 else ""
        is_plain = not (reading.nth or reading.split or reading.around or reading.called)
        # what is counted is counted in another reading
        if not done or not is_plain or done in SEEKING or not ORDINALS.keys().isdisjoint(reading.own):
            return []
        if not (self._index.is_done(done) or self._index.is_repeated(done)):
            return []
        return [replace(reading, own=reading.own[:1], around=reading.own[1:], split=True, in_row=True, head=())]

    def knows(self, noun: str) -> bool:
        """Whether that may be counted here: it is one of the usual things, or the page speaks of it."""
        return is_unit(noun) or self._index.has(noun)

    def _is_done_to(self, reading: Reading, kind: str) -> bool:
        """ "Insert a link": something on the page says both."""
        if not reading.own or reading.own[0] not in ACTIONS:
            return False
        done, named = (self._index.met(word).own for word in (reading.own[0], kind))
        return any(near >= NAMED and done.get(place, 0.0) >= NAMED for place, near in named.items())

    def _is_written(self, asked: Sequence[str]) -> bool:
        """A counting word that the page itself writes before the next one: the first name, last page."""
        return any(word in ORDINALS and self._index.writes(word, after) for word, after in pairwise(asked))


def _is_name(card: Card, kind: str) -> bool:
    """Whether a kind of thing is spoken of by what is none: a button that copies a link."""
    return kind in ROLES and card.node.clickable and ROLES[kind].get(card.node.role, 0.0) < NAMED
