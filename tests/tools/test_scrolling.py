"""Scrolling: by wheel, by keys and to an element; what is told is how far, and by what."""

import pytest

from tests.clients import Agent
from tests.tools.screen import Screen
from tests.tools.web import Web

pytestmark = pytest.mark.browser


@pytest.fixture
def screen(agent: Agent, web: Web) -> Screen:
    return Screen(agent, web)


async def test_a_wheel_scrolls_what_is_under_it(screen: Screen) -> None:
    await screen.show("""<div id=box style="height:200px;width:300px;overflow:auto">
        <p style="height:2000px">Long</p></div><p style="height:3000px">Page</p>""")
    said = await screen.do("scroll", coordinate=[50, 50], scroll_direction="down", scroll_amount=4)
    assert await screen.js("[box.scrollTop, scrollY]") == [400, 0]
    assert "by 400 px" in said
    said = await screen.do("scroll", scroll_direction="down", scroll_amount=2)
    assert await screen.js("[box.scrollTop, scrollY]") == [400, 200]
    said = await screen.do("scroll", scroll_direction="up", scroll_amount=50)
    assert await screen.js("scrollY") == 0
    assert "end" in said


async def test_what_does_not_scroll_is_said_to_be_at_its_end_only_where_it_is(screen: Screen) -> None:
    await screen.show("""<p style="height:3000px">Page</p><button id=map style="height:200px">Map</button><script>
        scrollTo(0, 9999)
        map.addEventListener('wheel', (event) => event.preventDefault(), { passive: false })</script>""")
    ref = await screen.ref("Map")
    assert await screen.do("scroll", ref=ref, scroll_direction="up") == "Nothing scrolled up."
    said = await screen.do("scroll", ref=ref, scroll_direction="down")
    assert said == "Nothing scrolled down: the page is at its end."


async def test_a_list_that_hears_the_wheel_itself_is_not_said_to_be_at_its_end(screen: Screen) -> None:
    await screen.show("""<div id=list style="height:200px;overflow:hidden">Row 1</div><script>
        list.addEventListener('wheel', (event) => { event.preventDefault(); list.textContent = 'Row 31' },
          { passive: false })</script>""")
    said = await screen.do("scroll", coordinate=[50, 50], scroll_direction="down")
    assert "at its end" not in said
    assert "Row 31" in said


async def test_what_is_at_its_end_leaves_the_wheel_to_what_is_around_it(screen: Screen) -> None:
    await screen.show("""<div style="height:200px;overflow:auto"><p style="height:210px">Box</p></div>
        <p style="height:3000px">Page</p>""")
    said = [await screen.do("scroll", coordinate=[50, 50], scroll_direction="down") for _ in range(2)]
    assert [each.partition(" by")[0] for each in said] == ["Scrolled div down", "Scrolled the page down"]


async def test_what_begins_at_its_lower_or_right_end_is_scrolled_from_there(screen: Screen) -> None:
    await screen.show("""<div id=chat style="height:200px;overflow:auto;display:flex;flex-direction:column-reverse">
        <p style="flex:none;height:900px">Chat</p></div>
        <div id=list dir=rtl style="height:200px;width:300px;overflow:auto"><p style="width:1300px">List</p></div>""")
    for y, way, back in ((100, "up", "down"), (300, "left", "right")):
        assert "at its end" in await screen.do("scroll", coordinate=[50, y], scroll_direction=back)
        assert "by 300 px" in await screen.do("scroll", coordinate=[50, y], scroll_direction=way)
    assert await screen.js("[chat.scrollTop, list.scrollLeft]") == [-300, -300]


async def test_an_element_far_down_within_containers_is_scrolled_to(screen: Screen) -> None:
    await screen.show("""<p style="height:1500px">a</p><div id=box style="height:150px;overflow:auto">
        <p style="height:900px">b</p><button onclick="document.title = 'found'">Deep</button>
        <p style="height:900px"></p></div><p style="height:2500px">c</p>""")
    assert 'Scrolled to button "Deep"' in await screen.on("Deep", "scroll_to")
    assert await screen.js("box.scrollTop") > 500
    await screen.js("[scrollTo(0, 0), box.scrollTo(0, 0)]")
    await screen.on("Deep", "left_click")
    assert await screen.js("document.title") == "found"


async def test_keys_that_scroll_say_how_far(screen: Screen) -> None:
    await screen.show("<div style='height:5000px'>Tall</div>")
    said = await screen.do("key", text="PageDown")
    assert f"Scrolled the page down by {await screen.js('Math.round(scrollY)')} px" in said
    assert "its end is reached" in await screen.do("key", text="End")
    assert "Scrolled the page up by" in await screen.do("key", text="Home")


async def test_what_a_click_opens_is_not_closed_by_the_scrolling_before_it(screen: Screen) -> None:
    await screen.show("""<p style="height:3000px">Long</p><button id=pick>Pick</button><p id=menu hidden>One</p>
        <p style="height:900px"></p>
        <div id=veil style="position:fixed;inset:0;pointer-events:none;filter:blur(50px)"></div><script>
        pick.onpointerdown = () => { menu.hidden = false }
        addEventListener('scroll', () => { menu.hidden = true })
        // What is dear to draw, again and again: frames, and with them the news of scrolling, are late.
        let turn = 0
        const move = () => {
          veil.style.background = `repeating-linear-gradient(${turn += 7}deg, red 0 3px, blue 3px 9px)`
          requestAnimationFrame(move)
        }
        move()</script>""")
    ref = await screen.ref("Pick")
    for _ in range(8):
        await screen.js("scrollTo(0, 0)")
        await screen.do("left_click", ref=ref)
        assert await screen.js("[menu.hidden, scrollY > 0]") == [False, True]
