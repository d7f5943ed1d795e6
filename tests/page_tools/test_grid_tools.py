"""Tools made from grids as libraries draw them: they read, sort and tick what they say, or tell that they did not."""

import pytest

from tests.conftest import Site
from tests.gateway import GatewayProcess
from tests.page_tools.opened import opened

pytestmark = pytest.mark.browser

HEAD = "<!doctype html><title>Orders</title><main><h1>Orders</h1>"
ORDERS = (("1001", "Ann", "9"), ("1002", "Bob", "7"), ("1003", "Cy", "8"))


def titles(*names: str, state: str = "none", within: str = "") -> str:
    heads = (
        f"<div role=columnheader aria-sort={state} aria-colindex={number}>{within}<span>{name}</span></div>"
        for number, name in enumerate(names, 2)
    )
    return f"<div role=row aria-rowindex=1><div role=columnheader aria-colindex=1></div>{''.join(heads)}</div>"


def cells(*texts: str) -> str:
    return "".join(f"<div role=gridcell aria-colindex={number}>{text}</div>" for number, text in enumerate(texts, 1))


SELECT = "<input type=checkbox aria-label='Select row'>"
ACTIVE = "<input type=checkbox aria-label=Active>"
ROWS = [
    f"<div role=row tabindex=0 aria-rowindex={number}>{cells(SELECT, *order, ACTIVE, '<button>Edit</button>')}</div>"
    for number, order in enumerate(ORDERS, 3)
]
FILTERS = f"<div role=row aria-rowindex=2>{cells('', '<input>', '', '', '')}</div>"
GRID = f"""{HEAD}<div role=grid><div>{titles("Order", "Customer", "Price", "Active")}{FILTERS}</div>
  <div>{ROWS[2]}{ROWS[0]}{ROWS[1]}</div></div></main>"""


async def test_a_grid_is_read_below_its_filters_in_the_order_of_its_rows(shared: GatewayProcess, site: Site) -> None:
    async with opened(shared, site, "/filtered", GRID) as page:
        assert "read_orders_table" in await page.tools()
        lines = (await page.run("read_orders_table", columns=["Order", "Price"])).splitlines()
        assert [line for line in lines if "|" in line] == ["Order | Price", "1001 | 9", "1002 | 7", "1003 | 8"]


async def test_rows_drawn_last_are_read_where_they_stand(shared: GatewayProcess, site: Site) -> None:
    rows = "".join(
        f"<div role=row style='position:absolute;top:{top}px'>{cells(*order)}</div>"
        for top, order in ((40, ORDERS[1]), (60, ORDERS[2]), (20, ORDERS[0]))
    )
    heads = "".join(f"<b role=columnheader aria-colindex={n}>{name}</b>" for n, name in ((1, "Order"), (2, "Customer")))
    html = f"{HEAD}<div role=grid style='position:relative;height:90px'><div role=row>{heads}</div>{rows}</div></main>"
    async with opened(shared, site, "/drawn-last", html) as page:
        told = await page.run("read_orders_table")
        assert told.index("Ann") < told.index("Bob") < told.index("Cy")


async def test_of_several_boxes_the_first_chooses_the_row(shared: GatewayProcess, site: Site) -> None:
    async with opened(shared, site, "/two-boxes", GRID) as page:
        assert 'Row 1, "1002 Bob' in await page.run("select_order", index=1)
        checked = "[...document.querySelectorAll('[role=row]')].filter((row) => row.querySelector('input:checked'))"
        assert page.evaluate(f"{checked}.map((row) => row.innerText).join().replace(/\\s+/g, ' ')").startswith("1002")


async def test_a_box_below_a_title_is_called_by_it_and_selects_nothing(shared: GatewayProcess, site: Site) -> None:
    rows = "".join(f"<tr><td>{name}<td><a href=?{number}>{number}</a><td>{ACTIVE}" for number, name, _ in ORDERS)
    html = f"{HEAD}<table><thead><tr><th>Customer<th>Order<th>Active</thead>{rows}</table></main>"
    async with opened(shared, site, "/active", html) as page:
        tools = await page.tools()
        assert "select_order" not in tools
        assert '"Active" of row 2' in await page.run("check_active_of_order", index=2)


async def test_the_box_that_is_drawn_around_is_the_one_that_is_ticked(shared: GatewayProcess, site: Site) -> None:
    rows = "".join(
        f"<tr><td><div role=checkbox aria-label=Pick><input type=checkbox></div><td><a href=?{number}>{name}</a>"
        for number, name, _ in ORDERS
    )
    async with opened(shared, site, "/drawn-around", f"{HEAD}<table>{rows}</table></main>") as page:
        await page.run("select_order", index=1)
        assert page.evaluate("[...document.querySelectorAll('input')].findIndex((each) => each.checked)") == 1


async def test_a_box_that_does_not_take_it_is_not_said_to_be_selected(shared: GatewayProcess, site: Site) -> None:
    rows = "".join(
        f"<tr><td><input type=checkbox onclick='return false'><td><a href=?{number}>{name}</a>"
        for number, name, _ in ORDERS
    )
    async with opened(shared, site, "/refusing", f"{HEAD}<table>{rows}</table></main>") as page:
        assert "it is not checked" in await page.fails("select_order", index=1)


SORTING = """<script>for (const each of document.querySelectorAll('span')) each.addEventListener('click', () => {
  const head = each.parentElement
  const next = head.ariaSort === 'ascending' ? 'descending' : 'ascending'
  for (const other of document.querySelectorAll('[aria-sort]')) other.ariaSort = 'none'
  head.ariaSort = next })</script>"""


async def test_a_title_heard_at_its_words_sorts_and_the_menu_beside_it_stays_shut(
    shared: GatewayProcess, site: Site
) -> None:
    menu = "<button onclick='opened = true' aria-label='Column menu'><svg width=9 height=9></svg></button>"
    head = titles("Order", "Customer", "Price", within=menu)
    html = f"{HEAD}<div role=grid><div>{head}</div><div>{''.join(ROWS)}</div></div></main>{SORTING}"
    async with opened(shared, site, "/sorted-by-words", html) as page:
        assert 'Sorted by "Price", ascending.' in await page.run("sort_by", column="Price")
        assert 'Sorted by "Price", descending.' in await page.run("sort_by", column="Price", direction="descending")
        assert page.evaluate("typeof opened") == "undefined"


async def test_a_table_that_does_not_sort_is_not_said_to_be_sorted(shared: GatewayProcess, site: Site) -> None:
    async with opened(shared, site, "/unsorted", GRID) as page:
        assert "not sorted" in await page.run("sort_by", column="Price")
        assert "none" in await page.fails("sort_by", column="Price", direction="ascending")


async def test_a_head_that_is_drawn_twice_names_its_columns_once(shared: GatewayProcess, site: Site) -> None:
    head = titles("Order", "Customer", "Price")
    table = f"<table role=presentation><tr role=row><td role=gridcell aria-colindex=2>{'1001'}</table>"
    html = f"{HEAD}<div role=treegrid><div>{head}{table}</div><div>{head}</div></div></main>"
    async with opened(shared, site, "/drawn-twice", html) as page:
        tools = await page.tools()
        assert "Columns: Order, Customer, Price." in tools["read_orders_table"]["description"]


async def test_a_row_of_empty_titles_below_the_titles_takes_none_away(shared: GatewayProcess, site: Site) -> None:
    rows = "".join(f"<tr><td>{'<td>'.join(order)}" for order in ORDERS)
    heads = "<tr><th>Order<th>Customer<th>Price<tr><th><th><input><th>"
    html = f"{HEAD}<table><thead>{heads}</thead>{rows}</table></main>"
    async with opened(shared, site, "/empty-titles", html) as page:
        assert "1002 | Bob | 7" in await page.run("read_orders_table")


async def test_rows_below_a_head_in_a_table_of_its_own_are_read_and_sorted_by_it(
    shared: GatewayProcess, site: Site
) -> None:
    plain = "<table role=presentation style='table-layout: fixed; width: 400px'>"
    heads = "".join(f"<td role=columnheader aria-sort=none><span>{name}</span>" for name in ("Order", "Customer"))
    rows = "".join(f"<tr role=row><td role=gridcell>{'<td role=gridcell>'.join(order[:2])}" for order in ORDERS)
    html = f"""{HEAD}<div>{plain}<tr role=row>{heads}</table></div><div role=grid>{plain}{rows}</table></div></main>"""
    async with opened(shared, site, "/head-apart", html + SORTING) as page:
        assert "Order | Customer\n1001 | Ann" in await page.run("read_orders_table")
        assert 'Sorted by "Customer", descending.' in await page.run(
            "sort_by", column="Customer", direction="descending"
        )


async def test_a_plain_table_that_scrolls_is_read_and_sorted_by_the_head_above_it(
    shared: GatewayProcess, site: Site
) -> None:
    plain = "<table style='table-layout: fixed; width: 400px; border-spacing: 0'>"
    heads = "".join(f"<th aria-sort=none><span>{name}</span>" for name in ("Order", "Customer"))
    measured = "<tr aria-hidden=true style='visibility: collapse'><th>Order<th>Customer"
    rows = "".join(f"<tr><td>{'<td>'.join(order[:2])}" for order in ORDERS)
    html = f"{HEAD}<div>{plain}<thead><tr>{heads}</table></div><div>{plain}{measured}{rows}</table></div></main>"
    async with opened(shared, site, "/scrolling", html + SORTING) as page:
        assert "Order | Customer\n1001 | Ann" in await page.run("read_orders_table")
        assert 'Sorted by "Customer", ascending.' in await page.run("sort_by", column="Customer")


PARTED = "<div role=row tabindex=0 aria-rowindex={} aria-label='Press SPACE to select this row.'>{}</div>"


def cell(column: int, text: str) -> str:
    return f"<div role=gridcell aria-colindex={column}>{text}</div>"


STAYING = "".join(
    PARTED.format(number, cell(1, SELECT) + cell(2, f"<a href='#o{order}'>{order}</a>"))
    for number, (order, _, _) in enumerate(ORDERS, 2)
)
SCROLLING = "".join(
    PARTED.format(number, cell(5, price) + cell(3, customer)) for number, (_, customer, price) in enumerate(ORDERS, 2)
)


def head(*columns: tuple[int, str]) -> str:
    inside = "<div role=columnheader aria-colindex={}><div role=columnheader>{}</div></div>"
    return f"<div role=row aria-rowindex=1>{''.join(inside.format(*column) for column in columns)}</div>"


SPLIT = f"""{HEAD}<div role=grid>
  <div>{head((1, ""), (2, "Order"))}</div><div>{head((5, "Price"), (4, "Paid"), (3, "Customer"))}</div>
  <div>{STAYING}</div><div>{SCROLLING}</div></div></main>"""


async def test_rows_that_are_drawn_in_two_parts_are_read_as_one(shared: GatewayProcess, site: Site) -> None:
    async with opened(shared, site, "/split", SPLIT) as page:
        lines = (await page.run("read_orders_table")).splitlines()
        # The column that is scrolled out of sight is not there to be read.
        assert [line for line in lines if "|" in line] == [
            "Order | Customer | Paid | Price",
            "1001 | Ann |  | 9",
            "1002 | Bob |  | 7",
            "1003 | Cy |  | 8",
        ]


async def test_rows_in_two_parts_are_one_list_that_is_opened_by_its_links(shared: GatewayProcess, site: Site) -> None:
    async with opened(shared, site, "/split-list", SPLIT) as page:
        tools = await page.tools()
        assert "0: 1001; 1: 1002; 2: 1003" in tools["open_order"]["description"]
        assert [name for name in tools if name.startswith("open")] == ["open_order"]
        await page.run("open_order", index=1)
        assert page.evaluate("location.hash") == "#o1002"
        await page.run("select_order", index=2)
        assert page.evaluate("[...document.querySelectorAll('input')].findIndex((each) => each.checked)") == 2


async def test_a_form_laid_out_with_titles_beside_its_fields_is_no_table_to_read(
    shared: GatewayProcess, site: Site
) -> None:
    fields = "<tr><th>Kind<td><select><option>Bug</select><th>Weight<td><input></tr>" * 2
    form = f"<form><table>{fields}</table><button>Create</button></form>"
    async with opened(shared, site, "/form-table", f"{HEAD}{form}</main>") as page:
        assert [name for name in await page.tools() if name.startswith(("read_", "sort_"))] == []
