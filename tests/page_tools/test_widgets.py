"""Fields drawn by libraries: called by their labels, typed by what they take, their arrows and chips no tools."""

import pytest

from tests.conftest import Site
from tests.gateway import GatewayProcess
from tests.page_tools.visit import properties, visiting

pytestmark = pytest.mark.browser

CHIPS = """<title>Films</title><main><h1>Films</h1><div class="x-Autocomplete-root"><label for=fav>Favourites</label>
<div class="x-InputBase-root"><div class="x-Chip-root x-deletable" role=button tabindex=-1><span>Alien</span>
<svg class=x-Chip-deleteIcon></svg></div><input id=fav role=combobox aria-autocomplete=list aria-expanded=false>
<div><button tabindex=-1 type=button aria-label=Open>v</button></div></div></div>
<div class="x-Autocomplete-root"><label for=best>Best</label><div class="x-InputBase-root">
<input id=best role=combobox aria-autocomplete=list aria-expanded=false>
<div><button tabindex=-1 type=button aria-label=Open>v</button></div></div></div><button>Save</button></main>"""

MENU = """<title>Prefs</title><main><h1>Prefs</h1><label for=sm-button id=l>Speed</label><select id=sm hidden>
<option>Slow<option>Fast</select><span id=sm-button role=combobox tabindex=0 aria-expanded=false aria-haspopup=true
aria-owns=sm-menu aria-labelledby=l><span id=text>Slow</span></span><ul id=sm-menu role=listbox hidden>
<li role=option>Slow</li><li role=option>Fast</li></ul><p id=said></p></main><script>
const button = document.getElementById('sm-button'), menu = document.getElementById('sm-menu');
const show = (open) => { menu.hidden = !open; button.setAttribute('aria-expanded', open); };
button.onclick = () => show(menu.hidden);
for (const item of menu.children) item.onclick = () => { text.textContent = item.textContent; show(false);
  said.textContent = `Now ${item.textContent}`; };</script>"""

TOGGLES = """<title>Docs</title><input type=checkbox id=__drawer hidden><input type=checkbox id=__search hidden>
<header><label for=__drawer aria-label=Menu style="display:block;width:20px;height:20px">≡</label>
<label for=__search title=Search style="display:block;width:20px;height:20px">Search</label></header>
<p id=box hidden>The search box</p><script>__search.onchange = () => { box.hidden = !__search.checked; };</script>"""


async def test_arrows_and_chips_of_a_list_send_nothing(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        tools = await visit.open(CHIPS)
        assert list(tools) == ["save_films"]
        fields = properties(tools["save_films"])
        assert list(fields) == ["fav", "best"]
        assert (fields["fav"]["type"], fields["fav"]["items"]) == ("array", {"type": "string"})
        assert fields["best"]["type"] == "string"


async def test_a_drawn_list_is_called_by_its_label(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        tools = await visit.open(MENU)
        assert list(properties(tools["set_speed"])) == ["speed"]
        assert "Now Fast" in await visit.call("set_speed", speed="Fast")


async def test_a_few_switches_that_nothing_names_together_are_tools_of_their_own(
    shared: GatewayProcess, site: Site
) -> None:
    async with visiting(shared, site) as visit:
        tools = await visit.open(TOGGLES)
        [name] = [name for name in tools if "search" in name]
        [field] = properties(tools[name])
        assert "The search box" in await visit.call(name, **{field: True})


# Without a field anywhere: everything is drawn, and hears clicks and keys.
TRIP = """<title>Trip</title><style>[tabindex] { width: 120px; height: 20px; background: #ddd }</style><main>
<h1>Trip</h1><div role=form aria-label="Plan trip"><div role=combobox id=city aria-label=City tabindex=0
aria-expanded=false aria-controls=cities onclick="cities.hidden = false; ariaExpanded = 'true'">Rome</div>
<ul role=listbox id=cities hidden
onclick="city.textContent = event.target.textContent; this.hidden = true; city.ariaExpanded = 'false'">
<li role=option>Rome</li><li role=option>Oslo</li></ul><div role=slider tabindex=0 aria-label=Budget aria-valuemin=0
aria-valuemax=50 aria-valuenow=20></div><div role=spinbutton tabindex=0 aria-label=Nights aria-valuemin=1
aria-valuenow=2></div><div role=button tabindex=0 onclick="said.textContent = [city.textContent,
...[...document.querySelectorAll('[aria-valuenow]')].map((each) => each.ariaValueNow)].join(' ')">Plan it</div></div>
<p id=said></p></main><script>
for (const each of document.querySelectorAll('[aria-valuenow]')) each.onkeydown = ({ key }) => {
  each.ariaValueNow = Number(each.ariaValueNow) + ({ ArrowUp: 1, ArrowDown: -1 }[key] ?? 0); };</script>"""


async def test_sliders_and_counters_are_numbers_and_drawn_fields_no_verbs(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        tools = await visit.open(TRIP)
        assert list(tools) == ["plan_trip"]
        fields = properties(tools["plan_trip"])
        assert fields["budget"] == {"type": "number", "minimum": 0, "maximum": 50, "default": 20}
        assert fields["nights"] == {"type": "number", "minimum": 1, "default": 2}
        assert "Oslo 25 4" in await visit.call("plan_trip", city="Oslo", budget=25, nights=4)
