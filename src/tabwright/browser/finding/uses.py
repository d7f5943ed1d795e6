"""What an element is for, in words that are not written on it: by its kind, its state, the form of its name, its place.

Pure.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from tabwright.browser.finding.kinds import SAID_BY_ROLE, SAID_BY_STATE
from tabwright.browser.finding.text import KEPT, words_of
from tabwright.browser.reading.nodes import Node

Words: TypeAlias = tuple[str, ...]

TYPED: Final = frozenset({"textbox", "combobox"})
SEARCHED: Final = TYPED | {"searchbox"}
HEADERS: Final = frozenset({"search", "navigation", "banner"})
FILTERS: Final = frozenset({"filter", "find"})
TABLES: Final = frozenset({"table", "grid", "treegrid"})
ROW_MOST: Final = 40
"""How many nodes a row has at most, to look for the same in the next one."""
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
        (r"(?:^|[\s_])(?:pdf|csv|xlsx?|ics)$", ("file", "download")),
        (r"^[^\d]{0,12}(?:[$€£¥]\s?[\d.,]+|[\d.,]+\s?[€£¥])[^\d]{0,6}$", ("price",)),
        (rf"^\W*(?:(?:{_DAY})[\W\d]*)+$", ("date",)),
        (r"^\S+@\S+\.\w{2,}$", ("email", "address")),
        (r"^\+?(?:[ ().\-/]*\d){8,}$", ("phone",)),
        (r"^\d{1,2}(?:[:.]\d\d| ?h(?: ?\d\d)?)(?: ?[ap]\.?m\.?| Uhr)?$", ("time", "slot")),
        (r"^A ?\+$", ("bigger", "text")),
        (r"^A ?[-−–]$", ("smaller", "text")),
        (r"^v\.? ?\d+\.\d", ("version",)),
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
    is_search = node.role in TYPED and (id(node) in lone or _is_searched(nodes, place))
    searched = ("search",) if is_search else ()
    used = tuple(word for state in node.states for word in SAID_BY_STATE.get(state, ()))
    served = _served(nodes, place, above, places)
    ticked = ("all",) if node.role == "checkbox" and _is_for_all(nodes, place, above) else ()
    return (*SAID_BY_ROLE.get(node.role, ()), *searched, *used, *_said_by_form(node.name), *served, *ticked)


def _is_for_all(nodes: Sequence[Node], place: int, above: Sequence[Node]) -> bool:
    """The box in the head of a table each of whose rows has one."""
    table = next((each for each in reversed(above) if each.role in TABLES), None)
    row = next((each for each in reversed(above) if each.role == "row"), None)
    if table is None or row is None:
        return False
    for before in range(place - 1, -1, -1):
        if nodes[before] is table:
            break
        if nodes[before].role == "checkbox":
            return False
    after = nodes[place + 1 : place + 1 + ROW_MOST]
    return any(each.role == "checkbox" and each.depth == nodes[place].depth for each in after)


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
    """The one field of a search landmark, a menu or the head of a page. Of several each is what it is called."""
    fields: defaultdict[int, list[Node]] = defaultdict(list)
    around: list[Node] = []
    for node in nodes:
        while around and around[-1].depth >= node.depth:
            around.pop()
        if node.role in HEADERS:
            around.append(node)
        elif node.role in TYPED and node.clickable:
            for each in around:
                # what is chosen from in a menu is a language, or a country
                if each.role == "search" or node.role == "textbox":
                    fields[id(each)].append(node)
    return frozenset(id(found[0]) for found in fields.values() if len(found) == 1)
