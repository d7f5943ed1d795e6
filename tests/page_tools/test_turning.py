"""Tools that lead on within a page: tables read and sorted, pages turned, tabs switched, filters applied."""

import pytest

from tests.conftest import Site
from tests.gateway import GatewayProcess
from tests.page_tools.opened import opened

pytestmark = pytest.mark.browser

TABLE = """<!doctype html><title>Staff</title><main><h1>Staff</h1><table><caption>Employees</caption>
<thead><tr><th aria-sort=none><button>Name</button><th aria-sort=ascending><button>Salary</button>
<th>City</tr></thead><tbody id=rows></tbody></table>
<nav aria-label=Pagination><span aria-current=page>1</span><a href="#2">2</a><a href="#3">3</a>
<a href="#2" rel=next>Next</a></nav></main>
<script>
rows.innerHTML = Array.from({ length: 60 }, (_, n) => `<tr><td>Person ${n}<td>${1000 + n}
<td>${n % 2 ? 'Paris' : 'Berlin'}`).join('');
for (const head of document.querySelectorAll('th[aria-sort]')) head.firstChild.onclick = () => {
  const next = head.getAttribute('aria-sort') === 'ascending' ? 'descending' : 'ascending';
  for (const each of document.querySelectorAll('th[aria-sort]')) each.setAttribute('aria-sort', 'none');
  head.setAttribute('aria-sort', next);
};
</script>"""

TABS = """<!doctype html><title>Mug</title><main><h1>Mug</h1><div role=tablist>
<button role=tab aria-selected=true>Description</button>
<button role=tab aria-selected=false onclick="panel.textContent='Five stars'">Reviews (12)</button></div>
<div id=panel role=tabpanel>Blue.</div>
<ul class=filters><li><a href="#/all" class=selected>All</a><li><a href="#/active">Active</a></ul></main>"""


async def test_a_table_is_read_sorted_and_paged(shared: GatewayProcess, site: Site) -> None:
    async with opened(shared, site, "/table", TABLE) as page:
        tools = await page.tools()
        assert tools["read_employees_table"]["annotations"]["readOnlyHint"] is True
        assert "previous_page" not in tools
        read = await page.run("read_employees_table", columns=["Name", "City"], limit=2)
        assert read.splitlines() == [
            "Name | City",
            "Person 0 | Berlin",
            "Person 1 | Paris",
            "(58 more rows; raise limit)",
        ]
        assert 'Sorted by "Name", descending.' in await page.run("sort_by", column="Name", direction="descending")
        assert page.evaluate("document.querySelector('th').ariaSort") == "descending"
        await page.run("next_page")
        assert page.evaluate("location.hash") == "#2"
        await page.run("go_to_page", page=3)
        assert page.evaluate("location.hash") == "#3"


async def test_tabs_are_switched_and_filters_applied(shared: GatewayProcess, site: Site) -> None:
    async with opened(shared, site, "/tabs", TABS) as page:
        tools = await page.tools()
        assert tools["switch_tab"]["inputSchema"]["properties"]["tab"]["enum"] == ["Description", "Reviews"]
        assert "Five stars" in await page.run("switch_tab", tab="Reviews")
        await page.run("switch_tab", tab="Description")
        await page.run("filter_by", filter="Active")
        assert page.evaluate("location.hash") == "#/active"


async def test_arrows_and_stars_are_no_rows_and_arrows_are_paging(shared: GatewayProcess, site: Site) -> None:
    page_items = "".join(
        f'<li title="{number}" class="ant-pagination-item {"ant-pagination-item-active" if number == 1 else ""}"'
        f" tabindex=0 onclick=\"location.hash='{number}'\"><a rel=nofollow>{number}</a></li>"
        for number in (1, 2, 3)
    )
    arrow = '<li title="{0} Page" tabindex=0 aria-disabled={1} onclick="location.hash=\'{0}\'"><button tabindex=-1>'
    arrow += "<span role=img aria-label={2}><svg width=9 height=9 aria-hidden=true></svg></span></button></li>"
    star = "<li class=star><div role=radio tabindex=0><svg width=9 height=9 aria-hidden=true></svg></div></li>"
    html = f"""<title>Kit</title><main><h1>Kit</h1><ul class=ant-rate tabindex=0>{star * 5}</ul>
    <ul class="ant-pagination">{arrow.format("Previous", "true", "left")}{page_items}
    {arrow.format("Next", "false", "right")}</ul></main>"""
    async with opened(shared, site, "/arrows", html) as page:
        tools = await page.tools()
        assert not [name for name in tools if name.startswith("open_")]
        assert "previous_page" not in tools
        await page.run("next_page")
        assert page.evaluate("location.hash") == "#Next"
        await page.run("go_to_page", page=3)
        assert page.evaluate("location.hash") == "#3"


async def test_a_list_of_tabs_within_another_is_the_same_list(shared: GatewayProcess, site: Site) -> None:
    tabs = "".join(f"<div role=tab>{name}</div>" for name in ("General", "Connection"))
    html = f"<!doctype html><title>T</title><main><div role=tablist><div role=tablist>{tabs}</div></div></main>"
    async with opened(shared, site, "/nested-tabs", html) as page:
        assert [name for name in await page.tools() if "tab" in name] == ["switch_tab"]
