"""Which elements of a page a few words mean: every candidate scored for every way to read the words.

Pure. Counting ("the second product") comes last, among those that fit.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from tabwright.browser.finding_cards import Around, Card, make_cards
from tabwright.browser.finding_count import Scored, count_out, vary
from tabwright.browser.finding_index import Index
from tabwright.browser.finding_query import Reading, readings
from tabwright.browser.finding_score import Scorer
from tabwright.browser.finding_text import nearness, words_of
from tabwright.browser.nodes import Node
from tabwright.browser.synonyms import ORDINALS, PLACES

FITS: Final = 0.45
"""A score below it is no match, only the nearest there is."""
LIKELY: Final = 200
"""How many candidates are looked at closely."""


@dataclass(frozen=True, slots=True)
class Match:
    """A candidate and why it fits."""

    node: Node
    score: float
    why: tuple[str, ...]
    around: Around

    @property
    def fits(self) -> bool:
        return self.score >= FITS


class Finder:
    """The candidates of one page, ready for any query. `size` is the page's, for words like "top right"."""

    def __init__(
        self,
        nodes: Sequence[Node],
        around: Mapping[tuple[int, int], Around],
        size: tuple[int, int] = (1280, 800),
        among: Collection[tuple[int, int]] | None = None,
    ) -> None:
        self._cards = make_cards(nodes, around, size, among)
        self._index = Index(self._cards)
        self._written = Counter(card.main for card in self._cards)

    def likely(self, query: str) -> list[Node]:
        """The nodes worth a closer look, in the page's order."""
        return [card.node for _, card, _ in sorted(self._ranked(query)[:LIKELY], key=lambda each: each[1].place)]

    def find(self, query: str, limit: int = 5) -> list[Match]:
        """The best first; those that do not fit too, as the nearest there is."""
        chosen = vary(self._ranked(query))[:limit]
        return [Match(card.node, min(score, 1.0), _why(card, reading), card.around) for score, card, reading in chosen]

    def _ranked(self, query: str) -> list[Scored]:
        best: dict[int, Scored] = {}
        asked = words_of(query)
        is_name = self._is_written(asked)
        for reading in readings(query):
            if reading.nth and is_name:
                continue
            scorer = Scorer(self._index, reading, asked)
            scored = [(scorer.score(card, alike=self._written[card.main] > 1), card, reading) for card in self._cards]
            for each in count_out(scored, reading) if reading.nth else scored:
                known = best.get(each[1].place)
                if known is None or each[0] > known[0]:
                    best[each[1].place] = each
        return sorted(best.values(), key=lambda each: (-each[0], each[1].place))

    def _is_written(self, asked: Sequence[str]) -> bool:
        """A counting word that the page itself writes before the next one: the first name, last page."""
        return any(word in ORDINALS and self._index.writes(word, after) for word, after in pairwise(asked))


def _why(card: Card, reading: Reading) -> tuple[str, ...]:
    """By which of its fields it was found, its own before those around it."""
    found: list[str] = []
    for word in (*reading.own, *reading.around):
        fields = [*_met(card.own, word), *_met(card.outer, word)]
        if fields:
            found.append(fields[0])
        elif word in PLACES and PLACES[word] & card.places:
            found.append("place")
    if any(roles.get(card.node.role, 0.0) >= 0.7 for roles in reading.roles):
        found.append("kind")
    if card.around.of > 1 and reading.of_unit:
        found.append(f"{card.around.nth} of {card.around.of}")
    return tuple(dict.fromkeys(found))


def _met(fields: Sequence[tuple[str, float, tuple[str, ...]]], word: str) -> list[str]:
    return [name for name, _, words in fields if any(nearness(word, each) >= 0.55 for each in words)]
