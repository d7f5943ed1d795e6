"""The tree an outline is written from: nodes put together again, overlays in front, wrappers that say nothing folded.

Pure. Owns what counts as structure and what counts as a row. Leaves to others: how it is written.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Final

from tabwright.browser.reading.nodes import Node

ROWS: Final = frozenset({"row", "listitem", "article"})
CELLS: Final = frozenset({"cell", "gridcell", "columnheader", "rowheader"})
TEXT: Final = "text"

_BY_THEMSELVES: Final = frozenset(
    {"heading", "canvas", "iframe", "alert", "status", "video", "audio", "embed", "img", "progressbar", "meter", TEXT}
)
_LANDMARKS: Final = frozenset({"banner", "navigation", "main", "complementary", "contentinfo", "search"})
_DIALOGS: Final = frozenset({"dialog", "alertdialog"})
_KEPT: Final = frozenset({*_DIALOGS, "table", "grid", "treegrid"})
_NAMED_AFTER: Final = frozenset({"definition", "region", "group", "list", "menu"})
SEEN_MOST: Final = 60
"""Of a name, so much is surely told."""
BLOCKS: Final = frozenset({*CELLS, "paragraph", "term", "blockquote", "code", "caption", "legend"})
"""Named by their content, which follows anyway."""


@dataclass(slots=True, eq=False)
class Item:
    """A node with what is in it."""

    node: Node
    children: "list[Item]" = field(default_factory=lambda: [])
    _below: "list[Item] | None" = None

    @property
    def is_leaf(self) -> bool:
        return not self.children

    @property
    def is_row(self) -> bool:
        return self.node.role in ROWS and not self.node.clickable

    @property
    def is_record(self) -> bool:
        """Whether it is told as a row, with what is in it: a clickable one too, if it holds no others."""
        if self.node.role not in ROWS or not self.node.clickable:
            return self.is_row
        inner = (each for child in self.children for each in child.walk())
        return len(self.children) > 1 and not any(each.node.role in ROWS for each in inner)

    def walk(self) -> "Iterator[Item]":
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def clickables(self) -> "list[Item]":
        """Itself and all below that can be clicked, in order; asked once the tree is grown."""
        if self._below is None:
            # a list that held the item itself would keep a read page in memory until somebody looks for garbage
            self._below = [item for child in self.children for item in child.clickables]
        return [self, *self._below] if self.node.clickable else self._below


def grow(nodes: Sequence[Node], depth: int | None = None) -> list[Item]:
    """The folded tree of nodes; `depth` keeps so many levels of it, a leaf being one."""
    roots = _planted(nodes)
    over = _lifted(roots)
    # with its text a page tells the terms itself
    nameless = frozenset({"generic", "definition"} if any(node.role == TEXT for node in nodes) else {"generic"})
    folded = _all_folded([*over, *roots], nameless)
    return _unwrapped(folded) if depth is None else [_pruned(item, depth) for item in folded]


def _unwrapped(items: list[Item]) -> list[Item]:
    """Where all of a page is in one landmark, that tells no part from another."""
    is_all = len(items) == 1 and items[0].node.role in _LANDMARKS and not items[0].node.name
    return items[0].children if is_all and not items[0].node.clickable else items


def _planted(nodes: Sequence[Node]) -> list[Item]:
    roots: list[Item] = []
    open_items: list[Item] = []
    for node in nodes:
        item = Item(node)
        while open_items and open_items[-1].node.depth >= node.depth:
            open_items.pop()
        (open_items[-1].children if open_items else roots).append(item)
        open_items.append(item)
    return roots


def _lifted(items: list[Item]) -> list[Item]:
    """Takes what lies over the page out of its place; in a frame it lies over that."""
    found: list[Item] = []
    for item in tuple(items):
        if item.node.over:
            items.remove(item)
            found.append(item)
            continue
        inner = _lifted(item.children)
        if item.node.role == "iframe":
            item.children[:0] = inner
        else:
            found += inner
    return found


def _all_folded(items: Sequence[Item], nameless: frozenset[str]) -> list[Item]:
    """Neighbours. Rows whose only control is called like those beside it stay: nothing else tells them apart."""
    folded = [(item, _folded(item, nameless)) for item in items]
    alike = Counter(left[0].node.name for item, left in folded if _is_lone(item, left))
    kept = {name for name, times in alike.items() if times > 1}
    told = [
        each
        for item, left in folded
        for each in ([item] if _is_lone(item, left) and left[0].node.name in kept else left)
    ]
    told = [item for item, after in zip_longest(told, told[1:]) if not (after and _announces(item, after))]
    return list(_adopted(told))


def _adopted(items: Sequence[Item]) -> Iterator[Item]:
    """What is called like the control before it is what that control leads to: it stands below it."""
    before: Item | None = None
    for item in items:
        is_its = before is not None and before.node.clickable and before.is_leaf and _says(before, item.node.name)
        if before is not None and is_its and item.node.role in _NAMED_AFTER and not item.node.clickable:
            before.children = item.children
            continue
        yield item
        before = item


def _announces(item: Item, after: Item) -> bool:
    """Whether it is a heading that only says what the control after it is called."""
    return _is_bare_heading(item) and after.node.clickable and after.is_leaf and _says(after, item.node.name)


def _is_bare_heading(item: Item) -> bool:
    return item.node.role == "heading" and not item.node.clickable and item.is_leaf


def _is_lone(item: Item, left: Sequence[Item]) -> bool:
    """Whether a row with words of its own was folded to the one control in it."""
    if not item.is_row or len(left) != 1 or left[0] is item:
        return False
    [only] = left
    return only.node.clickable and only.is_leaf and only.node.name != item.node.name != ""


def _folded(item: Item, nameless: frozenset[str]) -> list[Item]:
    """The item, or what is in it where it says nothing itself."""
    item.children = _all_folded(item.children, nameless)
    node = item.node
    if node.role in _DIALOGS and item.children and _is_title(item.children[0], node.name):
        del item.children[0]
    if node.clickable or node.role in _BY_THEMSELVES or node.over:
        item.children = _unwrapped(item.children) if node.role == "iframe" else item.children
        return [_heading(_titled(item))]
    if not item.children:
        return []
    if item.is_row:
        return [item] if _is_record(item) else item.children
    if node.role in BLOCKS:
        return [item] if len(item.children) > 1 else item.children
    if node.role in _KEPT or (node.role in _LANDMARKS and (len(item.children) > 1 or node.name)):
        return [item]
    if not node.name or node.role in nameless or _says(item.children[0], node.name):
        return item.children
    return [item]


def _says(item: Item, name: str) -> bool:
    return item.node.name == name


def _is_title(item: Item, name: str) -> bool:
    return _is_bare_heading(item) and _says(item, name)


def _titled(item: Item) -> Item:
    """Something clicked whose name begins with the heading in it: the heading is that of all of it."""
    node = item.node
    titles = [child for child in item.children if _is_bare_heading(child) and child.node.name]
    if not node.clickable or len(titles) != 1 or not node.name.startswith(titles[0].node.name):
        return item
    [title] = titles
    item.children.remove(title)
    if item.children or len(title.node.name) > SEEN_MOST:
        return item
    title.children = [item]
    return title


def _heading(item: Item) -> Item:
    """A heading around a link that is all of it is that link."""
    if item.node.role == "heading" and item.node.name:
        item.children = [child for child in item.children if child.node.role != TEXT]
    return item


def _is_record(item: Item) -> bool:
    """Whether a row holds several things, and no rows of its own."""
    inner = [each for child in item.children for each in child.walk()]
    return len(item.children) > 1 and not any(each.is_row for each in inner)


def _pruned(item: Item, depth: int) -> Item:
    if depth <= 1:
        return Item(item.node)
    return Item(item.node, [_pruned(child, depth - 1) for child in item.children])
