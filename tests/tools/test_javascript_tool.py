"""javascript_tool: the value of a script in words, its errors with a line, and no script that stops the work."""

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


async def script(screen: Screen, text: str) -> str:
    return await told(screen.agent, "javascript_tool", action="javascript_exec", text=text)


async def test_every_kind_of_value_is_put_into_words(screen: Screen) -> None:
    await screen.show("<p id=p class=lead>Hello <b>you</b></p><input type=password value=hunter2>")
    values = {
        "1; 2": "2",
        "'text'": "text",
        "undefined": "undefined",
        "null": "null",
        "10n ** 20n": "100000000000000000000n",
        "-0": "-0",
        "({ a: [1, 'x', undefined], 'b c': new Date(0) })": '{a: [1, "x", undefined], "b c": 1970-01-01T00:00:00.000Z}',
        "const loop = { name: 'l' }; loop.self = loop; loop": '{name: "l", self: [circular]}',
        "new Map([['k', new Set([1])]])": 'Map(1) {"k" => Set(1) {1}}',
        "document.querySelector('#p')": '<p id="p" class="lead">Hello you',
        "document.querySelectorAll('b')": "NodeList(1) [<b>you]",
        "document.querySelector('input')": '<input type="password" value="•••">',
        "(function named() {})": "[function named]",
        "new TypeError('bad')": "[TypeError: bad]",
        "new Uint8Array([1, 2])": "Uint8Array(2) [1, 2]",
        "Symbol('s')": "Symbol(s)",
        "await Promise.resolve(7)": "7",
        "Promise.resolve({ late: true })": "{late: true}",
        "if (true) { return 5 }": "5",
        "const twice = 1; twice": "1",
        "const { length } = 'abc'; length": "3",
        "/a+/g": "/a+/g",
    }
    assert {text: await script(screen, text) for text in values} == values


async def test_declarations_last_until_the_next_script(screen: Screen) -> None:
    await screen.show("<p>x</p>")
    await script(screen, "let count = 1")
    await script(screen, "let count = 2")
    assert await script(screen, "count") == "2"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("let a = 1;\nundefinedThing()", "ReferenceError: undefinedThing is not defined (line 2, column 1)"),
        ("throw new RangeError('too far')", "RangeError: too far (line 1"),
        ("throw 'plain'", "plain"),
        ("Promise.reject(new Error('later'))", "Error: later"),
        ("const = 5", "SyntaxError: Unexpected token"),
        ("  ", "The script is empty"),
    ],
)
async def test_errors_tell_message_and_line(screen: Screen, text: str, problem: str) -> None:
    await screen.show("<p>x</p>")
    assert problem in (await screen.agent.refused("javascript_tool", text=text))["message"]


async def test_a_large_value_is_cut_and_says_so(screen: Screen) -> None:
    await screen.show("<p>x</p>")
    assert "[cut: " in await script(screen, "'x'.repeat(200000)")
    assert "more" in await script(screen, "Array.from({ length: 5000 }, (_, n) => n)")


async def test_an_endless_loop_is_stopped_and_the_next_call_works(screen: Screen) -> None:
    await screen.show("<button onclick='document.title = 1'>Go</button>")
    began = time.monotonic()
    error = await screen.agent.refused("javascript_tool", text="for (;;) {}")
    assert time.monotonic() - began < 15
    assert "was stopped" in error["message"]
    assert await script(screen, "1 + 1") == "2"
    assert "Clicked" in await screen.on("Go", "left_click")


async def test_a_script_that_leaves_the_page_says_so(screen: Screen) -> None:
    await screen.show("<p>x</p>")
    screen.web.answers["/left"] = "<title>Left</title>"
    assert "another address" in await script(screen, "location.href = '/left'; await new Promise(() => {})")
    assert await told(screen.agent, "wait_for", url="/left")
    assert await script(screen, "document.title") == "Left"


async def test_a_dialog_of_the_script_is_told_and_answered(screen: Screen) -> None:
    await screen.show("<p>x</p>")
    error = await screen.agent.refused("javascript_tool", text="window.answer = prompt('Name?', 'Bo')")
    assert error["code"] == "dialog_open"
    assert 'Accepted the prompt "Name?"' in await told(screen.agent, "handle_dialog", text="Ada")
    assert await script(screen, "answer") == "Ada"


async def test_a_window_it_opens_is_named(screen: Screen) -> None:
    await screen.show("<p>x</p>")
    said = await script(screen, "window.open('about:blank'); await new Promise((done) => setTimeout(done, 500)); 1")
    assert "A new tab opened: " in said
