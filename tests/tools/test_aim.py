"""Clicks that a page moves away from what they are meant for: done again, or told as what they were."""

import pytest

from tests.clients import Agent
from tests.tools.screen import Screen
from tests.tools.told import refused, told
from tests.tools.web import Web

pytestmark = pytest.mark.browser

COUNTS = """<script>var n = { clicks: 0, presses: 0 };
  const b = document.getElementById('b');
  b.addEventListener('click', () => { n.clicks += 1 });
  b.addEventListener('mousedown', () => { n.presses += 1 });</script>"""
BUTTON = "<button id=b style='display: block; height: 30px'>Target</button><p style='height: 300px'>Rest"
AGAIN = "The press alone had moved it away, so it was clicked once more."


@pytest.fixture
def screen(agent: Agent, web: Web) -> Screen:
    return Screen(agent, web)


async def click(screen: Screen, name: str = "Target") -> str:
    return await told(screen.agent, "computer", action="left_click", ref=await screen.ref(name, role="button"))


@pytest.mark.parametrize(
    ("html", "said"),
    [
        (
            f"<div id=pop style='height: 120px'>A list</div>{BUTTON}{COUNTS}<script>"
            "document.addEventListener('mousedown', (e) => { if (!pop.contains(e.target)) pop.remove() })</script>",
            "Gone from the page: “A list”.",
        ),
        (
            f"<input id=i><div id=e></div>{BUTTON}{COUNTS}<script>i.focus();"
            "i.onblur = () => { e.innerHTML = '<p style=\"height: 90px\">Fill this in' }</script>",
            "New on the page: “Fill this in”.",
        ),
    ],
    ids=["what the press closes", "what the field says that is left"],
)
async def test_a_press_that_only_moves_the_element_is_followed_by_another(screen: Screen, html: str, said: str) -> None:
    await screen.show(html)
    answer = await click(screen)
    assert answer.splitlines()[0].startswith('Clicked button "Target"')
    assert answer.splitlines()[1:] == [AGAIN, said]
    assert await screen.js("n") == {"clicks": 1, "presses": 2}


@pytest.mark.parametrize(
    "pressed",
    [
        "b.remove()",
        "b.style.display = 'none'",
        "b.outerHTML = b.outerHTML",
        "b.ariaExpanded = 'true'; b.style.marginTop = '90px'",
        "b.textContent = 'Taken'; b.style.marginTop = '90px'",
    ],
    ids=["goes", "hides itself", "is drawn anew", "turns", "says something else"],
)
async def test_what_acts_on_the_press_is_clicked_once(screen: Screen, pressed: str) -> None:
    await screen.show(f"{BUTTON}{COUNTS}<script>b.onmousedown = () => {{ {pressed} }}</script>")
    assert (await click(screen)).startswith('Clicked button "Target"')
    assert await screen.js("n.presses") == 1


async def test_a_press_that_may_have_done_something_is_not_repeated_and_told_as_no_click(screen: Screen) -> None:
    add = "b.onmousedown = () => b.insertAdjacentHTML('beforebegin', '<p style=\"height: 90px\">One more')"
    await screen.show(f"{BUTTON}{COUNTS}<script>{add}</script>")
    said = await refused(screen.agent, "computer", action="left_click", ref=await screen.ref("Target"))
    assert "was pressed, but that moved it away, and the click went elsewhere. New on the page: “One more”." in said
    assert await screen.js("n") == {"clicks": 0, "presses": 1}


async def test_an_element_that_moves_from_under_the_pointer_is_not_said_to_be_clicked(screen: Screen) -> None:
    move = "document.onmousemove = () => { b.style.marginTop = '90px' }"
    await screen.show(f"{BUTTON}{COUNTS}<script>{move}</script>")
    said = await refused(screen.agent, "computer", action="left_click", ref=await screen.ref("Target"))
    assert "was not clicked: it moved just then" in said
    assert await screen.js("n") == {"clicks": 0, "presses": 0}


async def test_what_comes_over_an_element_at_the_press_is_said_to_take_the_click(screen: Screen) -> None:
    cover = "b.onmousedown = () => document.body.insertAdjacentHTML('beforeend', '<p id=c>Wait')"
    style = "#c { position: fixed; inset: 0; margin: 0; background: #fff }"
    await screen.show(f"<style>{style}</style>{BUTTON}{COUNTS}<script>{cover}</script>")
    assert (await click(screen)).startswith('Pressed button "Target"')


async def test_an_element_in_a_frame_is_pressed_again_too(screen: Screen) -> None:
    shut = "<script>onmousedown = () => pop.remove()</script>"
    screen.web.answers["/aim_inner"] = f"<div id=pop style='height: 120px'>A list</div>{BUTTON}{COUNTS}{shut}"
    await screen.show("<iframe id=f src=/aim_inner width=400 height=400></iframe>")
    assert AGAIN in await click(screen)
    assert await screen.js("f.contentWindow.n.clicks") == 1
