"""gif_creator: record what the session does in a tab, and save it as an animated GIF."""

import asyncio
import base64
import time
from collections.abc import Sequence
from typing import Annotated, Final, Literal

from pydantic import Field, WithJsonSchema

from tabwright.browser.recording.model import Frame, Gif, Look
from tabwright.errors import InvalidArguments
from tabwright.model import Content, Image, ResourceLink, Text, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.tools.files import LocalFile
from tabwright.tools.tool import Desk, Hold, Params, TabNumber, Tool

INLINE_BYTES: Final = 1_000_000
_SWITCHES: Final = (
    "showClickIndicators",
    "showDragPaths",
    "showActionLabels",
    "showProgressBar",
    "showWatermark",
)


class GifOptions(Params):
    showClickIndicators: bool = True
    showDragPaths: bool = True
    showActionLabels: bool = True
    showProgressBar: bool = True
    showWatermark: bool = True
    quality: int = Field(default=10, ge=1, le=30)

    @property
    def look(self) -> Look:
        return Look(
            clicks=self.showClickIndicators,
            drags=self.showDragPaths,
            labels=self.showActionLabels,
            progress=self.showProgressBar,
            watermark=self.showWatermark,
            quality=self.quality,
        )


_OPTIONS: Final = WithJsonSchema(
    {
        "type": "object",
        "properties": {
            **{name: {"type": "boolean"} for name in _SWITCHES},
            "quality": {"type": "integer", "description": "1 (best) to 30 (smallest)"},
        },
    }
)


class GifCreator(Params):
    action: Literal["start_recording", "stop_recording", "export", "clear"] = Field(
        description="export saves the GIF and answers where"
    )
    filename: str | None = None
    options: Annotated[GifOptions, _OPTIONS] | None = Field(default=None, description="What is drawn; all by default")
    tabId: TabNumber | None = None


async def run(desk: Desk, params: GifCreator) -> ToolResult:
    recorder, tab = desk.recorder, desk.tab
    match params.action:
        case "start_recording":
            await recorder.start(tab)
            return _said("Recording this tab: a frame around each action. Call stop_recording, then export.")
        case "stop_recording":
            count = await recorder.stop(tab)
            return _said(f"Stopped with {_frames(count)}. Call export to save them." if count else _NOTHING)
        case "clear":
            return _said(f"Cleared {_frames(recorder.clear(tab.id))}.")
        case "export":
            return await _export(desk, params)


_NOTHING: Final = "Nothing is recorded in this tab. Call start_recording before you act."


async def _export(desk: Desk, params: GifCreator) -> ToolResult:
    frames = desk.recorder.frames(desk.target)
    if not frames:
        raise InvalidArguments(
            "Nothing is recorded in this tab.", "Call gif_creator start_recording, act, then export."
        )
    await desk.progress(0, 2, f"drawing {len(frames)} frames")
    gif = await asyncio.to_thread(_drawn, frames, (params.options or GifOptions()).look)
    await desk.progress(1, 2, "saving")
    saved = await desk.files.save(_name(params.filename), gif.data, "image/gif")
    return ToolResult(_contents(gif, saved, desk.recorder.missed(desk.target)))


def _drawn(frames: Sequence[Frame], look: Look) -> Gif:
    # the imaging library is large: only those who export a recording pay for it
    from tabwright.browser.recording.gif import make_gif

    return make_gif(frames, look)


def _contents(gif: Gif, saved: LocalFile, missed: int) -> tuple[Content, ...]:
    kilobytes = max(1, round(len(gif.data) / 1000))
    said = f"Saved {_frames(gif.frames)}, {gif.seconds:.1f} s, {gif.width}×{gif.height}, {kilobytes} KB: {saved.path}"
    if missed:
        said += f"\n{missed} later frames found no room: export and clear more often."
    link = ResourceLink(saved.path.as_uri(), saved.name, "image/gif", saved.size)
    if len(gif.data) > INLINE_BYTES:
        return Text(said), link
    return Text(said), link, Image(base64.b64encode(gif.data).decode(), "image/gif")


def _name(given: str | None) -> str:
    name = (given or "").strip() or time.strftime("recording-%Y%m%d-%H%M%S")
    return name if name.lower().endswith(".gif") else f"{name}.gif"


def _frames(count: int) -> str:
    return f"{count} frame{'s' * (count != 1)}"


def _said(text: str) -> ToolResult:
    return ToolResult((Text(text),))


TOOL = Tool(
    name="gif_creator",
    description="Record your actions in a tab as an animated GIF: start_recording, act, stop_recording, export.",
    params=GifCreator,
    access=Access.READ,
    run=run,
    toolset=Toolset.AUTOMATION,
    hold=Hold.HELD,
    at_once=2,
    hints=ToolHints(read_only=False, destructive=False, open_world=False),
)
