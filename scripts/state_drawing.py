"""Draws the states of a session one below the other: what leads on goes straight down, what leads back goes around."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from tabwright.session.states import NEXT, Event, State

WIDE: Final = 680
LEFT: Final = 330
BOX: Final = (270, 76)
APART: Final = 126
TOP: Final = 46
LANE: Final = 110
"""How far the lane of what leads back is from the boxes, and each further one from that."""
INK: Final = "#1f2328"
HEAD: Final = (
    '<marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
    f'<path d="M0 0L8 4L0 8z" fill="{INK}"/></marker>'
)
STATES: Final = list(State)


class Back(NamedTuple):
    """What leads from some states to one above them."""

    event: Event
    to: int
    froms: tuple[int, ...]

    @property
    def span(self) -> int:
        return max(self.froms) - self.to


def drawing() -> str:
    high = TOP + (len(STATES) - 1) * APART + BOX[1] + 16
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {high}" width="{WIDE}" height="{high}" '
        f'font-family="sans-serif" font-size="13" fill="{INK}">',
        f'<title>States of a session</title>{HEAD}<rect width="{WIDE}" height="{high}" fill="#ffffff"/>',
        _arrow(f"M{_middle()} 14V{TOP}"),
        *(line for index in range(len(STATES)) for line in _box(index)),
        *_forward(),
        *(line for back in _backs() for line in _around(back)),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _box(index: int) -> Iterator[str]:
    wide, high = BOX
    stays = [event.value for (state, event), after in NEXT.items() if state is after is STATES[index]]
    middle = _top(index) + high / 2 + 5 - (10 if stays else 0)
    yield (
        f'<rect x="{LEFT}" y="{_top(index)}" width="{wide}" height="{high}" rx="10" fill="#ddf4ff" stroke="#1f6feb"/>'
    )
    yield _text(_middle(), middle, STATES[index].value, 'text-anchor="middle" font-weight="bold"')
    if stays:
        yield _text(_middle(), middle + 22, f"stays: {', '.join(stays)}", 'text-anchor="middle"')


def _forward() -> Iterator[str]:
    for (state, event), after in NEXT.items():
        here, there = STATES.index(state), STATES.index(after)
        if here < there:
            yield _arrow(f"M{_middle()} {_top(here) + BOX[1]}V{_top(there)}")
            yield _text(_middle() + 10, (_top(here) + BOX[1] + _top(there)) / 2 + 4, event.value)


def _backs() -> list[Back]:
    """Those that reach farthest last."""
    found: dict[tuple[Event, int], list[int]] = {}
    for (state, event), after in NEXT.items():
        here, there = STATES.index(state), STATES.index(after)
        if here > there:
            found.setdefault((event, there), []).append(here)
    return sorted((Back(event, to, tuple(froms)) for (event, to), froms in found.items()), key=lambda back: back.span)


def _around(back: Back) -> Iterator[str]:
    lane = LEFT - LANE - (LANE if back.span > 1 else 0)
    for here in back.froms:
        line = _leg(here, back)
        yield _arrow(f"M{LEFT} {line}H{lane}V{_leg(back.to, back)}H{LEFT}")
        yield _text(LEFT - 8, line - 5, back.event.value, 'text-anchor="end"')


def _leg(index: int, back: Back) -> float:
    """At what height it leaves or reaches a box: in an order in which no two cross."""
    leaving = [each for each in _backs() if index in each.froms]
    reaching = [each for each in reversed(_backs()) if index == each.to]
    legs = leaving + reaching
    return _top(index) + BOX[1] * (legs.index(back) + 1) / (len(legs) + 1)


def _top(index: int) -> int:
    return TOP + index * APART


def _middle() -> float:
    return LEFT + BOX[0] / 2


def _arrow(path: str) -> str:
    return f'<path d="{path}" fill="none" stroke="{INK}" marker-end="url(#head)"/>'


def _text(x: float, y: float, text: str, more: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" {more}>{text}</text>'
