"""Which elements of a page a few words mean: every candidate scored for every way to read the words.

Pure. Counting ("the second product") comes last, among those that fit.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tabwright.browser.finding.cards import Around, Card, make_cards
from tabwright.browser.finding.count import Scored, count_out, vary
from tabwright.browser.finding.index import Index
from tabwright.browser.finding.numbers import Numbered, Numbers, numbers_in
from tabwright.browser.finding.query import Reading, bare
from tabwright.browser.finding.readings import Readings
from tabwright.browser.finding.score import Scorer
from tabwright.browser.finding.synonyms import PLACES
from tabwright.browser.finding.text import nearness, words_of
from tabwright.browser.finding.units import know_units
from tabwright.browser.reading.nodes import Node

FITS: Final = 0.45
"""A score below it is no match, only the nearest there is."""
LIKELY: Final = 200
"""How many candidates are looked at closely at once."""
LOTS: Final = 10
UNKNOWN: Final = 0.5
"""How much is left where the third of something is asked for that the page never names."""


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
    """The candidates of one page, ready for any query. `size` is the page's, for words like "top right".

    `elsewhere` are numbers that stand on the page beside others than these candidates.
    """

    def __init__(
        self,
        nodes: Sequence[Node],
        around: Mapping[tuple[int, int], Around],
        size: tuple[int, int] = (1280, 800),
        among: Collection[tuple[int, int]] | None = None,
        elsewhere: frozenset[Numbered] = frozenset(),
    ) -> None:
        self._cards = know_units(make_cards(nodes, around, size, among))
        self._index = Index(self._cards)
        self._written = Counter(card.main for card in self._cards)
        self._readings = Readings(self._cards, self._index)
        self._numbers = {card.numbers for card in self._cards}
        self.numbers = elsewhere.union(*self._numbers)

    def likely(self, query: str) -> list[list[Node]]:
        """The nodes worth a closer look, each lot in the page's order; the later lots if nothing of the first fits.

        There is more than one where a number is asked for: only a closer look tells which of a thousand cards has it.
        """
        ranked = self._ranked(query)
        lots = LOTS if numbers_in(query) else 1
        return [
            [card.node for _, card, _ in sorted(ranked[first : first + LIKELY], key=lambda each: each[1].place)]
            for first in range(0, min(len(ranked), LIKELY * lots), LIKELY)
        ]

    def find(self, query: str, limit: int = 5) -> list[Match]:
        """The best first; those that do not fit too, as the nearest there is."""
        chosen = vary(self._ranked(query))[:limit]
        return [Match(card.node, min(score, 1.0), _why(card, reading), card.around) for score, card, reading in chosen]

    def _ranked(self, query: str) -> list[Scored]:
        best: dict[int, Scored] = {}
        query = bare(query)
        asked = words_of(query)
        numbers = Numbers(query, self.numbers)
        shares = {each: numbers.share(each) for each in self._numbers}
        for reading in self._readings.of(query, asked, numbers):
            scorer = Scorer(self._index, reading, asked)
            scored = [
                (scorer.score(card, alike=self._written[card.main] > 1) * shares[card.numbers], card, reading)
                for card in self._cards
            ]
            if reading.counted and not self._readings.knows(reading.counted):
                scored = [(score * UNKNOWN, card, way) for score, card, way in scored]
            for each in count_out(scored, reading) if reading.nth else scored:
                known = best.get(each[1].place)
                if known is None or each[0] > known[0]:
                    best[each[1].place] = each
        return sorted(best.values(), key=lambda each: (-each[0], each[1].place))


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
