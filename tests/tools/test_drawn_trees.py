"""Fields of which the options stand below one another: trees, menus of menus, cascades."""

import pytest

from tests.clients import Agent
from tests.conftest import Site
from tests.tools.pages import ref, seen, visit
from tests.tools.told import refused, told

pytestmark = pytest.mark.browser

FOREST = """<label for=c>Place</label><input id=c role=combobox readonly aria-haspopup=tree aria-expanded=false
    aria-controls=l><ul id=l role=tree hidden style="position: absolute; background: #fff"></ul><script>
  // A click on words chooses, whatever is below them; only the arrow opens.
  const all = { Asia: { Rome: 0 }, Europe: { France: { Paris: 0, 'Aix-en-Provence': 0 }, Italy: { Rome: 0 } } }
  const open = new Set()
  let held = ''
  const set = (is) => { c.setAttribute('aria-expanded', is); l.hidden = !is; l.replaceChildren(); draw(all, l, '', 0) }
  const draw = (tree, into, above, depth) => {
    for (const [name, below] of Object.entries(tree)) {
      const [way, row] = [above + name, document.createElement('li')]
      row.setAttribute('role', 'treeitem')
      row.innerHTML = `<div style="padding-left: ${depth * 9}px"><i class="ARROW"></i><span>${name}</span></div>`
      row.querySelector('span').onclick = () => { held = way; c.value = name; set(false) }
      row.querySelector('i').style = 'display: inline-block; width: 9px; height: 9px'
      into.append(row)
      if (!below) continue
      row.setAttribute('aria-expanded', open.has(way))
      row.querySelector('i').onclick = () => { open.has(way) ? open.delete(way) : open.add(way); set(true) }
      if (open.has(way)) draw(below, NESTED ? group(row) : l, `${way} `, depth + 1)
    }
  }
  const group = (row) => {
    row.insertAdjacentHTML('beforeend', '<ul role=group></ul>')
    return row.lastChild
  }
  c.onclick = () => set(true)
  </script>"""
MENUS = """<label for=c>Place</label><input id=c role=combobox readonly aria-haspopup=tree aria-expanded=false
    aria-controls=l><ul id=l role=tree hidden></ul><script>
  // The pointer opens what it comes to, and a click on what is open closes it.
  const all = { Asia: { Tokyo: 0, Seoul: 0 }, Europe: { Paris: 0, Rome: 0 } }
  let [held, open] = ['', '']
  const set = (is) => { c.setAttribute('aria-expanded', is); l.hidden = !is }
  for (const [name, below] of Object.entries(all)) {
    const row = Object.assign(document.createElement('li'), { role: 'treeitem' })
    row.innerHTML = `<div><b>${name}</b></div><ul></ul>`
    for (const town of Object.keys(below)) {
      const each = Object.assign(document.createElement('li'), { role: 'treeitem', textContent: town })
      each.onclick = () => { held = `${open} ${town}`; c.value = town; set(false) }
      row.lastChild.append(each)
    }
    const unfold = (is) => {
      for (const each of l.children) { each.lastChild.hidden = true; each.setAttribute('aria-expanded', false) }
      row.lastChild.hidden = !is; row.setAttribute('aria-expanded', is); open = is ? name : ''
    }
    row.firstChild.onmouseenter = () => unfold(true)
    row.firstChild.onclick = () => unfold(open !== name)
    l.append(row)
    unfold(false)
  }
  c.onclick = () => set(true)
  </script>"""
COLUMNS = """<label for=c>Place</label><input id=c role=combobox readonly aria-haspopup=tree aria-expanded=false
    aria-controls=l><div id=l role=tree hidden style="display: flex"></div><script>
  const all = { Asia: { Tokyo: 0 }, Europe: { Italy: { Rome: 0, Turin: 0 }, France: { Paris: 0 } } }
  let held = ''
  const set = (is) => {
    c.setAttribute('aria-expanded', is); l.hidden = !is; l.replaceChildren()
    if (is) draw(all, '', 1)
  }
  const draw = (tree, above, depth) => {
    while (l.childElementCount >= depth) l.lastChild.remove()
    const column = l.appendChild(document.createElement('ul'))
    for (const [name, below] of Object.entries(tree)) {
      const row = column.appendChild(document.createElement('li'))
      row.setAttribute('role', 'treeitem')
      row.setAttribute('aria-level', depth)
      row.innerHTML = `<span>${name}</span>${below ? '<i class=caret>&nbsp;</i>' : ''}`
      row.onclick = () => {
        if (below) return draw(below, `${above}${name} `, depth + 1)
        held = above + name; c.value = name; set(false)
      }
    }
  }
  c.onclick = () => set(true)
  </script>"""


@pytest.mark.parametrize("nested", [True, False], ids=["in its row", "after its row"])
async def test_what_is_below_a_row_of_a_tree_is_chosen_without_choosing_the_row(
    agent: Agent, site: Site, nested: bool
) -> None:
    html = FOREST.replace("NESTED", str(nested).lower()).replace("ARROW", "tree-toggler")
    place = ref(await visit(agent, site, html), '"Place"')
    for wanted, held in (
        ("Europe / Italy / Rome", "Europe Italy Rome"),
        ("Asia / Rome", "Asia Rome"),
        ("Europe", "Europe"),
        ("Paris", "Europe France Paris"),
        ("Italy", "Europe Italy"),
    ):
        assert f'is now "{wanted.rpartition(" / ")[2]}"' in await told(agent, "form_input", ref=place, value=wanted)
        assert await seen(agent, "held") == held
    assert "no option" in await refused(agent, "form_input", ref=place, value="Europe / Spain / Madrid")
    assert "no option" in await refused(agent, "form_input", ref=place, value="Oslo")
    assert await seen(agent, "held") == "Europe Italy"


async def test_an_option_that_opens_others_when_pointed_at_is_not_clicked_shut(agent: Agent, site: Site) -> None:
    place = ref(await visit(agent, site, MENUS), '"Place"')
    for wanted in ("Europe / Rome", "Europe / Paris", "Asia / Seoul"):
        assert "is now" in await told(agent, "form_input", ref=place, value=wanted)
        assert await seen(agent, "held") == wanted.replace(" / ", " ")


async def test_a_way_leads_through_columns_whose_rows_have_carets(agent: Agent, site: Site) -> None:
    place = ref(await visit(agent, site, COLUMNS), '"Place"')
    assert 'is now "Rome"' in await told(agent, "form_input", ref=place, value="Europe / Italy / Rome")
    assert await seen(agent, "held") == "Europe Italy Rome"


CASCADE = """<div class=el-cascader><label for=i>Place</label><div><input id=i FIELD style="cursor: pointer"></div>
    <div class=el-cascader__tags id=tags></div></div><div id=p style="position: absolute"></div><script>
  // Menus side by side. What is typed only narrows them, and stays when the field is left.
  const all = { Asia: { Tokyo: 0 }, Europe: { Italy: { Rome: 0, Turin: 0 }, France: { Paris: 0 } } }
  let held = []
  const show = () => {
    if (!MANY) { i.value = held[0] ?? ''; return }
    const tag = (each) => `<span class=el-tag>${each}<button class=el-tag__close>×</button></span>`
    tags.innerHTML = held.map(tag).join('')
    for (const [at, each] of [...tags.children].entries()) {
      each.lastChild.onclick = () => { held.splice(at, 1); show() }
    }
  }
  const draw = (tree, above, depth) => {
    while (p.childElementCount >= depth) p.lastChild.remove()
    const menu = p.appendChild(document.createElement('ul'))
    menu.setAttribute('role', 'menu')
    for (const [name, below] of Object.entries(tree)) {
      const item = menu.appendChild(document.createElement('li'))
      item.setAttribute('role', 'menuitem')
      item.innerHTML = `${MANY ? '<input type=checkbox>' : ''}<span>${name}</span>`
      item.onclick = () => {
        if (below) return draw(below, `${above}${name} / `, depth + 1)
        held = MANY ? [...held, above + name] : [above + name]
        if (!MANY) p.replaceChildren()
        show()
      }
    }
  }
  i.onclick = () => { if (!p.childElementCount) draw(all, '', 1) }
  i.onkeydown = ({ key }) => { if (key === 'Escape') p.replaceChildren() }
  </script>"""


@pytest.mark.parametrize("field", ["readonly", ""], ids=["read-only", "to narrow it by typing"])
async def test_a_cascade_is_led_through_by_the_way(agent: Agent, site: Site, field: str) -> None:
    outline = await visit(agent, site, CASCADE.replace("FIELD", field).replace("MANY", "false"))
    place = ref(outline, 'textbox "Place"')
    for wanted in ("Europe / Italy / Rome", "Europe / Italy / Turin", "Asia / Tokyo"):
        assert f'is now "{wanted}"' in await told(agent, "form_input", ref=place, value=wanted)
        assert await seen(agent, "held.join()") == wanted
    assert "no option" in await refused(agent, "form_input", ref=place, value="Europe / Spain")
    assert await seen(agent, "held.join()") == "Asia / Tokyo"


async def test_of_a_cascade_of_several_just_these_are_chosen(agent: Agent, site: Site) -> None:
    outline = await visit(agent, site, CASCADE.replace("FIELD", "readonly").replace("MANY", "true"))
    place = ref(outline, 'textbox "Place"')
    for wanted in (["Europe / Italy / Rome", "Asia / Tokyo"], ["Europe / France / Paris"]):
        said = await told(agent, "form_input", ref=place, value=wanted)
        assert all(each in said.splitlines()[0] for each in wanted)
        assert await seen(agent, "held.join(', ')") == ", ".join(wanted)
