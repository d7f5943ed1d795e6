"""Pages as `find` sees them, with what people would say of them and which element they mean.

A page file holds what the page agent told of a page: its nodes and what is around them. `tuning.json` was looked at
while the scores were tuned, `held_out.json` was not, though most of its pages are those of `tuning.json`. `unseen.json`
has queries on pages of its own, written before any answer was seen; of its misses nothing but their number is known.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from tabwright.browser.finding.cards import Around
from tabwright.browser.finding.search import Finder
from tabwright.browser.reading.nodes import Node

HERE: Final = Path(__file__).parent
TUNING: Final = "tuning"
HELD_OUT: Final = "held_out"
UNSEEN: Final = "unseen"


@dataclass(frozen=True)
class Query:
    """Words, and the numbers of the elements that are right."""

    page: str
    words: str
    right: tuple[int, ...]


@dataclass(frozen=True)
class Rates:
    """Where the right one was: how many queries, first, among three; and those not first."""

    count: int
    first: float
    three: float
    missed: tuple[tuple[Query, tuple[int, ...]], ...]

    @property
    def told(self) -> str:
        return "\n".join(
            f"{query.page}: {query.words!r} is {query.right}, found {found}" for query, found in self.missed
        )


def queries(name: str) -> Iterator[Query]:
    told: dict[str, list[tuple[str, list[int]]]] = json.loads((HERE / f"{name}.json").read_text())
    for page, listed in told.items():
        for words, right in listed:
            yield Query(page, words, tuple(right))


def measure(*names: str) -> Rates:
    """Run every query of these sets."""
    asked = [each for name in names for each in queries(name)]
    answers = [tuple(match.node.number for match in finder(each.page).find(each.words, 5)) for each in asked]
    pairs = list(zip(asked, answers, strict=True))
    first = sum(bool(found) and found[0] in each.right for each, found in pairs)
    three = sum(bool(set(found[:3]) & set(each.right)) for each, found in pairs)
    missed = tuple((each, found) for each, found in pairs if not found or found[0] not in each.right)
    return Rates(len(asked), first / len(asked), three / len(asked), missed)


@cache
def finder(page: str) -> Finder:
    told = json.loads((HERE / "pages" / f"{page}.json").read_text())
    around = {(0, int(number)): Around(**said) for number, said in told["around"].items()}
    width, height = told["size"]
    return Finder([_node(each) for each in told["nodes"]], around, (width, height))


def _node(told: dict[str, Any]) -> Node:
    fixed = {"frame_id": 0, "document_id": "", "agent": "", "path": "", "name": "", "clickable": False, "states": ()}
    lists = {name: tuple(told[name]) for name in ("states", "options", "box") if name in told}
    fields: dict[str, Any] = {**fixed, **told, **lists}
    return Node(**fields)
