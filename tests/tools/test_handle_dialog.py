"""handle_dialog: dialogs are told of by the call that opened them, refuse all others, and are answered."""

import time

import pytest

from tests.clients import Agent
from tests.tools.screen import Screen
from tests.tools.told import told
from tests.tools.web import Web

pytestmark = pytest.mark.browser


@pytest.fixture
def screen(agent: Agent, web: Web) -> Screen:
    return Screen(agent, web)


async def test_a_click_that_opens_a_dialog_ends_at_once_and_the_rest_follows_the_answer(screen: Screen) -> None:
    await screen.show("<button onclick=\"this.after(confirm('Really?') ? 'It is gone' : 'It stays')\">Delete</button>")
    ref = await screen.ref("Delete")
    began = time.monotonic()
    error = await screen.refused("left_click", ref=ref)
    assert time.monotonic() - began < 2
    assert error["code"] == "dialog_open"
    assert '(confirm): "Really?"' in error["message"]
    said = await told(screen.agent, "handle_dialog", accept=True)
    assert 'Accepted the confirm "Really?"' in said
    assert "It is gone" in said
    await screen.refused("left_click", ref=ref)
    assert "It stays" in await told(screen.agent, "handle_dialog", accept=False)


async def test_while_a_dialog_is_open_every_other_tool_says_so_at_once(screen: Screen) -> None:
    await screen.show("<button onclick=\"alert('Hello')\">Hi</button>")
    await screen.refused("left_click", ref=await screen.ref("Hi"))
    for name, arguments in {
        "computer": {"action": "screenshot"},
        "read_page": {},
        "javascript_tool": {"text": "1"},
        "wait_for": {"text": "x"},
    }.items():
        began = time.monotonic()
        assert (await screen.agent.refused(name, **arguments))["code"] == "dialog_open"
        assert time.monotonic() - began < 1
    await told(screen.agent, "handle_dialog")
    assert await screen.js("1") == 1


async def test_a_second_dialog_is_told_with_the_answer_to_the_first(screen: Screen) -> None:
    await screen.show("<button onclick=\"alert('One'); alert('Two'); document.title = 'through'\">Twice</button>")
    await screen.refused("left_click", ref=await screen.ref("Twice"))
    error = await screen.agent.refused("handle_dialog")
    assert '"Two"' in error["message"]
    await told(screen.agent, "handle_dialog")
    assert await screen.js("document.title") == "through"


async def test_leaving_a_page_that_asks_is_answered_like_any_other_dialog(screen: Screen) -> None:
    screen.web.answers["/next"] = "<title>Next</title>"
    await screen.show("""<input aria-label=Draft><a href="/next">Go on</a>
        <script>addEventListener('beforeunload', (event) => event.preventDefault())</script>""")
    await screen.on("Draft", "type", text="x")
    ref = await screen.ref("Go on")
    assert "(beforeunload)" in (await screen.refused("left_click", ref=ref))["message"]
    await told(screen.agent, "handle_dialog", accept=False)
    assert await screen.js("document.title") == "screen"
    await screen.refused("left_click", ref=ref)
    await told(screen.agent, "handle_dialog", accept=True)
    await told(screen.agent, "wait_for", url="/next")
    assert await screen.js("document.title") == "Next"


async def test_without_a_dialog_there_is_nothing_to_answer(screen: Screen) -> None:
    await screen.show("<p>x</p>")
    assert "No dialog is open" in (await screen.agent.refused("handle_dialog"))["message"]
