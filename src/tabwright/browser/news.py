"""What came with an action and can be used at once, in one line with refs.

Owns the wire form of the agent's `newcomers`. Leaves to others: how an element is written (`reading/words`), and taking
out what a person does not see, as from all lines of an outcome.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from tabwright.browser.frames import FrameAnswer
from tabwright.browser.reading.nodes import Node, read_nodes
from tabwright.browser.reading.tree import TEXT, Item
from tabwright.browser.reading.words import Words
from tabwright.browser.refs import Refs
from tabwright.model import DocumentId, Json

HEAD: Final = "New on the page: "
REFUSED: Final = "To correct: "
"""Of a form that came back with complaints."""
TEXT_MOST: Final = 300
"""Of all words together that are no control's."""
DAYS_LEAST: Final = 7
"""So many days in order are told by their numbers, but for the first."""
_DAY: Final = re.compile(r"(?<!\d)(?:[1-9]|[12]\d|3[01])(?!\d)")
_TOLD: Final = frozenset({TEXT, "heading", "iframe", "canvas", "alert", "status", "img"})


def told(news: Json, refs: Refs, is_closed: Callable[[str], bool], said: Sequence[str]) -> str:
    """The line, or nothing. `said` is what was told already."""
    listed = [each for each in news if isinstance(each, dict)] if isinstance(news, list) else []
    nodes = [node for each in listed if not is_closed(str(each.get("origin"))) for node in _nodes(each)]
    worth = list(_worth(nodes, said))
    shown = _by_number(worth)
    targets = {id(short): node.target for short, node in zip(shown, worth, strict=True)}
    words = Words(lambda node: refs.give(targets[id(node)]), _cut, "")
    line = words.listed([Item(node) for node in shown])
    head = REFUSED if any(each.get("refused") is True for each in listed) else HEAD
    return f"{head}{line}." if line else ""


def _nodes(frame: dict[str, Json]) -> Iterator[Node]:
    frame_id, document = frame.get("frameId"), frame.get("documentId")
    entries = frame.get("told")
    if not isinstance(frame_id, int) or not isinstance(document, str) or not isinstance(entries, list):
        return
    for entry in entries:
        answer = FrameAnswer(frame_id, DocumentId(document), -1, 0, "", "", entry)
        if isinstance(entry, str):
            yield Node(0, TEXT, entry, (), False, frame_id, answer.document_id, "", 0, "")
        else:
            # what is in a frame that came is not known, which is no sign that it cannot be read
            yield from (replace(node, unreachable=False, origin="") for node in read_nodes([answer], frame_id))


def _worth(nodes: Sequence[Node], said: Sequence[str]) -> Iterator[Node]:
    """Controls, and words between them that neither they nor the lines before say."""
    left = TEXT_MOST
    known = {node.name for node in nodes if node.clickable}
    given: set[tuple[int, int]] = set()
    for node in nodes:
        if node.clickable:
            # what a component shows in itself may have come with it and by itself
            if (node.frame_id, node.number) not in given:
                given.add((node.frame_id, node.number))
                yield node
        elif node.role in _TOLD and node.name.strip() not in known and left > 0:
            name = _cut(node.name, left)
            known.add(name)
            if not any(name in line for line in said):
                left -= len(name)
                yield replace(node, name=name)


def _by_number(nodes: Sequence[Node]) -> list[Node]:
    """The same; of the days of a month, which are called by whole dates, the first says which month it is."""
    shown = list(nodes)
    days = [int(found[0]) if node.clickable and (found := _DAY.search(node.name)) else 0 for node in nodes]
    start = 0
    for place in range(1, len(nodes) + 1):
        if place < len(nodes) and days[place] == days[place - 1] + 1 > 1:
            continue
        if place - start >= DAYS_LEAST:
            shown[start + 1 : place] = [replace(nodes[at], name=str(days[at])) for at in range(start + 1, place)]
        start = place
    return shown


def _cut(text: str, most: int) -> str:
    collapsed = " ".join(text.split())
    return collapsed if len(collapsed) <= most else f"{collapsed[: most - 1]}…"
