"""Heads of grids as libraries draw them: cells and fields are known by their column, what sorts by its title."""

import re

import pytest

from tests.clients import Agent
from tests.conftest import Site
from tests.tools.pages import ref, seen, visit
from tests.tools.told import told

pytestmark = pytest.mark.browser

ORDERS = (("1001", "5", "46"), ("1002", "6", "83"))

SORTED = f"""<table><thead><tr><th><input type=checkbox><th onclick=1>Order<th onclick=1>Stock<th onclick=1>Price
  <tbody>{"".join(f"<tr><td><input type=checkbox><td>{'<td>'.join(cells)}" for cells in ORDERS)}</table>"""


def cell(text: str, column: int, role: str = "gridcell") -> str:
    return f"<div role={role} aria-colindex={column}>{text}</div>"


def row(cells: str) -> str:
    return f"<div role=row>{cells}</div>"


BY_NUMBER = f"""<div role=grid id=g>
  {row(cell("Price", 3, "columnheader") + cell("Order", 1, "columnheader") + cell("Stock", 2, "columnheader"))}
  {"".join(row(cell(stock, 2) + cell(number, 1) + cell(price, 3)) for number, stock, price in ORDERS)}</div>
  <script>g.addEventListener('mousedown', () => {{}})</script>"""

APART = f"""<style>table {{ table-layout: fixed; width: 400px }} td {{ padding: 0 }}</style>
  <div><table role=presentation><tr role=row><td role=gridcell><td role=columnheader>Order<td role=columnheader>Stock
  <td role=columnheader>Price</table></div><div><table role=presentation>
  {"".join(f"<tr role=row><td>+<td onclick=1>{'<td onclick=1>'.join(cells)}" for cells in ORDERS)}</table></div>"""

FILTERED = f"""<table><thead><tr><th>Order<th>Stock<th>Price<tr><th><th><div><input></div><th></thead>
  {"".join(f"<tr><td onclick=1>{'<td onclick=1>'.join(cells)}" for cells in ORDERS)}</table>"""


async def found(agent: Agent, query: str) -> str:
    """The best hit, or that there is none."""
    lines = (await told(agent, "find", query=query)).splitlines()
    return lines[1] if lines[0].startswith("[found") else lines[0]


async def test_what_sorts_by_a_column_is_its_title_though_another_is_called_order(agent: Agent, site: Site) -> None:
    await visit(agent, site, SORTED)
    assert 'columnheader "Price"' in await found(agent, "sort by price")


async def test_cells_in_any_order_are_known_by_the_number_of_their_column(agent: Agent, site: Site) -> None:
    await visit(agent, site, BY_NUMBER)
    assert '"83"' in await found(agent, "price of order 1002")


async def test_cells_are_known_by_titles_in_a_table_of_their_own(agent: Agent, site: Site) -> None:
    await visit(agent, site, APART)
    assert '"6"' in await found(agent, "stock of order 1002")
    assert '"83"' in await found(agent, "price of order 1002")


async def test_a_row_of_filters_takes_no_titles_away_and_is_called_by_them(agent: Agent, site: Site) -> None:
    outline = await visit(agent, site, FILTERED)
    assert 'textbox "Stock"' in outline
    assert '"83"' in await found(agent, "price of order 1002")


async def test_a_table_that_happens_to_stand_below_another_has_not_its_titles(agent: Agent, site: Site) -> None:
    html = """<table style="width: 400px"><tr><th>Order<th>Price<tr><td>1<td>2</table>
      <table style="width: 300px"><tr><td onclick=1>Ann<td><input></table>"""
    outline = await visit(agent, site, html)
    assert "Price" not in outline


async def test_a_box_in_a_head_is_not_called_by_the_next_column(agent: Agent, site: Site) -> None:
    outline = await visit(agent, site, SORTED)
    assert 'checkbox "Order"' not in outline
    assert re.search(r"row: checkbox e\d+", outline), outline


async def test_a_cell_that_is_edited_is_called_by_its_column_not_by_the_cell_before(agent: Agent, site: Site) -> None:
    rows = "".join(f"<tr><td>{name}<td class=p>Rug" for name in ("Ann", "Bob", "Cy"))
    html = f"""<table><thead><tr><th>Customer<th>Product</thead>{rows}</table><script>
      document.querySelectorAll('.p')[1].innerHTML = '<input value=Rug>'</script>"""
    assert 'textbox "Product"' in await visit(agent, site, html)


async def test_a_field_of_every_row_is_still_called_by_what_stands_before_it(agent: Agent, site: Site) -> None:
    rows = "".join(f"<tr><td>{name}<td><input>" for name in ("Desk", "Lamp"))
    html = f"<table><thead><tr><th>Product<th>Quantity</thead>{rows}</table>"
    assert 'textbox "Desk"' in await visit(agent, site, html)


async def test_a_field_after_other_fields_is_called_by_its_column(agent: Agent, site: Site) -> None:
    rows = "".join(f"<tr><td>{name}<td><input><td><input>" for name in ("Desk", "Lamp"))
    html = f"<table><thead><tr><th>Product<th>Quantity<th>Note</thead>{rows}</table>"
    assert (await visit(agent, site, html)).count('textbox "Note"') == 2


async def test_a_title_that_says_how_it_sorts_is_clicked_where_the_grid_hears_it(agent: Agent, site: Site) -> None:
    html = """<div role=treegrid id=g><table role=presentation><thead><tr role=row>
      <th role=columnheader aria-sort=none tabindex=-1><span>Order</span><button tabindex=-1 aria-hidden=true></button>
      <th role=columnheader aria-sort=none tabindex=-1><span>Price</span><button tabindex=-1 aria-hidden=true></button>
      <tbody><tr role=row><td role=gridcell>1001<td role=gridcell>46</table></div>
      <script>let pressed = ''
      g.addEventListener('mousedown', ({ target }) => { pressed = target.closest('th').innerText.trim() })</script>"""
    outline = await visit(agent, site, html)
    await told(agent, "computer", action="left_click", ref=ref(outline, 'columnheader "Price"'))
    assert await seen(agent, "pressed") == "Price"


async def test_a_title_with_signs_to_press_is_a_title_still(agent: Agent, site: Site) -> None:
    signs = "".join(f"<b tabindex=0 aria-label={name}>+</b>" for name in ("Filter", "Menu", "Pin"))
    html = f"""<div role=grid><div role=row><div role=columnheader id=h><span>Price</span>{signs}</div></div>
      {row(cell("46", 1))}</div><script>h.addEventListener('click', () => {{}})</script>"""
    assert 'columnheader "Price' in await visit(agent, site, html)


SORTS = """<table><tr><th aria-sort=none{0}>Order</th><th aria-sort=none{1}>{2}</th>
  <tr><td>1001<td>46<tr><td>1002<td>83</table><script>
  const heads = [...document.querySelectorAll('th')]
  document.addEventListener('click', ({{ target }}) => {{
    const head = target.closest('th')
    const next = {{ none: 'ascending', ascending: 'descending', descending: 'none' }}[head.ariaSort]
    for (const each of heads) each.ariaSort = 'none'
    head.ariaSort = next
    document.querySelector('tbody').append(document.querySelectorAll('tr')[1]) }})</script>"""


@pytest.mark.parametrize(
    "html",
    [SORTS.format(" tabindex=0", " tabindex=0", "Price"), SORTS.format("", "", "<button>Price</button>")],
    ids=["title", "button"],
)
async def test_it_is_told_by_which_column_a_table_is_sorted(agent: Agent, site: Site, html: str) -> None:
    price = ref(await visit(agent, site, html), '"Price"')
    for said in ("Sorted by “Price”, ascending.", "Sorted by “Price”, descending.", "No longer sorted by “Price”."):
        assert said in (await told(agent, "computer", action="left_click", ref=price)).splitlines()
    await told(agent, "computer", action="left_click", ref=price)
    assert f'"Price" {price} ascending' in await told(agent, "read_page")
