"""The outline of a page: what a model reads instead of looking. Nodes of all frames in, text out.

Pure. One line an element, structure by indentation; several elements of one kind, and rows that are alike, share a
line. Every clickable element has its ref in it. docs/outline.md describes the grammar.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from tabwright.browser.reading.fit import Block, Fitted, Write, fit, fitting
from tabwright.browser.reading.nodes import Node, PageFacts
from tabwright.browser.reading.rows import ALIKE_LEAST, IN_FULL, Alike, has_text, in_full, shape
from tabwright.browser.reading.tree import BLOCKS, TEXT, Item, grow
from tabwright.browser.reading.words import Clean, Words, ranges

SEVERAL_LEAST: Final = 2
BRIEF_LEAST: Final = 12
BRIEF_ROWS_LEAST: Final = 3
SAMPLES: Final = 8
TEXT_BRIEF: Final = 80
MOST_TOKENS: Final = 20_000
SECTIONS_NAMED: Final = 8
LARGEST: Final = 80_000
"""What may be asked for, in characters."""


@dataclass(frozen=True, slots=True)
class Outline:
    """The text of a page and what must be said of it."""

    lines: Sequence[str]
    clickables: int
    notes: Sequence[str]


def outline(
    nodes: Sequence[Node],
    facts: PageFacts,
    give: Callable[[Node], str],
    clean: Clean,
    *,
    depth: int | None = None,
    most_chars: int = 30_000,
) -> Outline:
    """Write nodes. Refs are given in the order of the page, so that neighbours have neighbouring refs."""
    items = grow(nodes, depth)
    words = Words(give, clean, facts.origin)
    for item in items:
        for each in item.clickables:
            words.ref(each.node)
    fitted = fit(list(_Writer(words).blocks(items, 0, None)), most_chars, MOST_TOKENS)
    clickables = sum(len(item.clickables) for item in items)
    lines = [*(block.line for block in fitted.kept), *_rest(fitted, words)]
    return Outline(lines, clickables, [*_notes(facts, words), *_cut(fitted, words), *_deeper(nodes, clickables)])


class _Writer:
    def __init__(self, words: Words) -> None:
        self._words = words

    def blocks(self, items: Sequence[Item], indent: int, inside: Item | None) -> Iterator[Block]:
        for kind, group in groupby(items, self._kind):
            members = list(group)
            if kind == "row":
                yield from self._rows(members, indent, inside)
            elif kind and len(members) >= SEVERAL_LEAST:
                yield self._several(members, indent, inside)
            else:
                for item in members:
                    yield from self._one(item, indent, inside)

    def _kind(self, item: Item) -> str:
        """What may share lines: rows, and plain elements of one role."""
        if item.is_record:
            return "row"
        if self._is_headed(item):
            return f"several {self._words.role(item.node)} {item.children[0].node.role}"
        return f"several {item.node.role}" if self._words.is_plain(item) else ""

    def _is_headed(self, item: Item) -> bool:
        """Whether it is a heading that is all one control, or the name of one."""
        if item.node.role != "heading" or item.node.clickable or len(item.children) != 1:
            return False
        [only] = item.children
        return self._words.is_plain(only) and only.node.name.startswith(item.node.name or only.node.name)

    def _one(self, item: Item, indent: int, inside: Item | None) -> Iterator[Block]:
        node, children = item.node, item.children
        line = self._words.element(node)
        if node.role == TEXT:
            yield Block(indent, line, (), (lambda _: self._words.quoted(node.name, TEXT_BRIEF),), inside)
        elif self._is_headed(item):
            yield Block(
                indent, f"{self._words.role(node)} {self._words.element(children[0].node)}", children, (), inside
            )
        elif node.role in BLOCKS and not node.clickable and all(child.is_leaf for child in children):
            clickables = [child for child in children if child.node.clickable]
            yield Block(indent, self._words.listed(children), clickables, (), inside)
        else:
            yield from self._holder(item, line, indent, inside)

    def _holder(self, item: Item, line: str, indent: int, inside: Item | None) -> Iterator[Block]:
        """Something with others in it; on one line with them where they are one line."""
        inner = list(self.blocks(item.children, indent + 1, item))
        own = [item] if item.node.clickable else []
        if not own and any(block.shorter and len(block.clickables) >= BRIEF_LEAST for block in inner):
            line = f"{line} {self._words.ref(item.node)}"
        if len(inner) != 1 or own:
            yield Block(indent, line, own, (), inside)
            yield from inner
            return
        [only] = inner
        shorter = tuple(_after(line, write) for write in only.shorter)
        yield Block(indent, f"{line}: {only.text}", only.clickables, shorter, inside)

    def _several(self, items: Sequence[Item], indent: int, inside: Item | None) -> Block:
        first = items[0]
        title = ""
        if self._is_headed(first):
            title = f"{self._words.role(first.node)} "
            items = [item.children[0] for item in items]
        shorter: tuple[Write, ...] = ()
        if len(items) >= BRIEF_LEAST:
            shorter = (lambda room: f"{title}{self._sampled(items, room)}",)
        return Block(indent, f"{title}{self._words.several(items)}", items, shorter, inside)

    def _sampled(self, items: Sequence[Item], room: int) -> str:
        """As many as fit, then the range of the others' refs with the names of some."""
        told = fitting((self._words.rest(item.node) for item in items), room)
        rest = items[len(told) :]
        some = [self._words.rest(item.node) for item in [*rest[: -1 : max(1, len(rest) // SAMPLES)], rest[-1]]]
        refs = ranges([self._words.ref(item.node) for item in rest])
        told.append(f"{len(rest)} more {refs}, among them {', '.join(some)}")
        return f"{self._words.plural(items[0].node)} {', '.join(told)}"

    def _rows(self, rows: Sequence[Item], indent: int, inside: Item | None) -> Iterator[Block]:
        number = 1
        for form, group in groupby(rows, shape):
            members = list(group)
            if len(members) >= ALIKE_LEAST and form:
                yield from self._alike(members, number, indent, inside)
            else:
                yield from self._few(members, number, indent, inside)
            number += len(members)

    def _alike(self, rows: Sequence[Item], number: int, indent: int, inside: Item | None) -> Iterator[Block]:
        for row in rows[:IN_FULL]:
            yield Block(indent, in_full(row, self._words), row.clickables, (), inside)
        alike = Alike(rows[IN_FULL:], number + IN_FULL, self._words)
        shorter: tuple[Write, ...] = (lambda _: alike.with_names(), alike.with_ranges)
        clickables = [item for row in rows[IN_FULL:] for item in row.clickables]
        yield Block(indent, alike.with_text(), clickables, shorter, inside)

    def _few(self, rows: Sequence[Item], number: int, indent: int, inside: Item | None) -> Iterator[Block]:
        """Each in full, or all on one line where that is shorter."""
        told = [in_full(row, self._words) for row in rows]
        if len(rows) >= BRIEF_ROWS_LEAST and rows[0].clickables and not has_text(rows):
            brief = Alike(rows, number, self._words).with_text()
            if len(brief) < sum(map(len, told)):
                clickables = [item for row in rows for item in row.clickables]
                yield Block(indent, brief, clickables, (), inside)
                return
        for row, line in zip(rows, told, strict=True):
            yield Block(indent, line, row.clickables, (), inside)


def _after(line: str, write: Write) -> Write:
    return lambda room: f"{line}: {write(room - len(line))}"


def _notes(facts: PageFacts, words: Words) -> Iterator[str]:
    for undrawn in facts.undrawn:
        ref = words.ref(undrawn.first) if undrawn.first else ""
        rows = f"Of about {undrawn.total:,} rows{f' from {ref} on' if ref else ''} only {undrawn.drawn:,} are drawn"
        yield f"{rows}: computer action=scroll{f' ref={ref}' if ref else ''} draws others."
    if facts.behind:
        yield f"Modal: {facts.behind} elements behind it cannot be used."
    if facts.omitted:
        yield f"{facts.omitted:,} more clickable elements have no ref: the page is too large. Use ref for a part of it."
    if facts.unvisited:
        yield f"{facts.unvisited:,} branches of the page were not looked at: it is too large. Use ref for a part of it."


def _rest(fitted: Fitted, words: Words) -> Iterator[str]:
    """What was dropped, by the range of its refs with the names of some."""
    rest = [item for block in fitted.dropped for item in block.clickables]
    if not rest:
        return
    some = [words.named(item.node) for item in rest[:: max(1, len(rest) // SAMPLES)]]
    refs = ranges([words.ref(item.node) for item in rest])
    yield f"(cut: {len(rest)} more elements {refs}, among them {', '.join(some)})"


def _cut(fitted: Fitted, words: Words) -> Iterator[str]:
    """What is missing, and how to get it."""
    whole = -(-fitted.whole_chars // 1_000) * 1_000
    fits = whole <= LARGEST and fitted.whole_tokens <= MOST_TOKENS
    all_of_it = f"max_chars={whole} shows all" if fits else "viewport_only shows what is in view"
    if fitted.shortened:
        lines = "1 long line is" if fitted.shortened == 1 else f"{fitted.shortened} long lines are"
        yield f"{lines} shortened: {all_of_it}, ref a part in full."
    if not fitted.dropped:
        return
    told = f"{len(fitted.dropped)} lines are cut; {all_of_it}."
    sections = _sections(fitted)[:SECTIONS_NAMED]
    named = ", ".join(words.named(item.node) for item in sections)
    yield f"{told} Read on with ref: {named}." if named else told


def _sections(fitted: Fitted) -> list[Item]:
    """What was dropped as a whole."""
    begun = {id(block.inside) for block in fitted.kept}
    dropped = {id(block.inside): block.inside for block in fitted.dropped if block.inside is not None}
    return [item for key, item in dropped.items() if key not in begun]


def _deeper(nodes: Sequence[Node], shown: int) -> Iterator[str]:
    hidden = sum(node.clickable for node in nodes) - shown
    if hidden:
        yield f"{hidden} clickable elements lie deeper; ask with a larger depth, or with the ref of a part."
