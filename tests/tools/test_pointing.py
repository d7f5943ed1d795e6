"""computer: a ref is found wherever it is drawn, a pixel means what the last image showed, and nothing else is hit."""

import base64
import struct
import time
from pathlib import Path

import pytest

from tabwright.edges.chrome.extension_files import extension_id
from tests.clients import Agent, connect
from tests.conftest import cdp_of
from tests.gateway import GatewayProcess, running
from tests.tools.screen import Screen
from tests.tools.web import Web

pytestmark = pytest.mark.browser

MARK = """<button style="position:absolute;left:300px;top:200px;width:60px;height:40px"
  onclick="document.title = 'hit ' + event.isTrusted">Mark</button><p style="height:3000px;width:10px"></p>"""


@pytest.fixture
def screen(agent: Agent, web: Web) -> Screen:
    return Screen(agent, web)


def size_of(jpeg: bytes) -> tuple[int, int]:
    """Width and height out of a JPEG's frame header."""
    at = 2
    while True:
        marker, length = struct.unpack(">HH", jpeg[at : at + 4])
        if 0xFFC0 <= marker <= 0xFFC3:
            height, width = struct.unpack(">HH", jpeg[at + 5 : at + 9])
            return width, height
        at += 2 + length


async def test_a_covered_element_is_not_clicked_and_the_cover_is_named(screen: Screen) -> None:
    await screen.show("""<button onclick="document.title = 'under'">Under</button>
        <div id=over hidden role=dialog aria-label="Cookie notice" style="position:fixed;inset:0;background:#fffa">
        <button onclick="this.parentNode.remove()">Agree</button></div>""")
    under = await screen.ref("Under")
    await screen.js("over.hidden = false")
    error = await screen.refused("left_click", ref=under)
    assert 'covered by dialog "Cookie notice"' in error["message"]
    assert await screen.js("document.title") == "screen"
    await screen.on("Agree", "left_click")
    await screen.on("Under", "left_click")
    assert await screen.js("document.title") == "under"


GROUND = "position:fixed;inset:0;background:#0003"
GOING = {
    "fades": f"""<div id=ground style="{GROUND};transition:opacity .4s"></div><script>
        const go = () => {{ ground.style.opacity = 0; ground.ontransitionend = () => ground.remove() }}</script>""",
    "waits for its menu": f"""<div id=layer><div style="{GROUND}"></div><p id=menu style="position:fixed">Menu</p></div>
        <script>const go = () => {{
        menu.animate({{ opacity: [1, 0] }}, 400).onfinish = () => setTimeout(() => layer.remove(), 30) }}</script>""",
    "in a shadow root": f"""<my-menu><template shadowrootmode=open><div style="{GROUND}"></div></template></my-menu>
        <script>const menu = document.querySelector('my-menu'), go = () => {{
        menu.shadowRoot.querySelector('div').animate({{ opacity: [1, 0] }}, 400).onfinish = () => menu.remove() }}
        </script>""",
}


@pytest.mark.parametrize("how", GOING)
async def test_a_cover_that_is_about_to_go_is_waited_for(screen: Screen, how: str) -> None:
    await screen.show(f"""<main><button onclick="document.title = 'under'">Under</button></main>{GOING[how]}""")
    ref = await screen.ref("Under")
    assert "is covered by" in (await screen.refused("left_click", ref=ref))["message"]
    await screen.js("go()")
    await screen.do("left_click", ref=ref)
    assert await screen.js("document.title") == "under"


async def test_a_view_transition_under_way_is_waited_for(shared: GatewayProcess, web: Web) -> None:
    async with connect(shared, toolsets="focus,automation", list="stable") as agent:
        await agent.call("connect_browser", launch=True)
        # in front: browsers make no transitions in tabs that nobody sees
        await agent.call("open_tab", url=web.url)
        screen = Screen(agent, web)
        # it ends later than what it draws does
        await screen.show("""<button>Next</button><p id=n></p><script>document.querySelector('button').onclick = () =>
            document.startViewTransition(() => { n.textContent += 'One more. ' })
            .waitUntil(new Promise((done) => setTimeout(done, 500)))</script>""")
        ref = await screen.ref("Next")
        for _ in range(3):
            await screen.do("left_click", ref=ref)
        assert await screen.js("n.textContent") == "One more. " * 3


async def test_a_cover_that_moves_for_ever_is_told_at_once(screen: Screen) -> None:
    await screen.show(f"""<button>Under</button><div style="{GROUND}"><p id=wheel>Loading</p></div>
        <script>wheel.animate({{ rotate: ['0deg', '360deg'] }}, {{ duration: 900, iterations: Infinity }})</script>""")
    ref = await screen.ref("Under")
    began = time.monotonic()
    assert "is covered by" in (await screen.refused("left_click", ref=ref))["message"]
    assert time.monotonic() - began < 0.9


async def test_a_sticky_header_does_not_hide_what_is_scrolled_to(screen: Screen) -> None:
    await screen.show("""<header style="position:sticky;top:0;height:120px;background:#eee">Head</header>
        <p style="height:900px"></p><button onclick="document.title = 'ok'">Below</button>
        <p style="height:2000px"></p>""")
    ref = await screen.ref("Below")
    await screen.js("scrollTo(0, document.querySelector('button').offsetTop - 20)")
    await screen.do("left_click", ref=ref)
    assert await screen.js("document.title") == "ok"


async def test_words_over_two_lines_are_hit_where_they_are(screen: Screen) -> None:
    await screen.show("""<p style="width:200px;font:20px monospace">Some text and <a href="#x"
        onclick="document.title = 'link'">a link</a> here</p>""")
    await screen.on("a link", "left_click")
    assert await screen.js("document.title") == "link"


async def test_a_card_is_clicked_beside_the_button_in_it(screen: Screen) -> None:
    await screen.show("""<div role=link tabindex=0 aria-label=Card onclick="document.title += ' card'"
        style="width:200px;height:100px;display:grid;place-items:center">
        <button onclick="event.stopPropagation(); document.title += ' like'">Like</button></div>""")
    await screen.on("Card", "left_click")
    assert await screen.js("document.title") == "screen card"


async def test_a_hidden_checkbox_is_reached_by_its_label(screen: Screen) -> None:
    await screen.show("""<input type=checkbox id=c style="position:absolute;opacity:0;width:0;height:0">
        <label for=c style="padding:8px">Newsletter</label>""")
    await screen.on("Newsletter", "left_click")
    assert await screen.js("document.querySelector('input').checked") is True


async def test_disabled_and_hidden_elements_are_said_to_be(screen: Screen) -> None:
    await screen.show("<button disabled>Off</button><button>Soon gone</button>")
    error = await screen.refused("left_click", ref=await screen.ref("Off"))
    assert "is disabled" in error["message"]
    ref = await screen.ref("Soon gone")
    await screen.js("document.querySelectorAll('button')[1].style.display = 'none'")
    assert "is hidden" in (await screen.refused("left_click", ref=ref))["message"]
    await screen.js("document.querySelectorAll('button')[1].remove()")
    assert (await screen.refused("left_click", ref=ref))["code"] == "stale_ref"


async def test_a_ref_of_an_earlier_page_is_stale(screen: Screen) -> None:
    await screen.show("<button>Old</button>")
    ref = await screen.ref("Old")
    await screen.show("<button>New</button>")
    assert (await screen.refused("left_click", ref=ref))["code"] == "stale_ref"


async def test_shadow_roots_are_pierced(screen: Screen) -> None:
    await screen.show("""<my-card></my-card><script>customElements.define('my-card', class extends HTMLElement {
        connectedCallback() { this.attachShadow({ mode: 'open' }).innerHTML =
          '<div style="height:60px;overflow:auto"><p style="height:500px"></p><button>Inner</button></div>';
          this.shadowRoot.querySelector('button').onclick = () => document.title = 'inner' } })</script>""")
    assert 'Clicked button "Inner"' in await screen.on("Inner", "left_click")
    assert await screen.js("document.title") == "inner"


async def test_elements_in_frames_of_other_sites_are_scrolled_to_and_clicked(screen: Screen) -> None:
    web = screen.web
    web.answers["/inmost"] = """<!doctype html><body style="margin:0"><p style="height:1200px">Inmost</p><div>
        <template shadowrootmode=closed>
        <button onclick="parent.parent.postMessage('inmost ' + event.isTrusted, '*')">Inmost</button></template>"""
    web.answers["/middle"] = f"""<!doctype html><body style="margin:7px"><p style="height:700px">Middle</p>
        <iframe src="{web.url}/inmost" style="width:300px;height:150px;border:5px solid;padding:9px"></iframe>"""
    await screen.show(f"""<p style="height:1500px"></p><iframe src="{web.other}/middle"
        style="width:420px;height:260px;transform:scale(.8);transform-origin:0 0"></iframe><p style="height:1500px"></p>
        <script>onmessage = ({{ data }}) => document.title = data</script>""")
    said = await screen.on("Inmost", "left_click", waitMs=300)
    assert 'Clicked button "Inmost"' in said
    assert await screen.js("document.title") == "inmost true"


async def test_text_is_typed_into_a_frame_of_another_site(screen: Screen) -> None:
    screen.web.answers["/field"] = """<!doctype html><input aria-label=Card
        oninput="parent.postMessage(this.value, '*')">"""
    await screen.show(f"""<iframe src="{screen.web.other}/field"></iframe>
        <script>onmessage = ({{ data }}) => document.title = data</script>""")
    said = await screen.on("Card", "type", text="4111")
    assert await screen.js("document.title") == "4111"
    assert "It holds just that." in said


async def test_a_frame_under_a_cover_is_covered(screen: Screen) -> None:
    screen.web.answers["/covered"] = "<!doctype html><button>Deep</button>"
    await screen.show(f"""<iframe src="{screen.web.other}/covered"></iframe>
        <div role=alert style="position:fixed;inset:0;background:#fff">Please wait</div>""")
    error = await screen.refused("left_click", ref=await screen.ref("Deep"))
    assert "covered by alert" in error["message"]


async def test_a_moving_element_is_waited_for(screen: Screen) -> None:
    await screen.show("""<style>@keyframes in { from { transform: translateX(600px) } }</style>
        <button style="animation:in .3s" onclick="document.title = 'caught'">Slides</button>""")
    await screen.on("Slides", "left_click")
    assert await screen.js("document.title") == "caught"


async def test_without_an_image_coordinates_are_pixels_of_the_viewport(screen: Screen) -> None:
    await screen.show(MARK)
    said = await screen.do("left_click", coordinate=[330, 220])
    assert 'Clicked button "Mark" at (330, 220)' in said
    assert "outside of the viewport" in (await screen.refused("left_click", coordinate=[5000, 1]))["message"]


async def test_an_image_is_a_jpeg_of_the_viewport_with_an_id(screen: Screen) -> None:
    await screen.show(MARK)
    image, text = await screen.picture()
    assert image.mime_type == "image/jpeg"
    wide, high = await screen.js("[innerWidth, innerHeight]")
    assert size_of(base64.b64decode(image.data)) == (wide, high)
    assert f"{wide} x {high} pixels, imageId image_1" in text


async def test_pixels_of_a_zoomed_image_are_mapped_back(screen: Screen) -> None:
    await screen.show(MARK)
    await screen.js("scrollTo(0, 100)")
    await screen.picture()
    image, _ = await screen.picture("zoom", region=[290, 90, 390, 140])
    wide, high = size_of(base64.b64decode(image.data))
    assert (wide, high) == (400, 200)
    await screen.do("left_click", coordinate=[wide * 0.4, high * 0.6])
    assert await screen.js("document.title") == "hit true"


async def test_an_image_of_another_size_of_the_page_is_stale(screen: Screen, shared: GatewayProcess) -> None:
    await screen.show(MARK)
    await screen.picture()
    zoom(shared, screen, 1.5)
    error = await screen.refused("left_click", coordinate=[330, 220])
    assert error["code"] == "stale_screenshot"
    image, _ = await screen.picture()
    wide, _ = size_of(base64.b64decode(image.data))
    scale = wide / (await screen.js("innerWidth"))
    await screen.do("left_click", coordinate=[330 * scale, 220 * scale])
    assert await screen.js("document.title") == "hit true"
    await screen.js("document.title = ''")
    await screen.on("Mark", "left_click")
    assert await screen.js("document.title") == "hit true"
    await screen.picture("zoom", region=[280 * scale, 180 * scale, 380 * scale, 260 * scale])
    await screen.js("document.title = ''")
    await screen.do("left_click", coordinate=[200, 160])
    assert await screen.js("document.title") == "hit true"
    zoom(shared, screen, 1)


def zoom(gateway: GatewayProcess, screen: Screen, factor: float) -> None:
    """What the person does with ctrl and plus."""
    script = f"""chrome.tabs.query({{ url: '{screen.web.url}/*' }}).then((tabs) =>
        Promise.all(tabs.map(({{ id }}) => chrome.tabs.setZoom(id, {factor}))))"""
    with cdp_of(gateway) as cdp:
        cdp.in_extension(extension_id(), script)


async def test_a_screen_of_double_density_is_no_different(tmp_path: Path, web: Web) -> None:
    arguments = "--force-device-scale-factor=2 --window-size=1700,900"
    with running(tmp_path / "home", TABWRIGHT_BROWSER_ARGS=arguments) as gateway:
        async with connect(gateway, toolsets="automation", list="stable") as agent:
            screen = Screen(agent, web)
            await screen.show(MARK)
            assert await screen.js("devicePixelRatio") == 2
            image, _ = await screen.picture()
            wide, high = size_of(base64.b64decode(image.data))
            assert max(wide, high) == 1568
            scale = wide / (await screen.js("innerWidth"))
            await screen.do("left_click", coordinate=[330 * scale, 220 * scale])
            assert await screen.js("document.title") == "hit true"
            await screen.js("document.title = ''")
            await screen.on("Mark", "left_click")
            assert await screen.js("document.title") == "hit true"
