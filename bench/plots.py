"""Bars as SVG, written by hand: a group for each row, a bar for each server, its figure at the end."""

from collections.abc import Mapping, Sequence
from typing import Final
from xml.sax.saxutils import escape

COLORS: Final = {
    "tabwright": "#1f6feb",
    "playwright": "#2da44e",
    "chrome-devtools": "#bf8700",
    "agent-browser": "#8250df",
}
OTHER: Final = "#6e7781"
WIDTH, LEFT, RIGHT, BAR, GAP, TOP = 820, 210, 70, 13, 14, 56


def bars(title: str, unit: str, groups: Mapping[str, Mapping[str, float]], *, one_scale: bool = False) -> str:
    """Every group has a scale of its own where servers are compared, and not rows."""
    largest = max((value for group in groups.values() for value in group.values()), default=0.0)
    servers = list(dict.fromkeys(server for group in groups.values() for server in group))
    parts = [*_legend(title, unit, servers)]
    y = TOP
    for row, group in groups.items():
        parts.append(_text(LEFT - 8, y + BAR * len(group) / 2 + 4, row, "end"))
        for server, value in group.items():
            most = largest if one_scale else max(group.values())
            parts += _bar(y, value, most, COLORS.get(server, OTHER), server == "tabwright")
            y += BAR
        y += GAP
    return _svg(y, parts)


def _bar(y: float, value: float, largest: float, color: str, strong: bool) -> list[str]:
    length = (WIDTH - LEFT - RIGHT) * value / largest if largest else 0
    figure = f"{value:,.0f}" if value >= 10 else f"{value:.1f}"
    return [
        f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR - 2}" fill="{color}"/>',
        _text(LEFT + length + 5, y + BAR - 4, figure, "start", strong),
    ]


def _legend(title: str, unit: str, servers: Sequence[str]) -> list[str]:
    parts = [_text(LEFT, 18, f"{title} ({unit}, less is better)", "start", strong=True)]
    x = LEFT
    for server in servers:
        parts += [
            f'<rect x="{x}" y="30" width="10" height="10" fill="{COLORS.get(server, OTHER)}"/>',
            _text(x + 15, 39, server, "start"),
        ]
        x += 30 + 7 * len(server)
    return parts


def _text(x: float, y: float, words: str, anchor: str, strong: bool = False) -> str:
    weight = ' font-weight="bold"' if strong else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{weight}>{escape(words)}</text>'


def _svg(height: float, parts: Sequence[str]) -> str:
    size = f'viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" height="{height:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}'
    style = ' font-family="sans-serif" font-size="11" fill="#1f2328">'
    ground = f'<rect width="{WIDTH}" height="{height:.0f}" fill="#ffffff"/>'
    return "\n".join([head + style, ground, *parts, "</svg>"]) + "\n"
