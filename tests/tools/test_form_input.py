"""form_input: every kind of field takes its value, whoever drew it, and says what stuck."""

import itertools
import re
from typing import Any

import pytest

from tests.clients import Agent, connect
from tests.conftest import Site, cdp_of
from tests.gateway import GatewayProcess
from tests.page_tools.test_frameworks import REACT, VUE, page
from tests.tools.told import told

pytestmark = pytest.mark.browser

_paths = itertools.count()

LOG = """<script>
window.log = [];
for (const type of ['input', 'change', 'focusin', 'focusout']) addEventListener(type, (event) => {
  log.push(`${type} ${event.composedPath()[0].name || event.composedPath()[0].id}`); }, true);
</script>"""

NATIVE = f"""<!doctype html><title>Native</title>{LOG}<form>
<label>Full name <input name=name></label><label>Story <textarea name=story></textarea></label>
<label>Nick <input name=nick maxlength=5></label><label>Mail <input name=mail type=email></label>
<label>Secret word <input name=secret type=password></label>
<label>Colour of car <select name=car><option value="">Please choose</option><option value=r>Red</option>
<option value=g>Green</option></select></label>
<label>Toppings <select name=toppings multiple><option>Ham</option><option>Olives</option>
<option>Basil</option></select></label><label>Newsletter <input name=news type=checkbox></label>
<fieldset><legend>Size</legend><label><input type=radio name=size value=s>Small</label>
<label><input type=radio name=size value=l>Large</label></fieldset>
<label>Birthday <input name=day type=date></label><label>Alarm <input name=alarm type=time></label>
<label>Meeting <input name=meet type=datetime-local></label><label>Period <input name=period type=month></label>
<label>Sprint <input name=sprint type=week></label><label>Loudness <input name=loud type=range min=0 max=11></label>
<label>Paint <input name=paint type=color></label><label>Guests <input name=guests type=number min=1 max=8></label>
<label>Notes <div id=notes contenteditable=true style="min-height:20px">old</div></label>
<label>Locked <input name=locked disabled></label><label>Fixed <input name=fixed readonly value=1></label>
<label>Photo <input name=photo type=file></label><button>Send</button></form>"""


class Fields:
    """The fields of a page, by what a person calls them."""

    def __init__(self, agent: Agent, gateway: GatewayProcess, site: Site) -> None:
        self.agent, self._gateway, self._site = agent, gateway, site
        self._path = ""

    async def open(self, html: str) -> None:
        self._path = f"/fields/{next(_paths)}"
        self._site.pages[self._path] = html
        await told(self.agent, "navigate", url=f"{self._site.url}{self._path}")

    async def ref(self, query: str) -> str:
        found = await told(self.agent, "find", query=query)
        match = re.search(r"^(e\d+) ", found, re.MULTILINE)
        assert match, found
        return match[1]

    async def fill(self, query: str, value: Any) -> str:
        return await told(self.agent, "form_input", ref=await self.ref(query), value=value)

    async def refuses(self, query: str, value: Any) -> str:
        error = await self.agent.refused("form_input", ref=await self.ref(query), value=value)
        return error["message"]

    def page(self, expression: str) -> Any:
        with cdp_of(self._gateway) as cdp:
            return cdp.in_page(self._path, expression)


@pytest.fixture
def fields(agent: Agent, shared: GatewayProcess, site: Site) -> Fields:
    return Fields(agent, shared, site)


async def test_native_fields_take_their_values_and_tell_what_stuck(fields: Fields) -> None:
    await fields.open(NATIVE)
    ref = await fields.ref("full name")
    assert await told(fields.agent, "form_input", ref=ref, value="Ann Lee") == f'"Full name" ({ref}) is now "Ann Lee".'
    assert fields.page("log.join()") == "focusin name,input name,change name,focusout name"
    assert 'is now "Two lines"' in (await fields.fill("story", "Two\nlines"))
    assert 'is now "Green"' in await fields.fill("colour of car", "Green")
    assert 'is now "Red"' in await fields.fill("colour of car", "r")
    assert "empty now" not in await fields.fill("colour of car", "Please choose")
    assert 'is now "Ham", "Basil"' in await fields.fill("toppings", ["Basil", "Ham"])
    assert "is now on" in await fields.fill("newsletter checkbox", True)
    assert '"Large" (e' in await fields.fill("large radio button", True)
    assert 'is now "Small"' in await fields.fill("large radio button", "Small")
    assert "is now 7" in await fields.fill("loudness", 7)
    assert 'is now "#ff0000"' in await fields.fill("paint", "red")
    assert "is now 3" in await fields.fill("guests", 3)
    assert 'is now "new text"' in await fields.fill("notes", "new text")
    kept = "[f.story.value, f.car.value, f.news.checked, f.size.value, f.loud.value, f.guests.value, notes.textContent]"
    told_by_page = fields.page(f"(f => JSON.stringify({kept}))(document.forms[0])")
    assert told_by_page == '["Two\\nlines","",true,"s","7","3","new text"]'


@pytest.mark.parametrize(
    ("query", "given", "kept", "wrong", "wanted"),
    [
        ("birthday", "2026-03-31T10:00:00Z", "2026-03-31", "31.3.2026", "a date like 2026-03-31"),
        ("alarm", "14:30", "14:30", "2 pm", "a time like 14:30"),
        ("meeting", "2026-03-31 14:30", "2026-03-31T14:30", "tomorrow", "a date and time like 2026-03-31T14:30"),
        ("period", "2026-03", "2026-03", "March", "a month like 2026-03"),
        ("sprint", "2026-W13", "2026-W13", "13", "a week like 2026-W13"),
        ("guests", "4", "4", "four", "a number from 1 to 8"),
        ("paint", "#0f0", "#00ff00", "reddish", "a colour like #1a2b3c"),
        ("nick", "Bobby", "Bobby", "Bobbylein", "at most 5 characters"),
        ("full name", "x", "x", "a\nb", "a single line"),
    ],
)
async def test_a_value_of_the_wrong_form_is_refused_saying_the_right_one(
    fields: Fields, query: str, given: str, kept: str, wrong: str, wanted: str
) -> None:
    await fields.open(NATIVE)
    said = await fields.fill(query, given)
    assert f"is now {kept}." in said or f'is now "{kept}".' in said
    assert wanted in await fields.refuses(query, wrong)


async def test_what_cannot_be_filled_in_names_the_next_step(fields: Fields) -> None:
    await fields.open(NATIVE)
    assert "It is disabled" in await fields.refuses("locked", "x")
    assert "It is read-only" in await fields.refuses("fixed", "x")
    assert "Use file_upload" in await fields.refuses("photo", "/etc/passwd")
    assert "Click it with computer" in await fields.refuses("send button", "x")
    assert "true or false" in await fields.refuses("newsletter checkbox", "maybe")
    assert "not switched off" in await fields.refuses("small radio button", False)
    assert 'no option "Blue"; it offers Red, Green' in await fields.refuses("colour of car", "Blue")
    assert "one value, not a list" in await fields.refuses("colour of car", ["Red", "Green"])
    assert "not true or false" in await fields.refuses("full name", True)
    assert (
        fields.page("document.forms[0].reportValidity() && log.filter((each) => each.startsWith('input')).length") == 0
    )
    error = await fields.agent.refused("form_input", ref="e9999", value="x")
    assert error["code"] == "stale_ref"
    error = await fields.agent.refused("form_input", ref="#name", value="x")
    assert "refs look like e12" in error["message"]


async def test_secrets_are_filled_and_never_told(fields: Fields) -> None:
    await fields.open(NATIVE)
    said = await fields.fill("secret word", "hunter22x")
    assert "is filled (hidden)" in said
    assert "hunter22x" not in said
    assert fields.page("document.forms[0].secret.value") == "hunter22x"


async def test_what_the_browser_and_the_page_find_wrong_is_told(fields: Fields) -> None:
    html = """<title>V</title><form><label>Mail <input id=m type=email></label><p id=e role=alert></p></form><script>
m.onblur = () => { e.textContent = m.value.includes('@') ? '' : 'That is no address'; };</script>"""
    await fields.open(html)
    said = await fields.fill("mail", "ann")
    assert "The browser finds it invalid: Please include an '@'" in said
    assert "That is no address" in said
    assert "invalid" not in await fields.fill("mail", "ann@example.org")


async def test_a_label_or_a_wrapper_leads_to_its_one_field(fields: Fields) -> None:
    html = """<title>L</title><label onclick="0" style="cursor:pointer" for=a id=la>Label A</label><p>-</p><input id=a>
<div class=box onclick="0" style="cursor:pointer" aria-label="The wrapper" role=button><input id=b></div>
<div onclick="0" style="cursor:pointer" role=button aria-label="The pair"><input id=c><input id=d></div>
<div onclick="0" style="cursor:pointer" role=button aria-label="The plain thing">Plain</div>"""
    await fields.open(html)
    assert 'is now "1"' in await fields.fill("label a label", 1)
    assert 'is now "2"' in await fields.fill("the wrapper button", "2")
    assert "It holds 2 fields" in await fields.refuses("the pair button", "x")
    assert "It is no field" in await fields.refuses("the plain thing", "x")
    assert fields.page("[a.value, b.value, c.value].join()") == "1,2,"


async def test_fields_in_shadow_roots_and_frames_of_other_sites_are_filled(fields: Fields, site: Site) -> None:
    other = site.url.replace("127.0.0.1", "localhost")
    site.pages["/card"] = """<title>Card</title><label>Card holder <input id=h></label><label>Edit me<div id=e
contenteditable=true>old</div></label><script>h.oninput = () => parent.postMessage(h.value, '*');</script>"""
    html = f"""<title>S</title><x-field></x-field><iframe src="{other}/card" width=600 height=200></iframe><script>
customElements.define('x-field', class extends HTMLElement {{ connectedCallback() {{
  window.root = this.attachShadow({{ mode: 'closed' }});
  root.innerHTML = `<label>Deep name <input id=i></label>
    <div contenteditable=true aria-label="Deep text" id=t>old</div>`;
}} }});
onmessage = (event) => {{ window.heard = event.data; }};</script>"""
    await fields.open(html)
    assert 'is now "Ann"' in await fields.fill("deep name", "Ann")
    assert 'is now "typed"' in await fields.fill("deep text", "typed")
    assert 'is now "Bob"' in await fields.fill("card holder", "Bob")
    assert 'is now "anew"' in await fields.fill("edit me", "anew")
    assert (
        fields.page("[root.getElementById('i').value, root.getElementById('t').textContent, heard].join()")
        == "Ann,typed,Bob"
    )


CUSTOM = """<!doctype html><title>Custom</title>
<div role=combobox tabindex=0 aria-haspopup=listbox aria-expanded=false aria-label="Country" id=country>Pick</div>
<ul role=listbox id=countries hidden><li role=option>Norway</li><li role=option>Spain</li></ul>
<input role=combobox aria-autocomplete=list aria-label="City" id=city aria-controls=cities>
<ul role=listbox id=cities hidden></ul>
<div class="my-select" id=sel tabindex=0 style="cursor:pointer">Choose size</div>
<div id=pop hidden><div class=o>Small</div><div class=o>Large</div></div>
<div role=switch tabindex=0 aria-checked=false aria-label="Airplane" id=sw>off</div>
<div role=slider tabindex=0 aria-label="Zoom level" aria-valuenow=3 aria-valuemin=0 aria-valuemax=10 id=sl
 style="width:90px;height:9px"></div>
<button aria-pressed=false aria-label="Bold" id=bold>B</button>
<ul role=listbox aria-label="Fruits" aria-multiselectable=true id=fruits><li role=option aria-selected=true>Apple</li>
<li role=option aria-selected=false>Pear</li><li role=option aria-selected=false>Fig</li></ul>
<div role=radiogroup aria-label="Plan" id=plan><div role=radio tabindex=0 aria-checked=true>Free</div>
<div role=radio tabindex=0 aria-checked=false>Paid</div></div>
<script>
country.onclick = () => { countries.hidden = !countries.hidden;
  country.setAttribute('aria-expanded', !countries.hidden); };
countries.onclick = (event) => { country.textContent = event.target.textContent; countries.hidden = true; };
city.oninput = () => setTimeout(() => { cities.hidden = false;
  cities.innerHTML = ['Oslo', 'Osaka', 'Bergen'].filter((each) => each.startsWith(city.value))
    .map((each) => `<li role=option>${each}</li>`).join(''); }, 80);
cities.onclick = (event) => { city.value = event.target.textContent; cities.hidden = true; chosen = city.value; };
sel.onclick = () => { pop.hidden = !pop.hidden; };
pop.onclick = (event) => { sel.textContent = event.target.textContent; pop.hidden = true; };
sw.onclick = () => sw.setAttribute('aria-checked', sw.getAttribute('aria-checked') !== 'true');
sl.onkeydown = (event) => { const step = { ArrowUp: 1, ArrowDown: -1 }[event.key] || 0;
  sl.setAttribute('aria-valuenow', Number(sl.getAttribute('aria-valuenow')) + step); };
bold.onclick = () => bold.setAttribute('aria-pressed', bold.getAttribute('aria-pressed') !== 'true');
fruits.onclick = ({ target }) => target.setAttribute('aria-selected', target.ariaSelected !== 'true');
plan.onclick = ({ target }) => { for (const each of plan.children) each.ariaChecked = each === target; };
</script>"""


async def test_fields_made_of_other_elements_take_values(fields: Fields) -> None:
    await fields.open(CUSTOM)
    assert 'is now "Spain"' in await fields.fill("country", "Spain")
    assert 'no option "Mars"' in await fields.refuses("country", "Mars")
    assert 'is now "Oslo"' in await fields.fill("city", "Oslo")
    assert fields.page("chosen") == "Oslo"
    assert 'is now "Large"' in await fields.fill("choose size", "Large")
    assert "is now on" in await fields.fill("airplane switch", True)
    assert "is now 7" in await fields.fill("zoom level", 7)
    assert "is now on" in await fields.fill("bold", True)
    assert "is now on" in await fields.fill("paid radio", True)
    assert (
        fields.page("[sw.ariaChecked, sl.ariaValueNow, bold.ariaPressed, country.textContent].join()")
        == "true,7,true,Spain"
    )


async def test_neither_finding_nor_reading_attaches_the_debugger(shared: GatewayProcess, site: Site) -> None:
    site.pages["/quiet"] = NATIVE
    async with connect(shared, toolsets="focus,automation", list="stable") as agent:
        await agent.call("connect_browser", launch=True)
        opened = await agent.call("open_tab", url=f"{site.url}/quiet")
        assert "Full name" in await told(agent, "find", query="full name")
        assert "Full name" in await told(agent, "get_page_text")
        assert str(opened["tab"]["id"]) not in await told(agent, "dev_utils", action="list_attached")
        await agent.call("close_tab")


async def test_react_and_vue_notice_what_is_filled_in(fields: Fields) -> None:
    await fields.open(page(REACT))
    assert 'is now "Ann"' in await fields.fill("name field", "Ann")
    assert 'is now "Pro"' in await fields.fill("plan", "Pro")
    assert "is now on" in await fields.fill("newsletter", True)
    fields.page("document.querySelector('form button').click()")
    await told(fields.agent, "wait_for", text='Saved {"name":"Ann","plan":"pro","news":true}')
    await fields.open(page(VUE))
    assert 'is now "Rome"' in await fields.fill("city", "Rome")
    assert 'is now "Blue"' in await fields.fill("colour", "blue")
    assert "is now on" in await fields.fill("agree", True)
    fields.page("document.querySelector('button').click()")
    assert fields.page("document.querySelector('p').textContent") == '["Rome","blue",true]'


async def test_a_field_of_a_page_that_went_is_stale(fields: Fields, site: Site) -> None:
    await fields.open(NATIVE)
    ref = await fields.ref("full name")
    await told(fields.agent, "navigate", url=f"{site.url}/leaving?again")
    error = await fields.agent.refused("form_input", ref=ref, value="x")
    assert error["code"] == "stale_ref"
    assert "read_page or find" in error["next"]


# As antd draws lists: the one with roles has no size and few options; those in sight have no roles.
UNMARKED = """<!doctype html><title>Kit</title><ul role=tree aria-label="Folders"><li role=treeitem>Root</ul>
<div class="x-select x-select-single"><div class=x-select-content><span class=x-placeholder></span>
<input readonly role=combobox aria-haspopup=listbox aria-expanded=false aria-label="Paint" autocomplete=new-password
 data-options="Red,Green,Blue"></div></div>
<div class="x-select x-select-multiple"><div class=x-select-content><span class=x-placeholder></span>
<input role=combobox aria-haspopup=listbox aria-autocomplete=list aria-expanded=false aria-label="Languages"
 autocomplete=new-password data-options="Python,Rust,Go"></div></div><script>
document.querySelectorAll('.x-select').forEach((box, number) => {
  const input = box.querySelector('input'), isMany = number === 1;
  let chosen = [], popup;
  const close = () => { popup?.remove(); popup = undefined; input.ariaExpanded = 'false';
    if (isMany) input.value = ''; };
  const show = () => {
    for (const each of box.querySelectorAll('.x-item')) each.remove();
    input.before(...chosen.map((each) => Object.assign(document.createElement('span'),
      { className: 'x-item', textContent: each })));
  };
  const draw = () => {
    popup?.remove();
    popup = document.createElement('div');
    const shown = input.dataset.options.split(',').filter((each) => each.includes(input.value));
    popup.innerHTML = `<div role=listbox id=list${number} style="width:0;height:0;overflow:hidden">
      <div role=option aria-label="${shown[0]}">${shown[0]?.toLowerCase()}</div></div>` + shown.map((each) =>
      `<div class="x-option ${chosen.includes(each) ? 'x-option-selected' : ''}"><div>${each}</div></div>`).join('');
    document.body.append(popup);
    input.setAttribute('aria-controls', `list${number}`);
    input.ariaExpanded = 'true';
    popup.onclick = ({ target }) => {
      const label = target.textContent;
      if (!isMany) { chosen = [label]; close(); }
      else { chosen = chosen.includes(label) ? chosen.filter((each) => each !== label) : [...chosen, label];
        input.value = ''; draw(); }
      show();
    };
  };
  input.onmousedown = () => { if (!popup) draw(); };
  input.oninput = draw;
  input.onblur = close;
  input.onkeydown = ({ key, keyCode }) => {
    if (keyCode === 27) close();
    if (key === 'Backspace' && input.value === '') { chosen.pop(); show(); }
  };
});
const items = () => [...document.querySelectorAll('.x-item')].map((each) => each.textContent).join();
</script>"""


async def test_a_list_whose_options_have_no_roles_is_chosen_from(fields: Fields) -> None:
    await fields.open(UNMARKED)
    assert 'is now "Green"' in await fields.fill("paint", "Green")
    assert 'no option "Pink"; it offers Red, Green, Blue' in await fields.refuses("paint", "Pink")
    assert 'is now "Rust, Go"' in await fields.fill("languages", ["Rust", "Go"])
    assert fields.page("items()") == "Green,Rust,Go"
    assert 'is now "Go, Python"' in await fields.fill("languages", ["Go", "Python"])
    assert 'no option "Ruby"' in await fields.refuses("languages", ["Ruby"])
    assert fields.page("items()") == "Green,Go,Python"
    assert fields.page("document.querySelectorAll('[aria-expanded=true]').length") == 0
    shown = await told(fields.agent, "read_page")
    assert re.search(r'combobox "Paint" e\d+ = "Green"', shown)
    assert re.search(r'combobox "Languages" e\d+ = "Go, Python"', shown)


CASCADE = """<!doctype html><title>Place</title><div class=x-cascader><input readonly role=combobox aria-expanded=false
aria-haspopup=listbox aria-label="Place" id=place></div><script>
const MENU = { Italy: ['Rome', 'Milan'], Norway: ['Oslo'] };
const menu = (labels) => `<ul role=menu>${labels.map((each) => `<li role=menuitem>${each}</li>`).join('')}</ul>`;
let popup;
const close = () => { popup?.remove(); popup = undefined; place.ariaExpanded = 'false'; };
place.onclick = () => { if (popup) return; popup = document.createElement('div'); document.body.append(popup);
  place.ariaExpanded = 'true'; popup.innerHTML = menu(Object.keys(MENU)); let country;
  popup.onclick = ({ target: { textContent: label } }) => {
    if (label in MENU) { country = label; popup.innerHTML = menu(Object.keys(MENU)) + menu(MENU[label]); }
    else { place.value = `${country} / ${label}`; close(); } }; };
place.onkeydown = ({ key }) => { if (key === 'Escape') close(); };
addEventListener('keydown', ({ key }) => { if (key === 'Escape') close(); });</script>"""


async def test_a_list_that_opens_another_is_followed_to_its_end(fields: Fields) -> None:
    await fields.open(CASCADE)
    assert 'is now "Italy / Milan"' in await fields.fill("place", "Italy / Milan")
    assert 'such as "Norway / Oslo"' in await fields.refuses("place", "Norway")
    assert fields.page("place.value + place.ariaExpanded") == "Italy / Milanfalse"


# As MUI has them: the list takes the focus and stays until Escape is pressed in it.
STAYING = """<!doctype html><title>Pizza</title><div role=combobox tabindex=0 aria-haspopup=listbox aria-expanded=false
 aria-label="Toppings" class="y-select y-select-multiple" id=toppings style="min-height:20px"></div>
<div id=over hidden><ul role=listbox aria-multiselectable=true><li role=option aria-selected=false>Ham</li>
<li role=option aria-selected=false>Egg</li><li role=option aria-selected=false>Olive</li></ul></div><script>
toppings.onmousedown = () => { over.hidden = false; toppings.ariaExpanded = 'true'; };
over.onkeydown = ({ key }) => { if (key === 'Escape') { over.hidden = true; toppings.ariaExpanded = 'false'; } };
over.onclick = ({ target }) => { target.ariaSelected = target.ariaSelected !== 'true';
  toppings.textContent = [...over.querySelectorAll('[aria-selected=true]')]
    .map((each) => each.textContent).join(', '); };
</script>"""


async def test_a_list_that_takes_several_is_closed_afterwards(fields: Fields) -> None:
    await fields.open(STAYING)
    assert 'is now "Ham, Egg"' in await fields.fill("toppings", ["Ham", "Egg"])
    assert 'is now "Egg, Olive"' in await fields.fill("toppings", ["Olive", "Egg"])
    assert fields.page("over.hidden") is True


ROWS = """<!doctype html><title>Todo</title><ul><li><div><input type=checkbox><label>Buy milk</label>
<button>x</button></div></li><li><div><input type=checkbox><label>Walk dog</label><button>x</button></div></li></ul>
<p>Yes <input type=radio name=a id=yes> No <input type=radio name=a id=no></p>
<label for=on>Active</label><button role=switch aria-checked=false id=on class="z-switch z-var"
 onclick="this.ariaChecked = 'true'"><span></span></button>
<input type=checkbox id=__drawer hidden>
<label for=__drawer class=z-header__button><svg width=20 height=20></svg></label>
<ul id=rate><li>
<div role=radio aria-checked=false tabindex=0 onclick="setTimeout(() => { this.ariaChecked = 'true'; })">
<span role=img aria-label="star"><svg width=20 height=20></svg></span></div></li></ul>
<ul><li><div role=radio aria-checked=false tabindex=0 aria-label="Stuck">*</div></li></ul>"""


async def test_boxes_are_called_by_their_own_row_and_switches_by_their_label(fields: Fields) -> None:
    await fields.open(ROWS)
    shown = await told(fields.agent, "read_page")
    for name in ('checkbox "Buy milk"', 'checkbox "Walk dog"', 'switch "Active"', '"Yes"', '"No"', '"drawer"'):
        assert name in shown
    assert "is now on" in await fields.fill("walk dog checkbox", True)
    assert fields.page("[...document.querySelectorAll('li [type=checkbox]')].map((each) => each.checked).join()") == (
        "false,true"
    )
    assert '"Active" (' in await fields.fill("active switch", True)
    assert "is now on" in await fields.fill("star radio", True)
    assert "did not change" in await fields.refuses("stuck radio", True)
