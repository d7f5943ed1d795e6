"""Grids as libraries draw them: cells that can be edited have refs, and what every row repeats is not told again."""

import re

import pytest

from tests.clients import Agent
from tests.conftest import Site
from tests.tools.pages import ref, seen, visit
from tests.tools.told import refused, told

pytestmark = pytest.mark.browser

CELLS = """<div id=g><div role=grid aria-label=Stock>
  <div role=row><div role=columnheader>Name</div><i class=col-resize-handle></i><div role=columnheader>Done</div></div>
  <div role=row><div role=gridcell id=a class="lib-cell lib-cell-text">Nut</div><i class=col-resize-handle
    style="display: inline-block; width: 4px; height: 9px"></i><div role=gridcell class="lib-cell" aria-checked=true
    style="height: 20px"></div></div>
  <div role=row><div role=gridcell>Bolt</div><div role=gridcell class="lib-cell"><input type=checkbox
    aria-label="Bolt done"></div></div></div></div><script>
  g.addEventListener('dblclick', ({ target }) => { target.textContent = 'edited' })
  for (const each of document.querySelectorAll('i')) each.addEventListener('mousedown', () => {})
  g.addEventListener('mousedown', () => {})
  </script>"""


async def test_cells_whose_grid_hears_presses_are_told_and_reached(agent: Agent, site: Site) -> None:
    outline = await visit(agent, site, CELLS)
    await told(agent, "computer", action="double_click", ref=ref(outline, 'gridcells "Nut"'))
    said = await told(agent, "javascript_tool", action="javascript_exec", text="a.textContent")
    assert said == "edited"


async def test_a_cell_is_not_called_by_its_classes_and_says_whether_it_is_ticked(agent: Agent, site: Site) -> None:
    outline = await visit(agent, site, CELLS)
    assert "lib cell" not in outline
    assert re.search(r'"Nut" e\d+, e\d+ checked', outline), outline
    assert outline.count("resize") <= 1
    assert 'checkbox "Bolt done"' in outline


async def test_a_transparent_box_in_a_cell_is_clicked_by_its_ref(agent: Agent, site: Site) -> None:
    html = """<div role=grid><div role=row><div role=gridcell tabindex=0><div style="width: 16px; height: 16px"><input
      type=checkbox id=b aria-label=Active style="opacity: 0; margin: 0; width: 14px"></div></div></div></div>"""
    outline = await visit(agent, site, html)
    await told(agent, "computer", action="left_click", ref=ref(outline, '"Active"'))
    assert await told(agent, "javascript_tool", action="javascript_exec", text="b.checked") == "true"


async def test_cells_of_a_grid_that_nobody_listens_to_are_text(agent: Agent, site: Site) -> None:
    outline = await visit(agent, site, "<div role=grid><div role=row><div role=gridcell>Plain</div></div></div>")
    assert "Plain" not in outline


async def test_a_cell_that_can_be_selected_is_not_clicked_as_a_list(agent: Agent, site: Site) -> None:
    html = """<table><tr><td class="lib-editable lib-selectable-cell" onclick="clicks += 1">Desk</td></tr></table>
      <script>let clicks = 0</script>"""
    cell = ref(await visit(agent, site, html), '"Desk"')
    assert "It is no field" in await refused(agent, "form_input", ref=cell, value="Table")
    assert await seen(agent, "clicks") == "0"


async def test_an_editor_that_draws_its_text_is_one_field(agent: Agent, site: Site) -> None:
    html = """<label for=t>Body</label><textarea id=t style="display: none"></textarea><div class=CodeMirror
      style="width: 300px; height: 60px"><div style="overflow: hidden; position: relative; width: 3px;
      height: 0"><textarea style="position: absolute; width: 1000px; height: 1em"></textarea></div><div tabindex=-1><pre
      class=CodeMirror-line>let a = 1</pre></div></div>"""
    outline = await visit(agent, site, html)
    assert re.search(r'textbox "Body" e\d+ = "let a = 1"', outline), outline
    assert outline.count('"Body"') == 1


@pytest.mark.parametrize(("keeps", "said"), [("true", 'is now "Screw"'), ("false", "but is empty now")])
async def test_a_cell_whose_field_goes_is_told_as_it_shows_then(
    agent: Agent, site: Site, keeps: str, said: str
) -> None:
    html = """<table><tr><td id=cell><input id=field aria-label=Name></table><script>
      field.onblur = () => { cell.textContent = %s ? field.value : '' }</script>"""
    field = ref(await visit(agent, site, html % keeps), '"Name"')
    assert said in await told(agent, "form_input", ref=field, value="Screw")


async def test_rows_in_two_parts_are_called_alike_and_not_by_advice_on_keys(agent: Agent, site: Site) -> None:
    row = "<div role=row aria-rowindex={} aria-label='Press SPACE to select this row.'>{}</div>"
    names = "".join(
        row.format(n, f"<div role=gridcell aria-colindex=1>{name}</div>") for n, name in enumerate(("Ann", "Bob"), 2)
    )
    button = "<div role=gridcell aria-colindex=2><button>Pay</button></div>"
    html = f"<div role=grid><div>{names}</div><div>{''.join(row.format(n, button) for n in (2, 3))}</div></div>"
    outline = await visit(agent, site, html)
    assert "SPACE" not in outline
    assert 'row "Bob": button "Pay"' in outline


@pytest.mark.parametrize("display", ["contents", "inline"])
async def test_what_has_no_box_of_its_own_cuts_nothing_off(agent: Agent, site: Site, display: str) -> None:
    table = "<table><tr><td onclick=\"this.textContent = 'Opened'\">Article</table>"
    style = f"display: {display}; overflow: auto; position: relative"
    outline = await visit(agent, site, f"<span style='{style}'>{table}</span>")
    await told(agent, "computer", action="left_click", ref=ref(outline, '"Article"'))
    assert await seen(agent, "document.body.innerText.trim()") == "Opened"
