"""Plots as SVG, written by hand: bars where servers are compared, lines where something grows.

They follow the reader's preference for a light or a dark ground, each with a ground of its own, so that a page of the
other kind does not make them unreadable.
"""

from collections.abc import Mapping, Sequence
from typing import Final
from xml.sax.saxutils import escape

from bench.axes import Axis

COLORS: Final = ("#1f6feb", "#2da44e", "#bf8700", "#8250df", "#6e7781", "#cf222e")
SERVERS: Final = {
    "tabwright": "#1f6feb",
    "tabwright, first start": "#79a9f5",
    "tabwright, later start": "#54aeff",
    "playwright": "#2da44e",
    "chrome-devtools": "#bf8700",
    "agent-browser": "#8250df",
    "bare Python": "#6e7781",
}
STYLE: Final = """<style>
  svg { font: 12px system-ui, sans-serif; }
  text { fill: #1f2328; } .soft { fill: #59636e; } .ground { fill: #ffffff; } .grid { stroke: #d1d9e0; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; } .soft { fill: #9198a1; } .ground { fill: #0d1117; } .grid { stroke: #3d444d; }
  }
</style>"""
WIDTH, LEFT, RIGHT, BAR, GAP, TOP = 820, 210, 80, 14, 14, 58
PLOT_LEFT, PLOT_HEIGHT, FOOT = 70, 220, 48

Points = Sequence[tuple[float, float]]


def bars(title: str, unit: str, groups: Mapping[str, Mapping[str, float]]) -> str:
    """A group for each row with a scale of its own, a bar for each server, its figure at the end."""
    servers = list(dict.fromkeys(server for group in groups.values() for server in group))
    parts = [*_legend(f"{title} ({unit}, less is better)", LEFT, {each: _color(each) for each in servers})]
    y = TOP
    for row, group in groups.items():
        parts.append(_text(LEFT - 10, y + BAR * len(group) / 2 + 4, row, "end"))
        for server, value in group.items():
            parts += _bar(y, value, max(group.values()), _color(server), server == "tabwright")
            y += BAR
        y += GAP
    return _svg(title, y, parts)


def lines(title: str, unit: str, axis: str, drawn: Mapping[str, Points], *, wide: bool = False) -> str:
    """Lines from nought upwards; each ends with its figure, and where points are few each has one."""
    points = [point for line in drawn.values() for point in line]
    across = Axis([x for x, _ in points], PLOT_LEFT, WIDTH - RIGHT, wide=wide)
    up = Axis([0.0, *(y for _, y in points)], TOP + PLOT_HEIGHT, TOP)
    colors = dict(zip(drawn, COLORS, strict=False))
    parts = [*_legend(f"{title} ({unit})", PLOT_LEFT, colors), *_grid(across, up, axis)]
    taken: list[tuple[float, float]] = []
    for name, line in drawn.items():
        parts += _line([(across.at(x), up.at(y), y) for x, y in line], colors[name], taken)
    return _svg(title, TOP + PLOT_HEIGHT + FOOT, parts)


def _grid(across: Axis, up: Axis, axis: str) -> list[str]:
    parts: list[str] = []
    for mark in up.marks:
        y = up.at(mark)
        parts.append(f'<line class="grid" x1="{PLOT_LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(_text(PLOT_LEFT - 8, y + 4, _figure(mark), "end", soft=True))
    foot = TOP + PLOT_HEIGHT
    parts += [_text(across.at(mark), foot + 18, _figure(mark), "middle", soft=True) for mark in across.marks]
    return [*parts, _text((PLOT_LEFT + WIDTH - RIGHT) / 2, foot + 38, axis, "middle", soft=True)]


FEW: Final = 6
"""Points up to which each has its figure, if there is room for it."""
APART: Final = (40.0, 13.0)


def _line(places: Sequence[tuple[float, float, float]], color: str, taken: list[tuple[float, float]]) -> list[str]:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in places)
    parts = [f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>']
    told = places if len(places) <= FEW else places[-1:]
    for x, y, value in told:
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>')
        if all(abs(x - left) > APART[0] or abs(y - high) > APART[1] for left, high in taken):
            parts.append(_text(x + 6, y - 6, _figure(value), "start", strong=True))
            taken.append((x, y))
    return parts


def _bar(y: float, value: float, largest: float, color: str, strong: bool) -> list[str]:
    length = (WIDTH - LEFT - RIGHT) * value / largest if largest else 0
    return [
        f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR - 2}" rx="1.5" fill="{color}"/>',
        _text(LEFT + length + 6, y + BAR - 4, _figure(value), "start", strong=strong),
    ]


def _color(server: str) -> str:
    return SERVERS.get(server, COLORS[-2])


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.2g}"


def _legend(title: str, left: float, colors: Mapping[str, str]) -> list[str]:
    parts = [_text(left, 20, title, "start", strong=True)]
    if len(colors) > 1:
        x = min(left, WIDTH - sum(map(_room, colors)))
        for name, color in colors.items():
            parts.append(f'<rect x="{x:.1f}" y="32" width="10" height="10" rx="2" fill="{color}"/>')
            parts.append(_text(x + 15, 41, name, "start"))
            x += _room(name)
    return parts


def _room(name: str) -> float:
    """What a name of the legend takes, in the widest of usual fonts."""
    return 34 + 6.4 * len(name)


def _text(x: float, y: float, words: str, anchor: str, *, strong: bool = False, soft: bool = False) -> str:
    looks = (' font-weight="bold"' if strong else "") + (' class="soft"' if soft else "")
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{looks}>{escape(words)}</text>'


def _svg(title: str, height: float, parts: Sequence[str]) -> str:
    size = f'viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" height="{height:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>'
    ground = f'<rect class="ground" width="{WIDTH}" height="{height:.0f}" rx="6"/>'
    return "\n".join([head, f"<title>{escape(title)}</title>", STYLE, ground, *parts, "</svg>"]) + "\n"
