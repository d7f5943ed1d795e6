"""wait_for: it ends as soon as it can, goes on over navigations, and says what did not come."""

import time

import pytest

from tests.clients import Agent
from tests.tools.screen import Screen
from tests.tools.told import told
from tests.tools.web import Answer, Web

pytestmark = pytest.mark.browser


@pytest.fixture
def screen(agent: Agent, web: Web) -> Screen:
    return Screen(agent, web)


async def test_a_text_that_comes_ends_the_wait(screen: Screen) -> None:
    await screen.show("<p id=p>Loading</p><script>setTimeout(() => p.textContent = 'All  done', 400)</script>")
    began = time.monotonic()
    assert 'text "all done"' in await told(screen.agent, "wait_for", text="all done", ms=30_000)
    assert time.monotonic() - began < 15


async def test_a_text_that_goes_ends_the_wait(screen: Screen) -> None:
    await screen.show("<p id=p>Loading</p><script>setTimeout(() => p.style.display = 'none', 400)</script>")
    await told(screen.agent, "wait_for", textGone="Loading", ms=5000)
    assert await screen.js("p.style.display") == "none"


async def test_an_element_that_is_shown_ends_the_wait(screen: Screen) -> None:
    await screen.show("<button id=b>Later</button>")
    ref = await screen.ref("Later")
    await screen.js("b.hidden = true")
    await screen.js("setTimeout(() => b.hidden = false, 300)")
    await told(screen.agent, "wait_for", ref=ref, ms=5000)
    assert await screen.js("b.hidden") is False


async def test_a_text_on_the_next_page_and_its_address_are_waited_for(screen: Screen) -> None:
    screen.web.answers["/second"] = "<title>Second</title><p>Arrived here</p>"
    await screen.show("<p>First</p><script>setTimeout(() => location.href = '/second', 300)</script>")
    await told(screen.agent, "wait_for", text="Arrived here", ms=8000)
    await told(screen.agent, "wait_for", url="/second", ms=5000)
    assert await screen.js("document.title") == "Second"


async def test_text_in_a_frame_counts(screen: Screen) -> None:
    screen.web.answers["/in"] = Answer("<p>Inner words</p>")
    await screen.show(f"<iframe src='{screen.web.other}/in'></iframe>")
    await told(screen.agent, "wait_for", text="inner words", ms=5000)


async def test_what_does_not_come_is_named_in_time(screen: Screen) -> None:
    await screen.show("<p>Still</p>")
    began = time.monotonic()
    error = await screen.agent.refused("wait_for", text="Godot", ms=700)
    assert 0.6 < time.monotonic() - began < 8
    assert 'text "Godot"' in error["message"]
    assert error["code"] == "timeout"


async def test_time_alone_can_be_waited_for_but_nothing_cannot(screen: Screen) -> None:
    await screen.show("<p>Still</p>")
    assert "Waited" in await told(screen.agent, "wait_for", ms=50)
    assert "Nothing to wait for" in (await screen.agent.refused("wait_for"))["message"]


async def test_a_dialog_ends_the_wait_once_the_tab_is_attached(screen: Screen) -> None:
    await screen.show("<p>Still</p>")
    await screen.js("setTimeout(() => alert('Stop!'), 300)")
    error = await screen.agent.refused("wait_for", text="Godot", ms=5000)
    assert error["code"] == "dialog_open"
    await told(screen.agent, "handle_dialog")
