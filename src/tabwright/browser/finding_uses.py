"""What an element is for, in words that are not written on it: by its kind, its state, the form of its name, its place.

Pure.
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from tabwright.browser.finding_text import KEPT, words_of
from tabwright.browser.nodes import Node
from tabwright.browser.synonyms import SAID_BY_ROLE, SAID_BY_STATE

Words: TypeAlias = tuple[str, ...]

TYPED: Final = frozenset({"textbox", "combobox"})
SEARCHED: Final = TYPED | {"searchbox"}
SHORT_MOST: Final = 8
"""How long "Go" and the like are."""
_MONTH: Final = r"\d{1,2}\.? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b"
_DAY: Final = rf"\d{{4}}-\d\d-\d\d|{_MONTH}|\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\b"
LOOKS: Final = tuple(
    (re.compile(form, re.IGNORECASE), words)
    for form, words in (
        (r"^add to (?:cart|basket|bag|trolley)", ("buy",)),
        (r"^where .*(?:going|to)\b", ("destination",)),
        (r"\.(?:pdf|docx?|xlsx?|csv|zip|pptx?|txt|png|jpe?g|gif)$", ("file", "download")),
        (r"^[^\d]{0,12}(?:[$€£¥]\s?[\d.,]+|[\d.,]+\s?[€£¥])[^\d]{0,6}$", ("price",)),
        (rf"^\W*(?:(?:{_DAY})[\W\d]*)+$", ("date",)),
    )
)
"""What the form of a name says, in words."""
LOOKS_MOST: Final = 40
"""A longer name only mentions a price or a date."""


def uses_of(nodes: Sequence[Node], place: int, above: Sequence[Node], lone: Collection[int], places: str) -> Words:
    """What it is and can be used for, in words; `places` are the parts of the page it is in."""
    node = nodes[place]
    searched = ("search",) if _is_search(node, above, lone) else ()
    used = tuple(word for state in node.states for word in SAID_BY_STATE.get(state, ()))
    served = _served(nodes, place, above, places)
    return (*SAID_BY_ROLE.get(node.role, ()), *searched, *used, *_said_by_form(node.name), *served)


@lru_cache(KEPT)
def _said_by_form(name: str) -> Words:
    if len(name) > LOOKS_MOST:
        return ()
    return tuple(word for looks, words in LOOKS if looks.search(name) for word in words)


def _served(nodes: Sequence[Node], place: int, above: Sequence[Node], places: str) -> Words:
    """What it is for by where it stands: "Go" beside a search field, a number among those of pages."""
    node = nodes[place]
    if node.role == "button" and len(node.name) <= SHORT_MOST and _is_after_search(nodes, place):
        return ("search",)
    if node.role not in ("link", "button") or not node.name.isdigit():
        return ()
    named = " ".join((places, *(each.name for each in above))).casefold()
    return ("page",) if "pag" in named else ()


def _is_after_search(nodes: Sequence[Node], place: int) -> bool:
    before = next((each for each in reversed(nodes[max(0, place - 2) : place]) if each.clickable), None)
    if before is None or before.role not in SEARCHED:
        return False
    return before.role == "searchbox" or "search" in words_of(f"{before.name} {before.placeholder}")


def _is_search(node: Node, above: Sequence[Node], lone: Collection[int]) -> bool:
    return node.role in TYPED and any(id(each) in lone for each in above)


def lone_searches(nodes: Sequence[Node]) -> frozenset[int]:
    """Search landmarks with one field: that is the search box. Of several each is what it is called."""
    fields: Counter[int] = Counter()
    searches: list[Node] = []
    for node in nodes:
        while searches and searches[-1].depth >= node.depth:
            searches.pop()
        if node.role == "search":
            searches.append(node)
        elif node.role in TYPED and node.clickable:
            fields.update(id(each) for each in searches)
    return frozenset(search for search, count in fields.items() if count == 1)
