"""The words of an outline: how one element is written, and several of one kind on a line.

Pure. The grammar is described in docs/outline.md. What the page says stands in double quotes, which no name can close.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Final, TypeAlias

from tabwright.browser.reading.nodes import Node
from tabwright.browser.reading.tree import TEXT, Item

NAME_MOST: Final = 80
KEY_MOST: Final = 40
"""Of a name that only tells something apart."""
TEXT_MOST: Final = 2_000
VALUE_MOST: Final = 120
OPTIONS_MOST: Final = 8
OPTIONS_CHARS: Final = 100

Clean: TypeAlias = Callable[[str, int], str]
"""One line of page text without what a person does not see, at most so long."""

_SHOWN: Final = {"generic": "clickable"}
_FIELDS: Final = frozenset(
    {"textbox", "searchbox", "combobox", "listbox", "spinbutton", "slider", "file", "color", "date", "time", "datetime"}
    | {"month", "week", "canvas", "iframe", "video", "audio", "embed"}
)
"""What has a line of its own; others may share one with their kind."""


class Words:
    """Writes elements. `give` is where refs come from."""

    def __init__(self, give: Callable[[Node], str], clean: Clean, origin: str) -> None:
        self._give = give
        self._given: dict[int, str] = {}
        self._clean = clean
        self._origin = origin

    def ref(self, node: Node) -> str:
        given = self._given.get(id(node))
        if given is None:
            given = self._given[id(node)] = self._give(node)
        return given

    def quoted(self, text: str, most: int = NAME_MOST) -> str:
        """Page text in quotes; `` where nothing is left of it."""
        cleaned = self._clean(text, most).replace('"', "'")
        return f'"{cleaned}"' if cleaned else ""

    def role(self, node: Node) -> str:
        return f"h{node.level or 2}" if node.role == "heading" else _SHOWN.get(node.role, node.role)

    def named(self, node: Node) -> str:
        """An element by role, name and ref, clickable or not."""
        return _joined(self.role(node), self.quoted(node.name, KEY_MOST), self.ref(node))

    def plural(self, node: Node) -> str:
        role = self.role(node)
        return f"{role}es" if role.endswith(("s", "x", "ch")) else f"{role}s"

    def element(self, node: Node) -> str:
        """One element, its role first."""
        if node.role == TEXT:
            return self.quoted(node.name, TEXT_MOST)
        if node.role == "generic" and not node.clickable:
            return "popover"
        return _joined(self.role(node), self.rest(node))

    def rest(self, node: Node, *, named: bool = True, placed: bool = True) -> str:
        """One element without its role; without its name, or what it stands in, where that is said already."""
        name = self.quoted(node.name) if named else ""
        ref = self.ref(node) if node.clickable or node.role in ("canvas", "iframe", "video", "embed") else ""
        url = f"to {self.quoted(node.url, 120)}" if node.url and not node.name else ""
        where = self.quoted(node.row, KEY_MOST) if placed else ""
        return _joined(name, ref, f"in {where}" if where else "", url, self.state(node))

    def state(self, node: Node, *, choices: bool = True) -> str:
        """What varies while an element stays what it is: value, states, choices unless they are said elsewhere."""
        if not (node.value or node.states or node.options or node.role == "iframe"):
            return ""
        value = f"= {self.quoted(node.value, VALUE_MOST)}" if node.value else ""
        return _joined(value, *node.states, self.options(node) if choices else "", self._frame(node))

    def is_plain(self, item: Item) -> bool:
        """Whether it can stand in a row of its kind."""
        node = item.node
        return item.is_leaf and node.clickable and node.role not in _FIELDS

    def several(self, items: Sequence[Item]) -> str:
        """Elements of one role on one line, those of one thing together."""
        things = [(thing, list(group)) for thing, group in groupby(items, lambda item: item.node.row)]
        return f"{self.plural(items[0].node)} {'; '.join(self._together(things))}"

    def _together(self, things: Sequence[tuple[str, Sequence[Item]]]) -> Iterator[str]:
        """What belongs to each thing; where it is called as in the thing before, without its names."""
        before: Sequence[str] = ()
        for thing, items in things:
            names = [item.node.name for item in items]
            is_same = thing != "" and names == before
            told = ", ".join(self.rest(item.node, named=not is_same, placed=False) for item in items)
            yield f"{told} in {self.quoted(thing, KEY_MOST)}" if thing else told
            before = names

    def listed(self, items: Sequence[Item]) -> str:
        """Elements in order on one line, the role of neighbours said once."""
        parts: list[str] = []
        for role, group in groupby(items, lambda item: item.node.role if self.is_plain(item) else ""):
            members = list(group)
            if role and len(members) > 1:
                parts.append(self.several(members))
            else:
                parts += [self.element(item.node) for item in members]
        return ", ".join(parts)

    def options(self, node: Node) -> str:
        """What can be chosen, or how much."""
        if not node.options:
            return ""
        count = max(node.choices, len(node.options))
        listed = " | ".join(self._clean(option, 60).replace('"', "'") for option in node.options[:OPTIONS_MOST])
        if count > OPTIONS_MOST or len(listed) > OPTIONS_CHARS:
            return f"({count:,} options)"
        return f'(options "{listed}")'

    def _frame(self, node: Node) -> str:
        if node.role != "iframe":
            return ""
        if node.unreachable:
            return "(cannot be read)"
        return f"({self._clean(node.origin, 100)})" if node.origin != self._origin else ""


def ranges(refs: Sequence[str]) -> str:
    """Refs in order, neighbours as `e12–e211`."""
    numbers = [int(ref.removeprefix("e")) for ref in refs]
    parts: list[str] = []
    start = 0
    for place, number in enumerate(numbers):
        if place + 1 < len(numbers) and numbers[place + 1] == number + 1:
            continue
        first = numbers[start]
        parts.append(f"e{first}" if first == number else f"e{first}–e{number}")
        start = place + 1
    return ", ".join(parts)


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)
