"""Controls made of custom elements: shadow roots, slots in slots, labels of hosts, and what is drawn over fields."""

import re

import pytest

from tests.clients import Agent
from tests.conftest import Site
from tests.tools import pages
from tests.tools.pages import ref, seen
from tests.tools.told import told

pytestmark = pytest.mark.browser

DEFINE = """<script>
  const define = (name, html, more = {}) => customElements.define(name, class extends HTMLElement {
    constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = html; more.made?.(this) }
    static formAssociated = true
  })
</script>"""


async def visit(agent: Agent, site: Site, html: str) -> str:
    return await pages.visit(agent, site, DEFINE + html)


async def test_a_field_that_is_transparent_under_its_label_is_told_and_filled_in(agent: Agent, site: Site) -> None:
    html = """<style>.f { position: relative; width: 200px; height: 50px }
      .f label { position: absolute; left: 8px; top: 15px; pointer-events: none }
      .f input { opacity: 0; width: 100%; height: 100% } .f:focus-within input { opacity: 1 }</style>
      <div class=f><label for=n>Name</label><input id=n></div>
      <my-field id=m></my-field>
      <form><p>Mail <input name=mail></p><p><input name=trap aria-label=Trap style="opacity: 0"></p><p>Go on</p></form>
      <script>
      define('my-box', `<div><span style="position: absolute">City</span>
        <div style="opacity: 0"><slot></slot></div></div>`)
      define('my-field', '<my-box><span><input aria-label=City></span></my-box>')
      </script>"""
    outline = await visit(agent, site, html)
    assert "Trap" not in outline
    await told(agent, "computer", action="left_click", ref=ref(outline, 'textbox "Name"'))
    await told(agent, "computer", action="type", text="Ann")
    await told(agent, "form_input", ref=ref(outline, 'textbox "City"'), value="Rome")
    assert "Ann Rome" in await seen(agent, "`${n.value} ${m.shadowRoot.querySelector('input').value}`")


async def test_words_far_down_in_slots_and_pictures_name_what_they_are_in(agent: Agent, site: Site) -> None:
    html = """<my-item><div slot=headline>Save as</div></my-item>
      <my-button><my-icon role=img aria-label=Close></my-icon></my-button>
      <script>
      const blanks = '\\n'.padEnd(60)
      define('my-icon', '<svg width=9 height=9></svg>')
      define('my-line', `${blanks}<slot name=start></slot>${blanks}<div>${blanks}<slot name=headline></slot></div>`)
      define('my-item', `<div role=menuitem tabindex=0 class=list-item>${blanks}<my-line>
        ${blanks}<slot name=headline slot=headline></slot></my-line></div>`)
      define('my-button', '<button class=label><slot></slot></button>')
      </script>"""
    outline = await visit(agent, site, html)
    assert 'menuitem "Save as"' in outline
    assert 'button "Close"' in outline


async def test_a_component_is_told_once_by_the_label_of_its_host_and_with_its_state(agent: Agent, site: Site) -> None:
    html = """<label><my-check></my-check> Subscribe</label>
      <my-tick role=checkbox aria-checked=true aria-label=Agree tabindex=0></my-tick>
      <label>Cat <my-radio tabindex=0></my-radio></label> <label>Dog <my-radio tabindex=0 id=dog></my-radio></label>
      <my-label for=t style="cursor: pointer">Name</my-label> <input id=t aria-label=Name>
      <my-date>Day <input aria-label=Day><button part=toggle-button></button></my-date>
      <script>
      define('my-check', '<input type=checkbox>')
      define('my-tick', '<input type=checkbox aria-label=Agree checked>')
      define('my-radio', '<div style="width: 9px; height: 9px"></div>')
      define('my-label', '<slot></slot>')
      define('my-date', '<slot></slot>', { made: (host) => host.addEventListener('click', () => {}) })
      dog.shadowRoot.firstChild.className = 'checked'
      </script>"""
    outline = await visit(agent, site, html)
    assert re.search(r'checkboxes "Subscribe" e\d+, "Agree" e\d+ checked\n', outline), outline
    assert re.search(r'radios "Cat" e\d+, "Dog" e\d+ checked\n', outline), outline
    assert re.search(
        r'textbox(?:es)? "Name" e\d+(?:, |\ntextbox )"Day" e\d+\n.*button "toggle[^"]*" e\d+\n', outline
    ), outline
    assert "clickable" not in outline.partition("title")[2]


async def test_a_list_that_draws_its_label_tells_only_what_is_chosen(agent: Agent, site: Site) -> None:
    html = """<div role=combobox tabindex=0 aria-expanded=false aria-label=Fruit>
        <span>Fruit</span> <span>Fruit</span> <b>Kiwi</b></div>
      <div role=combobox tabindex=0 aria-expanded=false aria-label=Fruit><b>Fruit salad</b></div>"""
    outline = await visit(agent, site, html)
    assert re.findall(r'"Fruit" e\d+ = ("[^"]*")', outline) == ['"Kiwi"', '"Fruit salad"']


async def test_a_list_that_counts_what_was_chosen_has_taken_it(agent: Agent, site: Site) -> None:
    html = """<input id=c role=combobox readonly aria-label=Cities aria-expanded=false
        aria-haspopup=listbox aria-controls=l>
      <div id=l role=listbox aria-multiselectable=true hidden><div role=option aria-selected=false>Bonn</div>
        <div role=option aria-selected=false>Kiel</div><div role=option aria-selected=false>Ulm</div></div>
      <script>
      const show = (open) => { l.hidden = !open; c.setAttribute('aria-expanded', open) }
      c.onclick = () => show(l.hidden)
      c.onkeydown = ({ key }) => { if (key === 'Escape') show(false) }
      l.onclick = ({ target }) => {
        target.setAttribute('aria-selected', target.getAttribute('aria-selected') === 'false')
        c.value = `${l.querySelectorAll('[aria-selected=true]').length} chosen`
      }
      </script>"""
    outline = await visit(agent, site, html)
    answer = await told(agent, "form_input", ref=ref(outline, 'combobox "Cities"'), value=["Bonn", "Ulm"])
    assert 'is now "2 chosen"' in answer
    assert "BonnUlm" in await seen(
        agent, "[...l.querySelectorAll('[aria-selected=true]')].map((o) => o.textContent).join('')"
    )


@pytest.mark.parametrize("language", ["en-US", "en_US"])
async def test_a_date_is_written_as_its_picker_reads_it_or_said_to_be_refused(
    agent: Agent, site: Site, language: str
) -> None:
    html = (
        f"<html lang={language}>"
        + """<input id=d role=combobox aria-label=Born aria-haspopup=dialog aria-expanded=false>
      <input id=n role=combobox aria-label=Never aria-haspopup=dialog aria-expanded=false><script>
      for (const each of [d, n]) {
        each.addEventListener('input', () => each.setAttribute('aria-expanded', true))
        each.addEventListener('keydown', ({ key }) => {
          if (key !== 'Enter') return
          each.setAttribute('aria-expanded', false)
          each.setAttribute('aria-invalid', each === n || !/^\\d+\\/\\d+\\/\\d+$/.test(each.value))
        })
      }
      </script>"""
    )
    outline = await visit(agent, site, html)
    assert '"2/3/2001"' in await told(agent, "form_input", ref=ref(outline, '"Born"'), value="2001-02-03")
    result = await agent.result("form_input", ref=ref(outline, '"Never"'), value="2001-02-03")
    assert result.is_error
    assert "does not take" in str(result.content)


async def test_parts_of_a_date_under_their_label_are_told_without_what_divides_them(agent: Agent, site: Site) -> None:
    html = """<div role=group aria-label=Start style="position: relative; width: 200px; height: 40px">
        <span style="position: absolute; left: 5px; top: 8px; pointer-events: none">Start</span>
        <div id=parts style="opacity: 0"><span role=spinbutton tabindex=0 aria-label=Month contenteditable>MM</span>
          <i>/</i>
          <span role=spinbutton tabindex=-1 aria-label=Day contenteditable>DD</span></div>
        <input aria-hidden=true tabindex=-1 style="position: absolute; width: 1px; height: 1px; opacity: 0"></div>
      <script>for (const each of parts.children) each.addEventListener('click', () => {})</script>"""
    outline = await visit(agent, site, html)
    assert re.search(r'"Month" e\d+[^\n]*"Day" e\d+|"Month" e\d+[^\n]*\n *spinbutton "Day" e\d+', outline), outline
    assert "clickable " not in outline.partition("title")[2]


async def test_a_press_that_is_drawn_is_nothing_new(agent: Agent, site: Site) -> None:
    html = """<button onclick="this.append(document.createElement('i')); said.textContent = 'Done'">Press</button>
      <p id=said></p>"""
    outline = await visit(agent, site, html)
    answer = await told(agent, "computer", action="left_click", ref=ref(outline, '"Press"'))
    assert "New on the page: “Done”." in answer


async def test_a_label_that_rests_in_a_list_is_its_name_not_its_value(agent: Agent, site: Site) -> None:
    html = """<div role=combobox tabindex=0 aria-expanded=false aria-labelledby=label><span id=label>Country</span>
        <b></b></div><div role=combobox tabindex=0 aria-expanded=false aria-labelledby=unit-label><span
        id=unit-label>Unit</span> <b>Metric</b></div>"""
    outline = await visit(agent, site, html)
    assert re.search(r'combobox "Country" e\d+ collapsed', outline), outline
    assert re.search(r'combobox "Unit" e\d+ = "Metric" collapsed', outline), outline


async def test_a_box_without_a_name_is_told_in_its_item(agent: Agent, site: Site) -> None:
    html = """<todo-item tabindex=0>Milk</todo-item><todo-item tabindex=0>Bread</todo-item><script>
      for (const each of document.querySelectorAll('todo-item')) {
        const root = each.attachShadow({ mode: 'open' })
        root.innerHTML = '<span><my-checkbox tabindex=0></my-checkbox></span><span><slot></slot></span>'
        root.querySelector('my-checkbox').attachShadow({ mode: 'open' }).innerHTML = '<input type=checkbox>'
      }
      </script>"""
    outline = await visit(agent, site, html)
    assert re.search(r'clickable "Milk" e\d+\s+checkbox e\d+\s+clickable "Bread" e\d+\s+checkbox e\d+', outline), (
        outline
    )


async def test_a_button_is_not_called_by_the_classes_of_material(agent: Agent, site: Site) -> None:
    html = "<button class='mdc-icon-button mdc-icon-button--display-flex'><svg width=9 height=9></svg></button>"
    outline = await visit(agent, site, html)
    assert re.search(r"^button e\d+$", outline, re.MULTILINE), outline
