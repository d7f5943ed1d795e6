"""What lies over a page, and what comes and goes step by step: dialogs, their grounds, messages that fade in."""

import re

import pytest

from tests.clients import Agent
from tests.conftest import Site
from tests.tools.pages import visit
from tests.tools.told import told

pytestmark = pytest.mark.browser

GROUND = "position: fixed; inset: 0; background: #0008"
PANEL = "position: fixed; left: 200px; top: 100px; background: #fff; padding: 20px"


async def click(agent: Agent, outline: str, words: str) -> str:
    found = re.search(rf'"{re.escape(words)}" (e\d+)', outline)
    assert found is not None, outline
    return await told(agent, "computer", action="left_click", ref=found[1])


async def test_what_a_drawn_ground_covers_is_left_out_and_counted(agent: Agent, site: Site) -> None:
    html = f"""<a href=#a>Behind</a> <button>Under</button><p>Old words</p>
      <div style="{GROUND}"></div>
      <div role=dialog aria-label=First style="{PANEL}"><button>Covered</button></div>
      <div style="{GROUND}"></div>
      <div role=dialog aria-label=Pay style="{PANEL}; top: 300px"><input aria-label=Card><button>Done</button></div>
      <div style="position: fixed; right: 0; bottom: 0"><button>Dismiss</button></div>"""
    outline = await visit(agent, site, html)
    assert re.search(r'dialog "Pay"\n +textbox "Card" e\d+\n +button "Done" e\d+', outline), outline
    assert '"Dismiss"' in outline
    assert not re.search(r"Behind|Under|Covered", outline), outline
    assert "3 elements behind it cannot be used" in outline
    assert "Old words" not in await told(agent, "read_page", filter="all")


async def test_a_dialog_beside_which_the_page_is_used_hides_nothing(agent: Agent, site: Site) -> None:
    html = f"""<a href=#a>Behind</a> <button>Beside</button>
      <div role=dialog aria-modal=true aria-label=Cookies style="{PANEL}"><button>Accept</button></div>"""
    outline = await visit(agent, site, html)
    assert all(f'"{name}"' in outline for name in ("Behind", "Beside", "Accept")), outline
    assert "cannot be used" not in outline


async def test_a_dialog_that_fades_in_is_told_by_the_click_that_opens_it(agent: Agent, site: Site) -> None:
    html = """<style>#d { opacity: 0; visibility: hidden; transition: opacity .2s .05s, visibility .2s .05s }
      #d.in { opacity: 1; visibility: visible }</style>
      <button onclick="setTimeout(() => d.classList.add('in'))">Open</button>
      <div id=d role=dialog aria-label=Slow><p>Words</p></div>"""
    outline = await visit(agent, site, html)
    assert "A dialog opened: “Slow”." in await click(agent, outline, "Open")


async def test_a_dialog_that_waits_for_its_ground_is_told_by_the_click_that_opens_it(agent: Agent, site: Site) -> None:
    html = f"""<style>#g {{ {GROUND}; opacity: 0; transition: opacity .15s }} #g.in {{ opacity: 1 }}</style>
      <button onclick="open_()">Open</button>
      <div id=d role=dialog aria-label=Late style="{PANEL}; display: none">Words</div>
      <script>function open_() {{
        const g = document.createElement('div'); g.id = 'g'; document.body.append(g)
        g.offsetWidth; g.className = 'in'
        g.addEventListener('transitionend', () => {{ d.style.display = 'block' }})
      }}</script>"""
    outline = await visit(agent, site, html)
    assert "A dialog opened: “Late”." in await click(agent, outline, "Open")


async def test_a_dialog_that_fades_out_is_told_by_the_click_that_closes_it(agent: Agent, site: Site) -> None:
    html = """<style>dialog.out { animation: out .15s forwards } @keyframes out { to { opacity: 0 } }</style>
      <dialog id=d><h2>Sure?</h2><button onclick="d.classList.add('out')">Yes</button></dialog>
      <script>d.showModal()
      d.addEventListener('animationend', () => requestAnimationFrame(() => d.close()))</script>"""
    outline = await visit(agent, site, html)
    assert "The dialog “Sure?” closed." in await click(agent, outline, "Yes")


PANEL_IN_STEPS = {
    "by a transition": """p.hidden = false; p.style.height = 0; p.style.transition = 'height .3s';
      requestAnimationFrame(() => requestAnimationFrame(() => { p.style.height = '200px' }));
      p.ontransitionend = end""",
    "by a transition that begins late": """p.hidden = false; p.style.height = '0px'; p.style.transition = 'height .3s';
      setTimeout(() => { p.style.height = '200px' }, 100);
      p.ontransitionend = end""",
    "frame by frame": """p.hidden = false; p.style.height = '0px';
      const from = performance.now();
      const grow = () => {
        const part = Math.min(1, (performance.now() - from) / 450);
        p.style.height = `${200 * part}px`;
        if (part < 1) requestAnimationFrame(grow); else end();
      };
      requestAnimationFrame(grow)""",
    "by fading in": """p.hidden = false; p.animate([{ opacity: 0 }, { opacity: 1 }], 300).onfinish = end""",
}


@pytest.mark.parametrize("steps", PANEL_IN_STEPS.values(), ids=PANEL_IN_STEPS.keys())
async def test_what_unfolds_is_there_when_its_click_is_answered(agent: Agent, site: Site, steps: str) -> None:
    html = f"""<button onclick="unfold()">Open</button>
      <div id=p hidden style="overflow: hidden"><p style="height: 150px"></p><label>Inside <input></label></div>
      <script>var over = false;
      const end = () => {{ p.style.height = ''; over = true }};
      const unfold = () => {{ {steps} }}</script>"""
    outline = await visit(agent, site, html)
    assert 'New on the page: textbox "Inside" e' in await click(agent, outline, "Open")
    assert "true" in await told(agent, "javascript_tool", text="over")


@pytest.mark.parametrize(
    "moves",
    [
        "<style>@keyframes a { 50% { height: 60px; opacity: 0 } } #s { animation: a .5s infinite }</style>",
        "<style>button { transition: all .6s; height: 20px } button:hover { height: 40px }</style>",
    ],
    ids=["for ever", "the button itself"],
)
async def test_what_moves_for_ever_or_is_pressed_holds_no_answer_up(agent: Agent, site: Site, moves: str) -> None:
    html = f"""{moves}<button onclick="s.textContent = 'Working'; at = performance.now()">Open</button><p id=s></p>"""
    outline = await visit(agent, site, html)
    await click(agent, outline, "Open")
    assert "true" in await told(agent, "javascript_tool", text="performance.now() - at < 550")


async def test_new_words_in_an_open_dialog_are_told_and_remarks_for_nobody_are_not(agent: Agent, site: Site) -> None:
    html = """<dialog id=d><h2>Sign up</h2><p id=p></p><button onclick="next()">Next</button></dialog>
      <script>d.showModal()
      function next() { p.textContent = 'Too short'; d.before(document.createComment('for nobody')) }</script>"""
    outline = await visit(agent, site, html)
    answer = await click(agent, outline, "Next")
    assert "New on the page: “Too short”." in answer
    assert "nobody" not in answer


async def test_words_in_what_is_transparent_are_not_told(agent: Agent, site: Site) -> None:
    html = (
        """<div style="opacity: 0">Ghostly words <label><input type=checkbox> Ghost</label></div><p>Plain words</p>"""
    )
    await visit(agent, site, html)
    outline = await told(agent, "read_page", filter="all")
    assert "Plain words" in outline
    assert "Ghostly" not in outline


async def test_a_part_of_a_picture_is_clicked_where_it_is_drawn(agent: Agent, site: Site) -> None:
    html = """<img usemap=#m width=100 height=50 style="padding: 10px"
        src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='100' height='50'></svg>">
      <map name=m><area shape=rect coords="0,0,50,50" alt=Left href=#left>
        <area shape=circle coords="75,25,20" alt=Right href=#right></map>"""
    outline = await visit(agent, site, html)
    assert "#right" in await click(agent, outline, "Right")
    assert "#left" in await click(agent, outline, "Left")


async def test_a_page_in_an_object_is_told_in_its_place(agent: Agent, site: Site) -> None:
    site.pages["/layers/inner"] = "<!doctype html><button onclick=\"this.textContent = 'hit'\">Within</button>"
    outline = await visit(agent, site, '<object data="/layers/inner" type="text/html" width=300 height=80></object>')
    assert "hit" in await click(agent, outline, "Within")


async def test_what_a_canvas_draws_is_not_said_to_be_nothing(agent: Agent, site: Site) -> None:
    html = """<canvas id=c width=100 height=100 onclick="c.getContext('2d').fillRect(0, 0, 9, 9)"></canvas>"""
    outline = await visit(agent, site, html)
    found = re.search(r"canvas.* (e\d+)", outline)
    assert found is not None, outline
    answer = await told(agent, "computer", action="left_click", ref=found[1])
    assert "unless in the canvas: a screenshot shows that" in answer


async def test_what_a_button_draws_in_a_canvas_is_not_said_to_be_nothing(agent: Agent, site: Site) -> None:
    html = """<canvas id=c width=100 height=100></canvas>
      <button onclick="c.getContext('2d').fillRect(0, 0, 9, 9)">Draw</button>"""
    assert "unless in the canvas" in await click(agent, await visit(agent, site, html), "Draw")
    below = html.replace("<canvas", "<canvas style='position: absolute; top: 5000px'")
    assert "Nothing visible changed" in await click(agent, await visit(agent, site, below), "Draw")


SHADE = "position:absolute;background:#0004;left:0;right:0;z-index:2000"
POPUP = """<div style="position:absolute;left:200px;top:200px;z-index:2003;background:#fff;padding:20px"><h2>
    Welcome</h2><p>How are you?</p><button>Start</button></div>"""
BEHIND = "<div style='height:50px'><button>Deploy</button></div><a href=#x>Docs</a><input aria-label=Search>"


@pytest.mark.parametrize(
    "over",
    [
        f"<div style='{SHADE};top:0;bottom:0'></div>{POPUP}",
        f"<div style='{SHADE};top:0;height:60px'></div><div style='{SHADE};top:60px;bottom:0'></div>{POPUP}",
        f"<div style='{SHADE};position:fixed;inset:0'>{POPUP}</div>",
        f"<div style='{SHADE};position:fixed;inset:0'><div style='height:100%;overflow:auto'>{POPUP}</div></div>",
        f"<div style='position:fixed;inset:0'><i style='{SHADE};inset:0;background:red;opacity:.3'></i>{POPUP}</div>",
    ],
)
async def test_a_shade_over_the_page_leaves_out_what_is_behind_it(agent: Agent, site: Site, over: str) -> None:
    site.pages["/shade"] = f"<!doctype html><title>Shade</title><body style='margin:0'>{BEHIND}{over}"
    await told(agent, "navigate", url=f"{site.url}/shade")
    for kind in ("interactive", "all"):
        text = await told(agent, "read_page", filter=kind)
        assert 'h2 "Welcome"' in text
        assert 'button "Start"' in text
        assert "3 elements behind it cannot be used" in text
        assert not any(word in text for word in ("Deploy", "Docs", "Search"))
    assert "How are you?" in text


@pytest.mark.parametrize(
    "over",
    [
        # while something loads
        f"<div style='{SHADE};top:0;bottom:0'></div>",
        # of a picture at the head of a page, with what stands over it
        f"<div style='{SHADE};top:0;bottom:0'></div>{POPUP}<p style='height:3000px'>Long</p>",
        # beside a drawer
        f"<div style='{SHADE};top:0;bottom:0;left:60%'></div>{POPUP}",
        # nothing shines through
        f"<div style='{SHADE};top:0;bottom:0;background:none'></div>{POPUP}",
    ],
)
async def test_what_is_no_shade_over_all_of_the_page_hides_nothing(agent: Agent, site: Site, over: str) -> None:
    site.pages["/no_shade"] = f"<!doctype html><title>None</title><body style='margin:0'>{BEHIND}{over}"
    await told(agent, "navigate", url=f"{site.url}/no_shade")
    text = await told(agent, "read_page")
    assert all(word in text for word in ("Deploy", "Docs", "Search"))
    assert "behind" not in text
