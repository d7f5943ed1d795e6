"""Widgets of popular libraries, used as a person would: found by their words, then dragged, pointed at or set."""

import itertools
import re
from pathlib import Path

import pytest

from tests.clients import Agent
from tests.conftest import Site
from tests.page_tools.pages import PACKAGES
from tests.tools.pages import seen
from tests.tools.told import told

pytestmark = pytest.mark.browser

_paths = itertools.count()

HOVER_MENU = """<style>ul ul { display: none } li:hover > ul { display: block }</style>
  <ul><li>File<ul><li>Open<li>Share<ul><li><a href=#mail>By mail</a></ul></ul><li>Edit<ul><li>Undo</ul></ul>"""


def script(*path: str) -> str:
    return f"<script>{(PACKAGES / Path(*path)).read_text()}</script>"


def style(*path: str) -> str:
    return f"<style>{(PACKAGES / Path(*path)).read_text()}</style>"


def jquery_ui() -> str:
    made = script("jquery", "dist", "jquery.min.js") + script("jquery-ui", "dist", "jquery-ui.min.js")
    return made + style("jquery-ui", "dist", "themes", "base", "jquery-ui.min.css")


async def visit(agent: Agent, site: Site, html: str) -> None:
    path = f"/widgets/{next(_paths)}"
    site.pages[path] = f"<!doctype html><title>A page</title>{html}"
    await told(agent, "navigate", url=site.url + path)


async def find(agent: Agent, words: str) -> str:
    """The ref of what fits these words best."""
    found = re.search(r"^\[found .*\n(e\d+) ", await told(agent, "find", query=words))
    assert found is not None, words
    return found[1]


async def drag(agent: Agent, start: str, end: str) -> str:
    refs = {"start_ref": await find(agent, start), "ref": await find(agent, end)}
    return await told(agent, "computer", action="left_click_drag", **refs)


async def click(agent: Agent, words: str, action: str = "left_click") -> str:
    return await told(agent, "computer", action=action, ref=await find(agent, words))


async def test_a_jquery_ui_list_is_sorted_by_dragging(agent: Agent, site: Site) -> None:
    html = "<ul id=l><li>Alpha<li>Beta<li>Gamma</ul><script>$('#l').sortable({tolerance: 'pointer'})</script>"
    await visit(agent, site, jquery_ui() + html)
    await drag(agent, "Alpha", "Gamma")
    assert "Beta,Gamma,Alpha" in await seen(agent, "$('#l > li').get().map((each) => each.textContent).join()")


async def test_an_item_is_dragged_to_an_empty_list(agent: Agent, site: Site) -> None:
    html = """<style>ul { min-height: 60px; border: 1px solid }</style><h2>To do</h2><ul id=todo><li>Write<li>Read</ul>
      <h2>Done</h2><ul id=done aria-label=Done></ul><script>$('ul').sortable({connectWith: 'ul'})</script>"""
    await visit(agent, site, jquery_ui() + html)
    await drag(agent, "Read", "Done list")
    assert "Read" in await seen(agent, "$('#done').text()")


async def test_a_jquery_ui_thing_is_dropped_where_it_belongs(agent: Agent, site: Site) -> None:
    html = """<style>div { width: 200px; padding: 20px; border: 1px solid }</style>
      <div id=d>Parcel</div><div id=t>Van</div>
      <script>$('#d').draggable(); $('#t').droppable({ drop: () => $('#t').text('Van with a parcel') })</script>"""
    await visit(agent, site, jquery_ui() + html)
    assert "Van with a parcel" in await drag(agent, "Parcel", "Van drop target")


@pytest.mark.parametrize("options", ["{}", "{ forceFallback: true }", "{ animation: 150 }"])
async def test_a_sortablejs_list_is_sorted_by_dragging(agent: Agent, site: Site, options: str) -> None:
    html = f"<ul id=l><li>Alpha<li>Beta<li>Gamma<li>Delta</ul><script>new Sortable(l, {options})</script>"
    await visit(agent, site, script("sortablejs", "Sortable.min.js") + html)
    order = "[...l.children].map((each) => each.textContent).join()"
    await drag(agent, "Alpha", "Gamma")
    assert await seen(agent, order) == "Beta,Gamma,Alpha,Delta"
    await drag(agent, "Delta", "Beta")
    assert await seen(agent, order) == "Delta,Beta,Gamma,Alpha"


async def test_native_drag_and_drop_goes_by_refs(agent: Agent, site: Site) -> None:
    html = """<p draggable=true ondragstart="event.dataTransfer.setData('text/plain', 'letter')">Letter</p>
      <div style="height: 80px; border: 1px solid" ondragover="event.preventDefault()"
        ondrop="this.textContent = 'Got the ' + event.dataTransfer.getData('text/plain')">Bin</div>"""
    await visit(agent, site, html)
    assert "Got the letter" in await drag(agent, "Letter", "Bin")


async def test_nested_menus_open_one_after_the_other_by_pointing(agent: Agent, site: Site) -> None:
    await visit(agent, site, HOVER_MENU)
    assert 'listitems "File" e' in await told(agent, "read_page")
    assert "Share" in await click(agent, "File menu", "hover")
    assert "By mail" in await click(agent, "Share", "hover")
    assert "#mail" in await click(agent, "by mail")


async def test_a_jquery_ui_menu_is_gone_through(agent: Agent, site: Site) -> None:
    html = """<ul id=m style="width: 150px"><li><div>File</div><ul><li><div>Save</div><li><div>Print</div></ul>
      <li><div>Edit</div></ul><p id=o></p><script>
      $('#m').menu({ select: (_, ui) => $('#o').text('Did ' + ui.item.text()) })
      </script>"""
    await visit(agent, site, jquery_ui() + html)
    await click(agent, "File", "hover")
    await told(agent, "wait_for", text="Print")
    assert "Did Print" in await click(agent, "Print")


async def test_a_jquery_ui_slider_is_moved_by_keys(agent: Agent, site: Site) -> None:
    html = """<h3>Volume</h3><div id=s style="width: 300px; margin: 20px"></div><output id=o></output><script>
      $('#s').slider({ value: 20, change: (_, ui) => $('#o').text('Volume ' + ui.value) })</script>"""
    await visit(agent, site, jquery_ui() + html)
    await click(agent, "volume slider")
    assert "Volume 32" in await told(agent, "computer", action="key", text="ArrowRight*12")


async def test_a_nouislider_handle_is_moved_by_keys(agent: Agent, site: Site) -> None:
    made = script("nouislider", "dist", "nouislider.min.js") + style("nouislider", "dist", "nouislider.min.css")
    html = """<div id=s style="width: 300px; margin: 40px"></div><script>
      const handleAttributes = [{ 'aria-label': 'Price' }];
      noUiSlider.create(s, { start: 20, step: 5, range: { min: 0, max: 100 }, handleAttributes })
      </script>"""
    await visit(agent, site, made + html)
    await click(agent, "price slider")
    await told(agent, "computer", action="key", text="ArrowRight*3")
    assert 'slider "Price"' in (text := await told(agent, "read_page"))
    assert '= "35.00"' in text


async def test_a_day_is_chosen_in_a_jquery_ui_calendar(agent: Agent, site: Site) -> None:
    html = """<label>Day <input id=d></label><div id=i></div><script>
      $('#d').datepicker(); $('#i').datepicker({ defaultDate: new Date(2024, 2, 5), altField: '#d' })</script>"""
    await visit(agent, site, jquery_ui() + html)
    await click(agent, "17 in the calendar")
    assert "03/17/2024" in await seen(agent, "$('#d').val()")
    field = await find(agent, "day field")
    assert "05/06/2024" in await told(agent, "form_input", ref=field, value="05/06/2024")


async def test_a_day_is_chosen_in_flatpickr(agent: Agent, site: Site) -> None:
    made = script("flatpickr", "dist", "flatpickr.min.js") + style("flatpickr", "dist", "flatpickr.min.css")
    html = "<label>Day <input id=d></label><script>flatpickr(d, { inline: true, defaultDate: '2024-03-05' })</script>"
    await visit(agent, site, made + html)
    await click(agent, "next month")
    await click(agent, "April 17")
    assert "2024-04-17" in await seen(agent, "d.value")


async def test_a_suggestion_is_taken(agent: Agent, site: Site) -> None:
    html = """<label>Tag <input id=a></label><script>$('#a').autocomplete({ source: ['Java', 'JavaScript', 'Python'] })
      </script>"""
    await visit(agent, site, jquery_ui() + html)
    await click(agent, "tag field")
    await told(agent, "computer", action="type", text="jav")
    await told(agent, "wait_for", text="JavaScript")
    await click(agent, "JavaScript suggestion")
    assert "JavaScript" in await seen(agent, "a.value")


async def test_a_drawing_takes_clicks_by_its_ref(agent: Agent, site: Site) -> None:
    html = """<canvas id=c width=300 height=150 aria-label=Board></canvas><p id=o></p><script>
      c.onclick = ({ offsetX, offsetY }) => {
        c.getContext('2d').fillRect(offsetX - 5, offsetY - 5, 10, 10); o.textContent = `Dot at ${offsetX}, ${offsetY}` }
      </script>"""
    await visit(agent, site, html)
    assert "Dot at 150, 75" in await click(agent, "the board")


async def test_what_only_listens_can_be_dropped_on_and_pointed_at(agent: Agent, site: Site) -> None:
    html = """<p draggable=true>Letter</p><div id=bin style="height: 80px; border: 1px solid">Bin</div>
      <div id=tools>Tools</div><div id=menu hidden><a href=#zoom>Zoom</a></div><script>
      bin.addEventListener('dragover', (event) => event.preventDefault());
      bin.addEventListener('drop', () => { bin.textContent = 'Got it' });
      tools.addEventListener('mouseenter', () => { menu.hidden = false })</script>"""
    await visit(agent, site, html)
    text = await told(agent, "read_page")
    assert re.search(r'"Bin" e\d+ droppable, "Tools" e\d+ hover', text), text
    assert "Got it" in await drag(agent, "Letter", "Bin")
    assert "Zoom" in await click(agent, "Tools menu", "hover")


async def test_items_that_hold_buttons_are_dragged_as_a_whole(agent: Agent, site: Site) -> None:
    html = """<div id=l><div>Alpha <button>x</button></div><div>Beta <button>x</button></div></div>
      <script>new Sortable(l)</script>"""
    await visit(agent, site, script("sortablejs", "Sortable.min.js") + html)
    assert re.search(r'clickable "Alpha x" e\d+ draggable', await told(agent, "read_page"))
