"""computer: pointer, keyboard and pictures of a tab, as a person at the screen has them."""

from collections.abc import Awaitable, Callable
from typing import Final

from tabwright.errors import InvalidArguments
from tabwright.model import ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.tools import computer_keys, computer_pictures, computer_pointer
from tabwright.tools.computer_params import Action, Computer
from tabwright.tools.tool import Desk, Hold, Tool

_CLICKS: Final = frozenset({"left_click", "right_click", "middle_click", "double_click", "triple_click"})
_LOOKS: Final = frozenset({"screenshot", "zoom", "wait", "scroll", "scroll_to"})
_PLACED: Final = _CLICKS | {"hover", "scroll", "type", "key"}
_FIELDS: Final[dict[str, frozenset[str]]] = {
    "coordinate": _PLACED | {"left_click_drag"},
    "ref": _PLACED | {"left_click_drag", "scroll_to", "zoom"},
    "start_coordinate": frozenset({"left_click_drag"}),
    "start_ref": frozenset({"left_click_drag"}),
    "text": frozenset({"type", "key"}),
    "modifiers": _CLICKS | {"hover", "left_click_drag", "scroll"},
    "repeat": frozenset({"key"}),
    "scroll_direction": frozenset({"scroll"}),
    "scroll_amount": frozenset({"scroll"}),
    "region": frozenset({"zoom"}),
    "duration": frozenset({"wait"}),
}
"""Which actions use a parameter: one that would be passed over in silence is an error."""

_RUN: Final[dict[Action, Callable[[Desk, Computer], Awaitable[ToolResult]]]] = {
    "left_click": computer_pointer.click,
    "right_click": computer_pointer.click,
    "middle_click": computer_pointer.click,
    "double_click": computer_pointer.click,
    "triple_click": computer_pointer.click,
    "hover": computer_pointer.hover,
    "left_click_drag": computer_pointer.drag,
    "scroll": computer_pointer.scroll,
    "scroll_to": computer_pointer.scroll_to,
    "type": computer_keys.write,
    "key": computer_keys.press,
    "wait": computer_pictures.wait,
    "screenshot": computer_pictures.screenshot,
    "zoom": computer_pictures.zoom,
}


async def run(desk: Desk, params: Computer) -> ToolResult:
    check(params)
    return await _RUN[params.action](desk, params)


def check(params: Computer) -> None:
    """Raises:
    InvalidArguments: a parameter the action needs is missing, or one is given that it does not use.
    """
    action = params.action
    given = {name for name in _FIELDS if getattr(params, name) is not None}
    useless = sorted(name for name in given if action not in _FIELDS[name])
    if useless:
        raise InvalidArguments(
            f"{action} does not use {', '.join(useless)}.", "Leave it out, or choose another action."
        )
    if {"ref", "coordinate"} <= given or {"start_ref", "start_coordinate"} <= given:
        raise InvalidArguments("Both a ref and a coordinate were given.", "Pass one of them.")
    missing = _missing(action, given)
    if missing:
        raise InvalidArguments(f"{action} needs {missing}.", "Pass it and call again.")


def _missing(action: Action, given: set[str]) -> str:
    placed = bool(given & {"ref", "coordinate"})
    if action in _CLICKS or action == "hover":
        return "" if placed else "ref or coordinate"
    match action:
        case "left_click_drag":
            started = bool(given & {"start_ref", "start_coordinate"})
            return "" if placed and started else "start_ref or start_coordinate, and ref or coordinate for its end"
        case "scroll":
            return "" if "scroll_direction" in given else "scroll_direction"
        case "scroll_to":
            return "" if "ref" in given else "ref"
        case "type" | "key":
            return "" if "text" in given else "text"
        case "zoom":
            return "" if given & {"region", "ref"} else "region [x0, y0, x1, y1], in pixels of the last image"
        case _:
            return ""


TOOL = Tool(
    name="computer",
    description="Mouse, keyboard and screenshots of a tab. Prefer ref; coordinates are pixels of the last image given.",
    params=Computer,
    access=Access.ACT,
    run=run,
    toolset=Toolset.AUTOMATION,
    hold=Hold.HELD,
    only_looks=lambda params: params.action in _LOOKS,
    hints=ToolHints(read_only=False, destructive=True),
)
