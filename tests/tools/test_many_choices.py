"""Lists that libraries draw: after `form_input` exactly what was wanted is chosen, or the answer says what is."""

import pytest

from tests.clients import Agent
from tests.conftest import Site
from tests.tools.pages import ref, seen, visit
from tests.tools.told import refused, told

pytestmark = pytest.mark.browser

# A field that names its list, and below it a table that has nothing to do with it.
FOREIGN = """<input id=i role=combobox aria-label=Fruit aria-expanded=false aria-controls=l>
  <ul id=l role=listbox hidden></ul>
  <table role=grid><tr role=row><td role=gridcell>x</td><td role=gridcell>z</td></tr></table><script>
  const cells = []
  let held = '', isOpen = false
  for (const each of document.querySelectorAll('td')) each.onclick = () => cells.push(each.textContent)
  const show = (is) => { isOpen = is; i.setAttribute('aria-expanded', is); draw() }
  const draw = () => {
    const fits = ['Apple', 'Banana'].filter((each) => each.toLowerCase().includes(i.value.toLowerCase()))
    l.innerHTML = fits.map((each) => `<li role=option>${each}`).join('')
    for (const each of l.children) each.onclick = () => { held = i.value = each.textContent; show(false) }
    l.hidden = !isOpen || fits.length === 0
  }
  i.onfocus = i.onclick = () => show(true); i.oninput = draw; i.onblur = () => { i.value = held; show(false) }
  </script>"""


async def test_a_table_of_the_page_is_no_list_of_a_field(agent: Agent, site: Site) -> None:
    field = ref(await visit(agent, site, FOREIGN), '"Fruit"')
    await told(agent, "computer", action="left_click", ref=field)
    assert "it offers Apple, Banana" in await refused(agent, "form_input", ref=field, value="z")
    assert await seen(agent, "cells.join() + held") == ""
    assert 'is now "Apple"' in await told(agent, "form_input", ref=field, value="Apple")


# Choosing a suggestion writes it, whatever was typed: the rest of a condition comes after it.
FREE = """<input id=i role=combobox aria-label=Filter aria-autocomplete=list aria-expanded=false aria-controls=l>
  <ul id=l role=listbox hidden><li role=option>metrics.acc<li role=option>metrics.loss</ul><script>
  const clicks = []
  for (const each of l.children) each.onmousedown = (event) => {
    event.preventDefault(); clicks.push(each.textContent); i.value = `${each.textContent} `
  }
  const show = (is) => { l.hidden = !is; i.setAttribute('aria-expanded', is) }
  i.onfocus = () => show(true); i.onblur = () => show(false)
  </script>"""


async def test_a_text_with_a_slash_is_no_way_through_suggestions(agent: Agent, site: Site) -> None:
    field = ref(await visit(agent, site, FREE), '"Filter"')
    for text in ("metrics.acc > 0.5", "metrics.acc / metrics.loss"):
        assert f'is now "{text}"' in await told(agent, "form_input", ref=field, value=text)
    assert await seen(agent, "clicks.join()") == ""


# Days of a month in a field that nobody types into.
CALENDAR = """<input id=i role=combobox aria-label=Period readonly aria-haspopup=dialog aria-expanded=false
    aria-controls=p><div id=p role=dialog style="position: absolute" hidden><table role=grid><tr>
  <td><span>12</span><td><span>24</span><td><span>28</span></table></div><script>
  const clicks = []
  const show = (is) => { p.hidden = !is; i.setAttribute('aria-expanded', is) }
  i.onclick = () => show(true)
  for (const each of p.querySelectorAll('span')) each.onclick = () => { clicks.push(each.textContent) }
  addEventListener('keydown', ({ key }) => { if (key === 'Escape') show(false) })
  </script>"""


async def test_a_date_is_no_way_through_a_calendar(agent: Agent, site: Site) -> None:
    field = ref(await visit(agent, site, CALENDAR), '"Period"')
    for date in ("12/24/2026", "12/24/2026 - 12/28/2026"):
        assert "it offers 12, 24, 28" in await refused(agent, "form_input", ref=field, value=date)
    assert await seen(agent, "clicks.join()") == ""


# Takes what is typed by Enter, and at most three.
TAGS = """<label for=i>Labels</label><div class=pills><span id=c></span><input id=i aria-haspopup=listbox></div><script>
  const held = []
  const draw = () => {
    c.innerHTML = held.map((each) => `<span class=pill>${each}<button tabindex=-1>×</button></span>`).join('')
    for (const [at, each] of [...c.children].entries()) each.lastChild.onclick = () => { held.splice(at, 1); draw() }
  }
  i.onkeydown = ({ key }) => {
    if (key !== 'Enter' || !i.value || held.length > 2) return
    setTimeout(() => { held.push(i.value); i.value = ''; draw() }, 20)
  }
  </script>"""


async def test_tags_that_nothing_offers_are_entered_one_after_the_other(agent: Agent, site: Site) -> None:
    field = ref(await visit(agent, site, TAGS), '"Labels"')
    assert 'is now "red, blue"' in await told(agent, "form_input", ref=field, value=["red", "blue"])
    assert await seen(agent, "held.join()") == "red,blue"
    assert 'is now "blue, green"' in await told(agent, "form_input", ref=field, value=["blue", "green"])
    assert await seen(agent, "held.join()") == "blue,green"
    said = await refused(agent, "form_input", ref=field, value=["a", "b", "c", "d"])
    assert 'Chosen now: "blue", "green", "a"' in said


# Offers tags too, as long as what is typed fits them.
OFFERED = (
    TAGS.replace("<input id=i", "<input id=i role=combobox aria-controls=l aria-expanded=false").replace(
        "</div><script>", "</div><ul id=l role=listbox hidden></ul><script>"
    )
    + """<script>
  const offer = (is) => {
    const fitting = ['red', 'green'].filter((each) => !held.includes(each) && each.includes(i.value))
    l.innerHTML = fitting.map((each) => `<li role=option>${each}</li>`).join('')
    for (const each of l.children) each.onclick = () => {
      held.push(each.textContent); i.value = ''; draw(); offer(true)
    }
    l.hidden = !is
    i.setAttribute('aria-expanded', is)
  }
  i.onfocus = i.oninput = () => offer(true)
  i.onblur = () => offer(false)
  </script>"""
)


async def test_a_tag_beside_those_that_are_offered_is_entered(agent: Agent, site: Site) -> None:
    field = ref(await visit(agent, site, OFFERED), '"Labels"')
    assert 'is now "red, new one"' in await told(agent, "form_input", ref=field, value=["red", "new one"])
    assert await seen(agent, "held.join()") == "red,new one"


# Says each choice twice: to the eye, and with its number to those who do not see it.
OFF = "<style>.off { position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0 0 0 0) }</style>"
TWICE = OFF + TAGS.replace(
    "class=pill>${each}<", "class=pill><i class=off>${each} (1 of 9)</i><b aria-hidden=true>${each}</b><"
)


async def test_a_choice_is_told_as_it_shows(agent: Agent, site: Site) -> None:
    field = ref(await visit(agent, site, TWICE), '"Labels"')
    assert 'is now "red, blue"' in await told(agent, "form_input", ref=field, value=["red", "blue"])
    assert 'is now "blue"' in await told(agent, "form_input", ref=field, value=["blue"])
    assert await seen(agent, "held.join()") == "blue"


# Draws what is in sight of 1000 options; SEARCH is a field over them, or nothing.
LONG = """<button id=b aria-haspopup=listbox aria-expanded=false>Pick</button>
  <div id=p style="position: absolute" hidden>SEARCH<div role=listbox id=l style="height: 150px; width: 200px;
    overflow: auto"><div id=all style="position: relative"></div></div></div><script>
  let held = ''
  const fits = () => Array.from({ length: 1000 }, (_, at) => `opt ${at}`)
    .filter((each) => each.includes(document.querySelector('#p input')?.value ?? ''))
  const draw = () => {
    const from = Math.floor(l.scrollTop / 30)
    all.style.height = `${fits().length * 30}px`
    all.innerHTML = fits().slice(from, from + 6).map((each, at) =>
      `<div role=option style="position: absolute; top: ${(from + at) * 30}px; height: 30px">${each}</div>`).join('')
    for (const each of all.children) each.onclick = () => { held = b.textContent = each.textContent; show(false) }
  }
  const show = (is) => { p.hidden = !is; b.setAttribute('aria-expanded', is); draw() }
  b.onclick = () => show(p.hidden)
  l.onscroll = () => setTimeout(draw)
  p.oninput = draw
  addEventListener('keydown', ({ key }) => { if (key === 'Escape') show(false) })
  </script>"""


async def test_what_a_long_list_does_not_show_is_typed_into_its_search_box(agent: Agent, site: Site) -> None:
    field = ref(await visit(agent, site, LONG.replace("SEARCH", "<input type=search>")), '"Pick"')
    assert 'is now "opt 777"' in await told(agent, "form_input", ref=field, value="opt 777")
    assert await seen(agent, "held") == "opt 777"
    answer = await refused(agent, "form_input", ref=field, value="opt x")
    assert 'It has no option "opt x"; it offers opt 0, opt 1' in answer
    assert "search box" in answer
    assert await seen(agent, "held + p.hidden") == "opt 777true"


async def test_a_long_list_without_a_search_box_is_scrolled_through(agent: Agent, site: Site) -> None:
    field = ref(await visit(agent, site, LONG.replace("SEARCH", "")), '"Pick"')
    assert 'is now "opt 222"' in await told(agent, "form_input", ref=field, value="opt 222")
    # it begins where it was left
    assert 'is now "opt 3"' in await told(agent, "form_input", ref=field, value="opt 3")
    assert await seen(agent, "held") == "opt 3"


# Chips that a library draws into the nodes it has, once a server has answered, which takes PAUSE.
CHIPS = """<div><span id=c></span>
  <input id=i role=combobox aria-label=Colours aria-expanded=false aria-controls=l></div>
  <ul id=l role=listbox hidden></ul><script>
  const all = ['red', 'green', 'blue', 'light blue', 'black']
  let held = ['green', 'light blue', 'black']
  const set = (next) => setTimeout(() => { held = next; draw() }, PAUSE)
  const draw = () => {
    while (c.children.length > held.length) c.lastChild.remove()
    while (c.children.length < held.length) {
      const chip = document.createElement('div')
      chip.className = 'token'
      chip.innerHTML = '<span></span> <i class=token-remove role=button tabindex=0>×</i>'
      chip.lastChild.onclick = () => {
        const at = [...c.children].indexOf(chip)
        set(held.filter((_, each) => each !== at))
      }
      c.append(chip)
    }
    held.forEach((each, at) => { c.children[at].firstChild.textContent = each })
    l.innerHTML = all.filter((each) => each.includes(i.value))
      .map((each) => `<li role=option aria-selected=${held.includes(each)}>${each}`).join('')
    for (const each of l.children) each.onclick = () => {
      const was = each.textContent
      i.value = ''
      set(held.includes(was) ? held.filter((other) => other !== was) : [...held, was])
    }
  }
  const show = (is) => { l.hidden = !is; i.setAttribute('aria-expanded', is); draw() }
  i.onfocus = () => show(true); i.oninput = draw; i.onblur = () => show(false)
  draw()
  </script>"""


@pytest.mark.parametrize("pause", [0, 150])
async def test_chips_are_taken_away_one_after_the_other(agent: Agent, site: Site, pause: int) -> None:
    field = ref(await visit(agent, site, CHIPS.replace("PAUSE", str(pause))), '"Colours"')
    assert "is now empty" in await told(agent, "form_input", ref=field, value=[])
    for wanted in (["red", "blue"], ["green", "light blue", "black"], ["black"]):
        shown = ", ".join(wanted)
        assert f'is now "{shown}"' in await told(agent, "form_input", ref=field, value=wanted)
        assert await seen(agent, "held.join(', ')") == shown


# Nothing but the names of their buttons tells that these are chosen.
NAMED = """<div role=group><div><span role=group aria-label="Selected values" id=c></span><input id=i role=combobox
    aria-label=Colours aria-expanded=false></div></div><script>
  const held = ['green', 'light blue']
  let l
  const draw = () => {
    c.innerHTML = held.map((each) => `<span class=x-jlniyi><span title="${each}">${each}</span>
      <button aria-label="Remove ${each}" tabindex=-1><svg width=8 height=8></svg></button></span>`).join('')
    ;[...c.children].forEach((each, at) => { each.lastChild.onclick = () => { held.splice(at, 1); draw() } })
    const left = ['red', 'green', 'blue', 'light blue', 'black'].filter((each) => !held.includes(each))
    if (!l) return
    l.innerHTML = left.filter((each) => each.includes(i.value)).map((each) => `<div role=option>${each}</div>`).join('')
    for (const each of l.children) each.onclick = () => { held.push(each.textContent); i.value = ''; draw() }
  }
  i.onfocus = () => {
    l ??= document.body.appendChild(Object.assign(document.createElement('div'), { id: 'l', role: 'listbox' }))
    i.setAttribute('aria-controls', 'l'); i.setAttribute('aria-expanded', true); draw()
  }
  i.oninput = draw
  i.onblur = () => { l?.remove(); l = undefined; i.setAttribute('aria-expanded', false) }
  draw()
  </script>"""


async def test_chips_are_known_by_the_names_of_their_buttons(agent: Agent, site: Site) -> None:
    outline = await visit(agent, site, NAMED)
    assert '= "green, light blue"' in outline
    field = ref(outline, '"Colours"')
    assert 'is now "black, red"' in await told(agent, "form_input", ref=field, value=["black", "red"])
    assert await seen(agent, "held.join()") == "black,red"
    assert "is now empty" in await told(agent, "form_input", ref=field, value=[])
    assert await seen(agent, "held.join()") == ""


async def test_what_was_chosen_before_something_failed_is_told(agent: Agent, site: Site) -> None:
    field = ref(await visit(agent, site, NAMED), '"Colours"')
    answer = await refused(agent, "form_input", ref=field, value=["black", "pink"])
    assert 'was filled in only in part: It has no option "pink"; it offers red, blue' in answer
    assert 'Chosen now: "green", "light blue", "black".' in answer
    assert "was not filled in: It has no option" in await refused(agent, "form_input", ref=field, value=["pink"])


# A button whose list comes late, is drawn anew with each choice and marks what is chosen.
MARKED = """<button id=b aria-haspopup=listbox aria-expanded=false></button><script>
  let held = ['red', 'blue'], l
  const draw = () => {
    b.textContent = held.join(' ') || 'none'
    if (!l) return
    l.innerHTML = ['red', 'green', 'blue', 'black']
      .map((each) => `<div role=option aria-selected=${held.includes(each)}>${each}</div>`).join('')
    for (const each of l.children) each.onclick = () => { pick(each.textContent); draw() }
  }
  const pick = (each) => { held = held.includes(each) ? held.filter((other) => other !== each) : [...held, each] }
  b.onclick = () => {
    b.setAttribute('aria-expanded', !l)
    if (l) { l.remove(); l = undefined } else setTimeout(() => {
      l = document.body.appendChild(Object.assign(document.createElement('div'), { role: 'listbox' }))
      draw()
    }, 40)
  }
  addEventListener('keydown', ({ key }) => { if (key === 'Escape' && l) b.onclick() })
  draw()
  </script>"""


async def test_a_list_of_one_value_is_all_that_is_chosen(agent: Agent, site: Site) -> None:
    field = ref(await visit(agent, site, MARKED), '"red blue"')
    for wanted in (["red"], ["red"], ["black"], ["green", "red"], []):
        answer = await told(agent, "form_input", ref=field, value=wanted)
        held = await seen(agent, "held.join(' ')")
        assert sorted(held.split()) == sorted(wanted)
        assert f'is now "{held or "none"}"' in answer
    assert await seen(agent, "b.getAttribute('aria-expanded')") == "false"


async def test_a_list_that_keeps_its_one_choice_is_not_told_as_empty(agent: Agent, site: Site) -> None:
    html = MARKED.replace("held = ['red', 'blue']", "held = ['red']").replace(
        "held = held.includes(each) ? held.filter((other) => other !== each) : [...held, each]",
        "held = [each]; b.onclick()",
    )
    field = ref(await visit(agent, site, html), '"red"')
    assert 'still holds "red"' in await refused(agent, "form_input", ref=field, value=[])
    assert 'is now "blue"' in await told(agent, "form_input", ref=field, value=["blue"])
    assert await seen(agent, "held.join()") == "blue"


async def test_a_list_in_a_shadow_root_takes_one_value_after_the_other(agent: Agent, site: Site) -> None:
    html = """<x-list></x-list><script>
      const held = []
      const root = document.querySelector('x-list').attachShadow({ mode: 'open' })
      root.innerHTML = `<div class=x-multi><span id=c></span><input role=combobox aria-label=Colours
        aria-autocomplete=list><div id=l role=listbox aria-multiselectable=true hidden></div></div>`
      const [c, i, l] = ['#c', 'input', '#l'].map((each) => root.querySelector(each))
      // What is chosen is no longer offered; what keys have got to is said to be selected.
      const draw = () => {
        c.innerHTML = held.map((each) => `<b class=chip>${each} <button>x</button></b>`).join('')
        const left = ['red', 'green', 'light blue'].filter((each) => !held.includes(each) && each.includes(i.value))
        l.innerHTML = left.map((each) => `<div role=option>${each}</div>`).join('')
        for (const each of l.children) each.onclick = () => { held.push(each.textContent); i.value = ''; draw() }
        if (left.length) Object.assign(l.firstChild, { className: 'is-highlighted', ariaSelected: 'true' })
      }
      i.onfocus = () => { l.hidden = false; draw() }; i.oninput = draw; i.onblur = () => { l.hidden = true }
      </script>"""
    field = ref(await visit(agent, site, html), '"Colours"')
    answer = await told(agent, "form_input", ref=field, value=["green", "light blue"])
    assert 'is now "green, light blue"' in answer
    assert await seen(agent, "held.join()") == "green,light blue"


async def test_boxes_in_options_say_that_a_list_takes_several(agent: Agent, site: Site) -> None:
    html = """<div role=combobox id=b tabindex=0 aria-expanded=false aria-controls=l aria-label=Colours>0 chosen</div>
      <div id=l role=listbox hidden><label role=option><input type=checkbox>red</label><label role=option>
        <input type=checkbox>green</label></div><script>
      const boxes = [...l.querySelectorAll('input')]
      const show = (is) => { l.hidden = !is; b.setAttribute('aria-expanded', is) }
      b.onclick = () => show(l.hidden)
      l.onchange = () => {
        for (const each of boxes) each.parentElement.setAttribute('aria-selected', each.checked)
        b.textContent = `${boxes.filter((each) => each.checked).length} chosen`
      }
      addEventListener('keydown', ({ key }) => { if (key === 'Escape') show(false) })
      </script>"""
    field = ref(await visit(agent, site, html), '"Colours"')
    for wanted in (["red"], ["red"], ["green"]):
        assert 'is now "1 chosen"' in await told(agent, "form_input", ref=field, value=wanted)
        assert await seen(agent, "boxes.map((each) => each.checked).join()") == (
            "true,false" if wanted == ["red"] else "false,true"
        )


PLAIN_TAGS = """<label for=i>Tags</label><div class=input-tag><div id=c role=listbox><input id=i></div></div>
  <label>Chat <input id=j></label>
  <script>
  const held = ['old']
  let sent = 0
  j.onkeydown = ({ key }) => { if (key === 'Enter') sent += 1 }
  const draw = () => {
    for (const each of c.querySelectorAll('.tag')) each.remove()
    for (const name of held) {
      const tag = Object.assign(document.createElement('span'), { className: 'tag' })
      tag.innerHTML = `${name} <a class=close>×</a>`
      tag.lastChild.onclick = () => { held.splice(held.indexOf(name), 1); draw() }
      c.insertBefore(tag, i)
    }
  }
  i.onkeydown = ({ key }) => {
    if (key === 'Backspace' && i.value === '') { held.pop(); draw() }
    if (key === 'Enter' && i.value !== 'no') { held.push(i.value); i.value = ''; draw() }
  }
  draw()
  </script>"""


async def test_tags_are_entered_where_no_list_offers_any(agent: Agent, site: Site) -> None:
    outline = await visit(agent, site, PLAIN_TAGS)
    tags = ref(outline, 'textbox "Tags"')
    assert 'is now "new, newer"' in await told(agent, "form_input", ref=tags, value=["new", "newer"])
    assert await seen(agent, "held.join()") == "new,newer"
    assert "did not take" in await refused(agent, "form_input", ref=tags, value=["new", "no"])
    assert await seen(agent, "held.join() + i.value") == "new,newer"
    assert "not a list" in await refused(agent, "form_input", ref=ref(outline, '"Chat"'), value=["a", "b"])
    assert await seen(agent, "sent") == "0"
