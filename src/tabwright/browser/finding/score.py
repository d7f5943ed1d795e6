"""How well one candidate fits one way to read a query.

Pure. How many of the words are the candidate's own, or of what is around it; how much of what is written on it was
asked for; whether it is the kind of thing, in the state and at the place that was asked for. The numbers were tuned on
the labelled queries of tests/tools/find_set.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Final

from tabwright.browser.finding.cards import ROW, USES, WRITTEN, Card, Words
from tabwright.browser.finding.index import Index
from tabwright.browser.finding.kinds import FIELDS
from tabwright.browser.finding.query import ICONS, Reading
from tabwright.browser.finding.synonyms import ACTIONS, COLOURS, PLACES, STATES, STOP, UNITS, VAGUE
from tabwright.browser.finding.text import nearness
from tabwright.browser.finding.uses import TABLES

_BY_PLACE: Final = 0.8
_BY_COLOUR: Final = 0.9
COLOURED: Final = frozenset({"color", "colour", "coloured", "colored"})
SORTING: Final = frozenset({"sort", "order", "sorted"})
BOXES: Final = frozenset({"checkbox", "radio"})
"""What has the name of a row without being it."""
FILTERING: Final = frozenset({"only", "just"})
"""What is asked of a list, and not of one of its rows."""
TOGGLED: Final = frozenset({"toggle", "switch", "enable", "disable", "tick", "untick", "check", "uncheck"})
BY: Final = frozenset({"by", "as", "nach", "par", "por", "per"})
SEARCH: Final = "search"
BY_USE: Final = 0.8
"""How much of what is written on a thing counts as asked for, where that is what it is for."""
ASTRAY: Final = 0.7
"""How much is left of what is nowhere near where it should be."""
COUNTING_MOST: Final = 2
"""How many digits a number has at most that only counts."""
AMOUNT: Final = 0.9
"""How much a price, a date or the like in its row is a title's own."""
GUESSED: Final = 0.55
"""How well an icon without a name may do what is asked for of its row."""
LED: Final = 0.66
"""How much a word of its row is a title's own."""
ICON_MOST: Final = 72
"""How wide a sign is at most, in CSS pixels, with what is around it."""
DEEDS: Final = frozenset(
    """download export delete remove close save send print share copy submit login logout
    register""".split()  # noqa: SIM905 - reads better as words
)
"""What is done by a button or a link, hardly by a field or a box to tick."""
_TYPED: Final = frozenset({"searchbox", "textbox", "combobox"})
_PRIOR: Final[Mapping[str, float]] = {
    "generic": -0.03, "label": -0.06, "row": -0.05, "listitem": -0.04, "cell": -0.05, "gridcell": -0.04, "img": -0.03,
    "heading": -0.12, "iframe": -0.06, "canvas": -0.04, "legend": -0.08, "video": -0.03, "embed": -0.1,
}  # fmt: skip


class Scorer:
    """One reading of a query on one page; `asked` are all words of the query in order."""

    def __init__(self, index: Index, reading: Reading, asked: Words) -> None:
        self._index = index
        self._reading = reading
        self._asked = asked
        self._by_number = any(word.isdigit() for word in asked)
        # of "white shoes" the white is a name
        self._by_looks = bool(reading.kinds) or all(word in COLOURS or word in ACTIONS for word in reading.own)
        self._by_looks = self._by_looks or not COLOURED.isdisjoint(asked)
        self._told_of: dict[Words, float] = {}
        self._rows: dict[Words, float] = {}
        self._weights = {word: self._weigh(word) for word in (*reading.own, *reading.around)}

    def score(self, card: Card, *, alike: bool) -> float:
        """From below 0 to somewhat above 1; `alike`: others look the same."""
        reading = self._reading
        if reading.in_row and card.around.of < 2:
            return 0.0
        states = [word for word in reading.own if word in STATES and not _is_written(card, word)]
        own = self._beside(states) if states else reading.own
        kind = self._kind(card)
        score = self._by_words(card, own, kind)
        if kind is not None:
            score *= 0.4 + 0.6 * kind
        elif card.node.role == "heading":
            score *= 0.6
        score *= _by_state(card, states) * self._by_action(card, own) * self._by_head(card) * self._by_thing(card, own)
        if own and own[0] == SEARCH and kind is None and card.node.role in _TYPED:
            score *= 1.08
        if TOGGLED.intersection(self._asked[:1]) and card.node.role in ("switch", "checkbox"):
            score *= 1.06
        if self._sorted_by and self._asked[0] in SORTING and card.places & TABLES:
            score *= 1.05
        if SEARCH in own and card.node.role == "searchbox":
            score *= 1.1
        if alike and kind is None and card.node.role in BOXES:
            score -= 0.02
        # of several alike and one by itself the one is meant, unless it is said which
        score -= 0.04 * (alike and not reading.nth and not reading.around)
        return score + _PRIOR.get(card.node.role, 0.0) - 0.07 * card.shadowed - 0.02 * ("contentinfo" in card.places)

    def _beside(self, states: Sequence[str]) -> Words:
        """What is asked for besides a state: of "the expanded section" nothing that would be written on it."""
        left = tuple(word for word in self._reading.own if word not in states)
        return left if any(word not in VAGUE and word not in UNITS and self._index.has(word) for word in left) else ()

    def _by_words(self, card: Card, own: Sequence[str], kind: float | None) -> float:
        outer = self._covered(card, self._reading.around, around=True) if self._reading.around else None
        if not own:
            core = kind if kind is not None else 0.65 if self._reading.counted else 0.55
            astray = ASTRAY if outer is not None and outer < 0.2 else 1.0
            return (0.8 * (core if outer is None else core * 0.45 + outer * 0.55) + 0.1 * (kind or 0.0)) * astray
        core = self._covered(card, own)
        is_exact = card.named in (self._asked, tuple(own)) or card.main == self._asked
        told = 0.18 * self._told(card)
        if outer is not None:
            # the column's head is in no row, and who asks for the mail of Ann does not mean it
            astray = ASTRAY if outer < 0.2 else 1.0
            core, told = (core * 0.62 + outer * 0.38) * astray, told * astray
        return 0.76 * core + told + 0.06 * is_exact + self._in_a_row(card.main)

    def _covered(self, card: Card, words: Sequence[str], *, around: bool = False) -> float:
        total = found = 0.0
        for word in words:
            is_action = not around and word == words[0] and self._index.is_done(word)
            weight = self._weights[word] * (1.6 if is_action and word not in self._sorted_by else 1.0)
            total += weight
            found += weight * (self._near(card, word) if around else self._own_or_near(card, word, is_action))
        return found / total if total else 0.0

    def _weigh(self, word: str) -> float:
        return self._index.weight(word) * (1.6 if word in self._sorted_by else 1.0)

    @cached_property
    def _sorted_by(self) -> frozenset[str]:
        """What is sorted or filtered by, or exported as."""
        return frozenset(word for before, word in pairwise(self._asked) if before in BY)

    def _kind(self, card: Card) -> float | None:
        kind = max((roles.get(card.node.role, 0.1) for roles in self._reading.roles), default=None)
        if kind and "tab" in self._reading.kinds and card.node.role == "link" and "navigation" in card.places:
            kind += 0.1
        if kind and FILTERING.intersection(self._reading.kinds) and card.places & TABLES and card.around.of > 1:
            kind *= 0.7
        is_wide = card.node.box is not None and card.node.box[2] > ICON_MOST
        return kind * 0.65 if kind and is_wide and ICONS.intersection(self._reading.kinds) else kind

    def _own(self, card: Card, word: str) -> float:
        own = self._index.met(word).own.get(card.place, 0.0)
        if own and word in self._counts and not card.is_number and not self._is_counted(card, word):
            own *= 0.5
        if word in PLACES and PLACES[word] & card.places:
            own = max(own, _BY_PLACE)
        if word in COLOURS and self._by_looks and card.around.colour == word.replace("gray", "grey"):
            own = max(own, _BY_COLOUR)
        return own

    @cached_property
    def _counts(self) -> Mapping[str, str]:
        """Numbers that count, each with the word before it: "page 2"."""
        return {word: before for before, word in pairwise(self._asked) if word.isdigit() and len(word) <= COUNTING_MOST}

    def _is_counted(self, card: Card, word: str) -> bool:
        """Whether a number stands on it in the sense that was asked for: "Dashboard 2" is no page."""
        return self._index.met(self._counts[word]).own.get(card.place, 0.0) >= 0.5

    def _outer(self, card: Card, word: str) -> float:
        is_there = word in PLACES and PLACES[word] & card.places
        return 1.0 if is_there else self._index.met(word).outer.get(card.place, 0.0)

    def _near(self, card: Card, word: str) -> float:
        """How well a word is met that may be of what is around."""
        return max(self._outer(card, word) * 0.97, self._own(card, word) * 0.95)

    def _own_or_near(self, card: Card, word: str, is_action: bool) -> float:
        """How well a word is met that should be the candidate's own."""
        # a number that is meant is written on the thing, unless it only says which one
        share = (
            0.25 if is_action
            else AMOUNT if card.leads and word.isdigit() and len(word) > COUNTING_MOST
            else LED if card.leads
            else 0.45 if word.isdigit()
            else 0.35 if self._reading.split
            else 0.66
        )  # fmt: skip
        return max(self._own(card, word), self._outer(card, word) * share, self._guessed(card))

    def _guessed(self, card: Card) -> float:
        """How likely it does what is asked for of its row, where nothing says what it does: an icon without a name."""
        is_asked = self._reading.of_unit or self._reading.split
        return GUESSED if is_asked and card.is_nameless and card.around.of > 1 else 0.0

    def _by_action(self, card: Card, own: Sequence[str]) -> float:
        """How much is left where something is to be done that the candidate does not do, or the other way round."""
        if not own or not card.main:
            return 1.0
        if self._index.is_done(own[0]):
            fit = 1.0 if own[0] not in DEEDS or card.node.role not in FIELDS else 0.93
            if self._index.met(own[0]).own.get(card.place, 0.0) < 0.6:
                return 0.85
            return fit if _is_said_first(card.main, own[0]) else 0.93 * fit
        acts = card.main[0] in ACTIONS and not any(nearness(word, card.main[0]) > 0.6 for word in own)
        return 0.9 if acts else 1.0

    def _by_head(self, card: Card) -> float:
        """How much is left where nothing of "the heart of flight 7" but the flight is the candidate's own."""
        head = self._reading.head
        met = max((self._index.met(word).own.get(card.place, 0.0) for word in head), default=1.0)
        return 1.0 if met >= 0.5 else 0.7

    def _by_thing(self, card: Card, own: Sequence[str]) -> float:
        """How much is left where what is to be added, edited or deleted is nowhere near."""
        if not own or not self._index.is_done(own[0]):
            return 1.0
        things = (word for word in own[1:] if word not in VAGUE and word not in UNITS)
        return 1.0 if max((self._near(card, word) for word in things), default=1.0) >= 0.4 else 0.85

    def _told(self, card: Card) -> float:
        """How much of what is written on it was asked for."""
        if not card.main or (card.is_number and not self._by_number):
            return 0.4 if card.own else 0.0
        # "Play Tundra" in the row of Tundra says no more than "Play" does
        named = len(card.main) > 1 and (self._reading.of_unit or self._reading.split) and card.around.of > 1
        main = _unnamed(card, self._reading.own) if named else card.main
        known = self._told_of.get(main)
        if known is None:
            asked = (*self._reading.own, *self._reading.around, *self._reading.kinds)
            # how many there are of something is not what one calls it
            said = [word for word in main if word not in STOP and not word.isdigit()] or main
            met = [max((nearness(each, word) for each in asked), default=0.0) for word in said]
            known = self._told_of[main] = sum(value for value in met if value >= 0.6) / len(said)
        return max(known, BY_USE) if self._is_used(card) else known

    def _is_used(self, card: Card) -> bool:
        """Whether it is a search field where one is asked for, whatever is written on it."""
        return SEARCH in self._reading.own and any(name == USES and SEARCH in words for name, _, words in card.own)

    def _in_a_row(self, main: Words) -> float:
        """What is written and asked for in the same order, word by word."""
        known = self._rows.get(main)
        if known is None:
            starts = (place for place, word in enumerate(main) if word in self._asked)
            longest = max((_run(main[start:], self._asked) for start in starts), default=0)
            known = self._rows[main] = min(0.04 * (longest - 1), 0.12) if longest > 1 else 0.0
        return known


def _run(main: Words, asked: Words) -> int:
    """How many words of `main` from its beginning stand in a row in `asked`."""
    longest = 0
    for place in range(len(asked)):
        pairs = zip(main, asked[place:], strict=False)
        length = next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(main), len(asked) - place))
        longest = max(longest, length)
    return longest


def _unnamed(card: Card, own: Words) -> Words:
    """What is written on it but for the name of its row; all where it is that name."""
    row = Counter(next((words for name, _, words in card.outer if name == ROW), ()))
    if card.leads or not row:
        return card.main
    # what can be read on it is in the row's text too
    row.subtract(card.main if card.node.name in card.around.text else ())
    return tuple(word for word in card.main if word in own or row[word] <= 0) or card.main


def _is_said_first(main: Words, deed: str) -> bool:
    """Whether a name begins with what is done, or ends with it as in German: "Let members invite" invites nobody."""
    said = [word for word in main if word not in STOP] or main
    # a Japanese verb has its ending after it
    met = [nearness(deed, word) >= 0.6 for word in said if word.isascii()] or [False]
    return met[0] or met[-1] or not any(met)


def _is_written(card: Card, word: str) -> bool:
    return any(word in words for name, _, words in card.own if name in WRITTEN)


def _by_state(card: Card, states: Sequence[str]) -> float:
    """How much of a score is left: little where the state is another one."""
    left = 1.0
    for word in states:
        wanted, is_there = STATES[word]
        left *= 1.12 if bool(wanted & set(card.node.states)) == is_there else 0.5
    return left
