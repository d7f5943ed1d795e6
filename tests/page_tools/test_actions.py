"""Tools made from buttons, rows, tables and navigation: what is offered, and that each does what its name says."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp_types import TextContent

from tests.clients import Agent, connect, unfenced
from tests.conftest import Site, cdp_of
from tests.gateway import GatewayProcess

pytestmark = pytest.mark.browser

MAIL = """<!doctype html><title>Inbox (3) - Mail</title>
<nav aria-label=Folders><a href="#inbox" aria-current=page>Inbox</a><a href="#sent">Sent</a>
<a href="#drafts">Drafts</a></nav>
<main><h1>Inbox</h1><div role=toolbar><button>Compose</button><button disabled>Archive all</button></div>
<table role=grid><tbody id=list></tbody></table></main>
<script>
list.innerHTML = ['Lunch on Friday', 'Your invoice', 'Roadmap', 'Team offsite'].map((subject, row) => `
  <tr role=row tabindex=-1 class="${row < 2 ? 'unread' : ''}" style="cursor:pointer">
  <td><div role=checkbox aria-checked=false aria-label=Select tabindex=0>□</div></td>
  <td>Person ${row}</td><td>${subject}</td>
  <td><button aria-label=Archive>A</button><button aria-label=Delete>D</button></td></tr>`).join('');
list.onclick = ({ target }) => {
  const row = target.closest('tr').rowIndex, part = target.closest('button,[role=checkbox]');
  if (!part) location.hash = `thread${row}`;
  else if (part.matches('button')) document.body.dataset.did = `${part.getAttribute('aria-label')} ${row}`;
  else part.setAttribute('aria-checked', part.getAttribute('aria-checked') !== 'true');
};
</script>"""

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

SHOP = """<!doctype html><title>Mugs | Shop</title><div id=cookie-banner><button>Accept all</button></div>
<main><h1>Mugs</h1><div class=x9f3 style="display:grid">CARDS</div><button>Load more</button></main>""".replace(
    "CARDS",
    "".join(
        f"""<div class="k2 {"odd" if number % 2 else ""}"><a href="?p{number}"><img alt="" src="data:,"></a><h3>
<a href="?p{number}">{name}</a></h3>
<button onclick="document.body.dataset.did='cart {number}'">Add to cart</button>
<button aria-label="Add {name} to wishlist">♡</button></div>"""
        for number, name in enumerate(["Blue mug", "Red mug", "Green mug", "Tall mug"])
    ),
)

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

DIALOG = """<!doctype html><title>Files</title><nav><a href="?a">One</a><a href="?b">Two</a></nav>
<main><h1>Files</h1><ul><li><a href="?1">One.txt</a><button>Delete</button><li><a href="?2">Two.txt</a>
<button>Delete</button></ul></main>
<dialog id=ask aria-labelledby=what><h2 id=what>Delete file?</h2><button onclick="ask.close()">Delete</button>
<button onclick="ask.close()">Cancel</button></dialog><script>ask.showModal()</script>"""

TABS = """<!doctype html><title>Mug</title><main><h1>Mug</h1><div role=tablist>
<button role=tab aria-selected=true>Description</button>
<button role=tab aria-selected=false onclick="panel.textContent='Five stars'">Reviews (12)</button></div>
<div id=panel role=tabpanel>Blue.</div>
<ul class=filters><li><a href="#/all" class=selected>All</a><li><a href="#/active">Active</a></ul></main>"""

MANY = """<!doctype html><title>Users</title><main><h1>Users</h1><ul id=list></ul></main><script>
list.innerHTML = Array.from({ length: 10000 }, (_, n) => `<li><a href="#u${n}">User ${n}</a>
<button>Edit</button></li>`).join('');</script>"""


class Page:
    """An agent on a page."""

    def __init__(self, agent: Agent, gateway: GatewayProcess, path: str) -> None:
        self._agent = agent
        self._gateway = gateway
        self._path = path

    async def tools(self) -> dict[str, dict[str, Any]]:
        return {tool["name"]: tool for tool in (await self._agent.call("page_tools"))["tools"]}

    async def run(self, name: str, **arguments: Any) -> str:
        result = await self._agent.result("call_page_tool", name=name, arguments=arguments)
        assert isinstance(result.content[0], TextContent)
        assert not result.is_error, result.content[0].text
        return unfenced(result.content[0].text)

    async def fails(self, name: str, **arguments: Any) -> str:
        result = await self._agent.result("call_page_tool", name=name, arguments=arguments)
        assert isinstance(result.content[0], TextContent)
        assert result.is_error, result.content[0].text
        return result.content[0].text

    def evaluate(self, expression: str) -> Any:
        with cdp_of(self._gateway) as cdp:
            return cdp.in_page(self._path, expression)


@asynccontextmanager
async def opened(gateway: GatewayProcess, site: Site, path: str, html: str) -> AsyncGenerator[Page]:
    site.pages[path] = html
    async with connect(gateway, list="stable", toolsets="focus") as agent:
        await agent.call("connect_browser", launch=True)
        await agent.call("open_tab", url=site.url + path)
        yield Page(agent, gateway, path)
        await agent.call("close_tab")


async def test_a_mail_list_gives_verbs_for_its_threads(shared: GatewayProcess, site: Site) -> None:
    async with opened(shared, site, "/mail", MAIL) as page:
        tools = await page.tools()
        assert {"open_thread", "archive_thread", "delete_thread", "select_thread", "compose", "go_to"} <= set(tools)
        assert "archive_all" not in tools
        assert "0: Person 0 Lunch on Friday; 1: Person 1 Your invoice" in tools["open_thread"]["description"]
        assert tools["delete_thread"]["annotations"]["destructiveHint"] is True
        assert tools["go_to"]["inputSchema"]["properties"]["section"]["enum"] == ["Inbox", "Sent", "Drafts"]
        assert "Roadmap" in await page.run("open_thread", index=2)
        assert page.evaluate("location.hash") == "#thread2"
        await page.run("archive_thread", index=1)
        assert page.evaluate("document.body.dataset.did") == "Archive 1"
        for selected in (True, True, False):
            await page.run("select_thread", index=3, selected=selected)
            assert page.evaluate("document.querySelectorAll('[role=checkbox]')[3].ariaChecked") == str(selected).lower()
        await page.run("go_to", section="Sent")
        assert page.evaluate("location.hash") == "#sent"


async def test_a_row_that_is_not_there_is_refused_with_the_range(shared: GatewayProcess, site: Site) -> None:
    async with opened(shared, site, "/mail-range", MAIL) as page:
        assert "3" in await page.fails("open_thread", index=4)
        assert "0" in await page.fails("open_thread", index=-1)
        assert page.evaluate("location.hash") == ""


async def test_a_repository_page_gives_star_repo_and_fork_repo(shared: GatewayProcess, site: Site) -> None:
    async with opened(shared, site, "/repository", REPOSITORY) as page:
        tools = await page.tools()
        assert {"star_repo", "fork_repo", "open_branches", "delete_repo", "open_file", "read_files_table"} <= set(tools)
        assert "manage_cookies" not in tools
        assert tools["star_repo"]["description"].endswith("It is off now.")
        assert "0: src; 1: docs" in tools["open_file"]["description"]
        assert tools["go_to"]["inputSchema"]["properties"]["section"]["enum"] == ["Code", "Issues"]
        assert "/starred" in await page.run("star_repo")


async def test_names_stay_the_same_over_reloads(shared: GatewayProcess, site: Site) -> None:
    listed: list[list[str]] = []
    for _ in range(2):
        async with opened(shared, site, "/repository-again", REPOSITORY) as page:
            listed.append(list(await page.tools()))
    assert listed[0] == listed[1]


async def test_cards_without_any_meaning_in_their_markup_are_rows(shared: GatewayProcess, site: Site) -> None:
    async with opened(shared, site, "/shop", SHOP) as page:
        tools = await page.tools()
        assert {"open_mug", "add_to_cart", "add_to_wishlist", "load_more"} <= set(tools)
        assert list(tools).index("accept_all") > list(tools).index("add_to_wishlist")
        assert "Green mug" in await page.run("add_to_cart", index=2)
        assert page.evaluate("document.body.dataset.did") == "cart 2"
        assert "?p1" in await page.run("open_mug", index=1)


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


async def test_tabs_are_switched_and_filters_applied(shared: GatewayProcess, site: Site) -> None:
    async with opened(shared, site, "/tabs", TABS) as page:
        tools = await page.tools()
        assert tools["switch_tab"]["inputSchema"]["properties"]["tab"]["enum"] == ["Description", "Reviews"]
        assert "Five stars" in await page.run("switch_tab", tab="Reviews")
        await page.run("switch_tab", tab="Description")
        await page.run("filter_by", filter="Active")
        assert page.evaluate("location.hash") == "#/active"


async def test_ten_thousand_rows_are_all_within_reach(shared: GatewayProcess, site: Site) -> None:
    async with opened(shared, site, "/many", MANY) as page:
        assert (await page.tools())["open_user"]["inputSchema"]["properties"]["index"]["maximum"] == 9999
        await page.run("open_user", index=9999)
        assert page.evaluate("location.hash") == "#u9999"


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
        assert "Your name" in await page.run("fill", label="your name", value="Ada")
        assert page.evaluate("document.getElementById('name').value") == "Ada"
        assert "0: Send it\n1: Send later" in await page.fails("click", text="send")
        await page.run("click", text="send it")
        assert page.evaluate("document.body.dataset.did") == "sent"
        assert '"Send it"' in await page.fails("click", text="nothing like it")


async def test_rows_that_are_web_components_are_rows(shared: GatewayProcess, site: Site) -> None:
    html = """<!doctype html><title>Songs</title><main><h1>Songs</h1><song-list></song-list></main><script>
customElements.define('song-item', class extends HTMLElement { connectedCallback() {
  const root = this.attachShadow({ mode: 'closed' });
  root.innerHTML = `<a href="#s${this.number}">Song ${this.number}</a><button>Play</button>`;
  root.querySelector('button').onclick = () => { document.body.dataset.did = `play ${this.number}`; };
} });
customElements.define('song-list', class extends HTMLElement { connectedCallback() {
  const root = this.attachShadow({ mode: 'open' });
  for (let n = 0; n < 5; n += 1) root.append(Object.assign(document.createElement('song-item'), { number: n }));
} });</script>"""
    async with opened(shared, site, "/songs", html) as page:
        assert "0: Song 0; 1: Song 1" in (await page.tools())["open_song"]["description"]
        await page.run("play_song", index=3)
        assert page.evaluate("document.body.dataset.did") == "play 3"
        await page.run("open_song", index=2)
        assert page.evaluate("location.hash") == "#s2"


async def test_a_button_that_shows_only_over_its_row_is_the_row_s(shared: GatewayProcess, site: Site) -> None:
    html = """<!doctype html><title>Todos</title><style>.destroy{display:none}li:hover .destroy{display:block}</style>
<h1>todos</h1><ul class=todo-list><li><input type=checkbox><label>Buy milk</label><button class=destroy></button>
<li><input type=checkbox><label>Walk the dog</label><button class=destroy></button></ul>
<script>for (const each of document.querySelectorAll('.destroy')) each.onclick = () => each.parentElement.remove();
</script>"""
    async with opened(shared, site, "/todos", html) as page:
        assert {"delete_todo", "select_todo"} <= set(await page.tools())
        await page.run("select_todo", index=1)
        assert page.evaluate("document.querySelectorAll('input')[1].checked") is True
        await page.run("delete_todo", index=0)
        # the name holds for the last one left, but rows moved: who does not look again is refused
        assert "no longer offers" in await page.fails("delete_todo", index=0)
        assert "0: Walk the dog" in (await page.tools())["delete_todo"]["description"]
        await page.run("delete_todo", index=0)
        assert page.evaluate("document.querySelectorAll('li').length") == 0


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


@pytest.mark.parametrize("status", ["", "<p id=status>Nothing selected</p>"])
async def test_a_row_that_the_first_click_only_selects_is_opened_by_the_second(
    shared: GatewayProcess, site: Site, status: str
) -> None:
    files = f"""<!doctype html><title>Files</title><main><h1>Files</h1><ul role=listbox>
<li role=option tabindex=0>notes.txt<li role=option tabindex=0>plan.txt<li role=option tabindex=0>cat.png</ul>{status}
<p id=out></p></main><script>for (const row of document.querySelectorAll('li')) {{
row.onclick = () => {{ for (const each of row.parentElement.children) each.setAttribute('aria-selected', each === row);
  if (window.status1 = document.getElementById('status')) status1.textContent = '1 selected'; }};
row.ondblclick = () => {{ out.textContent = `Reading ${{row.textContent.trim()}}`; }}; }}</script>"""
    async with opened(shared, site, "/files", files) as page:
        [name] = [name for name in await page.tools() if name.startswith(("choose_", "open_"))]
        assert "Reading plan.txt" in await page.run(name, index=1)


async def test_a_row_that_the_first_click_opens_is_not_clicked_twice(shared: GatewayProcess, site: Site) -> None:
    async with opened(
        shared, site, "/mail-once", MAIL + "<script>ondblclick = () => { did = 'twice'; }</script>"
    ) as page:
        assert "#thread2" in await page.run("open_thread", index=2)
        assert page.evaluate("typeof did") == "undefined"


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


async def test_a_toolbar_written_as_tabs_is_no_list_and_a_title_changed_in_place_opens_nothing(
    shared: GatewayProcess, site: Site
) -> None:
    rows = "".join(
        f'<tr><td><a href="?edit={n}" title="Edit Record"><svg width=9 height=9></svg></a><td>Author {n}'
        f'<td><a href="#" data-pk={n} data-role=x-editable>Book {n}</a></tr>'
        for n in range(8)
    )
    html = f"""<title>Library</title><main><h2>Book</h2><ul class="nav nav-tabs"><li><a href="?list">List (25)</a>
    <li><a href="?new">Create</a><li><a href="?csv">Export</a></ul>
    <table><tr><th>Edit<th>Author<th>Title</tr>{rows}</table>
    <ul class=pagination><li class=active><a href="?1">1</a><li><a href="?2">2</a>
    <li><a href="?2">&gt;</a></ul></main>"""
    async with opened(shared, site, "/library", html) as page:
        tools = await page.tools()
        assert {"edit_record", "create_book", "next_page"} <= set(tools)
        assert not [name for name in tools if name.startswith("open_")]
        assert "5: Author 5 Book 5" in tools["edit_record"]["description"]
        assert "?edit=6" in await page.run("edit_record", index=6)


async def test_rows_beyond_the_first_are_called_by_their_title_too(shared: GatewayProcess, site: Site) -> None:
    rows = "".join(
        f'<tr><td><a href="?edit={n}" title="Edit record"><svg width=9 height=9></svg></a>'
        f'<td><a href="?show={n}">Book {n}</a></tr>'
        for n in range(8)
    )
    html = f"<title>Library</title><main><h2>Books</h2><table><tr><th>Edit<th>Title</tr>{rows}</table></main>"
    async with opened(shared, site, "/titles", html) as page:
        assert "5: Book 5" in (await page.tools())["open_book"]["description"]
        assert "?show=6" in await page.run("open_book", index=6)


async def test_the_parts_of_a_dialog_are_no_rows(shared: GatewayProcess, site: Site) -> None:
    html = """<title>Kit</title><div role=dialog aria-modal=true aria-labelledby=t
    style="position:absolute;top:50px;left:50px;width:300px;background:#fff">
    <div class="bar widget"><span id=t>Confirm it</span><button title=Close><svg width=9></svg></button></div>
    <div class="text widget">Sure?<a href="#why">Why?</a></div>
    <div class="pane widget"><div><button onclick="document.body.dataset.did='deleted'">Delete</button>
    <button>Cancel</button></div></div><div class="handle"></div><div class="handle"></div></div>"""
    async with opened(shared, site, "/widget-dialog", html) as page:
        tools = await page.tools()
        assert {"delete", "cancel", "close"} <= set(tools)
        assert not [name for name in tools if name.startswith("open_")]
        await page.run("delete")
        assert page.evaluate("document.body.dataset.did") == "deleted"


async def test_files_stay_rows_whichever_of_them_has_the_focus(shared: GatewayProcess, site: Site) -> None:
    rows = "".join(
        f"<li class=item><span class=text {'tabindex=0 role=button' if n == 20 else 'tabindex=-1'}>file{n}.txt</span>"
        for n in range(30)
    )
    html = f"""<title>Files</title><main><h1>Files</h1><ul id=files>{rows}</ul></main>
    <script>files.ondblclick = ({{ target }}) => {{ location.hash = target.textContent; }}</script>"""
    async with opened(shared, site, "/roving", html) as page:
        assert "0: file0.txt; 1: file1.txt" in (await page.tools())["open_file"]["description"]
        await page.run("open_file", index=7)
        assert page.evaluate("location.hash") == "#file7.txt"


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
