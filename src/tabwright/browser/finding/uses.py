"""What an element is for, in words that are not written on it: by its kind, its state, the form of its name, its place.

Pure.
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from tabwright.browser.finding.kinds import SAID_BY_ROLE, SAID_BY_STATE
from tabwright.browser.finding.text import KEPT, words_of
from tabwright.browser.reading.nodes import Node

Words: TypeAlias = tuple[str, ...]

TYPED: Final = frozenset({"textbox", "combobox"})
SEARCHED: Final = TYPED | {"searchbox"}
FILTERS: Final = frozenset({"filter", "find"})
SHORT_MOST: Final = 8
"""How long "Go" and the like are."""
_MONTH: Final = r"\d{1,2}\.? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b"
_DAY: Final = rf"\d{{4}}-\d\d-\d\d|{_MONTH}|\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\b"
LOOKS: Final = tuple(
    (re.compile(form, re.IGNORECASE), words)
    for form, words in (
        (r"^add to (?:cart|basket|bag|trolley)", ("buy",)),
        (r"^where .*(?:going|to)\b", ("destination",)),
        (r"\.(?:pdf|docx?|xlsx?|csv|zip|pptx?|txt|png|jpe?g|gif)$", ("file", "download", "attachment")),
        (r"^[^\d]{0,12}(?:[$€£¥]\s?[\d.,]+|[\d.,]+\s?[€£¥])[^\d]{0,6}$", ("price",)),
        (rf"^\W*(?:(?:{_DAY})[\W\d]*)+$", ("date",)),
    )
)
"""What the form of a name says, in words."""
PERSONS: Final = re.compile(r"(?:^|/)(?:u|users?|authors?|profiles?|members?|people|@\w+)(?:/|$)", re.IGNORECASE)
"""How the address of someone's page looks."""
LOOKS_MOST: Final = 40
"""A longer name only mentions a price or a date."""


def uses_of(nodes: Sequence[Node], place: int, above: Sequence[Node], lone: Collection[int], places: str) -> Words:
    """What it is and can be used for, in words; `places` are the parts of the page it is in."""
    node = nodes[place]
    is_search = node.role in TYPED and (any(id(each) in lone for each in above) or _is_searched(nodes, place))
    searched = ("search",) if is_search else ()
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
    if PERSONS.search(node.url):
        return ("author", "user")
    if node.role not in ("link", "button") or not node.name.isdigit():
        return ()
    named = " ".join((places, *(each.name for each in above))).casefold()
    return ("page",) if "pag" in named or _is_counted(nodes, place) else ()


def _is_counted(nodes: Sequence[Node], place: int) -> bool:
    """The link to a page beside that to the next or the one before: 1, 2, 3."""
    node = nodes[place]
    beside = (each for each in nodes[max(0, place - 1) : place + 2] if each is not node and each.role == node.role)
    return node.role == "link" and any(each.name.isdigit() and each.depth == node.depth for each in beside)


def _is_after_search(nodes: Sequence[Node], place: int) -> bool:
    before = next((each for each in reversed(nodes[max(0, place - 2) : place]) if each.clickable), None)
    if before is None or before.role not in SEARCHED:
        return False
    return before.role == "searchbox" or "search" in words_of(f"{before.name} {before.placeholder}")


def _is_searched(nodes: Sequence[Node], place: int) -> bool:
    """A field that something is looked for by: it filters, or a search button follows it and no field is before it."""
    node = nodes[place]
    if FILTERS & set(words_of(f"{node.label or node.name} {node.placeholder}")[:1]):
        return True
    after = next((each for each in nodes[place + 1 : place + 3] if each.clickable), None)
    before = next((each for each in reversed(nodes[max(0, place - 2) : place]) if each.clickable), None)
    if after is None or after.role != "button" or (before is not None and before.role in SEARCHED):
        return False
    return "search" in words_of(f"{after.name or after.hint}")[:2] and len(words_of(after.name)) <= 2


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
