"""What `computer` is called with."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from tabwright.tools.tool import Params, TabNumber

Action: TypeAlias = Literal[
    "left_click", "right_click", "middle_click", "double_click", "triple_click", "hover", "left_click_drag", "scroll",
    "scroll_to", "type", "key", "wait", "screenshot", "zoom",
]  # fmt: skip


Pair = Annotated[list[float], Field(min_length=2, max_length=2)]
Corners = Annotated[list[float], Field(min_length=4, max_length=4)]


class Computer(Params):
    action: Action = Field(description="What to do")
    ref: str | None = Field(default=None, description="Element, like e12; a drag's end")
    coordinate: Pair | None = Field(default=None, description="[x, y] instead of ref")
    start_ref: str | None = Field(default=None, description="A drag's start")
    start_coordinate: Pair | None = Field(default=None, description="[x, y] instead")
    text: str | None = Field(default=None, description="To type; or keys: Enter, ctrl+a, Down*3 Enter")
    modifiers: str | None = Field(default=None, description="Held meanwhile: ctrl+shift")
    repeat: int | None = Field(default=None, ge=1, le=100, description="Times to press the keys")
    scroll_direction: Literal["up", "down", "left", "right"] | None = Field(default=None, description="Way to scroll")
    scroll_amount: float | None = Field(default=None, gt=0, le=100, description="Ticks of 100 px; 3 by default")
    region: Corners | None = Field(default=None, description="[x0, y0, x1, y1] to zoom")
    duration: float | None = Field(default=None, gt=0, le=10, description="Seconds to wait")
    waitMs: int | None = Field(default=None, ge=0, le=10_000, description="Longest wait for effects")
    tabId: TabNumber | None = Field(default=None, description="Tab; defaults to the current one")
