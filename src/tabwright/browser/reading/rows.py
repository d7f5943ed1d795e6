"""Rows of a table or list that are alike: the first in full, the others by what tells them apart.

Pure. Columns are the clickable elements of the rows in order. One whose name is the same in all rows, or only repeats
what another says, is named once, and so is what all of a column offer to choose from; of the others each row gives its
name. Nothing is left out: every row has its refs.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tabwright.browser.reading.fit import fitting
from tabwright.browser.reading.tree import ROWS, TEXT, Item
from tabwright.browser.reading.words import KEY_MOST, Words, ranges

ALIKE_LEAST: Final = 5
IN_FULL: Final = 2
TEXT_MOST: Final = 80
TEXT_ROWS: Final = 30
"""Of so many rows the text is told though only what can be clicked is asked for."""
SAMPLES: Final = 12
ENOUGH: Final = 100_000
"""What is so long is never shown in full, so the rest of it is not written."""

Shape = tuple[str, ...]

_NAMES: Final = {"row": "rows", "listitem": "items", "article": "articles"}


@dataclass(frozen=True, slots=True)
class Column:
    role: str
    label: str
    """What its name has in common in all rows, with … for what another column says; empty where names are given."""
    choices: str = ""
    """What can be chosen, where it is the same in all rows."""


def shape(row: Item) -> Shape:
    """What a row is made of."""
    return tuple(item.node.role for item in row.clickables)


def has_text(rows: Sequence[Item]) -> bool:
    """Whether they are told with the text between their elements."""
    return any(_has_text(row) for row in rows)


def in_full(row: Item, words: Words) -> str:
    """A row on one line: its own text where its elements do not say it, then the elements."""
    title = words.element(row.node) if row.node.clickable else words.role(row.node)
    if _has_text(row):
        told = [words.element(item.node) for item in row.walk() if _is_told(item) and item is not row]
        return f"{title}: {' | '.join(told)}"
    own = words.quoted(_own_text(row), 100) if _has_own_text(row) and not row.node.clickable else ""
    names = {item.node.name for item in row.clickables}
    parts = [item for item in row.walk() if _is_told(item) and item is not row]
    told = words.listed([item for item in parts if item.node.clickable or item.node.name not in names])
    return f"{title} {own}: {told}" if own else f"{title}: {told}"


class Alike:
    """Rows of one shape; `first` is the number of the first of them."""

    def __init__(self, rows: Sequence[Item], first: int, words: Words) -> None:
        self._rows = rows
        self._first = first
        self._words = words
        self._table = [row.clickables for row in rows]
        self._columns = _columns(self._table, words)

    def with_text(self) -> str:
        """Each row with its text and refs."""
        if has_text(self._rows):
            return self._line(self._read(row) for row in self._rows)
        if len(self._rows) > TEXT_ROWS or not any(_has_own_text(row) for row in self._rows):
            return self.with_names()
        return self._line(self._titled(row, cells) for row, cells in zip(self._rows, self._table, strict=True))

    def with_names(self) -> str:
        """Each row with its refs and what tells it apart."""
        return self._line(self._named())

    def with_ranges(self, room: int) -> str:
        """As many rows as fit with their names, the others by the range of their refs with the names of some."""
        told = fitting(self._named(), room)
        rows, table, first = self._rows[len(told) :], self._table[len(told) :], self._first + len(told)
        refs = [self._words.ref(item.node) for cells in table for item in cells]
        some = [
            " ".join(
                filter(
                    None, (str(first + place), self._key(rows[place]), "from", self._words.ref(table[place][0].node))
                )
            )
            for place in (*range(0, len(rows) - 1, max(1, len(rows) // SAMPLES)), len(rows) - 1)
        ]
        apiece = f" ({len(self._columns)} a row)" if len(self._columns) > 1 else ""
        told.append(f"the other {len(rows)} {ranges(refs)}{apiece}, among them {', '.join(some)}")
        return self._line(told)

    def _named(self) -> Iterator[str]:
        keyed = any(not column.label for column in self._columns)
        for number, (row, cells) in enumerate(zip(self._rows, self._table, strict=True), self._first):
            yield self._cells(cells) if keyed else f"{self._key(row) or number} {self._cells(cells)}"

    def _title(self) -> str:
        kinds = ", ".join(
            " ".join(filter(None, (column.role, self._words.quoted(column.label), column.choices)))
            for column in self._columns
        )
        what = _NAMES[self._rows[0].node.role]
        return f"{what} {self._first}–{self._first + len(self._rows) - 1}, each {kinds}"

    def _line(self, told: Iterable[str]) -> str:
        return f"{self._title()}: {'; '.join(_enough(told))}"

    def _cells(self, cells: Sequence[Item], title: str = "") -> str:
        """Refs in order, each after its name where names are given and the title does not say them."""
        parts: list[str] = []
        for item, column in zip(cells, self._columns, strict=True):
            own = item.node.name
            is_said = own[: KEY_MOST - 1] in title
            name = "" if column.label or is_said else self._words.quoted(own, KEY_MOST)
            parts += [name, self._words.ref(item.node), self._words.state(item.node, choices=not column.choices)]
            if item.node.role in ROWS and not column.label:
                # a row that is clicked itself says what is in it
                title = own[:KEY_MOST]
        return " ".join(part for part in parts if part)

    def _titled(self, row: Item, cells: Sequence[Item]) -> str:
        title = _own_text(row)[:TEXT_MOST]
        return f"{self._words.quoted(title, TEXT_MOST)} {self._cells(cells, title)}"

    def _read(self, row: Item) -> str:
        """Text and elements as they are read."""
        columns = iter(self._columns)
        parts: list[str] = []
        for item in row.walk():
            if item.node.clickable:
                column = next(columns)
                name = "" if column.label or item is row else self._words.quoted(item.node.name, TEXT_MOST)
                told = (name, self._words.ref(item.node), self._words.state(item.node, choices=not column.choices))
                parts.append(" ".join(part for part in told if part))
            elif _is_told(item) and item is not row:
                parts.append(self._words.quoted(item.node.name, TEXT_MOST))
        return " | ".join(parts)

    def _key(self, row: Item) -> str:
        """What tells the row apart."""
        for item, column in zip(row.clickables, self._columns, strict=True):
            if not column.label and (name := self._words.quoted(item.node.name, KEY_MOST)):
                return name
        return self._words.quoted(_own_text(row), KEY_MOST)


def _enough(told: Iterable[str]) -> Iterator[str]:
    chars = 0
    for each in told:
        yield each
        chars += len(each)
        if chars > ENOUGH:
            return


def _columns(table: Sequence[Sequence[Item]], words: Words) -> Sequence[Column]:
    """The columns' names over all rows, and the first that tells rows apart as the key to the others."""
    # of a page of tens of thousands the later ones have no names
    named = [cells for cells in table if any(item.node.name for item in cells)] or table
    names = [[cells[place].node.name for cells in named] for place in range(len(table[0]))]
    roles = [item.node.role for item in table[0]]
    key = _key_column(names, roles)
    return [
        Column(
            "clickable" if role == "generic" else role,
            _label(own, None if place == key else names[key]),
            _choices([cells[place] for cells in table], words),
        )
        for place, (role, own) in enumerate(zip(roles, names, strict=True))
    ]


def _key_column(names: Sequence[Sequence[str]], roles: Sequence[str]) -> int:
    """The column with the shortest names that differ: the others may repeat it."""

    def weight(place: int) -> tuple[bool, bool, int]:
        own = names[place]
        return (len(set(own)) < len(own) * 0.9, roles[place] != "link", sum(map(len, own)))

    return min(range(len(names)), key=weight)


def _label(own: Sequence[str], key: Sequence[str] | None) -> str:
    """What all names of a column have in common; empty where each must be given."""
    if len(set(own)) == 1:
        return own[0] or "unnamed"
    if key is None:
        return ""
    patterns = {
        re.sub(re.escape(said), "…", name, flags=re.IGNORECASE) if said else name
        for name, said in zip(own, key, strict=True)
    }
    return patterns.pop() if len(patterns) == 1 else ""


def _choices(own: Sequence[Item], words: Words) -> str:
    """What all of a column offer; empty where it differs, or there is nothing to choose."""
    first = own[0].node
    is_same = all(item.node.options == first.options and item.node.choices == first.choices for item in own)
    return words.options(first) if is_same else ""


def _is_told(item: Item) -> bool:
    return item.node.clickable or item.node.role in (TEXT, "heading", "img", "iframe", "canvas", "alert", "status")


def _has_text(row: Item) -> bool:
    return any(item.node.role == TEXT for item in row.walk())


def _own_text(row: Item) -> str:
    """What it says besides the names of its buttons."""
    text = row.node.name
    for item in reversed(row.clickables):
        if item.node.role == "button" and item.node.name:
            before, found, after = f" {text} ".rpartition(f" {item.node.name} ")
            text = " ".join(f"{before} {after}".split()) if found else text
    return text


def _has_own_text(row: Item) -> bool:
    """Whether its elements do not say all of its text."""
    rest = row.node.name.rstrip("…")
    names = sorted({item.node.name for item in row.walk() if item is not row and item.node.name}, key=len, reverse=True)
    for name in names:
        rest = rest.replace(name, " ")
    if row.node.name.endswith("…"):
        # the last of them may be cut off
        cut = next((at for at in range(len(rest)) if any(name.startswith(rest[at:]) for name in names)), len(rest))
        rest = rest[:cut]
    return sum(char.isalnum() for char in rest) > 2
