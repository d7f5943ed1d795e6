"""An element of the page as it is searched: its own words, the words around it, where it is.

Pure. One card a node that a person could mean; what only stands around things becomes the words around them.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from tabwright.browser.finding.numbers import Numbered, numbers_of
from tabwright.browser.finding.text import words_of
from tabwright.browser.finding.uses import Words, lone_searches, uses_of
from tabwright.browser.reading.nodes import Node
from tabwright.model import Json

MEANT: Final = frozenset({"heading", "canvas", "iframe", "video", "audio", "img", "embed"})
"""What can be meant though a person would not click it."""
HOLDERS: Final = frozenset({"cell", "gridcell", "row", "listitem", "generic", "label"})
"""What can be clicked as a whole, but seldom is what is meant if a part of it is."""
PARTS_MOST: Final = 12
"""How far after it the parts of a row are looked for."""
USES: Final = "role"
"""The field that holds what a thing is for."""
ROW: Final = "row"
"""The field that holds the text of the row around."""
REST: Final = "rest"
"""The field that holds the end of a long one: a whole part of the page, which is seldom meant by what is said there."""
TITLED: Final = 24
"""How many words of a row one would call it by."""
PRICED: Final = re.compile(r"[$€£¥]\s?\d|\d\s?[€£¥]")
WRITTEN: Final = frozenset({"name", "label", "placeholder", "description"})
TELLING: Final = WRITTEN | {"icon", "value"}
SIGNS: Final = frozenset({"button", "link", "generic", "img"})
PLACING: Final = frozenset(
    {
        "banner", "contentinfo", "navigation", "complementary", "main", "dialog", "alertdialog", "menu", "menubar",
        "toolbar", "tablist", "table", "grid", "treegrid", "search", "form", "listbox",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Around:
    """What a page says of the surroundings of one element."""

    unit: int = 0
    family: int = 0
    nth: int = 0
    of: int = 0
    text: str = ""
    before: str = ""
    heading: str = ""
    column: str = ""
    """What the column of a table is called that it stands in."""
    icon: str = ""
    """What the picture on it is called."""
    places: str = ""
    """The parts of the page that it is in, by their classes."""
    colour: str = ""


Fields: TypeAlias = tuple[tuple[str, float, Words], ...]
"""Which field, how much it counts, its words."""


@dataclass(frozen=True, slots=True)
class Card:
    """A candidate."""

    place: int
    node: Node
    own: Fields
    """By what it can be known itself."""
    outer: Fields
    """By what it can be told from others."""
    places: frozenset[str]
    shadowed: bool
    """Something in it has the same name, and is what a person would click."""
    around: Around = field(default=Around())
    main: Words = ()
    """What is written on it, else what is known of it."""
    named: Words = ()
    """The same without numbers: how many there are of something is not what one calls it."""
    numbers: frozenset[Numbered] = frozenset()
    """Those that stand on it or on what it is a part of."""
    is_number: bool = False
    """Nothing but a number is written on it."""
    names_column: bool = False
    """It is in the head of a table, where a row of its like is not one of the table's rows."""
    is_nameless: bool = False
    """Nobody can tell by words what a click on it does."""
    leads: bool = False
    """It is the title of the row that it is in, or the row itself."""


def make_cards(
    nodes: Sequence[Node],
    around: Mapping[tuple[int, int], Around],
    size: tuple[int, int],
    among: Collection[tuple[int, int]] | None = None,
) -> list[Card]:
    """All that can be meant, in the page's order, or those `among` these; both know nodes by frame and number."""
    cards: list[Card] = []
    above: list[Node] = []
    lone = lone_searches(nodes)
    for place, node in enumerate(nodes):
        while above and above[-1].depth >= node.depth:
            above.pop()
        key = (node.frame_id, node.number)
        if node.number and (node.clickable or node.role in MEANT) and (among is None or key in among):
            known = around.get(key, Around())
            parts = _parts(nodes, place) if node.role in HOLDERS else ()
            uses = uses_of(nodes, place, above, lone, known.places)
            cards.append(_card(place, node, above, known, size, _is_shadowed(nodes, place), parts, uses))
        above.append(node)
    return cards


def _card(
    place: int,
    node: Node,
    above: Sequence[Node],
    around: Around,
    size: tuple[int, int],
    shadowed: bool,
    parts: Sequence[Node],
    uses: Words,
) -> Card:
    name = words_of(node.name)
    if parts:
        name = without(name, Counter(word for part in parts for word in words_of(part.name))) or name
    named_itself = any(len(word) > 1 and not word.isdigit() for word in words_of(node.name))
    own = (
        ("name", 1.0, name),
        ("label", 1.0, words_of(node.label)),
        ("placeholder", 0.95, words_of(node.placeholder)),
        ("description", 0.75, words_of(node.description)),
        ("value", 0.7, words_of(node.value or "")),
        ("options", 0.6, tuple(word for option in node.options[:60] for word in words_of(option))),
        (USES, 0.85, uses),
        ("hint", 0.62 if named_itself else 0.92, words_of(node.hint)),
        ("column", 0.7, words_of(around.column)),
        ("icon", 0.75, words_of(around.icon)),
        ("address", 0.5 if named_itself else 0.8, words_of(node.url)),
    )
    named = tuple(
        word for each in above if each.role not in ("row", "listitem", "main") for word in words_of(each.name)
    )
    row = words_of(around.text or node.row)
    outer = (
        (ROW, 1.0, row[:TITLED]),
        (REST, 0.6, row[TITLED:]),
        ("shown", 0.8, ("price",) if PRICED.search(around.text) else ()),
        ("heading", 0.95, words_of(around.heading)),
        ("before", 0.9, words_of(around.before)),
        ("section", 0.8, named),
        ("heading before", 0.5, words_of(node.heading)),
    )
    kept = tuple(each for each in own if each[2])
    told = tuple(each for each in outer if each[2])
    numbers = _numbers(node, above, around)
    main = _main(kept)
    return Card(
        place,
        node,
        kept,
        told,
        _places(node, above, size).union(around.places.split()),
        shadowed,
        around,
        main,
        tuple(word for word in main if not word.isdigit()) or main,
        numbers,
        node.name.isdigit(),
        is_nameless=node.role in SIGNS and not any(name in TELLING for name, _, _ in kept),
    )


def _parts(nodes: Sequence[Node], place: int) -> Sequence[Node]:
    """What in it can be clicked by itself."""
    found: list[Node] = []
    for inner in nodes[place + 1 : place + 1 + PARTS_MOST]:
        if inner.depth <= nodes[place].depth:
            break
        if inner.clickable and inner.name:
            found.append(inner)
    return found


def without(words: Words, others: Counter[str]) -> Words:
    """The words of a row but for those of its buttons, each as often as they have it."""
    if others.keys().isdisjoint(words):
        return words
    left: list[str] = []
    gone: Counter[str] = Counter()
    for word in words:
        if gone[word] < others[word]:
            gone[word] += 1
        else:
            left.append(word)
    return tuple(left)


def _numbers(node: Node, above: Sequence[Node], around: Around) -> frozenset[Numbered]:
    # the heading before may be that of the card before
    unit = (around.text or node.row, around.heading) if around.text or node.row else (node.heading, around.heading)
    named = (each.name for each in above if each.role != "main")
    own = (node.name, node.label, node.placeholder, node.description, node.value or "", *node.options[:60])
    return numbers_of((*own, *unit, *named))


def _main(own: Fields) -> Words:
    for name, _, words in own:
        if name in WRITTEN and any(not word.isdigit() for word in words):
            return words
    return next((words for name, _, words in own if name in ("name", "hint", "address")), ())


def _places(node: Node, above: Sequence[Node], size: tuple[int, int]) -> frozenset[str]:
    found = {each.role for each in above if each.role in PLACING}
    if any("breadcrumb" in each.name.casefold() for each in above):
        found.add("breadcrumb")
    if node.box:
        x, y, width, height = node.box
        wide, high = max(size[0], 1), max(size[1], 1)
        found |= {name for name, is_there in (
            ("left", x + width / 2 < wide * 0.33),
            ("right", x + width / 2 > wide * 0.67),
            ("top", y + height / 2 < min(high * 0.25, 220)),
            ("bottom", y + height / 2 > high * 0.8),
        ) if is_there}  # fmt: skip
    return frozenset(found)


def _is_shadowed(nodes: Sequence[Node], place: int) -> bool:
    node = nodes[place]
    for inner in nodes[place + 1 : place + 12]:
        if inner.depth <= node.depth:
            return False
        if (
            inner.clickable
            and inner.name
            and (inner.name == node.name or (node.role in HOLDERS and inner.name in node.name))
        ):
            return True
    return False


def read_around(frame_id: int, value: Json) -> Iterable[tuple[tuple[int, int], Around]]:
    """The answer of one frame's `around` service."""
    told = value.get("told") if isinstance(value, dict) else None
    for entry in told if isinstance(told, list) else []:
        match entry:
            case [int() as number, dict() as said]:
                yield (frame_id, number), _around(said)
            case _:
                continue


def _around(said: dict[str, Json]) -> Around:
    match said.get("colour"):
        case [int() as red, int() as green, int() as blue]:
            colour = colour_name(red, green, blue)
        case _:
            colour = ""
    unit, family, nth, of = (_number(said.get(name)) for name in ("unit", "family", "nth", "of"))
    words = {name: str(said.get(name) or "") for name in ("text", "before", "heading", "column", "icon", "places")}
    return Around(unit, family, nth, of, **words, colour=colour)


def _number(value: Json) -> int:
    return value if isinstance(value, int) else 0


def colour_name(red: int, green: int, blue: int) -> str:
    """The plain word for a colour."""
    most, least = max(red, green, blue), min(red, green, blue)
    spread = most - least
    if spread < 28:
        return "black" if most < 60 else "white" if least > 235 else "grey"
    if most == red:
        hue = 60 * ((green - blue) / spread % 6)
    else:
        hue = 60 * ((blue - red) / spread + 2) if most == green else 60 * ((red - green) / spread + 4)
    if 14 <= hue < 46 and most < 150:
        return "brown"
    steps = ((11, "red"), (42, "orange"), (68, "yellow"), (165, "green"), (255, "blue"), (315, "purple"), (345, "pink"))
    return next((name for end, name in steps if hue < end), "red")
