"""What the rows of a list have in common, and what leads each: its title, by which the whole row is meant.

Pure. A row's text names its controls too, and every row has them: "compare the ThinkPad" is no more the ThinkPad's link
for the word "Compare" that stands beside it in every row.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from tabwright.browser.finding.cards import HOLDERS, REST, ROW, Card, Fields, Words, without
from tabwright.browser.finding.text import stem

LEADS: Final[Mapping[str, int]] = {
    **dict.fromkeys(HOLDERS, 2),
    "link": 2,
    "treeitem": 2,
    "option": 2,
    "tab": 2,
    "button": 1,
}
"""What a row can be meant by: the row itself, its first link, or else a button."""
LABELS: Final = frozenset({"label", "column", "placeholder", "description"})
ASIDE: Final = frozenset({"navigation", "banner", "contentinfo"})
"""Where things are that nobody counts."""

Unit: TypeAlias = tuple[int, int]
"""A frame and the number of a row, or of a list of rows, in it."""


def know_units(cards: Sequence[Card]) -> list[Card]:
    """The cards as they are known beside their like."""
    rows = _rows(cards)
    leads = _leads(cards, rows)
    common, others = _common(rows), _others(cards, leads)
    columns = {card.around.column for card in cards} - {""}

    def known(card: Card) -> Card:
        is_lead = card.place in leads
        outer = _told_apart(card.outer, others[_unit(card)] if is_lead else common[_family(card)])
        return replace(card, outer=outer, leads=is_lead, names_column=card.around.text in columns)

    return [known(card) if _is_in(card) else card for card in cards]


def labels_of(cards: Sequence[Card]) -> frozenset[str]:
    """What parts of rows are called: the mail of a user is a part of the user's row, where rows have mails."""
    return frozenset(
        word
        for card in cards
        if _is_in(card) and not card.places & ASIDE
        for name, _, words in card.own
        if name in LABELS
        for each in words
        for word in (each, stem(each))
    )


def _is_in(card: Card) -> bool:
    return card.around.of > 1


def _unit(card: Card) -> Unit:
    return card.node.frame_id, card.around.unit


def _family(card: Card) -> Unit:
    return card.node.frame_id, card.around.family


def _rows(cards: Sequence[Card]) -> Mapping[tuple[Unit, Words], set[int]]:
    """In which rows something is written on a control, by list and by what it is."""
    found: defaultdict[tuple[Unit, Words], set[int]] = defaultdict(set)
    for card in cards:
        if _is_in(card) and card.node.clickable and card.main:
            found[_family(card), card.main].add(card.around.unit)
    return found


def _common(rows: Mapping[tuple[Unit, Words], set[int]]) -> Mapping[Unit, Counter[str]]:
    """The words that are written on controls in more than one row alike, by list."""
    found: defaultdict[Unit, Counter[str]] = defaultdict(Counter)
    for (family, main), where in rows.items():
        if len(where) > 1:
            found[family].update(main)
    return found


def _leads(cards: Sequence[Card], rows: Mapping[tuple[Unit, Words], set[int]]) -> frozenset[int]:
    """The first of each row that is called as nothing in other rows is; the row itself if it can be clicked."""
    found: dict[Unit, Card] = {}
    for card in cards:
        rank = LEADS.get(card.node.role, 0) if _is_in(card) and card.node.clickable else 0
        if rank == 1 and len(card.node.name) * 2 < len(card.around.text):
            rank = 0
        if not rank or not any(char.isalpha() for char in card.node.name) or len(rows[_family(card), card.main]) > 1:
            continue
        known = found.get(_unit(card))
        if known is None or LEADS[known.node.role] < rank:
            found[_unit(card)] = card
    return frozenset(card.place for card in found.values())


def _others(cards: Sequence[Card], leads: frozenset[int]) -> Mapping[Unit, Counter[str]]:
    """The words of all that can be clicked in a row besides its title."""
    found: defaultdict[Unit, Counter[str]] = defaultdict(Counter)
    for card in cards:
        if _is_in(card) and card.node.clickable and card.place not in leads:
            found[_unit(card)].update(card.main)
    return found


def _told_apart(outer: Fields, said: Counter[str]) -> Fields:
    return tuple(
        (name, weight, without(words, said) if name in (ROW, REST) else words) for name, weight, words in outer
    )
