"""Which of several that fit: the second, the last, the one in the third row; and in what order the rest is told.

Pure.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final, TypeAlias

from tabwright.browser.finding_cards import Card, Words
from tabwright.browser.finding_numbers import MISSING
from tabwright.browser.finding_query import Reading

Scored: TypeAlias = tuple[float, Card, Reading]

ALIKE: Final = 2
NEARLY: Final = 0.8


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
    best = max((score for score, _, _ in scored), default=0.0)
    fitting = [each for each in scored if each[0] >= best * 0.9]
    chosen = _nth_unit(fitting, reading.nth) if reading.of_unit else _nth(fitting, reading.nth)
    if not chosen:
        left = MISSING if reading.by_number else 0.8
        return [(score * left, card, way) for score, card, way in scored]
    marked = {card.place for _, card, _ in chosen}
    return [
        (score + 0.12 if card.place in marked else score - 0.06, card, way)
        if score >= best * 0.9
        else (score * 0.9, card, way)
        for score, card, way in scored
    ]


def _nth(fitting: Sequence[Scored], nth: int) -> list[Scored]:
    if not fitting:
        return []
    # things of one kind are counted: not a field and the button beside it
    role = max(fitting, key=lambda each: each[0])[1].node.role
    alike = [each for each in fitting if each[1].node.role == role]
    place = nth - 1 if nth > 0 else nth
    return [alike[place]] if -len(alike) <= place < len(alike) else []


def _nth_unit(fitting: Sequence[Scored], nth: int) -> list[Scored]:
    """Those in the n-th row, card or item."""
    families = Counter((card.node.frame_id, card.around.family) for _, card, _ in fitting if card.around.of > 1)
    if not families:
        return _nth(fitting, nth)
    [(family, _)] = families.most_common(1)
    inside = [each for each in fitting if (each[1].node.frame_id, each[1].around.family) == family]
    wanted = nth if nth > 0 else inside[0][1].around.of + 1 + nth
    found = [each for each in inside if each[1].around.nth == wanted]
    if found or nth > 0:
        return found[:1] if found else _nth(inside, nth)
    return [inside[-1]]
