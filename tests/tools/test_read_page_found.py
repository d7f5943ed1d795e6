"""read_page: controls that are hard to find have refs too, by which they can be clicked and filled in."""

import re

import pytest

from tests.clients import Agent
from tests.conftest import Site
from tests.tools.outlines import outline, refs, visit, without_refs
from tests.tools.told import told

pytestmark = pytest.mark.browser


async def ref_of(agent: Agent, name: str) -> str:
    text = "\n".join(await outline(agent))
    found = re.search(rf'"{re.escape(name)}" (e\d+)', text)
    assert found is not None, text
    return found[1]


async def test_parts_of_a_drawing_in_something_that_takes_the_focus_have_refs(agent: Agent, site: Site) -> None:
    await visit(
        agent,
        site,
        """<style>.hand{cursor:pointer}</style><div tabindex=0 style="cursor:grab"><svg
        width=400 height=200><g id=one class=hand><rect x=20 y=20 width=100 height=40 fill=#acf /><text x=30 y=45>Node
        one</text></g><g><rect id=two x=200 y=20 width=100 height=40 fill=#fca /><text x=210 y=95>Node two</text></g>
        <path class="region hand" d="M20 100h90v40h-90z"/></svg></div>
        <div tabindex=0 aria-label=Tool><svg width=24 height=24><rect class=hand width=20 height=20 /></svg></div>
        <button aria-label=Big><svg width=99 height=99><rect class=icon width=20 height=20 /></svg></button>
        <script>two.addEventListener('click', () => document.title = 'Two');
        document.querySelector('.icon').addEventListener('click', () => {})</script>""",
    )
    lines = without_refs(await outline(agent))
    assert lines == [
        "clickable draggable",
        'clickables "Node one", "Node two", "region hand #000000"',
        'clickable "Tool"',
        'button "Big"',
    ]
    assert "Two" in await told(agent, "computer", action="left_click", ref=await ref_of(agent, "Node two"))


HIDDEN = "position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0);border:0;padding:0;margin:-1px"


async def test_a_switch_that_only_its_label_draws_has_a_name_and_a_state(agent: Agent, site: Site) -> None:
    await visit(
        agent,
        site,
        f"""<button id=it role=switch aria-checked=false aria-labelledby=label style="{HIDDEN}"></button>
        <label id=label for=it><span>Notify me</span><div style="cursor:pointer"><div style="width:40px;height:20px">
        </div><span aria-hidden=true>Off</span></div></label><button style="{HIDDEN}">Nowhere</button>
        <script>it.onclick = () => it.setAttribute('aria-checked', it.getAttribute('aria-checked') !== 'true')</script>
        """,
    )
    assert without_refs(await outline(agent)) == ['switch "Notify me"']
    ref = await ref_of(agent, "Notify me")
    await told(agent, "computer", action="left_click", ref=ref)
    assert "checked" in "".join(await outline(agent))
    assert "is now off" in await told(agent, "form_input", ref=ref, value=False)
    assert "checked" not in "".join(await outline(agent))


async def test_both_thumbs_of_a_slider_have_refs(agent: Agent, site: Site) -> None:
    thumb = "position:absolute;opacity:0;width:77px;height:44px;margin:0;top:0"
    await visit(
        agent,
        site,
        f"""<div id=rail style="position:relative;width:300px;height:44px;cursor:pointer"><input type=range value=20
        aria-label=Low style="{thumb};left:20px"><input type=range value=80 aria-label=High style="{thumb};left:190px">
        <div class=track></div><div class=thumb></div><div class=thumb></div></div>""",
    )
    assert without_refs(await outline(agent)) == ['slider "Low" = "20"', 'slider "High" = "80"']
    assert "is now 70" in await told(agent, "form_input", ref=await ref_of(agent, "High"), value=70)
    assert "Clicked" in await told(agent, "computer", action="left_click", ref=await ref_of(agent, "Low"))
    assert without_refs(await outline(agent)) == ['slider "Low" = "50" focused', 'slider "High" = "70"']


async def test_parts_of_a_control_that_listens_are_no_controls(agent: Agent, site: Site) -> None:
    parts = "<span class=ring>&nbsp;</span><span>Menu</span><span class=tap>&nbsp;</span><span>&nbsp;</span>"
    await visit(
        agent,
        site,
        f"""<button class=it>{parts}</button><div role=tab tabindex=0 class=it>{parts}</div>
        <a href=# class=it>{parts}</a><div class=it><span>Red</span><span>Tan</span><span>Sky</span></div><script>
        for (const it of document.querySelectorAll('.it'))
          for (const type of ['click', 'mousedown']) it.addEventListener(type, () => {{}});</script>""",
    )
    assert without_refs(await outline(agent)) == [
        'button "Menu"',
        'tab "Menu"',
        'link "Menu"',
        'clickables "Red", "Tan", "Sky"',
    ]


async def test_what_has_a_menu_of_its_own_has_a_ref(agent: Agent, site: Site) -> None:
    await visit(
        agent,
        site,
        """<div oncontextmenu="event.preventDefault(); document.title = 'Menu'">Own menu</div>
        <div oncontextmenu="return false">No menu</div><div oncontextmenu="event.preventDefault(); return false;">None
        </div><p>Words""",
    )
    lines = await outline(agent)
    assert without_refs(lines) == ['clickable "Own menu"']
    assert "Menu" in await told(agent, "computer", action="right_click", ref=refs(lines)[0])


async def test_an_icon_is_named_by_its_set_or_an_id_before_a_shared_class(agent: Agent, site: Site) -> None:
    await visit(
        agent,
        site,
        """<button class=footer-tool id=view-zoom-in><i class="fa-solid fa-plus"></i></button>
        <button class=footer-tool><i class="fa fa-arrow-left"></i></button>
        <button class=footer-tool id=app-ui-view-zoom-in><b>+</b></button>
        <button class=footer-tool id=app-ui-view-zoom-up></button><button class=footer-tool id=lib-7></button>
        <button class=only-one id=some-thing></button><div style="cursor:pointer;height:9px" class=splitter><a
        href=# hidden><i
        class="fa fa-minus"></i></a></div>""",
    )
    assert re.sub(r" #\w+", "", "".join(without_refs(await outline(agent)))) == (
        'buttons "plus", "arrow left", "+ view zoom in", "view zoom up", "footer tool", "only one"clickable "splitter"'
    )


async def test_a_button_is_named_by_its_icon_not_by_the_library_that_draws_it(agent: Agent, site: Site) -> None:
    icon = '<svg class="MuiSvgIcon-root css-q7mezt" width=9 height=9 {0}><path d="M0 0L9 9"/></svg>'
    button = '<button class="MuiButtonBase-root MuiIconButton-root MuiIconButton-sizeMedium css-n67hdv">{0}</button>'
    icons = (icon.format('data-testid="LightModeIcon"'), icon.format(""))
    await visit(agent, site, "".join(map(button.format, icons)))
    assert re.fullmatch(r'buttons "light mode" e\d+, e\d+', "".join(await outline(agent)))


async def test_a_button_is_named_by_its_label_and_what_stands_in_it(agent: Agent, site: Site) -> None:
    await visit(
        agent,
        site,
        """<label for=trip>Trip date</label><button id=trip>pick day</button><label for=stay>Stay</label><button id=stay
        class=lib-input-date></button><label>Photo <button>Choose</button></label><label for=said>Seen</label><button
        id=said aria-label=Said>x</button>""",
    )
    assert without_refs(await outline(agent)) == ['buttons "Trip date pick day", "Stay", "Choose", "Said"']


async def test_an_item_that_can_be_dragged_is_told_beside_its_link(agent: Agent, site: Site) -> None:
    await visit(agent, site, "<ul><li draggable=true><a href=#>One</a><li><a href=#>Two</a></ul>")
    assert without_refs(await outline(agent))[-3:] == ['listitem "One" draggable', 'link "One"', 'link "Two"']


async def test_a_button_is_dragged_with_what_holds_nothing_else(agent: Agent, site: Site) -> None:
    held = """<style>div { width: 9em; border: 1px solid }</style><div draggable=true id=card><span>
      <button>Quote</button></span></div><div draggable=true><button>List</button> of 3</div>
      <div id=to ondragover="event.preventDefault()"
      ondrop="this.title = event.dataTransfer.getData('text')">Here</div><script>card.ondragstart = (event) =>
      event.dataTransfer.setData('text', event.target.id)</script>"""
    await visit(agent, site, held)
    assert without_refs(await outline(agent)) == [
        'button "Quote" draggable',
        'clickable "List of 3" draggable',
        'button "List"',
        'clickable "Here" droppable',
    ]
    start, end = await ref_of(agent, "Quote"), await ref_of(agent, "Here")
    await told(agent, "computer", action="left_click_drag", start_ref=start, ref=end)
    assert "card" in await told(agent, "javascript_tool", action="javascript_exec", text="to.title")


async def test_blocks_of_an_editor_say_what_stands_in_them(agent: Agent, site: Site) -> None:
    block = "<p contenteditable role=document aria-label='Block: Paragraph'>{}</p>"
    await visit(
        agent,
        site,
        block.format("One") + block.format("Two") + "<h2 role=heading contenteditable aria-label=Title>Three</h2>",
    )
    assert without_refs(await outline(agent)) == [
        'textbox "Block: Paragraph" = "One"',
        'textbox "Block: Paragraph" = "Two"',
        'textbox "Title" = "Three"',
    ]


# What can be done with a row lies far to the left until the row is pointed at.
ASIDE = """<style>.do { position: relative; left: -999em } li.on:hover .do, tr:hover .do { position: static }</style>
<table><tr><td><a href=#a>Ann</a><div class=do><button>Delete Ann</button></div><tr><td><a href=#b>Bob</a></table>"""


async def test_what_a_row_puts_aside_is_there_to_be_pointed_at(agent: Agent, site: Site) -> None:
    await visit(agent, site, ASIDE)
    assert without_refs(await outline(agent)) == ['table: links "Ann" hover, "Bob"']
    assert "Delete Ann" in await told(agent, "computer", action="hover", ref=await ref_of(agent, "Ann"))
    assert 'button "Delete Ann"' in " ".join(without_refs(await outline(agent)))


async def test_marks_and_lines_that_nobody_clicks_have_no_refs(agent: Agent, site: Site) -> None:
    await visit(
        agent,
        site,
        """<style>svg { cursor: pointer; pointer-events: none; margin-left: -16px }</style><span><input id=ask
        type=checkbox checked><svg width=16 height=16 class=check-mark><path d="M1 1h9v9z"/></svg></span>
        <label for=ask>Ask</label>
        <ul id=menu><li><a href=#a>One</a><li aria-hidden=true class=menu-line><div></div><li><a href=#b>Two</a></ul>
        <script>menu.addEventListener('click', () => {})</script>""",
    )
    assert without_refs(await outline(agent)) == ['checkbox "Ask" checked', 'links "One", "Two"']


async def test_a_label_that_shows_a_picture_is_called_as_it_says(agent: Agent, site: Site) -> None:
    icon = "<svg width=9 height=9><path d='M0 0h9v9z'/></svg>"
    view = f"<label aria-label='{{0}} view'><input type=radio name=view>{icon}</label>"
    await visit(agent, site, view.format("List") + view.format("Grid"))
    assert without_refs(await outline(agent)) == ['radios "List view", "Grid view"']


async def test_a_control_in_a_control_that_says_the_same_is_told_once(agent: Agent, site: Site) -> None:
    await visit(
        agent,
        site,
        """<style>div { width: 9em } #out { width: fit-content }</style><div role=listbox>
        <div role=option tabindex=0 aria-selected=true><div role=option tabindex=-1>Map</div></div></div>
        <div role=button tabindex=0 id=out><button>Ask</button></div>
        <div role=button tabindex=0 style="height: 9em"><button disabled>Go</button></div>
        <script>out.onclick = () => { document.title = 'asked' }</script>""",
    )
    assert without_refs(await outline(agent)) == [
        'option "Map" selected',
        'button "Ask"',
        'button "Go"',
        'button "Go" disabled',
    ]
    assert "asked" in await told(agent, "computer", action="left_click", ref=await ref_of(agent, "Ask"))
