"""gif_creator in a real browser: frames around actions, marks where they were, the file and its link."""

import asyncio
import base64
import io
import stat
from pathlib import Path
from typing import Any
from urllib.parse import urlparse
from urllib.request import url2pathname

import mcp_types as types
import pytest
from PIL import Image

from tests.clients import Agent, connect
from tests.conftest import Site
from tests.edges.test_unix_socket import connected
from tests.gateway import GatewayProcess

pytestmark = pytest.mark.browser

PAGE = """<title>Shop</title><style>body{margin:0}
button{position:absolute;left:100px;top:100px;width:120px;height:60px}</style>
<button onclick="document.body.style.background = 'rgb(0, 128, 0)'">Paint</button>
<input aria-label="Name" style="position:absolute;left:100px;top:250px">"""


def text_of(result: types.CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, types.TextContent))


async def gif(agent: Agent, action: str, **arguments: object) -> types.CallToolResult:
    result = await agent.result("gif_creator", action=action, **arguments)
    assert not result.is_error, result.content
    return result


def frames_of(result: types.CallToolResult) -> list[Image.Image]:
    [inline] = [part for part in result.content if isinstance(part, types.ImageContent)]
    assert inline.mime_type == "image/gif"
    read = Image.open(io.BytesIO(base64.b64decode(inline.data)))
    found: list[Image.Image] = []
    for number in range(getattr(read, "n_frames", 1)):
        read.seek(number)
        found.append(read.convert("RGB"))
    return found


def has_accent(image: Image.Image, x: int, y: int) -> bool:
    """Whether something is marked about here."""
    found = image.crop((x - 6, y - 6, x + 6, y + 6)).getcolors(1 << 10) or []
    return any(isinstance(pixel, tuple) and pixel[0] > 200 and pixel[2] < 110 for _, pixel in found)


def modes(path: Path) -> tuple[int, int]:
    return stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(path.parent.stat().st_mode)


def contents(path: Path) -> bytes:
    return path.read_bytes()


async def test_actions_are_recorded_with_their_marks_and_saved(shared: GatewayProcess, site: Site) -> None:
    site.pages["/gif"] = PAGE
    async with connect(shared, toolsets="automation", list="stable") as agent:
        await agent.result("navigate", url=f"{site.url}/gif")
        wide = text_of(await agent.result("javascript_tool", action="javascript_exec", text="innerWidth"))
        assert "Recording" in text_of(await gif(agent, "start_recording"))
        steps: list[dict[str, Any]] = [
            {"tool": "computer", "arguments": {"action": "left_click", "ref": "find:paint button"}},
            {"tool": "form_input", "arguments": {"ref": "find:name field", "value": "Ann"}},
            {"tool": "computer", "arguments": {"action": "screenshot"}},
            {"tool": "read_page", "arguments": {}},
        ]
        done = await agent.result("browser_batch", steps=steps)
        assert not done.is_error, done.content
        assert "Stopped with" in text_of(await gif(agent, "stop_recording"))
        await agent.result("navigate", url=f"{site.url}/")
        result = await gif(agent, "export", filename="my tour", options={"showWatermark": False})

        first, clicked, painted, filling, filled = frames_of(result)
        assert first.getpixel((5, 5)) == (255, 255, 255)
        scale = first.width / float(wide)
        spot = round(160 * scale), round(130 * scale)
        assert has_accent(clicked, *spot)
        assert not has_accent(painted, *spot)
        assert painted.getpixel((5, 5)) in [(0, 128, blue) for blue in range(4)]
        assert filling.getcolors(1 << 20) != filled.getcolors(1 << 20)

        [link] = [part for part in result.content if isinstance(part, types.ResourceLink)]
        path = Path(url2pathname(urlparse(str(link.uri)).path))
        assert path.parent.parent == shared.home / "output"
        assert (path.name, link.name, link.mime_type) == ("my tour.gif", "my tour.gif", "image/gif")
        assert modes(path) == (0o600, 0o700)
        assert link.size == len(contents(path))
        assert contents(path).startswith(b"GIF89a")
        again = text_of(await gif(agent, "export", filename="../../my tour"))
        assert again.endswith("/my tour-2.gif"), "no other file is written over, none outside"


@pytest.mark.parametrize(
    ("version", "kinds"), [("2024-11-05", ["text", "image"]), ("2025-06-18", ["text", "resource_link", "image"])]
)
def test_clients_from_before_links_get_none(shared: GatewayProcess, site: Site, version: str, kinds: list[str]) -> None:
    with connected(shared, version, toolsets="automation", list="stable") as lines:

        def call(tool: str, **arguments: Any) -> Any:
            asked = {
                "jsonrpc": "2.0",
                "id": tool,
                "method": "tools/call",
                "params": {"name": tool, "arguments": arguments},
            }
            return lines.ask(asked)["result"]

        call("navigate", url=f"{site.url}/")
        call("gif_creator", action="start_recording")
        assert [part["type"] for part in call("gif_creator", action="export")["content"]] == kinds


async def test_nothing_is_recorded_unless_asked_and_cleared_when_told(shared: GatewayProcess, site: Site) -> None:
    site.pages["/gif"] = PAGE
    async with connect(shared, toolsets="automation", list="stable") as agent:
        await agent.result("navigate", url=f"{site.url}/gif")
        error = await agent.refused("gif_creator", action="export")
        assert "start_recording" in error["next"]
        assert "Nothing is recorded" in text_of(await gif(agent, "stop_recording"))
        await gif(agent, "start_recording")
        assert "Cleared 1 frame" in text_of(await gif(agent, "clear"))
        assert (await agent.refused("gif_creator", action="export"))["code"] == "invalid_arguments"
        error = await agent.refused("gif_creator", action="export", options={"quality": 31})
        assert "quality" in error["message"]


async def test_a_dialog_or_a_closed_tab_harms_no_recording(shared: GatewayProcess, site: Site) -> None:
    site.pages["/ask"] = "<title>Ask</title><button onclick=\"confirm('Sure?')\">Ask</button>"
    async with connect(shared, toolsets="automation", list="stable") as agent:
        await agent.result("navigate", url=f"{site.url}/ask")
        await gif(agent, "start_recording")
        asked = await agent.result(
            "browser_batch", steps=[{"tool": "computer", "arguments": {"action": "left_click", "ref": "find:ask"}}]
        )
        assert "dialog" in text_of(asked)
        await agent.result("handle_dialog", accept=True)
        await agent.result("computer", action="left_click", coordinate=[300, 300])
        await gif(agent, "stop_recording")
        assert len(frames_of(await gif(agent, "export"))) >= 2


async def test_the_end_of_an_answer_ends_recordings(shared: GatewayProcess, site: Site) -> None:
    async with connect(shared, toolsets="automation", list="stable") as agent:
        await agent.result("navigate", url=f"{site.url}/")
        await gif(agent, "start_recording")
        assert "1 recording stopped" in text_of(await agent.result("turn_answer_complete"))
        assert "Stopped with 1 frame" in text_of(await gif(agent, "stop_recording")), "no frame is taken any more"


BARE = {"showActionLabels": False, "showProgressBar": False, "showWatermark": False}
BLUE = "style='width:300px;height:160px;background:rgb(0,0,200);border:0'"


def marked_on_blue(image: Image.Image) -> bool:
    """Whether the mark is in the midst of the blue button."""
    spots = [
        (x, y)
        for y in range(image.height)
        for x in range(image.width)
        if isinstance(pixel := image.getpixel((x, y)), tuple) and pixel[0] > 200 and pixel[2] < 110
    ]
    assert spots, "nothing is marked"
    x, y = (sum(each[part] for each in spots) // len(spots) for part in (0, 1))
    around = [image.getpixel((x + 45, y)), image.getpixel((x - 45, y))]
    return all(isinstance(pixel, tuple) and pixel[0] < 60 and pixel[2] > 150 for pixel in around)


@pytest.mark.parametrize(
    "path",
    ["/far", "/far-in-a-frame"],
)
async def test_a_mark_is_where_the_element_came_to_be_after_scrolling(
    shared: GatewayProcess, site: Site, path: str
) -> None:
    other = site.url.replace("127.0.0.1", "localhost")
    site.pages["/far"] = f"<title>Far</title><div style='height:3000px'></div><button {BLUE}>Go</button>"
    site.pages["/far-in-a-frame"] = (
        f"<title>Frame</title><div style='height:2000px'></div><iframe src='{other}/far' width=600 height=400></iframe>"
    )
    async with connect(shared, toolsets="automation", list="stable") as agent:
        await agent.result("navigate", url=f"{site.url}{path}")
        await gif(agent, "start_recording")
        steps = [{"tool": "computer", "arguments": {"action": "left_click", "ref": "find:go button"}}]
        done = await agent.result("browser_batch", steps=steps)
        assert not done.is_error, done.content
        assert marked_on_blue(frames_of(await gif(agent, "export", options=BARE))[1])


@pytest.mark.rule("T77")
async def test_a_thousand_recordings_at_once_cost_two_and_delay_nobody(shared: GatewayProcess, site: Site) -> None:
    site.pages["/crowd"] = PAGE
    async with connect(shared) as busy, connect(shared) as other:
        for agent in (busy, other):
            await agent.call("connect_browser", launch=True)
            await agent.call("open_tab", url=f"{site.url}/crowd")
        await gif(busy, "start_recording")
        for _ in range(3):
            await busy.result("computer", action="left_click", coordinate=[160, 130])
        asked = [asyncio.create_task(busy.result("gif_creator", action="export")) for _ in range(1_000)]
        beside = await other.result("computer", action="left_click", coordinate=[160, 130])
        assert not beside.is_error
        ended = await asyncio.gather(*asked)
        done = [result for result in ended if not result.is_error]
        refused = [text_of(result) for result in ended if result.is_error]
        assert 1 <= len(done) < 100, "so many files are written"
        assert all("calls of gif_creator are under way already" in said for said in refused)
        assert not (await busy.result("gif_creator", action="export")).is_error, "later there is room again"
