"""The nodes of a page as its agents tell them: one list over all frames, each frame's nodes where the frame stands.

Pure. Owns the wire form of the agent's `snapshot` service. Leaves to others: what is written of the nodes (`outline`)
and which of them are meant (`finding/`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias, cast

from tabwright.browser.frames import TOP, FrameAnswer
from tabwright.browser.refs import Target
from tabwright.errors import CommandFailed
from tabwright.model import DocumentId, Json, JsonObject

Box: TypeAlias = tuple[int, int, int, int]
"""x, y, width and height in the page's viewport."""
PDF: Final = "(a PDF, which the browser draws itself: computer with action=screenshot shows it, scroll turns its pages)"

_FIELDS: Final = 12
_TEXTS: Final = {"v": "value", "u": "url", "k": "over"} | {
    name: name for name in ("tag", "label", "placeholder", "description", "heading", "row", "hint")
}
_NUMBERS: Final = {"l": "level", "c": "choices", "f": "place"}


@dataclass(frozen=True, slots=True)
class Node:
    """One element, or the text between elements. Texts are the page's own words, not cleaned yet."""

    depth: int
    role: str
    name: str
    states: tuple[str, ...]
    clickable: bool
    """A person could click it or type into it."""
    frame_id: int
    document_id: DocumentId
    agent: str
    number: int
    """0 for what has none: text."""
    path: str
    box: Box | None = None
    value: str | None = None
    options: tuple[str, ...] = ()
    """The first of those that can be chosen."""
    choices: int = 0
    """How many there are to choose from."""
    level: int = 0
    url: str = ""
    over: str = ""
    """`over` for what lies over the page, `modal` where nothing else can be used."""
    place: int = -1
    """Of an iframe: which of its document's frames it is."""
    unreachable: bool = False
    """Of an iframe: nothing is known of what is in it."""
    origin: str = ""
    """Of an iframe: whose page is in it."""
    tag: str = ""
    label: str = ""
    placeholder: str = ""
    description: str = ""
    heading: str = ""
    """The heading before it."""
    row: str = ""
    """The text of the row or list item around it, or what stands beside one of several of its name."""
    hint: str = ""
    """Its id, name, type and classes."""

    @property
    def target(self) -> Target:
        """What a ref stands for."""
        return Target(self.frame_id, self.document_id, self.agent, self.number, self.path, self.role, self.name)


@dataclass(frozen=True, slots=True)
class Undrawn:
    """A list of which only the rows in view are there."""

    first: Node | None
    """Its first control, if it has one."""
    drawn: int
    total: int


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What is known of the page itself, and what its agents did not tell."""

    title: str
    url: str
    origin: str
    view: tuple[int, int]
    scroll: tuple[int, int]
    size: tuple[int, int]
    behind: int = 0
    """Clickable elements that a modal dialog keeps from being used."""
    undrawn: tuple[Undrawn, ...] = ()
    omitted: int = 0
    """Clickable elements beyond what one answer holds."""
    unvisited: int = 0
    """Elements nobody looked at."""
    unreachable: int = 0
    """Frames that did not answer."""
    is_pdf: bool = False
    """The browser draws it by itself: no page agent sees what it says."""


@dataclass(frozen=True, slots=True)
class _Frame:
    answer: FrameAnswer
    nodes: Sequence[Node]


def read_nodes(answers: Sequence[FrameAnswer], frame_id: int = TOP) -> Sequence[Node]:
    """All nodes in the order they are shown, those of frames below the frame's own node.

    Raises:
        CommandFailed: an agent answered in another form.
    """
    frames = {answer.frame_id: _Frame(answer, _own(answer)) for answer in answers if answer.value is not None}
    inner = {(frame.answer.parent_id, frame.answer.place): frame for frame in frames.values()}
    found: list[Node] = []
    if frame_id in frames:
        _place(frames[frame_id], inner, 0, (0, 0), found)
    return found


def read_facts(answers: Sequence[FrameAnswer], nodes: Sequence[Node], frame_id: int = TOP) -> PageFacts:
    """What the head of an outline says. `answers` must hold the frame's."""
    main = next(answer for answer in answers if answer.frame_id == frame_id)
    told = [answer.value for answer in answers if isinstance(answer.value, dict)]
    own = main.value if isinstance(main.value, dict) else {}
    view = _integers(own.get("view"), 6)
    return PageFacts(
        title=str(own.get("title", "")),
        url=main.url,
        origin=main.origin,
        view=(view[0], view[1]),
        scroll=(view[2], view[3]),
        size=(view[4], view[5]),
        behind=sum(_integer(value.get("behind")) for value in told),
        undrawn=tuple(_undrawn(answers, nodes)),
        omitted=sum(_integer(value.get("omitted")) for value in told),
        unvisited=sum(_integer(value.get("unvisited")) for value in told),
        unreachable=sum(node.unreachable for node in nodes),
        is_pdf=own.get("isPdf") is True,
    )


def _undrawn(answers: Sequence[FrameAnswer], nodes: Sequence[Node]) -> Iterator[Undrawn]:
    for answer in answers:
        told = answer.value.get("undrawn") if isinstance(answer.value, dict) else None
        for entry in told if isinstance(told, list) else []:
            number, drawn, total = _integers(entry, 3)
            mine = (node for node in nodes if node.frame_id == answer.frame_id and node.number == number)
            yield Undrawn(next(mine, None) if number else None, drawn, total)


def _place(
    frame: _Frame,
    inner: dict[tuple[int, int], _Frame],
    depth: int,
    offset: tuple[int, int],
    found: list[Node],
) -> None:
    for node in frame.nodes:
        moved = replace(node, depth=node.depth + depth, box=_moved(node.box, offset)) if depth else node
        if node.role != "iframe":
            found.append(moved)
            continue
        # taken out, so that frames cannot stand in one another for ever
        below = inner.pop((frame.answer.frame_id, node.place), None) if node.place >= 0 else None
        found.append(replace(moved, unreachable=below is None, origin=below.answer.origin if below else ""))
        if below is not None:
            x, y = (moved.box[0], moved.box[1]) if moved.box else offset
            _place(below, inner, moved.depth + 1, (x, y), found)


def _moved(box: Box | None, offset: tuple[int, int]) -> Box | None:
    return (box[0] + offset[0], box[1] + offset[1], box[2], box[3]) if box else None


def _own(answer: FrameAnswer) -> Sequence[Node]:
    value = answer.value
    if not isinstance(value, dict) or not isinstance(value.get("nodes"), list):
        raise CommandFailed("The page agent's outline cannot be read. Reload the tab and try again.")
    paths = _paths(value.get("steps"))
    agent = str(value.get("agent", ""))
    listed = cast(list[Json], value["nodes"])
    return [
        _node(fields, answer, agent, paths) for fields in listed if isinstance(fields, list) and len(fields) == _FIELDS
    ]


def _paths(steps: Json) -> Sequence[str]:
    """Each step leads on from an earlier path."""
    paths: list[str] = []
    for entry in steps if isinstance(steps, list) else []:
        above, step = cast(tuple[int, str], entry)
        paths.append(f"{paths[above]}/{step}" if 0 <= above < len(paths) else str(step))
    return paths


def _node(fields: list[Json], answer: FrameAnswer, agent: str, paths: Sequence[str]) -> Node:
    depth, role, name, states, clickable, number, path, x, y, width, height, told = fields
    box = (_integer(x), _integer(y), _integer(width), _integer(height))
    # most have nothing else to tell, and a page may have tens of thousands
    more: dict[str, Any] = _more(told) if isinstance(told, dict) and told else {}
    return Node(
        _integer(depth),
        str(role),
        str(name),
        tuple(str(states).split()) if states else (),
        clickable == 1,
        answer.frame_id,
        answer.document_id,
        agent,
        _integer(number),
        paths[path] if isinstance(path, int) and 0 <= path < len(paths) else "",
        box if any(box) else None,
        **more,
    )


def _more(told: JsonObject) -> dict[str, Any]:
    """What only some have, by the names of `Node`."""
    found: dict[str, Any] = {name: said for key, name in _TEXTS.items() if isinstance(said := told.get(key), str)}
    found |= {name: _integer(told[key]) for key, name in _NUMBERS.items() if key in told}
    if isinstance(options := told.get("o"), list):
        found["options"] = tuple(str(each) for each in options)
    return found


def _integer(value: Json, absent: int = 0) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else absent


def _integers(value: Json, count: int) -> list[int]:
    listed = [_integer(each) for each in value] if isinstance(value, list) else []
    return (listed + [0] * count)[:count]
