"""A tool is called by what it is: neither what is searched, sorted, folded or ticked, nor its neighbours rename it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from tests.apps.page import Page
from tests.clients import connect
from tests.conftest import Site
from tests.gateway import GatewayProcess

pytestmark = pytest.mark.browser

OWN = frozenset({"list_tabs", "open_tab", "focus_tab", "close_tab", "connect_browser"})

TICKETS = """<!doctype html><title>Select ticket to change | Desk</title><main><h1>Select ticket to change</h1>
<form role=search><input name=q type=search><button>Search</button></form>
<form method=post><label>Action:
<select name=action><option value="">---<option>Delete selected tickets</select></label>
<button>Go</button><table><thead><tr><th><input type=checkbox id=all><th SORT>NUMBER<a href="?o=1">Subject</a>
<th>Owner ARROW</tr></thead><tbody>ROWS</tbody></table></form>
<button aria-expanded=OPEN aria-label="FOLD details"></button></main>"""


def tickets(rows: int, *, sorted_by: bool = False) -> str:
    row = (
        '<tr><td><input type=checkbox name=_picked value={0}><td><a href="/ticket/{0}">Broken lamp {0}</a><td>Ann</tr>'
    )
    return (
        TICKETS.replace("ROWS", "".join(row.format(number) for number in range(rows)))
        .replace("SORT", 'aria-sort="descending"' if sorted_by else 'aria-sort="none"')
        .replace("NUMBER", '<span title="Sorting priority">2</span>' if sorted_by else "")
        .replace("ARROW", "▼" if sorted_by else "")
        .replace("OPEN", "true" if sorted_by else "false")
        .replace("FOLD", "Collapse" if sorted_by else "Expand")
    )


@asynccontextmanager
async def visiting(gateway: GatewayProcess) -> AsyncGenerator[Page]:
    async with connect(gateway, toolsets="focus") as agent:
        await agent.call("connect_browser", launch=True)
        yield Page(agent)
        await agent.call("close_tab")


@pytest.mark.parametrize(
    ("query", "rows", "sorted_by"), [("q=lamp", 12, False), ("q=lamp", 1, True), ("o=-2.1", 2, True)]
)
async def test_searching_sorting_and_unfolding_rename_nothing(
    shared: GatewayProcess, site: Site, query: str, rows: int, sorted_by: bool
) -> None:
    async with visiting(shared) as page:
        site.pages["/desk/ticket/"] = tickets(5)
        await page.open(f"{site.url}/desk/ticket/")
        before = {name: tool for name, tool in (await page.tools()).items() if name not in OWN}
        assert {"open_ticket", "read_ticket_table", "run_action", "search_ticket", "toggle_details"} <= before.keys()
        site.pages["/desk/ticket/"] = tickets(rows, sorted_by=sorted_by)
        await page.open(f"{site.url}/desk/ticket/?{query}")
        after = {name: tool for name, tool in (await page.tools()).items() if name not in OWN}
        assert after.keys() == before.keys()
        for name in ("read_ticket_table", "sort_by"):
            assert after[name].input_schema == before[name].input_schema
        ticks = [tools["run_action"].input_schema["properties"]["picked"]["type"] for tools in (before, after)]
        assert ticks == ["array", "array"]


async def test_a_list_stays_while_one_of_its_rows_is_unfolded(shared: GatewayProcess, site: Site) -> None:
    entry = '<div class=op><button aria-expanded=false>{0} a pet</button><div></div><a href="?{0}">Copy</a></div>'
    unfold = """<script>document.querySelector('main').onclick = ({ target }) => {
    target.setAttribute('aria-expanded', 'true');
    target.nextElementSibling.innerHTML = '<button>Try</button><a href="?a">One</a>'.repeat(6); }</script>"""
    async with visiting(shared) as page:
        entries = "".join(map(entry.format, ("Find", "Add", "Sell")))
        site.pages["/folds"] = f"<title>Shop</title><main><h1>Pets</h1>{entries}</main>{unfold}"
        await page.open(f"{site.url}/folds")
        await page.run("open_pet", index=1)
        assert "1: Add a pet" in str((await page.offered("open_pet")).description)


async def test_a_button_is_not_called_after_the_last_of_the_cards_above_it(shared: GatewayProcess, site: Site) -> None:
    cards = "".join(f"<div class=card><h3>{name}</h3><p>All about it</p></div>" for name in ("Cats", "Dogs", "Fish"))
    async with visiting(shared) as page:
        site.pages["/cards"] = f"<title>Zoo</title><main><h2>Visit</h2>{cards}<p><button>Subscribe</button></p></main>"
        await page.open(f"{site.url}/cards")
        assert "Fish" not in str(await page.tools())
        assert {"subscribe", "subscribe_visit"} & (await page.tools()).keys()


async def test_a_heading_that_nobody_sees_names_nothing_that_shows(shared: GatewayProcess, site: Site) -> None:
    rows = "".join(f"<tr><td>Person {number}<td>{number}</tr>" for number in range(5))
    site.pages["/staff"] = f"""<!doctype html><title>Staff</title><h1>Staff</h1>
        <div style="visibility: hidden"><div><h5>Cart</h5></div></div>
        <table><thead><tr><th>Name<th>Age</tr></thead><tbody>{rows}</tbody></table>"""
    async with visiting(shared) as page:
        await page.open(f"{site.url}/staff")
        assert "read_staff_table" in await page.tools()


async def test_links_that_say_the_same_are_told_apart_by_where_they_stand(shared: GatewayProcess, site: Site) -> None:
    row = '<tr><th><a href="/{0}/">{1}</a></th><td><a href="/{0}/add/">Add</a></td></tr>'
    async with visiting(shared) as page:
        table = row.format("group", "Groups") + row.format("user", "Users")
        site.pages["/menu"] = f"<title>Menu</title><nav><table>{table}</table></nav><h1>Menu</h1>"
        await page.open(f"{site.url}/menu")
        choices = (await page.offered("go_to")).input_schema["properties"]["section"]["enum"]
        assert sorted(choices) == ["Add: Groups", "Add: Users", "Groups", "Users"]
        assert "/user/add/" in await page.run("go_to", section="Add: Users")


async def test_what_a_field_is_called_does_not_change_with_what_is_wrong_with_it(
    shared: GatewayProcess, site: Site
) -> None:
    async with visiting(shared) as page:
        site.pages["/try"] = """<title>Try</title><main><h1>Find pet</h1><table><tr><td><div>petId<span> *</span></div>
        <div>integer</div><td><input id=field-1001></table><button id=go>Execute</button><p id=out></p></main>
        <script>go.onclick = () => { const field = document.querySelector('input'), bad = !/^\\d+$/.test(field.value);
        field.className = bad ? 'invalid' : ''; field.title = bad ? 'Value must be an integer' : '';
        go.textContent = bad ? 'Execute' : 'Running'; out.textContent = bad ? '' : 'Found Tom'; }</script>"""
        await page.open(f"{site.url}/try")
        told = await page.fails("find_pet", petId="many")
        assert "petId: Value must be an integer" in told
        told = await page.run("find_pet", petId="7")
        assert "Pressed “Execute”" in told
        assert "Found Tom" in told


async def test_words_that_only_markup_divides_stay_whole(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared) as page:
        item = "<li role=menuitem tabindex=0><div><span>{}</span>{}</div><div class=x-itemShortcut>{}</div></li>"
        items = item.format("O", "pen", "") + item.format("R", "ename it", "F2") + item.format("M", "ove", "Ctrl+M")
        site.pages["/menu-keys"] = f"""<title>Files</title><ul role=menu>{items}</ul><button id=go>Run
        <span>12</span></button><output id=out></output><script>go.onclick = () => {{
        out.innerHTML = '<span>range</span><span>(</span><span>3</span><span>)</span>'; }}</script>"""
        await page.open(f"{site.url}/menu-keys")
        await page.offered("open")
        assert {"open", "rename_it", "move", "run"} <= (await page.tools()).keys()
        assert "range(3)" in await page.run("run")


@pytest.mark.parametrize("count", [2, 5])
async def test_editors_alike_are_one_tool_that_asks_which(shared: GatewayProcess, site: Site, count: int) -> None:
    editor = """<div class=cm-editor><div class=cm-content contenteditable role=textbox aria-multiline=true
    data-language=python><div class=cm-line>x</div></div></div>"""
    async with visiting(shared) as page:
        site.pages["/cells"] = f"<title>Book</title><main><h1>Book</h1>{editor * count}</main>"
        await page.open(f"{site.url}/cells")
        listed = await page.offered("set_code")
        assert listed.input_schema["required"] == ["index", "code"]
        assert listed.input_schema["properties"]["index"]["maximum"] == count - 1
        assert "set_code_2" not in await page.tools()
        await page.run("set_code", index=1, code="if y:\n    z()")
        read = [line.strip() for line in (await page.shows("z()")).splitlines()]
        assert [line for line in read if line in ("x", "if y:")][:2] == ["x", "if y:"]
        # What an editor holds is no part of the tool.
        assert (await page.tools())["set_code"] == listed


async def test_editors_under_headings_are_listed_by_these(shared: GatewayProcess, site: Site) -> None:
    editor = """<section><h2>{}</h2><div class=cm-editor>
    <div class=cm-content contenteditable role=textbox aria-multiline=true>x</div></div></section>"""
    async with visiting(shared) as page:
        site.pages["/parts"] = f"<title>Book</title><main>{editor.format('Query')}{editor.format('Variables')}</main>"
        await page.open(f"{site.url}/parts")
        index = (await page.offered("set_code")).input_schema["properties"]["index"]
        assert index["description"] == "Which one: 0 = Query; 1 = Variables"


async def test_a_button_of_the_navigation_that_only_does_something_is_no_section(
    shared: GatewayProcess, site: Site
) -> None:
    async with visiting(shared) as page:
        site.pages["/docs"] = """<title>Docs</title><nav><a href="/a">Guide</a><a href="/b">Reference</a>
        <button data-clipboard-target="#x" title="Copy to clipboard"></button><button>Blog</button></nav>"""
        await page.open(f"{site.url}/docs")
        choices = (await page.offered("go_to")).input_schema["properties"]["section"]["enum"]
        assert choices == ["Guide", "Reference", "Blog"]
