"""Tools made from buttons: what is offered, what is not, under which name, and what pressing them tells."""

import pytest

from tests.conftest import Site
from tests.gateway import GatewayProcess
from tests.page_tools.opened import opened

pytestmark = pytest.mark.browser

REPOSITORY = """<!doctype html><title>someone/something</title>
<nav aria-label=Repository><a href="?code" aria-current=page>Code</a><a href="?issues">Issues
<span>1,234</span></a></nav>
<main><h1>someone/something</h1><ul>
<li><button aria-label="Fork your own copy of someone/something">Fork <span>4.2k</span></button></li>
<li><form action="/starred" method=post><input type=hidden name=token value=1>
<button aria-label="Star this repository (61234)" aria-pressed=false>Star <span>61.2k</span></button></form></li></ul>
<button aria-haspopup=menu>Branches</button><button><svg class="icon-trash"></svg></button>
<table><caption>Files</caption><tr><th>Name<th>Last change</tr>
<tr><td><a href="?src">src</a><td><a href="?c1">Fix the first thing</a></tr><tr><td><a href="?docs">docs</a>
<td><a href="?c2">Fix more</a></tr></table>
</main><footer><a href="/terms">Terms</a><button>Manage cookies</button></footer>"""

DIALOG = """<!doctype html><title>Files</title><nav><a href="?a">One</a><a href="?b">Two</a></nav>
<main><h1>Files</h1><ul><li><a href="?1">One.txt</a><button>Delete</button><li><a href="?2">Two.txt</a>
<button>Delete</button></ul></main>
<dialog id=ask aria-labelledby=what><h2 id=what>Delete file?</h2><button onclick="ask.close()">Delete</button>
<button onclick="ask.close()">Cancel</button></dialog><script>ask.showModal()</script>"""


async def test_a_repository_page_gives_star_repo_and_fork_repo(shared: GatewayProcess, site: Site) -> None:
    async with opened(shared, site, "/repository", REPOSITORY) as page:
        tools = await page.tools()
        assert {"star_repo", "fork_repo", "open_branches", "delete_repo", "open_file", "read_files_table"} <= set(tools)
        assert "manage_cookies" not in tools
        assert tools["star_repo"]["description"].endswith("It is off now.")
        assert "0: src; 1: docs" in tools["open_file"]["description"]
        assert tools["go_to"]["inputSchema"]["properties"]["section"]["enum"] == ["Code", "Issues"]
        assert "/starred" in await page.run("star_repo")


async def test_an_address_that_encodes_nothing_costs_no_other_tool_of_the_navigation(
    shared: GatewayProcess, site: Site
) -> None:
    # browsers take such an address as it stands
    html = """<nav><a href="?a">Shoes</a><a href="?b">Coats</a><a href="#100%">All of it</a></nav>
    <div role=tablist><button role=tab>Men</button><button role=tab>Women</button></div><p id="100%">All</p>"""
    async with opened(shared, site, "/sale", html) as page:
        tools = await page.tools()
        assert "switch_tab" in tools
        assert tools["go_to"]["inputSchema"]["properties"]["section"]["enum"] == ["Shoes", "Coats", "All of it"]


async def test_names_stay_the_same_over_reloads(shared: GatewayProcess, site: Site) -> None:
    listed: list[list[str]] = []
    for _ in range(2):
        async with opened(shared, site, "/repository-again", REPOSITORY) as page:
            listed.append(list(await page.tools()))
    assert listed[0] == listed[1]


async def test_what_lies_beneath_a_modal_dialog_is_not_offered(shared: GatewayProcess, site: Site) -> None:
    async with opened(shared, site, "/dialog", DIALOG) as page:
        tools = await page.tools()
        assert [name for name in tools if name not in ("get_page_content", "click", "fill")] == [
            "delete_file",
            "cancel",
        ]
        assert tools["delete_file"]["annotations"]["destructiveHint"] is True
        assert "closed" in await page.run("cancel")
        assert {"open_file", "delete_file", "go_to"} <= set(await page.tools())


async def test_any_page_can_be_read_pressed_and_filled(shared: GatewayProcess, site: Site) -> None:
    html = """<!doctype html><title>Tea</title><nav><a href="/x">Menu</a></nav><main><h1>Tea</h1>
<p>Green &amp; black.</p>
<ul><li>Assam<li>Sencha</ul><table><tr><th>Kind<th>Price<tr><td>Assam<td>3</table></main>
<label>Your name <input id=name></label><button onclick="document.body.dataset.did='sent'">Send it</button>
<button>Send later</button>"""
    async with opened(shared, site, "/tea", html) as page:
        read = await page.run("get_page_content")
        assert "# Tea\n\nGreen & black.\n\n- Assam\n- Sencha\n\nKind | Price\nAssam | 3" in read
        assert "Menu" not in read
        kinds = (await page.tools())["fill"]["inputSchema"]["properties"]["value"]["anyOf"]
        assert [kind["type"] for kind in kinds] == ["string", "number", "boolean", "array"], "never a list of types"
        assert "Your name" in await page.run("fill", label="your name", value="Ada")
        assert page.evaluate("document.getElementById('name').value") == "Ada"
        assert "0: Send it\n1: Send later" in await page.fails("click", text="send")
        await page.run("click", text="send it")
        assert page.evaluate("document.body.dataset.did") == "sent"
        assert '"Send it"' in await page.fails("click", text="nothing like it")


MEMBERS = """id className classList children childNodes childElementCount firstElementChild lastElementChild
nextElementSibling previousElementSibling parentElement parentNode localName tagName textContent attributes
getAttribute hasAttribute hasAttributes matches closest contains querySelector querySelectorAll getElementsByClassName
getElementsByTagName getRootNode getBoundingClientRect isConnected checkVisibility compareDocumentPosition
shadowRoot dispatchEvent addEventListener ownerDocument nodeType elements length name type value"""

OFFICE = """<!doctype html><title>Office</title>
<form class=top>FIELDS<nav><a href="?one">One</a><a href="?two">Two</a></nav></form>
<form role=region aria-label=Report>FIELDS<button type=button>Export</button></form>
<form class=filters>FIELDS<a href="?red">Red</a><a href="?blue">Blue</a></form>
<main><h1>People</h1><form>FIELDS
<div class=k7><a href="?1">Ann Smith</a><button type=button aria-label="Remove">-</button></div>
<div class=k7><a href="?2">Bob Jones</a><button type=button aria-label="Remove">-</button></div>
<div class=k7><a href="?3">Cem Kaya</a><button type=button aria-label="Remove">-</button></div></form>
<form role=group>FIELDS<table><caption>Rooms</caption>
<tr><th>Room<th aria-sort=none><button type=button>Seats</button></tr>
<tr><td>A<td>3</tr><tr><td>B<td>4</tr></table></form>
<form class=pagination>FIELDS<a href="?p=2" rel=next>Next</a><a href="?p=1">1</a><a href="?p=2">2</a></form>
<form>FIELDS<div role=tablist><button type=button role=tab>Day</button>
<button type=button role=tab>Week</button></div></form>
</main>"""


async def test_no_name_of_a_field_hides_what_stands_around_it(shared: GatewayProcess, site: Site) -> None:
    plain = OFFICE.replace("FIELDS", "".join(f"<input type=hidden name=f{name}>" for name in MEMBERS.split()))
    async with opened(shared, site, "/office", plain) as page:
        wanted = set(await page.tools())
    assert {"go_to", "export_report", "filter_by", "open_person", "remove_person", "next_page", "switch_tab"} <= wanted
    assert {"read_rooms_table", "sort_by"} <= wanted
    odd = OFFICE.replace("FIELDS", "".join(f"<input type=hidden name={name}>" for name in MEMBERS.split()))
    async with opened(shared, site, "/odd-office", odd) as page:
        assert set(await page.tools()) == wanted
        assert "/odd-office?2" in await page.run("open_person", index=1)


async def test_an_open_menu_is_offered_before_the_rest_of_the_page(shared: GatewayProcess, site: Site) -> None:
    items = "".join(f"<div role=menuitem tabindex=0>Turn {letter}{letter}</div>" for letter in "abcdefghijklmnopqr")
    buttons = "".join(f"<button>Do {letter}{letter}</button>" for letter in "stuvwxyz")
    html = f"<title>Editor</title><div role=menu>{items}</div><main><h1>Text</h1>{buttons}</main>"
    async with opened(shared, site, "/open-menu", html) as page:
        tools = await page.tools()
        assert {f"turn_{letter}{letter}" for letter in "abcdefghijklmnopqr"} <= set(tools)


async def test_words_that_are_drawn_anew_are_not_gone(shared: GatewayProcess, site: Site) -> None:
    html = """<title>Editor</title><h1>Editor</h1><button id=go>Highlight</button><p id=code><b>if</b> x</p>
    <script>go.onclick = () => { document.querySelector('b').remove(); code.prepend('i', 'f '); }</script>"""
    async with opened(shared, site, "/anew", html) as page:
        assert "Gone" not in await page.run("highlight")


CALENDAR = """<!doctype html><title>Calendar</title><h1>March</h1><button>Next month</button><table role=grid>
<tr><th>Mo<th>Tu<th>We<th>Th<th>Fr<th>Sa<th>Su</tr><tbody id=days></tbody></table><script>
for (let week = 0; week < 4; week += 1) days.innerHTML += '<tr>' + [1, 2, 3, 4, 5, 6, 7].map((day) =>
  `<td role=gridcell tabindex=-1 onclick="0" aria-label="March ${week * 7 + day}">${week * 7 + day}</td>`)
  .join('');</script>"""


async def test_days_and_weeks_of_a_calendar_are_no_rows_and_no_verbs(shared: GatewayProcess, site: Site) -> None:
    async with opened(shared, site, "/calendar", CALENDAR) as page:
        offered = [name for name, tool in (await page.tools()).items() if tool["source"] == "introspection"]
        assert offered == ["next_month"]


async def test_what_a_bar_of_buttons_is_called_says_nothing_of_them(shared: GatewayProcess, site: Site) -> None:
    bar = "<!doctype html><title>Mail</title><div role=toolbar aria-label=Actions><button>Archive</button></div>"
    async with opened(shared, site, "/bar", bar) as page:
        assert "archive" in await page.tools()
