"""All words of a page's candidates, and for any word asked for how well each candidate meets it.

Pure. A page may have thousands of candidates that share most of their words, so a word is compared with each word of
the page once, not with each candidate.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from tabwright.browser.finding.cards import Card, Fields
from tabwright.browser.finding.synonyms import ABROAD, DEEDS, UNITS, VAGUE
from tabwright.browser.finding.text import SAME_MEANING, nearness, resemblance, stem, words_of

PARTS: Final = frozenset({"link", "checkbox", "generic", "img", "menuitem", "switch"})
REPEATED: Final = 0.7
_LEAST: Final = 0.05


class Met(NamedTuple):
    """How well a word is met, by candidate: by its own words, and by those around it."""

    own: dict[int, float]
    outer: dict[int, float]


class Index:
    """`cards` are the candidates; they are told apart by their place."""

    def __init__(self, cards: Sequence[Card]) -> None:
        self._count = len(cards)
        self._own = _postings([(card.place, card.own) for card in cards])
        self._outer = _postings([(card.place, card.outer) for card in cards])
        self._pairs = {pair for card in cards for _, _, words in card.own for pair in pairwise(words)}
        self._done = _repeated(cards)
        self._signs = frozenset(card.main[0] for card in cards if card.main and words_of(card.around.icon) == card.main)
        self._deeds: dict[str, bool] = {}
        mains = Counter((card.around.family, card.main) for card in cards if _is_alike(card))
        self._repeated = [card.place for card in cards if _is_alike(card) and mains[card.around.family, card.main] > 1]
        self._known: dict[str, Met] = {}

    def met(self, word: str) -> Met:
        known = self._known.get(word)
        if known is None:
            # what the page writes is not mistyped: "Contact" is no "Contract"
            near = nearness if word in self._own or word in self._outer else resemblance
            known = self._known[word] = Met(_best(self._own, word, near), _best(self._outer, word, near))
        return known

    def weight(self, word: str) -> float:
        """Rare words say more; words that the page never writes say little, and so do vague ones."""
        seen = len({*self._own.get(word, {}), *self._outer.get(word, {})})
        weight = math.log(1.5 + self._count / (1 + seen)) if seen else 1.6
        # "panels" is a name where the page writes it so
        is_vague = word in VAGUE or (not seen and stem(word) in VAGUE)
        return weight * (0.3 if is_vague else 0.45 if word in UNITS else 1.0)

    def has(self, word: str) -> bool:
        """Whether the page has this word, or one like it, anywhere."""
        met = self.met(word)
        return bool(met.own or met.outer)

    def is_done(self, word: str) -> bool:
        """Whether it is what a control does: one of the usual words, or what buttons of this page say or show."""
        known = self._deeds.get(word)
        if known is None:
            is_usual = word in DEEDS or word in ABROAD or word in self._done
            known = self._deeds[word] = is_usual or any(nearness(word, each) >= SAME_MEANING for each in self._signs)
        return known

    def is_repeated(self, word: str) -> bool:
        """Whether it is said, in one word or another, by what every row of a list has."""
        own = self.met(word).own
        return any(own.get(place, 0.0) >= REPEATED for place in self._repeated)

    def writes(self, one: str, other: str) -> bool:
        """Whether two words stand side by side on some candidate."""
        return (one, other) in self._pairs


def _repeated(cards: Sequence[Card]) -> frozenset[str]:
    """The first words of buttons that there are several of, one in each row, and buttons of one word."""
    said = Counter(card.main for card in cards if card.main and (card.node.role == "button" or _is_part(card)))
    buttons = {card.main for card in cards if card.node.role == "button"}
    return frozenset(main[0] for main, count in said.items() if count > 1 or (len(main) == 1 and main in buttons))


def _is_part(card: Card) -> bool:
    """Whether it is one of those that every row has."""
    return card.node.role in PARTS and card.around.of > 1 and not card.leads


def _is_alike(card: Card) -> bool:
    return card.node.clickable and card.around.of > 1 and not card.leads and bool(card.main)


Postings = dict[str, dict[int, float]]


def _postings(listed: Sequence[tuple[int, Fields]]) -> Postings:
    """For each word where it stands, and how much it counts there."""
    found: defaultdict[str, dict[int, float]] = defaultdict(dict)
    for place, fields in listed:
        for _, weight, words in fields:
            for word in words:
                places = found[word]
                if places.get(place, 0.0) < weight:
                    places[place] = weight
    return dict(found)


def _best(postings: Postings, wanted: str, near_to: Callable[[str, str], float]) -> dict[int, float]:
    best: dict[int, float] = {}
    for word, places in postings.items():
        near = near_to(wanted, word)
        if near < _LEAST:
            continue
        for place, weight in places.items():
            if best.get(place, 0.0) < near * weight:
                best[place] = near * weight
    return best
