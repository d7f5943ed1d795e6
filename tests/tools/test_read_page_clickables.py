"""read_page: everything a person could click or type into has a ref, and nothing else has."""

import re

import pytest

from tests.clients import Agent
from tests.conftest import Site
from tests.tools.outlines import outline, refs, visit, without_refs
from tests.tools.told import told

pytestmark = pytest.mark.browser


async def test_whatever_can_be_clicked_has_a_ref_of_its_own(agent: Agent, site: Site) -> None:
    await visit(
        agent,
        site,
        """<style>.hand{cursor:pointer} .box{width:20px;height:20px;display:inline-block}</style>
        <p>Read <span id=word>this</span> or <span onclick="1">that</span>, <span class=hand>these <b>bold</b></span>
        <div id=listened>Listened</div><div id=property>Property</div>
        <div id=delegated><i>one</i><i>two</i><i>three</i></div>
        <div class="box hand" style="background:rgb(255,0,0)"></div><div class="box hand" style="background:#00f"></div>
        <svg width=90 height=30><circle id=circle cx=10 cy=10 r=9 /><rect class=hand x=30 width=20 height=20 /></svg>
        <button><svg width=9 height=9><title>Close</title><path d="M0 0L9 9"/></svg></button>
        <a href="/files/annual-report.pdf"><img src="data:," width=9 height=9></a><canvas width=50 height=50></canvas>
        <div tabindex=0>Focusable</div><div role=menuitem>Item</div><div id=plain>Plain text</div>
        <div tabindex=-1>Not by keys</div><img usemap="#m" src="data:," width=50 height=50>
        <map name=m><area href="/a" alt=Area></map>
        <script>
        word.addEventListener('click', () => {}); listened.addEventListener('pointerdown', () => {});
        property.onclick = () => {}; delegated.addEventListener('click', () => {});
        circle.addEventListener('mousedown', () => {}); document.body.addEventListener('click', () => {});
        document.addEventListener('click', () => {});
        </script>""",
    )
    lines = await outline(agent)
    text = "\n".join(without_refs(lines))
    names = ["this", "that", "these bold", "Listened", "Property", "one", "two", "three"]
    assert "clickables " + ", ".join(f'"{name}"' for name in names) in text
    assert '"box hand #ff0000", "box hand #0000ff"' in text, "a box without words is known by its colour"
    for name in ('button "Close"', 'link "annual report"', "canvas", '"Focusable"', 'menuitem "Item"', 'link "Area"'):
        assert name in text
    assert "Plain" not in text
    assert "Not by keys" not in text
    assert len(refs(lines)) == 8 + 2 + 2 + 2 + 1 + 3


async def test_a_listener_at_the_root_of_an_application_makes_nothing_clickable(agent: Agent, site: Site) -> None:
    rows = "".join(f"<section><p>Text {number}</p><button>Do {number}</button></section>" for number in range(40))
    await visit(
        agent,
        site,
        f"""<div id=root>{rows}</div><div id=react><p>Words</p></div><script>
        root.addEventListener('click', () => {{}});
        for (const type of ['click','dblclick','mousedown','mouseup','pointerdown','pointerup','touchstart','touchend'])
          react.addEventListener(type, () => {{}});</script>""",
    )
    lines = await outline(agent)
    assert len(refs(lines)) == 40
    assert "clickable" not in "\n".join(lines)


async def test_pages_cannot_easily_tell_that_listeners_are_noted(agent: Agent, site: Site) -> None:
    await visit(
        agent,
        site,
        """<button id=it></button><script>
        const listen = EventTarget.prototype.addEventListener;
        const set = Object.getOwnPropertyDescriptor(HTMLElement.prototype, 'onclick').set;
        const frame = document.body.appendChild(document.createElement('iframe'));
        let heard = 0; it.addEventListener('click', () => heard++); it.onclick = () => heard++; it.click();
        const remover = () => heard++; it.addEventListener('click', remover); it.removeEventListener('click', remover);
        it.click();
        it.textContent = JSON.stringify([listen.name, listen.length, /\\[native code\\]/.test(listen),
          'prototype' in listen,
          Object.keys(it).length, set.name, /\\[native code\\]/.test(set), heard]);
        try { listen.call({}, 'click', () => {}); } catch (error) { it.title = error.constructor === TypeError; }
        </script>""",
    )
    [line, *_] = await outline(agent)
    assert "['addEventListener',2,true,false,0,'set onclick',true,4]" in line


async def test_what_cannot_be_seen_or_used_is_left_out(agent: Agent, site: Site) -> None:
    await visit(
        agent,
        site,
        """<button style="display:none">A</button><button style="visibility:hidden">B</button><button hidden>C</button>
        <button style="opacity:0">D</button><div inert><button>E</button></div>
        <button style="position:absolute;left:-9999px">F</button>
        <div style="height:0;overflow:hidden"><button>G</button></div>
        <button style="position:absolute;width:1px;height:1px;overflow:hidden;padding:0;border:0">H</button>
        <div aria-hidden=true><button>Shown</button></div>
        <label><input type=checkbox style="position:absolute;opacity:0">Fancy</label>
        <label>Drawn<input type=checkbox style="display:none"></label><input type=hidden value=x>
        <a href=# style="display:contents"><div>Without a box</div></a>""",
    )
    lines = without_refs(await outline(agent))
    assert lines == ['button "Shown"', 'checkboxes "Fancy", "Drawn"', 'link "Without a box"']


async def test_fields_that_hide_members_of_their_form_hide_nothing_else(agent: Agent, site: Site) -> None:
    await visit(
        agent,
        site,
        """<form aria-label=Odd><input name=children aria-label=One><input name=localName aria-label=Two>
        <input name=firstElementChild aria-label=Three><input name=getAttribute aria-label=Four>
        <input name=nextElementSibling aria-label=Five></form><button>After</button>""",
    )
    assert len(refs(await outline(agent))) == 6


def files(count: int, reached: int = 0) -> str:
    """A list for the keyboard: one item is reached by Tab, the others by arrow keys; all clicks are heard above it."""
    rows = "".join(
        f"<li class=item><span><span class=text {'tabindex=0 role=button' if n == reached else 'tabindex=-1'}>"
        f"file{n}.txt</span></span><span>2m ago</span></li>"
        for n in range(count)
    )
    return f"""<div id=listing><div class=header><div class="x-headerItem"><span class="x-headerItemText">Name
        </span></div><div class="x-headerItem"><span>Modified</span></div></div><ul>{rows}</ul></div>
        <script>listing.addEventListener('mousedown', () => {{}})</script>"""


@pytest.mark.parametrize(("count", "reached"), [(2, 0), (32, 0), (32, 20)])
async def test_items_that_arrow_keys_reach_have_refs_too(agent: Agent, site: Site, count: int, reached: int) -> None:
    await visit(agent, site, files(count, reached))
    lines = await outline(agent)
    text = "\n".join(without_refs(lines))
    assert all(f'"file{number}.txt"' in text for number in range(count))
    assert '"Name", "Modified"' in text
    assert len(refs(lines)) == count + 2


async def test_what_only_wraps_a_control_is_not_told_beside_it(agent: Agent, site: Site) -> None:
    await visit(
        agent,
        site,
        """<style>.hand{cursor:pointer}</style><div role=toolbar aria-label=Tools><x-button tabindex=0
        aria-label=Save></x-button><x-button tabindex=0 aria-label=Cut></x-button></div>
        <span class="hand mui-base-root"><input type=checkbox aria-label=News></span>
        <div class=hand>Size <input aria-label=Size></div><div class=hand><b>Card</b> <a href="/more">More</a></div>
        <div class=hand id=slider><div class=hand tabindex=0>o</div></div>
        <script>customElements.define('x-button', class extends HTMLElement { connectedCallback() {
          const label = this.getAttribute('aria-label');
          this.attachShadow({ mode: 'open' }).innerHTML = `<button aria-label="${label}">x</button>`; } });</script>""",
    )
    assert without_refs(await outline(agent)) == [
        'toolbar "Tools": buttons "Save", "Cut"',
        'checkbox "News"',
        'textbox "Size"',
        'clickable "Card More"',
        'link "More"',
        'clickable "o"',
        'clickable "o"',
    ]


async def test_what_hears_for_the_buttons_in_it_is_not_told_beside_them(agent: Agent, site: Site) -> None:
    await visit(
        agent,
        site,
        """<style>.item > * > * { display: inline-block; width: 20px; height: 9px }</style>
        <div class=bar><span class=item><a role=button tabindex=0 title=Undo><i></i></a></span>
        <span class=item><a role=button tabindex=0 title=Redo><i></i></a></span></div>
        <div class=bar><span class=item><a role=button tabindex=0><i class=mark></i><i class=sign></i><i>Save</i></a>
        </span></div>
        <div class=bar>Zoom <button>In</button> <button>Out</button></div>
        <script>for (const each of document.querySelectorAll('.bar'))
          each.addEventListener('mousedown', () => {})</script>""",
    )
    assert without_refs(await outline(agent)) == [
        'buttons "Undo", "Redo", "Save"',
        'clickable "Zoom In Out"',
        'buttons "In", "Out"',
    ]


async def test_what_is_dragged_as_a_whole_is_one_thing(agent: Agent, site: Site) -> None:
    node = """<div class="node {mark}"><div class=label>{name}</div><div class=icon></div><div class=port></div>
        <div class=port></div></div>"""
    await visit(
        agent,
        site,
        f"""<style>.node > div {{ width: 20px; height: 10px; background: red }}</style>
        {node.format(mark="ui-draggable-handle", name="Inject")}{node.format(mark="", name="Step")}
        <script>for (const each of document.querySelectorAll('.node'))
          each.addEventListener('click', () => {{}})</script>""",
    )
    assert without_refs(await outline(agent)) == [
        'clickables "Inject" draggable, "Step", "#ff0000", "port #ff0000", "port #ff0000"'
    ]


async def test_what_a_field_is_drawn_with_is_no_list(agent: Agent, site: Site) -> None:
    await visit(
        agent,
        site,
        """<style>.lay{height:1em}</style><div class=field role=combobox aria-expanded=false id=field><div class=lay>
        </div><div class=inner><label for=fruit>Fruit</label><input id=fruit role=combobox></div><div class=up>v</div>
        <div class=line style="height:1em"></div></div><div role=alert></div><div role=status> </div>
        <div class=control id=control style="height:2em"><input type=checkbox aria-label=Accept></div>
        <button id=send>Send</button>
        <div id=colours><div class=red>Red</div><div class=tan>Tan</div><div>Sky</div></div>
        <script>for (const each of [field, colours]) each.addEventListener('click', () => {});
        // as buttons do whose press spreads in a ring
        for (const each of [control, send])
          for (const type of ['mousedown', 'dragstart']) each.addEventListener(type, () => {});</script>""",
    )
    assert without_refs(await outline(agent)) == [
        "combobox collapsed",
        'combobox "Fruit"',
        'checkbox "Accept"',
        'button "Send"',
        'clickables "Red", "Tan", "Sky"',
    ]


async def test_a_row_that_is_pressed_is_one_and_so_is_the_text_of_an_editor(agent: Agent, site: Site) -> None:
    row = "<tr><td>Ann</td><td>20</td><td>Oslo</td><td>Norway</td></tr>"
    await visit(
        agent,
        site,
        f"""<table>{row * 3}</table><div contenteditable role=textbox aria-label=Code id=code><div>one</div>
        <div>range<span>(</span><span>3</span><span>)</span></div><div>two</div><div>three</div></div>
        <script>for (const row of document.querySelectorAll('tr')) row.onclick = () => {{}};
        code.addEventListener('mousedown', () => {{}})</script>""",
    )
    lines = await outline(agent)
    assert len(refs(lines)) - ("table e" in "\n".join(lines)) == 4
    assert 'textbox "Code" = "one range(3) two three"' in without_refs(lines)


async def test_a_page_of_any_number_of_controls_has_a_ref_for_each(agent: Agent, site: Site) -> None:
    rows = "".join(f"<tr><td><button onclick='document.title = {n}'>B{n}</button>" for n in range(16_000))
    await visit(agent, site, f"<table>{rows}</table>")
    text = await told(agent, "read_page")
    head = re.search(r"([\d,]+) clickable elements\n", text)
    rest = re.search(r"([\d,]+) more clickable elements have no ref", text)
    assert head is not None
    given, without = (int(each[1].replace(",", "")) if each else 0 for each in (head, rest))
    # on a machine that takes too long some of those beyond the 15,000th are only counted
    assert (given + without, given >= 15_000) == (16_000, True)
    assert len(text) < 30_500
    last = refs(await outline(agent))[-1]
    [line] = await outline(agent, ref=last)
    named = re.fullmatch(rf'button "B(\d+)" {last}', line)
    assert named is not None, line
    assert named[1] in await told(agent, "computer", action="left_click", ref=last)


async def test_an_icon_is_named_by_what_it_is_not_by_how_it_looks(agent: Agent, site: Site) -> None:
    icon = '<svg class="lucide lucide-folder-tree h-5 w-5" width=20 height=20><path d="M0 0L9 9"/></svg>'
    looks = "active:cursor-grabbing data-dragging:opacity-60 flex items-center p-2 text-sm shadow-inset font-mono"
    looks += " text-shadow-button box-border"
    await visit(
        agent,
        site,
        f"""<button class="{looks} hover:bg-(--sage-3)">{icon}</button>
        <button class="{looks} text-gray-500 select-all"><svg width=9 height=9><path d="M0 0L9 9"/></svg></button>""",
    )
    assert 'buttons "folder tree", "select all"' in "\n".join(without_refs(await outline(agent)))


async def test_icons_that_hear_clicks_themselves_are_the_buttons_they_fill(agent: Agent, site: Site) -> None:
    icon = "<span class=hears><i data-icon={0} style='display: inline-block; width: 20px; height: 20px'></i></span>"
    buttons = "".join(f"<button class='icon normal'>{icon.format(name)}</button>" for name in ("add", "trash"))
    await visit(
        agent,
        site,
        f"""{buttons}<a href=/all style="display: inline-block; width: 200px">{icon.format("list")}All items</a>
        <a href=/people/8de14fe7-10c2-4f07-8f9e-53664fede371>{icon.format("person")}</a><script>
        for (const each of document.querySelectorAll('.hears')) each.addEventListener('click', () => {{}})</script>""",
    )
    lines = await outline(agent)
    text = "\n".join(without_refs(lines))
    assert 'buttons "add", "trash"' in text
    assert 'link "person"' in text
    assert 'clickable "list"' in text, "beside the words of a link it may do something else"
    assert len(refs(lines)) == 5


async def test_a_tab_in_a_tab_is_one_and_what_closes_it_stands_in_it(agent: Agent, site: Site) -> None:
    tab = "<div class=t role=tab tabindex=0><div role=tab>SQL <button>×</button></div></div>"
    await visit(
        agent, site, f"<div class=w>{tab}</div><script>document.querySelector('.w').onclick = () => {{}}</script>"
    )
    lines = await outline(agent)
    assert len(refs(lines)) == 2, lines
    assert [line.strip() for line in without_refs(lines)][-2:] == ['tab "SQL ×"', 'button "×"']


async def test_a_label_that_only_looks_pressed_is_told_as_the_name_of_its_field(agent: Agent, site: Site) -> None:
    style = "<style>label { cursor: pointer }</style>"
    await visit(agent, site, f"{style}<div><label>User</label><div><input></div></div><label>Pick</label>")
    text = "\n".join(without_refs(await outline(agent)))
    assert 'textbox "User"' in text
    assert 'label "User"' not in text
    assert 'label "Pick"' in text
