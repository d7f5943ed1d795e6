"""Fields without a form of their own: which button sends them, and which has nothing to do with them."""

import pytest

from tests.conftest import Site
from tests.gateway import GatewayProcess
from tests.page_tools.visit import properties, visiting

pytestmark = pytest.mark.browser

TABBED = """<title>Docs</title><main><h1>Install</h1><div class=tabbed-set>
<input type=radio name=__tabbed_1 id=t1 checked><input type=radio name=__tabbed_1 id=t2>
<div class=tabbed-labels><label for=t1>pip</label><label for=t2>docker</label></div>
<div class=tabbed-content><div class=tabbed-block><div class=highlight><pre><code>pip install</code>
<BUTTON></pre></div></div></div></div></main>"""

BAR = """<title>Table</title><main><div class=dock><div class=tabs><button onclick="said.textContent='Launched'">
New launcher</button></div><div class=panel><div class=bar><label>Delimiter
<select id=delimiter onchange="said.textContent=`Delimited by ${this.value}`"><option value=",">comma<option value=";">
semicolon</select></label></div></div></div><p id=said></p></main>"""

APPLIED = """<title>Report</title><main><h2>Report</h2><div class=filters><div class=field><label>Year
<select id=year><option>2024<option>2025</select></label></div><div class=field><label>Size
<select id=size><option>Small<option>Large</select></label></div><div class=actions>
<button onclick="said.textContent=`${year.value} ${size.value}`">Apply</button></div></div><p id=said></p></main>"""

DIALOG = """<title>Files</title><dialog id=d aria-label="Rename file"><div class=body><label for=file>File name</label>
<input id=file></div><div class=foot><label><input type=checkbox id=ask>Do not ask again</label>
<button onclick="d.close()">Cancel</button><button onclick="said.textContent=`${file.value} ${ask.checked}`; d.close()">
Rename</button></div></dialog><p id=said></p><script>d.showModal();</script>"""

TYPES = """<title>Cells</title><main><h2>Cells</h2><label>Cell type <select><option value="-">-<option value=code>Code
<option value=raw>Raw</select></label><label>Sign <select><option>-<option>+<option>±</select></label></main>"""


@pytest.mark.parametrize("button", ["button>Copy to clipboard</button", "button>Try</button"])
async def test_a_button_deep_in_what_a_choice_shows_does_not_send_it(
    shared: GatewayProcess, site: Site, button: str
) -> None:
    async with visiting(shared, site) as visit:
        tools = await visit.open(TABBED.replace("BUTTON", button))
        assert "set_install" in tools
        pressed = tools["try" if "Try" in button else "copy_to_clipboard"]
        assert properties(pressed) == {}


async def test_a_choice_acts_at_once_when_the_only_button_stands_before_it(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        tools = await visit.open(BAR)
        assert properties(tools["new_launcher"]) == {}
        assert "Delimited by ;" in await visit.call("set_delimiter", delimiter="semicolon")
        assert "Launched" in await visit.call("new_launcher")


async def test_choices_with_a_button_after_them_are_sent_by_it(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        tools = await visit.open(APPLIED)
        [name] = [name for name, tool in tools.items() if "year" in properties(tool)]
        assert list(properties(tools[name])) == ["year", "size"]
        assert "2025 Large" in await visit.call(name, year="2025", size="Large")


async def test_a_tick_beside_the_button_belongs_to_the_field_above(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        tools = await visit.open(DIALOG)
        [name] = [name for name, tool in tools.items() if properties(tool)]
        assert name.startswith("rename")
        assert list(properties(tools[name])) == ["file", "ask"]
        assert "report.txt true" in await visit.call(name, file="report.txt", ask=True)


async def test_a_dash_among_words_is_no_choice_and_no_default(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        tools = await visit.open(TYPES)
        fields = {key: value for tool in tools.values() for key, value in properties(tool).items()}
        assert fields["cellType"] == {"type": "string", "enum": ["Code", "Raw"]}
        assert fields["sign"]["enum"] == ["-", "+", "±"]


WEBMAIL = """<title>Mail</title><div role=banner><input type=search aria-label="Search mail"
onkeydown="if (event.key === 'Enter') said.textContent = 'Found ' + value"></div><div role=navigation>
<button onclick="said.textContent = 'Composing'">Compose</button><a href="#sent">Sent</a></div><p id=said></p>"""

VIEWS = """<title>Calendar</title><main><h1>March</h1><div role=toolbar><button>Today</button>
<div role=radiogroup aria-label=View><button role=radio aria-checked=true>Month</button>
<button role=radio aria-checked=false>Week</button></div></div><button>New event</button><p id=said></p></main><script>
const radios = document.querySelectorAll('[role=radio]');
for (const radio of radios) radio.onclick = () => { said.textContent = `By ${radio.textContent}`;
  for (const each of radios) each.ariaChecked = String(each === radio); };</script>"""


async def test_a_button_of_the_navigation_sends_no_search(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        tools = await visit.open(WEBMAIL)
        assert properties(tools["go_to"])["section"]["enum"] == ["Compose", "Sent"]
        assert "Found lunch" in await visit.call("search_mail", query="lunch")


async def test_buttons_that_are_choices_send_nothing_and_are_no_verbs(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        assert set(await visit.open(VIEWS)) == {"today", "new_event", "set_view"}
        assert "By Week" in await visit.call("set_view", view="Week")


async def test_a_form_is_sent_by_the_button_that_does_more_than_show_it_first(
    shared: GatewayProcess, site: Site
) -> None:
    html = """<title>Tickets</title><main><h1>New ticket</h1><form><label>Summary <input name=summary></label>
      <button name=preview>Preview</button><button name=create>Create ticket</button></form></main>"""
    async with visiting(shared, site) as visit:
        tools = await visit.open(html)
        assert properties(tools["create_ticket"])["press"]["enum"] == ["Create ticket", "Preview"]


async def test_a_list_that_the_navigation_holds_is_not_offered_twice(shared: GatewayProcess, site: Site) -> None:
    links = "".join(f"<li><a href='/{name}'>{name}</a>" for name in ("wiki", "timeline", "tickets"))
    rows = "".join(f"<li><a href='/{name}'>{name}</a>" for name in ("first", "second", "third"))
    html = f"<title>Site</title><div id=menu class=nav><ul>{links}</ul></div><main><h1>Pages</h1><ul>{rows}</ul></main>"
    async with visiting(shared, site) as visit:
        tools = await visit.open(html)
        assert properties(tools["go_to"])["section"]["enum"] == ["wiki", "timeline", "tickets"]
        assert [name for name in tools if name.startswith("open_")] == ["open_page"]


async def test_boxes_of_rows_are_not_fields_of_what_stands_beside_them(shared: GatewayProcess, site: Site) -> None:
    box = "<input type=checkbox aria-label='Select task {0}'>"
    row = f"<div class=task>{box}<a href='/{{0}}' style='display: block'>Text {{0}}</a></div>"
    density = "<label><input type=checkbox>Compact</label>"
    html = f"<title>Tasks</title><main>{density}<div class=tasks>{''.join(map(row.format, range(4)))}</div></main>"
    async with visiting(shared, site) as visit:
        tools = await visit.open(html)
        assert "select_task" in tools
        assert not [name for name, tool in tools.items() if "selectTask" in properties(tool)]
        assert [name for name, tool in tools.items() if "compact" in properties(tool)]


async def test_a_button_that_says_what_a_field_holds_sends_nothing(shared: GatewayProcess, site: Site) -> None:
    typed = "<div><button>msg.</button><div><input aria-label=Output></div></div>"
    html = f"<title>Node</title><main><h1>Node</h1><form>{typed}<p><input aria-label=Name></form></main>"
    async with visiting(shared, site) as visit:
        tools = await visit.open(html)
        [name] = [name for name, tool in tools.items() if "output" in properties(tool)]
        assert "msg" not in name
        assert "press" not in properties(tools[name])
