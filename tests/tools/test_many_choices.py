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
