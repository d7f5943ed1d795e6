"""Recordings of a session: frames around acting calls, marks of the mouse, bounds, and their end."""

import base64
import io
from typing import Any

import pytest
from PIL import Image

from tabwright.browser.recording.model import MAX_FRAMES, Box, Click, Drag
from tabwright.browser.refs import Target
from tabwright.calls import recording
from tabwright.calls.context import Catalog
from tabwright.calls.labels import action_label
from tabwright.errors import CommandFailed
from tabwright.model import DocumentId, JsonObject, TabId, Text, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.tools.tool import Desk, Hold, Params, TabNumber, Tool
from tests.calls.world import Client, World, world
from tests.fakes import FakeChrome, tab


class Mouse(Params):
    events: list[list[Any]] = []  # noqa: RUF012 - pydantic copies defaults
    action: str = "left_click"
    ref: str | None = None
    tabId: TabNumber | None = None


async def _use(desk: Desk, params: Mouse) -> ToolResult:
    for kind, x, y, count in params.events:
        event: JsonObject = {"type": kind, "x": x, "y": y, "clickCount": count}
        await desk.tab.cdp.send("Input.dispatchMouseEvent", event)
    if params.action == "fail":
        raise CommandFailed("It failed.")
    return ToolResult((Text("done"),))


def acting(name: str) -> Tool[Mouse]:
    return Tool(
        name=name,
        description=name,
        params=Mouse,
        access=Access.ACT,
        run=_use,
        toolset=Toolset.AUTOMATION,
        hold=Hold.HELD,
    )


def jpeg(colour: int = 255) -> str:
    written = io.BytesIO()
    Image.new("RGB", (400, 300), (colour, 200, 200)).save(written, "JPEG")
    return base64.b64encode(written.getvalue()).decode()


class Camera(FakeChrome):
    """A browser whose page looks different in every picture; its viewport is 800 pixels wide, its pictures 400."""

    shots = 0

    def perform(self, command: str, params: JsonObject) -> JsonObject:
        match command:
            case "screenshot":
                self.shots += 1
                return {"data": jpeg(self.shots % 250), "width": 400, "height": 300}
            case "forwardCDPCommand" if params.get("method") == "Runtime.evaluate":
                return {"result": {"value": "[800,600,1,1,0,0,0,0]"}}
            case "askFrame":
                return {"json": '{"left":100,"top":50,"width":40,"height":20}'}
            case _:
                return super().perform(command, params)


async def recorded(made: World) -> tuple[Client, Camera]:
    camera = Camera(made.browsers, "chrome")
    camera.link(tab(1))
    agent = made.client(Toolset.AUTOMATION)
    await agent.session.call("computer", {})
    agent.session.context.holds.take(agent.session.workspace.id, TabId(1), claimed=True, names={})
    assert await agent.session.recordings.start(camera.browser.at(TabId(1))) == 1
    return agent, camera


CATALOG = Catalog((acting("computer"), acting("form_input"), acting("read_page")))


async def use(agent: Client, tool: str = "computer", **arguments: Any) -> None:
    await agent.session.call(tool, arguments)


async def test_a_click_is_marked_in_the_frame_before_it() -> None:
    async with world(CATALOG) as made:
        agent, _ = await recorded(made)
        pressed = [["mouseMoved", 200, 100, 0], ["mousePressed", 200, 100, 1], ["mouseReleased", 200, 100, 1]]
        await use(agent, events=pressed, action="left_click")
        _, before, after = agent.session.recordings.frames(TabId(1))
        assert (before.marks, before.label) == ((Click((100, 50), 1),), "Click")
        assert (after.marks, after.label) == ((), "")


async def test_a_double_click_is_one_mark_and_a_drag_is_a_path() -> None:
    async with world(CATALOG) as made:
        agent, _ = await recorded(made)
        twice = [[kind, 20, 40, count] for count in (1, 2) for kind in ("mousePressed", "mouseReleased")]
        await use(agent, events=twice, action="double_click")
        dragged = [["mousePressed", 0, 0, 1], ["mouseMoved", 50, 20, 0], ["mouseReleased", 100, 40, 1]]
        await use(agent, events=dragged, action="left_click_drag")
        frames = agent.session.recordings.frames(TabId(1))
        assert frames[1].marks == (Click((10, 20), 2),)
        assert frames[3].marks == (Drag(((0, 0), (25, 10), (50, 20))),)
        await use(agent, events=[["mouseMoved", 8, 8, 0]], action="hover")
        assert agent.session.recordings.frames(TabId(1))[5].marks == (Click((4, 4), 0),)


async def test_a_field_that_is_filled_in_is_framed_by_its_name() -> None:
    async with world(CATALOG) as made:
        agent, camera = await recorded(made)
        target = Target(0, DocumentId("d"), "1-2", 7, "#a", "textbox", "Name")
        ref = camera.browser.at(TabId(1)).refs.give(target)
        await use(agent, "form_input", ref=ref)
        before = agent.session.recordings.frames(TabId(1))[1]
        assert (before.marks, before.label) == ((Box(50, 25, 70, 35),), "Fill in “Name”")


async def test_looking_and_failing_leave_no_frames() -> None:
    async with world(CATALOG) as made:
        agent, _ = await recorded(made)
        await use(agent, "read_page")
        await use(agent, action="screenshot")
        await use(agent, action="fail")
        assert len(agent.session.recordings.frames(TabId(1))) == 1


async def test_an_action_without_a_mark_is_one_labelled_frame() -> None:
    async with world(CATALOG) as made:
        agent, _ = await recorded(made)
        await use(agent, action="key")
        assert [frame.label for frame in agent.session.recordings.frames(TabId(1))] == ["", "Press keys"]


async def test_frames_and_bytes_are_bounded_and_what_is_missed_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    async with world(CATALOG) as made:
        agent, _ = await recorded(made)
        recordings = agent.session.recordings
        for _ in range(MAX_FRAMES + 4):
            await use(agent, action="key")
        assert (len(recordings.frames(TabId(1))), recordings.missed(TabId(1))) == (MAX_FRAMES, 5)
        recordings.clear(TabId(1))
        monkeypatch.setattr(recording, "MAX_BYTES", 10)
        tab_one = made.browsers.all()[0].at(TabId(1))
        assert await recordings.start(tab_one) == 0
        assert recordings.missed(TabId(1)) == 1


async def test_a_recording_ends_with_its_tab_its_stop_or_its_session() -> None:
    async with world(CATALOG) as made:
        agent, camera = await recorded(made)
        recordings, tab_one = agent.session.recordings, camera.browser.at(TabId(1))
        assert await recordings.stop(tab_one) == 2
        assert await recordings.stop(tab_one) == 2, "stopping twice is stopping"
        await use(agent, action="key")
        assert len(recordings.frames(TabId(1))) == 2
        await recordings.start(tab_one)
        assert (recordings.recording(TabId(1)), recordings.stop_all(), recordings.recording(TabId(1))) == (
            True,
            1,
            False,
        )
        made.sessions.close(agent.session)
        assert recordings.frames(TabId(1)) == ()
    async with world(CATALOG) as made:
        agent, camera = await recorded(made)
        camera.perform("closeTab", {"tabId": 1})
        assert agent.session.recordings.frames(TabId(1)) == ()


async def test_a_picture_that_cannot_be_taken_does_not_fail_the_action() -> None:
    async with world(CATALOG) as made:
        agent, camera = await recorded(made)
        camera.answers["screenshot"] = CommandFailed("no picture")
        result = await agent.session.call("computer", {"action": "key"})
        assert not result.is_error
        assert len(agent.session.recordings.frames(TabId(1))) == 1


@pytest.mark.parametrize(
    ("tool", "arguments", "label"),
    [
        ("navigate", {"url": "https://ann:pw@shop.test/a/?token=secret#x"}, "Go to shop.test/a"),
        ("navigate", {"url": "back"}, "Go back"),
        ("computer", {"action": "type", "text": "hunter2"}, "Type"),
        ("computer", {"action": "scroll", "scroll_direction": "down"}, "Scroll down"),
        ("computer", {"action": "right_click"}, "Right-click"),
        ("computer", {"action": "zoom"}, None),
        ("javascript_tool", {"text": "1"}, "Run a script"),
        ("star_repo", {}, "Star repo"),
        ("find", {"query": "x"}, None),
    ],
)
def test_labels_are_a_few_words_without_secrets(tool: str, arguments: JsonObject, label: str | None) -> None:
    assert action_label(tool, arguments, None) == label
