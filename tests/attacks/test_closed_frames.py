"""A page that shows a closed site in a frame shows no pixel and tells no word of it, whatever it does to the frame."""

import asyncio
import base64
import io
import re
from collections.abc import Iterator

import mcp_types as types
import pytest
from PIL import Image, ImageChops

from tests.approvals.test_everywhere import Ruled, at, launched
from tests.conftest import Site
from tests.gateway import until

pytestmark = pytest.mark.browser

RED = """<title>red</title><body style="margin: 0; background: rgb(255, 0, 0)"><p>secret text</p>"""
PLACE = "position: absolute; border: 0; left: 100px; top: 100px; width: 150px; height: 150px"
FILTER = '<svg width="0" height="0"><filter id="shift" x="-3" width="7"><feOffset dx="200"/></filter></svg>'
DRAWN = "new Promise(done => requestAnimationFrame(() => setTimeout(done)))"
PAGES = {
    "turned": '<iframe src="{closed}" style="{place}; transform: rotate(30deg) scale(1.5) skewX(20deg)"></iframe>',
    "reflected": '<div style="-webkit-box-reflect: right 20px; {place}"><iframe src="{closed}" width="150"></iframe>',
    "shifted": FILTER + '<iframe src="{closed}" style="{place}; filter: url(#shift)"></iframe>',
    "shifted from above": FILTER
    + """<iframe src="{closed}" style="{place}"></iframe>
        <div style="position: fixed; inset: 0; backdrop-filter: url(#shift)"></div>""",
    "shifted by what is no element": FILTER
    + """<iframe src="{closed}" style="{place}"></iframe>
        <style>body::after {{ content: ''; position: fixed; inset: 0; backdrop-filter: url(#shift) }}</style>""",
    "sandboxed": '<iframe sandbox="allow-scripts" src="{closed}" style="{place}"></iframe>',
    "nested": '<iframe src="{open}/nest" style="{place}; width: 400px"></iframe>',
    "hidden root": """<div id="host" style="{place}"></div><script>
        host.attachShadow({{mode: 'closed'}}).innerHTML = '<iframe src="{closed}"></iframe>'</script>""",
    "object": '<object data="{closed}" type="text/html" style="{place}"></object>',
    "zoomed": '<div style="zoom: 1.7"><iframe src="{closed}" style="{place}"></iframe></div>',
    "scrolled": """<div style="height: 3000px"><iframe src="{closed}" style="{place}; top: 900px"></iframe></div>
        <script>onload = () => scrollTo(0, 700)</script>""",
    "led there": """<iframe src="about:blank" style="{place}"></iframe>
        <script>frames[0].location = '{closed}'</script>""",
    "blob": """<script>location = URL.createObjectURL(new Blob([
        '<body style="background: lime"><iframe src="{open}/friend"></iframe>',
        '<iframe src="{closed}" style="{place}"></iframe>'
        ], {{type: 'text/html'}}))</script>""",
}


@pytest.fixture(scope="module")
def ruled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ruled]:
    with launched(tmp_path_factory.mktemp("ruled")) as made:
        yield made


def reds(shot: types.CallToolResult) -> int:
    """How many pixels are as red as the frame."""
    [shown] = [part for part in shot.content if isinstance(part, types.ImageContent)]
    picture = Image.open(io.BytesIO(base64.b64decode(shown.data))).convert("RGB")
    red, green, blue = picture.split()
    most = ImageChops.subtract(red, ImageChops.lighter(green, blue))
    return sum(most.histogram()[120:])


@pytest.mark.parametrize("name", list(PAGES))
async def test_a_closed_frame_stays_unseen(ruled: Ruled, site: Site, name: str) -> None:
    red = f"/red-{list(PAGES).index(name)}"
    closed, opened = at(site, "closed.test", red), at(site, "open.test", "")
    site.pages[red] = RED
    site.pages["/friend"] = f'<iframe src="{at(site, "open.test", "/inner")}" style="width: 20px"></iframe>' * 2
    site.pages["/nest"] = f'<iframe src="{closed}" style="margin-left: 200px"></iframe>'
    body = PAGES[name].format(closed=closed, open=opened, place=PLACE)
    site.pages["/around"] = f'<body style="margin: 0; background: lime">{body}'
    async with ruled.agent() as agent:
        tab = (await agent.call("open_tab", url=f"{opened}/around"))["tab"]["id"]
        with ruled.cdp() as cdp:
            await asyncio.to_thread(until, lambda: cdp.targets("iframe", red))
            cdp.in_page(red, DRAWN, "iframe")
        shot = await agent.result("computer", action="screenshot", tabId=tab)
        assert shot.is_error or reds(shot) == 0
        part = await agent.result("computer", action="zoom", region=[50, 50, 450, 350], tabId=tab)
        assert part.is_error or reds(part) == 0
        said = [await agent.result(tool, tabId=tab) for tool in ("read_page", "get_page_text")]
        assert "secret text" not in str(said)
        await agent.call("close_tab", tabId=tab)


FLIPPING = """<body style="margin: 0; background: lime"><iframe id="frame" style="{place}"></iframe><script>
let turn = 0;
setInterval(() => {{ frame.src = (turn += 1) % 2 ? '{closed}?' + turn : 'about:blank'; }}, 40)</script>"""


async def test_a_frame_that_becomes_a_closed_one_while_the_picture_is_taken_stays_unseen(
    ruled: Ruled, site: Site
) -> None:
    site.pages["/red-flip"] = RED
    closed = at(site, "closed.test", "/red-flip")
    site.pages["/flipping"] = FLIPPING.format(place=PLACE, closed=closed)
    async with ruled.agent() as agent:
        tab = (await agent.call("open_tab", url=at(site, "open.test", "/flipping")))["tab"]["id"]
        for _ in range(5):
            shot = await agent.result("computer", action="screenshot", tabId=tab)
            assert shot.is_error or reds(shot) == 0
        await agent.call("close_tab", tabId=tab)


HOLD = """(() => {
  const { debugger: api } = chrome, send = api.sendCommand.bind(api);
  globalThis.capturing = new Promise((begun) => {
    api.sendCommand = async (target, method, params) => {
      if (method === 'Page.captureScreenshot') {
        api.sendCommand = send;
        begun();
        await new Promise((resolve) => { globalThis.release = resolve; });
      }
      return send(target, method, params);
    };
  });
})()"""
"""Evaluated in the extension's worker: the next picture is not taken before somebody calls `release`."""


async def test_a_frame_that_becomes_a_closed_one_before_the_page_is_drawn_stays_unseen(
    ruled: Ruled, site: Site
) -> None:
    site.pages |= {"/red-late": RED, "/green": '<body style="background: green">'}
    closed, green = at(site, "closed.test", "/red-late"), at(site, "careful.test", "/green")
    site.pages["/becoming"] = f'<iframe id="frame" src="{green}" style="{PLACE}"></iframe>'
    async with ruled.agent() as agent:
        tab = (await agent.call("open_tab", url=at(site, "open.test", "/becoming")))["tab"]["id"]
        assert not (await agent.result("computer", action="screenshot", tabId=tab)).is_error
        with ruled.cdp() as cdp:
            worker = cdp.attach(cdp.targets("service_worker", "chrome-extension://")[0])
            cdp.evaluate(worker, HOLD)
            shot = asyncio.create_task(agent.result("computer", action="screenshot", tabId=tab))
            await asyncio.to_thread(cdp.evaluate, worker, "capturing")
            cdp.in_page("/becoming", f"frame.src = '{closed}'")
            await asyncio.to_thread(until, lambda: cdp.targets("iframe", "/red-late"))
            cdp.in_page("/red-late", DRAWN, "iframe")
            cdp.evaluate(worker, "release()")
        taken = await shot
        assert not taken.is_error
        assert reds(taken) == 0
        await agent.call("close_tab", tabId=tab)


PASSING = """<style>::view-transition-group(*) {{ animation-duration: 100s }}
::view-transition-old(root) {{ animation: none; opacity: 1; mix-blend-mode: normal }}
::view-transition-new(root) {{ display: none }}</style>
<body style="margin: 0; background: lime"><iframe id="frame" src="{closed}" style="{place}"></iframe>"""


async def test_a_closed_frame_that_a_page_still_draws_after_it_is_gone_stays_unseen(ruled: Ruled, site: Site) -> None:
    site.pages["/red-past"] = RED
    site.pages["/passing"] = PASSING.format(place=PLACE, closed=at(site, "closed.test", "/red-past"))
    async with ruled.agent() as agent:
        tab = (await agent.call("open_tab", url=at(site, "open.test", "/passing")))["tab"]["id"]
        with ruled.cdp() as cdp:
            await asyncio.to_thread(until, lambda: cdp.targets("iframe", "/red-past"))
            cdp.in_page("/red-past", DRAWN, "iframe")
            cdp.in_page("/passing", "document.startViewTransition(() => frame.remove()).ready.then(() => {})")
        for _ in range(2):
            shot = await agent.result("computer", action="screenshot", tabId=tab)
            assert not shot.is_error
            assert reds(shot) == 0
        await agent.call("close_tab", tabId=tab)


LOGIN = """<title>login</title><form><label>Password <input type="password" autofocus></label>
<label>Card number <input autocomplete="cc-number"></label><button type="button">Pay</button></form>
<script>for (const kind of ['input', 'click', 'keydown', 'focusin'])
  addEventListener(kind, ({target}) => { if (target !== window) document.title = kind; }, true)</script>"""


@pytest.mark.rule("T74")
async def test_nothing_is_filled_in_where_only_the_page_around_may_be_acted_in(ruled: Ruled, site: Site) -> None:
    site.pages["/login"] = LOGIN
    site.pages["/shop"] = f'<title>shop</title><iframe src="{at(site, "careful.test", "/login")}"></iframe>'
    async with ruled.agent() as agent:
        tab = (await agent.call("open_tab", url=at(site, "open.test", "/shop")))["tab"]["id"]
        with ruled.cdp() as cdp:
            await asyncio.to_thread(until, lambda: cdp.targets("iframe", "/login"))
        page = str((await agent.result("read_page", tabId=tab)).content)
        refs = {name: re.search(rf'"{name}" (e\d+)', page) for name in ("Password", "Card number", "Pay")}
        found = {name: ref.group(1) for name, ref in refs.items() if ref is not None}
        assert found.keys() == refs.keys(), page
        for name in ("Password", "Card number"):
            assert (await agent.refused("form_input", ref=found[name], value="secret", tabId=tab))["code"] == "denied"
            typing = await agent.refused("computer", action="type", ref=found[name], text="secret", tabId=tab)
            assert typing["code"] == "denied"
        for action in ("left_click", "hover"):
            refused = await agent.refused("computer", action=action, ref=found["Pay"], tabId=tab)
            assert refused["code"] == "denied", action
        with ruled.cdp() as cdp:
            assert cdp.in_page("/login", "document.title", "iframe") == "login"
        await agent.call("close_tab", tabId=tab)
