"""Lists that libraries draw: after `form_input` exactly what was wanted is chosen, or the answer says what is so now."""

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
    assert 'is now "opt 555"' in await told(agent, "form_input", ref=field, value="opt 555")
    # it begins where it was left
    assert 'is now "opt 3"' in await told(agent, "form_input", ref=field, value="opt 3")
    assert await seen(agent, "held") == "opt 3"
