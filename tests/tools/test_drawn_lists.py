"""Lists that a library draws around or in the place of a field: what is told as chosen is what the library holds."""

import re

import pytest

from tests.clients import Agent
from tests.conftest import Site
from tests.tools.pages import ref, seen, visit
from tests.tools.told import refused, told

pytestmark = pytest.mark.browser

CHIPS = """<label for=i>Pets</label><div class=multi><div id=c><input id=i role=combobox aria-autocomplete=list
    aria-expanded=false aria-controls=l></div><div id=l role=listbox hidden></div></div><script>
  // Offers what is not chosen, and says of the option that keys have got to that it is selected.
  const all = ['Cat', 'Dog', 'Cow'], held = ['Cat']
  const draw = () => {
    for (const each of c.querySelectorAll('.item')) each.remove()
    for (const pet of held) {
      const chip = document.createElement('div')
      chip.className = 'item'; chip.dataset.value = pet
      chip.innerHTML = `${pet} <a class=remove>×</a>`
      chip.lastChild.onclick = () => { held.splice(held.indexOf(pet), 1); draw() }
      c.insertBefore(chip, i)
    }
    const left = all.filter((pet) => !held.includes(pet) && pet.toLowerCase().includes(i.value.toLowerCase()))
    l.innerHTML = left.map((pet, at) => `<div role=option id=o${at} aria-selected=${at === 0}>${pet}</div>`).join('')
    i.setAttribute('aria-activedescendant', left.length ? 'o0' : '')
    for (const each of l.children) each.onclick = () => { held.push(each.textContent); i.value = ''; draw() }
  }
  const open = (is) => { l.hidden = !is; i.setAttribute('aria-expanded', is); draw() }
  i.onfocus = () => open(true); i.oninput = () => open(true); i.onblur = () => open(false)
  i.onkeydown = (event) => { if (event.key === 'Escape') open(false) }
  draw()
  </script>"""
FAR = """<p style="height:3000px">Long</p><label for=i>Pets</label><input id=i role=combobox aria-expanded=false
    aria-controls=l><div id=l role=listbox hidden style="position:fixed;overflow:auto"></div>
  <p style="height:900px"></p><script>
  // As high as the window has room below the field, and closed when anything scrolls.
  const all = ['Cat', 'Dog'], held = []
  const open = (is) => {
    l.hidden = !is; i.setAttribute('aria-expanded', is)
    l.innerHTML = all.map((pet) => `<div role=option>${pet}</div>`).join('')
    l.style.maxHeight = `${Math.max(0, innerHeight - i.getBoundingClientRect().bottom)}px`
    l.style.top = `${i.getBoundingClientRect().bottom}px`
    for (const each of l.children) each.onclick = () => { held.push(i.value = each.textContent); open(false) }
  }
  i.oninput = () => open(true)
  addEventListener('scroll', () => open(false), true)
  </script>"""
BEHIND = """<style>.gone { position: absolute; width: 1px; height: 1px; clip-path: inset(50%) }</style>
  <label for=s>Colour</label><div id=w role=combobox tabindex=0 aria-expanded=false aria-controls=l
    aria-label=Colour><select id=s class=gone tabindex=-1><option>Red<option>Green</select><span id=v>Red</span></div>
  <div id=l role=listbox hidden><div role=option>Red</div><div role=option>Green</div></div><script>
  // Nothing that is done to the select behind it is heard.
  let held = 'Red'
  w.onclick = () => { l.hidden = false; w.setAttribute('aria-expanded', true) }
  for (const each of l.children) each.onclick = () => {
    held = v.textContent = each.textContent; l.hidden = true; w.setAttribute('aria-expanded', false)
  }</script>"""
OLDER = """<style>.gone { display: none }</style>
  <label for=a>Size</label><div class=select2-container><a href=#>S</a></div>
  <select id=a class=gone><option>S<option>M</select>
  <label for=b>Tags</label><div class=select2-container><ul id=c></ul><label for=t hidden>Tags</label><input id=t></div>
  <select id=b class=gone multiple><option>Red<option>Green<option>Blue</select>
  <script>
  // What is typed only looks for an option.
  const draw = () => { c.innerHTML = [...b.selectedOptions].map(({ label }) => `<li>${label}</li>`).join('') }
  b.onchange = draw
  a.onchange = () => { document.querySelector('a').textContent = a.value }
  </script>"""
CLEARED = """<label for=i>Fruit</label><input id=i role=combobox aria-expanded=false aria-controls=l value=Apple>
  <div id=l role=listbox hidden></div><script>
  // An empty field means no choice.
  let held = 'Apple'
  const draw = () => {
    if (i.value === '') held = null
    l.hidden = false; i.setAttribute('aria-expanded', true)
    const fits = ['Apple', 'Banana'].filter((fruit) => fruit.includes(i.value))
    l.innerHTML = fits.map((fruit) => `<div role=option>${fruit}</div>`).join('')
    for (const each of l.children) each.onclick = () => { held = i.value = each.textContent; shut() }
  }
  const shut = () => { l.hidden = true; i.setAttribute('aria-expanded', false) }
  i.oninput = draw
  i.onblur = () => { i.value = held ?? ''; shut() }
  i.onkeydown = (event) => { if (event.key === 'Escape') shut() }
  </script>"""


# What a label names is hidden and cannot be typed into; what is drawn beside it has no name.
HIDDEN_FIELD = """<style>.gone { position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0 0 0 0) }
    .clear { position: absolute; opacity: 0; width: 100px; height: 1px; pointer-events: none; z-index: -1 }
    .box { position: relative; width: 200px; height: 30px; border: 1px solid; cursor: pointer }</style>
  <label for=i>Region</label><div class=box id=w>FIELD<span id=v>Pick one</span></div>
  <ul id=l role=listbox hidden style="position: absolute"></ul><script>
  let held = ''
  const show = (is) => { l.hidden = !is }
  const draw = (all) => {
    l.innerHTML = all.map((each) => `<li role=none><div>${each}</div></li>`).join('')
    // The item itself hears nothing.
    for (const each of l.querySelectorAll('div')) each.onclick = () => {
      if (each.textContent === 'Asia') return draw(['Tokyo', 'Seoul'])
      held = v.textContent = each.textContent; show(false)
    }
  }
  // What is drawn is clicked by people, the field by scripts alone.
  w.onclick = ({ target }) => { if (target.matches('input')) return; draw(['Europe', 'Asia']); show(true) }
  addEventListener('keydown', ({ key }) => { if (key === 'Escape') show(false) })
  </script>"""
FIELDS = {
    "in a box of no size": "<div class=gone><input id=i readonly aria-haspopup=listbox></div>",
    "transparent": "<input id=i class=clear readonly aria-haspopup=listbox>",
}
BOXES = """<label for=c>Pets</label><div class=my-multiselect><div style="opacity: 0"><input id=c role=combobox readonly
    aria-haspopup=listbox aria-expanded=false aria-controls=l></div><div id=v></div></div>
  <div id=l role=listbox aria-multiselectable=true hidden></div><script>
  // Only the box in an option hears a click, and the option that keys have got to is marked.
  const held = new Set()
  const set = (is) => { c.setAttribute('aria-expanded', is); l.hidden = !is }
  for (const name of ['Cat', 'Dog', 'Cow']) {
    const option = document.createElement('div')
    option.setAttribute('role', 'option')
    option.setAttribute('aria-selected', false)
    option.id = name
    option.innerHTML = `<label><input type=checkbox><span>${name}</span></label>`
    const [label, box] = [option.firstChild, option.querySelector('input')]
    label.lastChild.onclick = (event) => event.preventDefault()
    box.onchange = () => {
      box.checked ? held.add(name) : held.delete(name)
      option.setAttribute('aria-selected', box.checked)
      c.setAttribute('aria-activedescendant', name)
      v.textContent = [...held].join(', ')
    }
    l.append(option)
  }
  c.onclick = () => set(true)
  c.onkeydown = ({ key }) => { if (key === 'Escape') set(false) }
  </script>"""


@pytest.mark.parametrize("field", FIELDS.values(), ids=FIELDS)
async def test_a_list_whose_labelled_field_is_hidden_is_told_clicked_and_chosen_from(
    agent: Agent, site: Site, field: str
) -> None:
    region = ref(await visit(agent, site, HIDDEN_FIELD.replace("FIELD", field)), 'combobox "Region"')
    assert region in (await told(agent, "find", query="region dropdown")).splitlines()[1]
    assert 'is now "Europe"' in await told(agent, "form_input", ref=region, value="Europe")
    assert await seen(agent, "held") == "Europe"
    assert re.search(r"\"Europe\" e\d+, \"Asia\" e\d+", await told(agent, "computer", action="left_click", ref=region))
    await told(agent, "computer", action="key", text="Escape")
    assert 'is now "Tokyo"' in await told(agent, "form_input", ref=region, value="Asia / Tokyo")
    assert await seen(agent, "held") == "Tokyo"


async def test_what_a_list_shows_as_chosen_is_filled_in_as_the_list(agent: Agent, site: Site) -> None:
    html = """<span id=w role=combobox tabindex=0 aria-haspopup=true aria-expanded=false aria-labelledby=v>
        <span id=v role=textbox aria-readonly=true title="Country">Germany</span></span>
      <ul id=l role=listbox hidden style="position: absolute"><li role=option>Germany<li role=option>France</ul><script>
      const show = (is) => { l.hidden = !is; w.setAttribute('aria-expanded', is) }
      w.onmousedown = () => show(true)
      for (const each of l.children) each.onmouseup = () => { v.textContent = each.textContent; show(false) }
      </script>"""
    shown = ref(await visit(agent, site, html), '"Country"')
    assert 'is now "France"' in await told(agent, "form_input", ref=shown, value="France")
    assert await seen(agent, "v.textContent") == "France"


async def test_a_list_that_marks_where_keys_are_takes_exactly_what_is_wanted(agent: Agent, site: Site) -> None:
    outline = await visit(agent, site, CHIPS)
    assert re.search(r'combobox "Pets" e\d+ = "Cat"', outline), outline
    field = ref(outline, '"Pets"')
    assert 'is now "Dog, Cow"' in await told(agent, "form_input", ref=field, value=["Dog", "Cow"])
    assert await seen(agent, "held.join()") == "Dog,Cow"
    # what is chosen is no longer offered
    assert 'is now "Cow"' in await told(agent, "form_input", ref=field, value=["Cow"])
    assert await seen(agent, "held.join()") == "Cow"


async def test_one_that_is_chosen_already_is_all_that_is_chosen_then(agent: Agent, site: Site) -> None:
    page = CHIPS.replace("<div class=multi>", "<div>").replace("held = ['Cat']", "held = ['Cat', 'Dog']")
    field = ref(await visit(agent, site, page), '"Pets"')
    assert 'is now "Dog"' in await told(agent, "form_input", ref=field, value="Dog")
    assert await seen(agent, "held.join() + i.value") == "Dog"


async def test_a_field_out_of_sight_is_scrolled_to_before_its_list_opens(agent: Agent, site: Site) -> None:
    outline = await visit(agent, site, FAR)
    assert '"Dog"' in await told(agent, "form_input", ref=ref(outline, 'combobox "Pets"'), value="Dog")
    assert await seen(agent, "String(held)") == "Dog"


async def test_a_drawn_list_is_chosen_from_not_the_select_that_it_hides(agent: Agent, site: Site) -> None:
    outline = await visit(agent, site, BEHIND)
    assert outline.count('"Colour"') == 1
    assert 'is now "Green"' in await told(agent, "form_input", ref=ref(outline, '"Colour"'), value="Green")
    assert await seen(agent, "held") == "Green"


async def test_what_is_drawn_before_its_select_chooses_from_that_one(agent: Agent, site: Site) -> None:
    outline = await visit(agent, site, OLDER)
    said = await told(agent, "form_input", ref=ref(outline, 'textbox "Tags"'), value=["Red", "Blue"])
    assert 'is now "Red", "Blue"' in said
    assert await seen(agent, "c.textContent + t.value + a.value") == "RedBlueS"
    await told(agent, "form_input", ref=ref(outline, 'link "S"'), value="M")
    assert await seen(agent, "c.textContent + a.value") == "RedBlueM"


async def test_a_choice_that_is_refused_leaves_the_one_before(agent: Agent, site: Site) -> None:
    field = ref(await visit(agent, site, CLEARED), '"Fruit"')
    assert "it offers Apple, Banana" in await refused(agent, "form_input", ref=field, value="Purple")
    assert await seen(agent, "held") == "Apple"


async def test_a_box_made_of_a_button_is_called_as_its_label_says(agent: Agent, site: Site) -> None:
    html = """<button role=checkbox aria-checked=false id=b style="width: 20px; height: 20px"></button>
      <label for=b>I agree</label><div role=radiogroup aria-label=Size><span role=radio tabindex=0 aria-checked=true
      aria-labelledby=small>o</span><label id=small onclick="">Small</label></div>"""
    outline = await visit(agent, site, html)
    assert 'checkbox "I agree"' in outline
    assert outline.count('"Small"') == 1


async def test_an_item_is_clicked_at_its_words_not_at_the_button_in_it(agent: Agent, site: Site) -> None:
    page = """<label>Search
        <input id=i role=combobox aria-autocomplete=list aria-expanded=false aria-controls=l></label>
        <ul id=l role=listbox hidden><li>laptop <button>Remove</button></li><li>phone <button>Remove</button></li></ul>
        <script>
        let done = ''
        i.onfocus = () => { l.hidden = false; i.setAttribute('aria-expanded', 'true') }
        l.onclick = ({ target }) => {
          if (target.matches('button')) done = 'removed'
          else [done, i.value, l.hidden, i.ariaExpanded] = ['chosen', target.firstChild.data.trim(), true, 'false']
        }</script>"""
    field = ref(await visit(agent, site, page), '"Search"')
    assert '"phone"' in await told(agent, "form_input", ref=field, value="phone")
    assert await seen(agent, "done") == "chosen"


@pytest.mark.parametrize(("wanted", "held"), [("Berlin", "Berlin"), ("Bern", "Add Bern…")])
async def test_options_without_a_role_are_told_by_all_their_words_though_some_are_marked(
    agent: Agent, site: Site, wanted: str, held: str
) -> None:
    html = """<input id=i role=combobox aria-label=City aria-expanded=false aria-controls=l>
      <div id=l role=listbox hidden></div><script>
      let held = ''
      const open = (is) => { l.hidden = !is; i.setAttribute('aria-expanded', is) }
      i.oninput = () => {
        const said = 'Berlin'.startsWith(i.value) ? `<mark>${i.value.slice(0, 3)}</mark>${'Berlin'.slice(3)}` : ''
        const added = `Add <strong>${i.value}</strong>…`
        l.innerHTML = `<div class=row>${said || added}</div><div>Nothing else</div>`
        l.firstChild.onclick = () => { held = i.value = l.firstChild.textContent; open(false) }
        open(true)
      }
      i.onblur = () => open(false)
      </script>"""
    field = ref(await visit(agent, site, html), '"City"')
    await told(agent, "form_input", ref=field, value=wanted)
    assert await seen(agent, "held") == held


async def test_what_a_list_offers_to_add_is_told_as_the_chip_says_it(agent: Agent, site: Site) -> None:
    adding = CHIPS.replace(
        "for (const each of l.children)",
        """if (i.value && !left.length) l.innerHTML = `<div>Add <b>${i.value}</b>…</div><div>No results</div>`
    for (const each of l.children)""",
    ).replace("held.push(each.textContent)", "held.push((each.querySelector('b') ?? each).textContent)")
    field = ref(await visit(agent, site, adding), '"Pets"')
    assert 'is now "Cat, Owl"' in await told(agent, "form_input", ref=field, value=["Cat", "Owl"])
    assert await seen(agent, "held.join()") == "Cat,Owl"


SIZES = """<div role=listbox aria-label=Sizes aria-multiselectable=true>{0}S</div>{0}M</div>{0}L</div></div>""".format(
    "<div role=option aria-selected=false onclick=\"this.ariaSelected = this.ariaSelected !== 'true'\">"
)
OPENED = """<input role=combobox aria-label=Size aria-expanded=true aria-controls=l>
    <div role=listbox id=l aria-label=Sizes><div role=option>S</div></div>"""


async def test_a_list_that_takes_no_focus_is_filled_in_by_its_own_ref(agent: Agent, site: Site) -> None:
    sizes = ref(await visit(agent, site, SIZES), 'listbox "Sizes"')
    await told(agent, "form_input", ref=sizes, value=["S", "L"])
    assert 'options "S" e2 selected, "M" e3, "L" e4 selected' in await told(agent, "read_page")
    await told(agent, "form_input", ref=sizes, value=["M"])
    assert 'options "S" e2, "M" e3 selected, "L" e4' in await told(agent, "read_page")


async def test_a_list_that_a_field_has_opened_is_that_fields(agent: Agent, site: Site) -> None:
    assert not re.search(r'listbox "Sizes" e\d', await visit(agent, site, OPENED))


BESIDE = """<label for=i>City</label><div class=field>
    <div class=s-selection><span class=s-selection-text>Graz</span></div><input id=i role=combobox></div>"""
COUNTED = """<label for=i>City</label><div class=autocomplete><input id=i role=combobox>
    <span role=status style="clip-path: inset(50%)">No results found</span></div>"""


async def test_what_stands_before_an_empty_field_is_its_value_and_what_is_said_of_results_is_not(
    agent: Agent, site: Site
) -> None:
    assert re.search(r'combobox "City" e\d+ = "Graz"$', await visit(agent, site, BESIDE), re.MULTILINE)
    assert re.search(r'combobox "City" e\d+$', await visit(agent, site, COUNTED), re.MULTILINE)


PIXEL = """<div id=w onclick="show(true)">
    <div style="position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0 0 0 0)">
      <input id=i readonly role=combobox aria-haspopup=listbox aria-expanded=false aria-controls=l placeholder=Pet>
    </div><div id=v>Pet</div></div>
    <div id=l role=listbox hidden><div role=option>Cat</div><div role=option>Dog</div></div><script>
    const show = (is) => { l.hidden = !is; i.setAttribute('aria-expanded', is) }
    for (const each of l.children) each.onclick = () => { v.textContent = each.textContent; show(false) }</script>"""


async def test_a_list_whose_field_is_a_pixel_without_a_label_is_chosen_from(agent: Agent, site: Site) -> None:
    pet = ref(await visit(agent, site, PIXEL), 'combobox "Pet"')
    await told(agent, "form_input", ref=pet, value="Dog")
    assert await seen(agent, "v.textContent") == "Dog"


PRESSED = """<label for=i>Status</label><div onclick="l.hidden = false"><input id=i readonly value=Draft
    style="cursor: pointer"></div><ul id=l hidden><li>Draft<li>Published</ul><script>
  for (const each of l.children) each.onclick = () => { i.value = each.textContent.trim(); l.hidden = true }</script>"""


async def test_a_field_that_only_a_list_fills_takes_what_it_offers(agent: Agent, site: Site) -> None:
    field = ref(await visit(agent, site, PRESSED), 'textbox "Status"')
    assert '"Published"' in await told(agent, "form_input", ref=field, value="Published")
    assert await seen(agent, "i.value + l.hidden") == "Publishedtrue"
    assert "it offers Draft, Published" in await refused(agent, "form_input", ref=field, value="Gone")


async def test_a_field_that_opens_no_list_is_said_to_be_read_only(agent: Agent, site: Site) -> None:
    field = ref(await visit(agent, site, PRESSED.replace("l.hidden = false", "")), 'textbox "Status"')
    assert "It is read-only" in await refused(agent, "form_input", ref=field, value="Published")


async def test_a_box_in_an_option_is_ticked_where_the_option_is_deaf(agent: Agent, site: Site) -> None:
    pets = ref(await visit(agent, site, BOXES), '"Pets"')
    assert 'is now "Cat, Cow"' in await told(agent, "form_input", ref=pets, value=["Cat", "Cow"])
    assert 'combobox "Pets" e1 = "Cat, Cow"' in await told(agent, "read_page")
    assert 'is now "Dog"' in await told(agent, "form_input", ref=pets, value=["Dog"])
    assert await seen(agent, "[...held].join()") == "Dog"
