"""Tools made from rows: what is one, what can be done with it, and that it is done to the right one."""

import pytest

from tests.conftest import Site
from tests.gateway import GatewayProcess
from tests.page_tools.opened import opened

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

MANY = """<!doctype html><title>Users</title><main><h1>Users</h1><ul id=list></ul></main><script>
list.innerHTML = Array.from({ length: 10000 }, (_, n) => `<li><a href="#u${n}">User ${n}</a>
<button>Edit</button></li>`).join('');</script>"""


EDGES = """<!doctype html><title>Posts</title><main><h1>Posts</h1><table><thead>EDGE</thead><tbody>ROWS</tbody>
<tfoot>EDGE</tfoot></table></main>""".replace(
    "EDGE", "<tr><td><input type=checkbox aria-label=All></td><th><a href=?sort>Title</a></th></tr>"
).replace(
    "ROWS",
    "".join(
        f"<tr><th><input type=checkbox aria-label='Select {name}'></th><td><a href=?{name}>{name}</a></td></tr>"
        for name in ("Spring", "Summer", "Autumn")
    ),
)


async def test_the_edges_of_a_table_are_no_rows(shared: GatewayProcess, site: Site) -> None:
    async with opened(shared, site, "/edges", EDGES) as page:
        tools = await page.tools()
        assert [name for name in sorted(tools) if "post" in name] == ["open_post", "select_post"]
        assert "3 rows: 0: Spring" in tools["open_post"]["description"]


TASKS = """<!doctype html><title>Tasks</title><style>.task { cursor: pointer }</style><main><h1>Tasks</h1>
<div>ROWS</div><h2>View</h2><label><input type=checkbox> Show all</label></main>""".replace(
    "ROWS",
    "".join(
        f"""<div class=task onclick="document.body.dataset.did='{number}'"><span><input type=checkbox
aria-label='Select task {number}' onclick="event.stopPropagation()"></span><b>Text {number}</b></div>"""
        for number in range(1, 4)
    ),
)


async def test_the_boxes_of_rows_have_one_tool(shared: GatewayProcess, site: Site) -> None:
    async with opened(shared, site, "/tasks", TASKS) as page:
        tools = await page.tools()
        assert [name for name in sorted(tools) if "task" in name] == ["open_task", "select_task"]
        await page.run("select_task", index=1)
        assert page.evaluate("[...document.querySelectorAll('input')].findIndex((each) => each.checked)") == 1


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


async def test_cards_without_any_meaning_in_their_markup_are_rows(shared: GatewayProcess, site: Site) -> None:
    async with opened(shared, site, "/shop", SHOP) as page:
        tools = await page.tools()
        assert {"open_mug", "add_to_cart", "add_to_wishlist", "load_more"} <= set(tools)
        assert list(tools).index("accept_all") > list(tools).index("add_to_wishlist")
        assert "Green mug" in await page.run("add_to_cart", index=2)
        assert page.evaluate("document.body.dataset.did") == "cart 2"
        assert "?p1" in await page.run("open_mug", index=1)


async def test_ten_thousand_rows_are_all_within_reach(shared: GatewayProcess, site: Site) -> None:
    async with opened(shared, site, "/many", MANY) as page:
        assert (await page.tools())["open_user"]["inputSchema"]["properties"]["index"]["maximum"] == 9999
        await page.run("open_user", index=9999)
        assert page.evaluate("location.hash") == "#u9999"


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


JOBS = """<!doctype html><title>Jobs</title><h1>Jobs</h1><div id=list></div><script>
list.innerHTML = ['Baker', 'Nurse', 'Pilot'].map((name, n) => `<div class=job
onclick="document.body.dataset.did = 'open ${n}'"><h2>${name}</h2>
<button onclick="event.stopPropagation(); document.body.dataset.did = 'save ${n}'">Save</button></div>`)
.join('');</script>"""

# Entries of two lines, each of them a row of the table: only the first has a class.
ENTRIES = """<!doctype html><title>Stories</title><h1>Stories</h1><table id=list></table><script>
list.innerHTML = ['Bread', 'Water', 'Salt'].map((name, n) => `<tr class=entry><td>${n}</td><td>
<a href="#s${n}">${name}</a></td><td>a</td></tr><tr><td></td><td>by ann <a href="#h${n}">hide</a>
</td></tr>`).join('');</script>"""


async def test_a_row_that_hears_clicks_is_no_button_besides(shared: GatewayProcess, site: Site) -> None:
    async with opened(shared, site, "/jobs", JOBS) as page:
        offered = [name for name, tool in (await page.tools()).items() if tool["source"] == "introspection"]
        assert sorted(offered) == ["open_job", "save_job"]
        await page.run("open_job", index=2)
        assert page.evaluate("document.body.dataset.did") == "open 2"


async def test_the_second_lines_of_entries_are_not_counted_among_the_first(shared: GatewayProcess, site: Site) -> None:
    async with opened(shared, site, "/stories", ENTRIES) as page:
        tools = await page.tools()
        assert tools["open_story"]["description"].endswith("3 rows: 0: Bread; 1: Water; 2: Salt")
        await page.run("hide_story", index=1)
        assert page.evaluate("location.hash") == "#h1"


# A page laid out as a table: its head, what it is about, its foot.
LAID_OUT = """<!doctype html><title>Stories</title><table><tr><td><table><tr><td><a href="#home">Home</a><td>
<a href="#new">new</a></table></tr><tr><td><table id=list></table></tr><tr><td><a href="#rules">Rules</a></tr></table>
<script>
list.innerHTML = Array.from({ length: 8 }, (_, n) => `<tr><td><a href="#s${n}">Story ${'abcdefgh'[n]}</a>
<button aria-label="Votes for Story ${'abcdefgh'[n]}" onclick="location.hash = 'v${n}'">+</button></tr>`).join('');
</script>"""


async def test_rows_of_a_second_list_are_said_to_be_its_own(shared: GatewayProcess, site: Site) -> None:
    lists = "".join(
        f"<ul>{''.join(f'<li><a href=/{name}/{n}>{name} {n}</a><button>Hide</button></li>' for n in range(count))}</ul>"
        for name, count in (("Ada", 5), ("Bob", 3))
    )
    async with opened(shared, site, "/two-lists", f"<!doctype html><title>Notes</title>{lists}") as page:
        tools = await page.tools()
        assert "Rows as in open_note, 0 to 4." in tools["hide_note"]["description"]
        assert "Rows as in open_note_2, 0 to 2." in tools["hide_note_2"]["description"]


async def test_a_page_laid_out_as_a_table_is_no_list(shared: GatewayProcess, site: Site) -> None:
    async with opened(shared, site, "/laid-out", LAID_OUT) as page:
        assert "8 rows: 0: Story a; 1: Story b" in (await page.tools())["open_story"]["description"]
        await page.run("votes_story", index=3)
        assert page.evaluate("location.hash") == "#v3"
