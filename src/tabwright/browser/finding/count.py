"""Which of several that fit: the second, the last, the one in the third row; and in what order the rest is told.

Pure.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final, TypeAlias

from tabwright.browser.finding.cards import Card, Words
from tabwright.browser.finding.numbers import MISSING
from tabwright.browser.finding.query import Reading, is_unit
from tabwright.browser.finding.text import SAME_STEM, nearness, words_of
from tabwright.browser.finding.units import ASIDE

Scored: TypeAlias = tuple[float, Card, Reading]

ALIKE: Final = 2
NEARLY: Final = 0.8
INSIDE: Final = 0.45
"""How much is left of what is in no row, where rows are counted."""
MEANT: Final = 100.0
"""How much more likely that is counted which a heading calls so, if nobody would call anything else so."""
LONE: Final = 0.75
"""How much is left of the only one that fits, where one of several is asked for."""


def vary(ranked: Sequence[Scored]) -> list[Scored]:
    """After two that look the same come others that fit nearly as well: a third of the kind tells little."""
    if not ranked:
        return []
    seen: Counter[tuple[str, Words]] = Counter()
    first: list[Scored] = []
    later: list[Scored] = []
    for each in ranked:
        score, card, _ = each
        look = (card.node.role, card.main)
        seen[look] += 1
        (first if seen[look] <= ALIKE and score >= ranked[0][0] * NEARLY else later).append(each)
    return first + later


def count_out(scored: Sequence[Scored], reading: Reading) -> list[Scored]:
    """The one that was counted out comes first; without it little changes, unless a number was named."""
    scored = _in_units(scored, reading) if reading.of_unit else scored
    fitting = _fitting(scored)
    if len(fitting) == 1:
        # "the last page" is none of one, "Pages", if there are several that fit nearly as well
        [(score, card, way)] = fitting
        others = [each for each in scored if each[1] is not card]
        return [(score * LONE, card, way), *_counted(others, _fitting(others), reading)]
    return _counted(scored, fitting, reading)


def _fitting(scored: Sequence[Scored]) -> list[Scored]:
    best = max((score for score, _, _ in scored), default=0.0)
    return [each for each in scored if each[0] >= best * 0.9]


def _counted(scored: Sequence[Scored], fitting: Sequence[Scored], reading: Reading) -> list[Scored]:
    chosen = _nth_unit(fitting, reading.nth, reading.counted) if reading.of_unit else _nth(fitting, reading.nth)
    if not chosen:
        left = MISSING if reading.by_number else 0.8
        return [(score * left, card, way) for score, card, way in scored]
    marked = {card.place for _, card, _ in chosen}
    close = {card.place for _, card, _ in fitting}
    return [
        (score + 0.12 if card.place in marked else score - 0.06, card, way)
        if card.place in close
        else (score * 0.9, card, way)
        for score, card, way in scored
    ]


def _in_units(scored: Sequence[Scored], reading: Reading) -> Sequence[Scored]:
    """What is in no row is not in the third, if something that is fits nearly as well: the head of a column."""
    best = max((score for score, _, _ in scored), default=0.0)
    if max((score for score, card, _ in scored if _may_be(card, reading.nth)), default=0.0) < best * INSIDE:
        return scored
    return [(score if _may_be(card, reading.nth) else score * INSIDE, card, way) for score, card, way in scored]


def _may_be(card: Card, nth: int) -> bool:
    return card.around.of >= max(abs(nth), 2) and not card.places & ASIDE and not card.names_column


def _nth(fitting: Sequence[Scored], nth: int) -> list[Scored]:
    if not fitting:
        return []
    # things of one kind are counted: not a field and the button beside it
    role = max(fitting, key=lambda each: each[0])[1].node.role
    alike = [each for each in fitting if each[1].node.role == role]
    place = nth - 1 if nth > 0 else nth
    return [alike[place]] if -len(alike) <= place < len(alike) else []


def _nth_unit(fitting: Sequence[Scored], nth: int, counted: str) -> list[Scored]:
    """Those in the n-th row, card or item."""
    families: defaultdict[tuple[int, int], float] = defaultdict(float)
    for _, card, _ in fitting:
        if card.around.of > 1 and not card.names_column:
            families[_family(card)] += _likely(card, counted)
    if not families:
        return _nth(fitting, nth)
    family = max(families, key=lambda each: families[each])
    inside = [each for each in fitting if _family(each[1]) == family]
    under = [each for each in inside if _is_under(each[1], counted)]
    if 0 < len(under) < len(inside):
        # under "3 Answers" the question before it is none of them
        inside, nth = under, nth + min(each[1].around.nth for each in under) - 1 if nth > 0 else nth
    wanted = nth if nth > 0 else inside[0][1].around.of + 1 + nth
    found = [each for each in inside if each[1].around.nth == wanted]
    if found or nth > 0:
        return _best(found) if found else _nth(inside, nth)
    return [inside[-1]]


def _family(card: Card) -> tuple[int, int]:
    return card.node.frame_id, card.around.family


def _likely(card: Card, counted: str) -> float:
    """Menus are seldom counted; what stands under a heading that names what is counted is."""
    if _names(card.around.heading, counted):
        return 3.0 if is_unit(counted) else MEANT
    return 0.1 if card.places & ASIDE else 1.0


def _is_under(card: Card, counted: str) -> bool:
    """Whether it stands under a heading that names what is counted, and is not headed so itself."""
    heading = card.around.heading
    return heading not in card.around.text and _names(heading, counted)


def _names(heading: str, counted: str) -> bool:
    return bool(counted) and any(nearness(counted, word) >= SAME_STEM for word in words_of(heading))


def _best(found: Sequence[Scored]) -> list[Scored]:
    """Of several in one row the one that fits best, the first of those that fit alike."""
    return [
        max(found, key=lambda each: (_is_row_meant(each), each[0], each[1].node.role == "link", len(each[1].node.name)))
    ]


def _is_row_meant(scored: Scored) -> bool:
    """ "The second mail", and nothing of it, is its title."""
    _, card, reading = scored
    return card.leads and not reading.own and not reading.kinds
