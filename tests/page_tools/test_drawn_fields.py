"""Fields as libraries of components draw them: names, groups, dates in parts, what is hidden and what is dropped."""

import pytest

from tests.conftest import Site
from tests.gateway import GatewayProcess
from tests.page_tools.visit import properties, visiting

pytestmark = pytest.mark.browser

# Ids that are drawn by lot, ones that React counts, and a name of Element's.
DRAWN_NAMES = """<title>Join</title><h1>Join</h1><form onsubmit="event.preventDefault()">
<label for=mantine-pjrseuplb>City</label><input id=mantine-pjrseuplb>
<label for=mantine-4ls0q7nwe>Street</label><input id=mantine-4ls0q7nwe>
<label for=field-_r_a___control>Team</label><input id=field-_r_a___control>
<div role=radiogroup aria-label=Plan><label><input type=radio name=el-id-622-19 value=1> Free</label>
<label><input type=radio name=el-id-622-19 value=2> Pro</label></div>
<label>Line <input name=address_2></label><button>Join</button></form>"""

# A native box hidden in a drawn one, stars without a group, nameless boxes in a named one, a range under a drawn rail.
DRAWN_BOXES = """<title>Order</title><style>.none{display:none}[role]{display:inline-block;min-width:20px;height:20px}
</style><h1>Order</h1><form onsubmit="event.preventDefault();out.textContent=JSON.stringify(told)">
<div role=checkbox aria-label=Gift aria-checked=false tabindex=0 id=gift><div aria-hidden=true>
<input type=checkbox class=none><svg width=9 height=9></svg></div></div>
<div role=switch aria-label="Dark mode" aria-checked=false tabindex=0 id=dark><div aria-hidden=true>
<input type=checkbox class=none><svg width=9 height=9></svg></div></div>
<div><label>Tell me about</label><div role=radiogroup><div><span role=radio aria-checked=false tabindex=0
aria-label=All></span></div><div><span role=radio aria-checked=true tabindex=0
aria-label=Nothing></span></div></div></div>
<div><label for=stars>Rating</label><ul id=stars tabindex=0><li><div role=radio aria-checked=false>★</div>
<li><div role=radio aria-checked=false>★</div><li><div role=radio aria-checked=false>★</div></ul></div>
<div><label for=days>Days</label><div role=group id=days><label><input type=checkbox value=mo>Mon</label>
<label><input type=checkbox value=tu>Tue</label></div></div>
<div><label for=vol>Volume</label><div style="position:relative;width:90px;height:20px"><input type=range id=vol
style="opacity:0" value=20><div>rail</div></div></div><button>Order</button></form><p id=out role=status></p><script>
const told = {}, out = document.getElementById('out');
for (const each of document.querySelectorAll('[role=checkbox],[role=switch]')) each.onclick = () => {
  each.setAttribute('aria-checked', told[each.id] = each.getAttribute('aria-checked') !== 'true'); };
for (const each of document.querySelectorAll('[role=radio]')) each.onclick = () => {
  for (const other of each.parentElement.parentElement.querySelectorAll('[role=radio]'))
    other.setAttribute('aria-checked', other === each);
  const all = [...document.querySelectorAll('li [role=radio]')];
  told[each.ariaLabel ?? 'stars'] = all.indexOf(each) + 1; };
days.onchange = () => { told.days = [...days.querySelectorAll(':checked')].map((each) => each.value); };
vol.oninput = () => { told.vol = vol.value; };</script>"""

# A date in parts that are typed into one by one, as several libraries draw it.
PARTS = """<title>Trip</title><h1>Trip</h1><form onsubmit="event.preventDefault();out.textContent='Left on '+said()">
<span id=l>Arrival</span><div role=group aria-labelledby=l><span><span role=spinbutton contenteditable tabindex=0
aria-label=Month aria-valuemin=1 aria-valuemax=12>MM</span></span>/<span><span role=spinbutton contenteditable
tabindex=0 aria-label=Day aria-valuemin=1 aria-valuemax=31>DD</span></span>/<span><span role=spinbutton contenteditable
tabindex=0 aria-label=Year aria-valuemin=1 aria-valuemax=9999>YYYY</span></span></div><button>Book</button></form>
<p id=out role=status></p><script>
const parts = [...document.querySelectorAll('[role=spinbutton]')];
const said = () => parts.map((each) => each.textContent).join('-');
for (const part of parts) part.addEventListener('beforeinput', (event) => {
  event.preventDefault();
  const size = part.getAttribute('aria-valuemax').length;
  const typed = (part.dataset.typed ?? '') + (event.data ?? '');
  part.dataset.typed = typed.length < size ? typed : '';
  part.textContent = typed.padStart(size, '0');
  part.setAttribute('aria-valuenow', Number(typed));
});</script>"""

# A form that a script sends by one of several buttons, none of which is its own kind.
SCRIPTED = """<title>Events</title><form><h2>New event</h2><label>Title <input id=t></label>
<div><label for=n>Seats</label><span role=button aria-label="decrease number">-</span>
<input role=spinbutton aria-valuemin=1 aria-valuemax=9 aria-valuenow=2 value=2 id=n>
<span role=button aria-label="increase number">+</span></div>
<button type=button class=x-primary onclick="out.textContent=`Created ${t.value} ${n.value}`">Create</button>
<button type=button>Cancel</button></form><p id=out role=status></p>"""

# A clock that takes what was typed only by Tab, and a field that keeps nothing it cannot read.
CLOCK = """<title>Meet</title><h1>Meet</h1><form
onsubmit="event.preventDefault();out.textContent='At '+(kept??'no time')">
<label>Start <input id=at></label><label>Room <input id=room></label><button>Save</button></form>
<p id=out role=status></p><script>
let kept, typed = '';
at.oninput = () => { typed = at.value; };
at.onkeydown = ({ key }) => { if (key === 'Tab') kept = typed; };
at.onblur = () => { at.value = kept ?? ''; };
room.onblur = () => { if (!/^R\\d+$/.test(room.value)) setTimeout(() => { room.value = ''; }); };</script>"""


# Lists whose choice a button shows, which some say once more in the label, and a component around each field.
BUTTONS = """<title>Team</title><h1>Team</h1><form
onsubmit="event.preventDefault();out.textContent='Owner '+show.textContent"><label id=ll
for=headlessui-button-1>Owner</label><button type=button id=headlessui-button-1
aria-labelledby="ll headlessui-button-1" aria-haspopup=listbox
aria-expanded=false><span id=show>Durward</span></button><div role=listbox id=list hidden>
<div role=option>Durward</div><div role=option>Kenton</div></div>
<x-input label=Title></x-input><x-input label=Place></x-input><button>Save</button></form><p id=out role=status></p>
<button aria-haspopup=dialog aria-expanded=false>Delete team</button><script>
customElements.define('x-input', class extends HTMLElement {
  connectedCallback() { this.attachShadow({ mode: 'open' }).innerHTML =
    `<label for=inner>${this.getAttribute('label')}</label><input id=inner>`; } });
const lb = document.querySelector('[aria-haspopup=listbox]');
lb.onclick = () => { list.hidden = !list.hidden; lb.setAttribute('aria-expanded', !list.hidden); };
for (const each of list.children) each.onclick = () => { show.textContent = each.textContent; lb.click(); };</script>"""

# A form as an app for phones lays it out: an item of a list around each field.
ITEMS = """<title>Checkout</title><h1>Checkout</h1><form onsubmit="event.preventDefault()"><ul>
<li class=item style="cursor:pointer" tabindex=0><label>Full name <input id=full></label></li>
<li class=item style="cursor:pointer" tabindex=0><label>Notes <textarea id=notes></textarea></label></li>
<li class=item style="cursor:pointer" tabindex=0><label>Volume <input type=range id=volume></label></li>
<li class=item style="cursor:pointer" tabindex=0><label><input type=checkbox id=gift> Gift</label></li></ul>
<button>Place order</button></form>"""


async def test_a_button_that_shows_a_choice_is_a_field_called_by_its_label(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        tools = await visit.open(BUTTONS)
        assert list(tools) == ["save_team", "delete_team"]
        assert list(properties(tools["save_team"])) == ["owner", "title", "place"]
        assert "Owner Kenton" in await visit.call("save_team", owner="Kenton", title="x")


async def test_the_fields_of_a_form_are_no_rows(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        assert list(await visit.open(ITEMS)) == ["place_order"]


async def test_what_a_library_draws_by_lot_is_no_name(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        assert list(properties((await visit.open(DRAWN_NAMES))["join"])) == [
            "city",
            "street",
            "team",
            "plan",
            "address_2",
        ]


async def test_what_is_drawn_in_place_of_a_box_is_a_field(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        tools = await visit.open(DRAWN_BOXES)
        assert list(tools) == ["order"]
        shown = properties(tools["order"])
        assert list(shown) == ["gift", "dark", "tellMeAbout", "rating", "days", "vol"]
        assert shown["tellMeAbout"]["enum"] == ["All", "Nothing"]
        assert len(shown["rating"]["enum"]) == 3
        assert shown["days"]["items"] == {"type": "string", "enum": ["Mon", "Tue"]}
        assert (shown["vol"]["minimum"], shown["vol"]["maximum"]) == (0, 100)
        best = shown["rating"]["enum"][2]
        told = await visit.call("order", gift=True, dark=True, tellMeAbout="All", rating=best, days=["Tue"], vol=70)
        assert '"gift":true,"dark":true' in told
        assert '"stars":3,"days":["tu"],"vol":"70"' in told


async def test_the_parts_of_a_date_are_one_field(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        tools = await visit.open(PARTS)
        assert properties(tools["book_trip"]) == {"arrival": {"type": "string", "format": "date"}}
        assert "Left on 03-14-2027" in await visit.call("book_trip", arrival="2027-03-14")
        assert "Nothing was sent" in await visit.refused("book_trip", arrival="next week")


async def test_a_form_is_sent_by_the_button_that_says_so(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        tools = await visit.open(SCRIPTED)
        assert list(tools) == ["create_event", "cancel"]
        seats = properties(tools["create_event"])["seats"]
        assert seats == {"type": "number", "minimum": 1, "maximum": 9, "default": 2}
        assert "Created Tea 5" in await visit.call("create_event", title="Tea", seats=5)


async def test_what_a_field_drops_as_it_is_left_is_not_sent(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        await visit.open(CLOCK)
        assert "At 09:30" in await visit.call("save_meet", at="09:30")
        told = await visit.refused("save_meet", room="The hall")
        assert "Room did not keep" in told
        assert "Nothing was sent" in told


# A button that shows a day and opens a calendar over the page, and a list that opens in the same way.
DAY_BUTTON = """<title>Stay</title><h1>Stay</h1><form
onsubmit="event.preventDefault();out.textContent='On '+show.textContent"><label for=_r_1_-form-item>Arrival</label>
<button type=button id=_r_1_-form-item aria-haspopup=dialog aria-expanded=false><span
id=show>Pick a date</span></button><button>Book</button></form><p id=out role=status></p><script>
const opener = document.querySelector('[aria-haspopup]');
let [year, month] = [2026, 10];
const draw = (box) => {
  const title = new Date(year, month, 1).toLocaleDateString('en', { month: 'long', year: 'numeric' });
  const length = new Date(year, month + 1, 0).getDate();
  const days = Array.from({ length }, (_, day) => `<button>${day + 1}</button>`);
  box.innerHTML = `<button data-direction=previous>x</button><b>${title}</b><button data-direction=next>y</button>
    <div>${days.join('')}</div>`;
  box.onclick = ({ target }) => {
    const way = target.dataset.direction;
    if (way) {
      month += way === 'next' ? 1 : -1;
      if (month === 12) [year, month] = [year + 1, 0];
      draw(box);
    } else if (target.closest('div div')) {
      show.textContent = new Date(year, month, Number(target.textContent)).toDateString();
      box.remove();
    }
  };
};
opener.onclick = () => {
  const box = document.body.appendChild(document.createElement('div'));
  box.style = 'position:absolute;top:90px;left:9px;width:250px';
  draw(box);
};</script>"""


async def test_a_button_that_opens_a_calendar_takes_a_date(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        tools = await visit.open(DAY_BUTTON)
        assert list(tools) == ["book_stay"]
        assert properties(tools["book_stay"]) == {"arrival": {"type": "string", "format": "date"}}
        assert "On Sat Jan 09 2027" in await visit.call("book_stay", arrival="2027-01-09")
        assert list(properties((await visit.tools())["book_stay"])) == ["arrival"]


# A number that is written with a comma: a point parts thousands, and is dropped.
COMMA = """<title>Preis</title><h1>Preis</h1><form
onsubmit="event.preventDefault();out.textContent='Sent '+n.ariaValueNow"><label for=n>Preis</label>
<input id=n role=spinbutton aria-valuenow=2 value="2"><button>Save</button></form>
<p id=out role=status></p><script>
n.onblur = () => {
  n.setAttribute('aria-valuenow', Number(n.value.replaceAll('.', '').replace(',', '.')));
  n.value = n.ariaValueNow.replace('.', ',');
};</script>"""


async def test_a_number_of_which_a_field_makes_another_is_not_sent(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        [(name, tool)] = (await visit.open(COMMA)).items()
        assert properties(tool) == {"preis": {"type": "number", "default": 2}}
        assert "Sent 12" in await visit.call(name, preis=12)
        assert "made 125 of 12.5" in await visit.refused(name, preis=12.5)
