"""The fields of a form as a tool's parameters: which there are, what they take, and that they are filled in."""

import pytest

from tests.conftest import Site
from tests.gateway import GatewayProcess
from tests.page_tools.visit import properties, visiting

pytestmark = pytest.mark.browser

FLIGHTS = """<title>Fly</title><header><nav><a href="/">Home</a> <a href="/deals">Deals</a></nav></header><main>
<h1>Fly away</h1><form action="/found">
<label>From <input name=from required></label><label for=to>To</label><input id=to name=to required>
<label>Departure <input type=date name=departDate required></label>
<label>Return <input type=date name=returnDate></label>
<label>Passengers <input type=number name=passengers min=1 max=9 value=1></label>
<input name=website style="position:absolute;left:-9999px"><input type=hidden name=token value=t>
<label>Reference <input name=reference readonly value=r></label><label>Off <input name=off disabled></label>
<button>Search flights</button></form></main>"""

KITCHEN = """<title>Profile</title><h2>Profile</h2><form action="/found">
<span id=l1>Full name</span><input aria-labelledby=l1 required minlength=2 maxlength=40 pattern="[A-Za-z ]+">
<fieldset><legend>Size</legend><label><input type=radio name=size value=s> Small</label>
<label><input type=radio name=size value=m checked> Medium</label></fieldset>
<label>Country <select name=country><option value="">-- choose --</option><option value=de>Germany</option>
<option value=fr>France</option></select></label><label>Zone <select name=zone id=zone></select></label>
<label>City <input name=city list=cities></label><datalist id=cities><option>Paris<option>Rome</datalist>
<label><input type=checkbox name=terms required> I agree</label>
<fieldset><legend>Interests</legend><label><input type=checkbox name=likes value=1> Music</label>
<label><input type=checkbox name=likes value=2> Art</label></fieldset>
<label>Photo <input type=file name=photo></label><label>At <input type=time name=at></label>
<input type=email placeholder="E-mail address"><button>Save</button><button name=more>Save and continue</button>
<button type=reset>Reset</button></form>
<script>for (let i = 0; i < 60; i++) zone.append(new Option('Zone ' + i, 'z' + i))</script>"""


async def test_a_flight_search_is_typed_and_leads_to_its_results(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        search = (await visit.open(FLIGHTS))["search_flights"]
        shown = properties(search)
        assert list(shown) == ["from", "to", "departDate", "returnDate", "passengers"]
        assert search.input_schema["required"] == ["from", "to", "departDate"]
        assert shown["departDate"] == {"type": "string", "format": "date", "description": "Departure."}
        assert shown["passengers"] == {"type": "number", "minimum": 1, "maximum": 9, "default": 1}
        arguments = {"from": "Berlin", "to": "Rome", "departDate": "2026-12-01", "passengers": 2}
        told = await visit.call("search_flights", **arguments)
        assert "from=Berlin&to=Rome&departDate=2026-12-01&returnDate=&passengers=2&website=&token=t" in told


async def test_names_are_the_same_after_a_reload(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        first = await visit.open(KITCHEN)
        again = await visit.open(KITCHEN)
        assert list(first) == list(again)
        assert [tool.input_schema for tool in first.values()] == [tool.input_schema for tool in again.values()]


async def test_every_kind_of_field_has_its_schema(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        save = (await visit.open(KITCHEN))["save_profile"]
        shown = properties(save)
        assert shown["fullName"] == {"type": "string", "minLength": 2, "maxLength": 40, "pattern": "^(?:[A-Za-z ]+)$"}
        assert shown["size"] == {"type": "string", "enum": ["Small", "Medium"], "default": "Medium"}
        assert shown["country"] == {"type": "string", "enum": ["Germany", "France"]}
        assert "enum" not in shown["zone"]
        assert "One of 60, such as Zone 0, Zone 1" in shown["zone"]["description"]
        assert shown["city"] == {"type": "string", "description": "Suggestions: Paris, Rome."}
        assert shown["terms"] == {"type": "boolean", "description": "I agree."}
        assert shown["likes"]["items"] == {"type": "string", "enum": ["Music", "Art"]}
        assert shown["emailAddress"] == {"type": "string", "format": "email"}
        assert shown["press"]["enum"] == ["Save", "Save and continue"]
        assert "photo" not in shown
        assert "Photo" in str(save.description)
        assert save.input_schema["required"] == ["fullName", "terms"]


async def test_every_kind_of_field_is_filled_in(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        await visit.open(KITCHEN)
        told = await visit.call(
            "save_profile", fullName="Ann Lee", size="Small", country="France", zone="Zone 33", city="Rome", terms=True,
            likes=["Music", "Art"], at="12:30", press="Save and continue",
        )  # fmt: skip
        assert "size=s&country=fr&zone=z33&city=Rome&terms=on&likes=1&likes=2&photo=&at=12%3A30&more=" in told


async def test_what_the_browser_does_not_accept_is_said_and_nothing_is_sent(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        await visit.open(KITCHEN)
        told = await visit.refused("save_profile", fullName="Ann Lee", terms=False)
        assert "not accepted" in told
        assert "I agree: " in told
        assert "has no option" in await visit.refused("save_profile", fullName="Ann Lee", terms=True, zone="Nowhere")


async def test_a_log_in_needs_both_and_a_search_box_is_asked_a_query(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        tools = await visit.open(
            """<title>Mail</title><main><div role=search><input type=search aria-label=Search></div>
            <h1>Inbox</h1></main>
            <form><input name=username placeholder=User><input type=password name=password>
            <button>Log in</button></form>"""
        )
        assert tools["log_in"].input_schema["required"] == ["username", "password"]
        assert properties(tools["log_in"])["password"]["format"] == "password"
        assert list(properties(tools["search_inbox"])) == ["query"]


async def test_a_list_that_follows_the_typing_is_chosen_from(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        await visit.open(
            """<title>Trip</title><form action="/found"><h2>Trip</h2><label for=c>City</label>
            <input id=c name=city role=combobox aria-autocomplete=list aria-controls=lb autocomplete=off>
            <ul id=lb role=listbox hidden></ul><button>Book</button></form><script>
            c.oninput = () => setTimeout(() => { lb.hidden = false; lb.innerHTML = ['Paris', 'Prague'].filter(
              (name) => name.toLowerCase().startsWith(c.value.toLowerCase()))
              .map((name) => `<li role=option>${name}, XX`).join('') }, 100);
            lb.onmousedown = (event) => { c.value = event.target.textContent; lb.hidden = true }</script>"""
        )
        assert "city=Prague%2C+XX" in await visit.call("book_trip", city="pra")


# As select2 draws lists: the real one is out of sight, and what is drawn is labelled by what is chosen.
DRAWN_OVER = """<title>Booking</title><h1>Booking</h1><form onsubmit="event.preventDefault();
done.textContent = 'Booked ' + new URLSearchParams(new FormData(this))">
<label for=a>State</label><select id=a name=state class=select2-hidden-accessible aria-hidden=true tabindex=-1
style="position:absolute;width:1px;height:1px;clip-path:inset(50%)"><option value=AL>Alabama<option value=TX>Texas
</select><span class="select2 select2-container"><span class=select2-selection role=combobox aria-haspopup=true
aria-expanded=false tabindex=0 aria-labelledby=rendered><span id=rendered role=textbox aria-readonly=true>Alabama</span>
</span></span><label for=b>Pets</label><select id=b name=pets multiple class=select2-hidden-accessible aria-hidden=true
style="position:absolute;width:1px;height:1px;clip-path:inset(50%)"><option>Cat<option>Dog</select>
<span class="select2 select2-container"><span role=combobox aria-expanded=false tabindex=-1><ul><li>
<input type=search role=searchbox aria-autocomplete=list></li></ul></span></span><button>Book room</button></form>
<p id=done></p><script>a.onchange = () => { rendered.textContent = a.selectedOptions[0].label; };</script>"""


async def test_a_list_drawn_over_the_real_one_is_the_real_one(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        book = (await visit.open(DRAWN_OVER))["book_room"]
        assert book.annotations
        assert not book.annotations.read_only_hint
        assert properties(book)["state"]["enum"] == ["Alabama", "Texas"]
        assert properties(book)["pets"]["items"]["enum"] == ["Cat", "Dog"]
        assert "Booked state=TX&pets=Dog" in await visit.call("book_room", state="Texas", pets=["Dog"])
        assert list(properties((await visit.tools())["book_room"])) == ["state", "pets"]


# As Django's admin has them: only what stands in the second box is sent.
TWO_BOXES = """<title>Ann</title><h1>Change user</h1><form id=f><div class=selector><div class=selector-available>
<select multiple id=perms_from name=perms_old><option value=1>Can add<option value=2>Can view<option value=3>Can drop
</select></div><ul class=selector-chooser><li><a href="#" class=selector-add>Choose</a><li>
<a href="#" class=selector-remove>Remove</a></ul><div class=selector-chosen><select multiple id=perms_to name=perms>
<option value=4>Can edit</select></div></div><button>Save</button></form><p id=done></p><script>
const [from, to] = [document.getElementById('perms_from'), document.getElementById('perms_to')];
const move = (one, other) => (event) => { event.preventDefault();
  for (const each of [...one.selectedOptions]) { other.append(new Option(each.label, each.value)); each.remove(); } };
document.querySelector('.selector-add').onclick = move(from, to);
document.querySelector('.selector-remove').onclick = move(to, from);
f.onsubmit = (event) => { event.preventDefault();
  done.textContent = 'Granted ' + [...to.options].map((each) => each.value).sort(); };</script>"""


async def test_of_two_boxes_the_second_holds_what_is_chosen(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        change = (await visit.open(TWO_BOXES))["change_user"]
        assert list(properties(change)) == ["perms"]
        assert set(properties(change)["perms"]["items"]["enum"]) == {"Can add", "Can view", "Can drop", "Can edit"}
        assert properties(change)["perms"]["default"] == ["Can edit"]
        assert "Granted 1,3" in await visit.call("change_user", perms=["Can add", "Can drop"])
        assert "Granted 1,4" in await visit.call("change_user", perms=["Can add", "Can edit"])


COUNTED = """<title>Todo</title><h1>todos</h1><p>2 left</p><select><option>Newest<option>Oldest</select>"""


async def test_a_count_names_no_field(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        [name] = await visit.open(COUNTED)
        assert "left" not in name


GRID = """<title>Survey</title><h1>Survey</h1><form onsubmit="event.preventDefault();
said.textContent = [...new FormData(this)].join(' ')"><fieldset><legend>Please rate</legend><table><thead><tr><th>
<th>Bad<th>Fair<th>Good</tr></thead><tbody id=rows></tbody></table></fieldset>
<fieldset><legend>Would you come again?</legend><label><input type=radio name=again value=y>Yes</label>
<label><input type=radio name=again value=n>No</label></fieldset><button>Send survey</button></form><p id=said></p>
<script>for (const of of ['Speed', 'Price']) rows.innerHTML += `<tr><th>${of}</th>` + [0, 1, 2].map((value) =>
`<td><input type=radio name=rate_${of} value=${value}></td>`).join('');</script>"""


async def test_a_grid_of_questions_asks_by_row_and_answers_by_column(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        tools = await visit.open(GRID)
        assert list(tools) == ["send_survey"], "a table of boxes has nothing to read"
        fields = properties(tools["send_survey"])
        assert fields["rate_Speed"]["enum"] == ["Bad", "Fair", "Good"]
        assert fields["rate_Price"]["description"] == "Price."
        assert fields["again"]["description"] == "Would you come again?"
        told = await visit.call("send_survey", rate_Speed="Good", rate_Price="Bad", again="No")
        assert "rate_Speed,2 rate_Price,0 again,n" in told


ADDRESSES = """<title>Checkout</title><h1>Checkout</h1><form onsubmit="event.preventDefault();
said.textContent = [...new FormData(this)].join(' ')"><fieldset><legend>Delivery</legend>
<label>Street <input name="ship[street]"></label></fieldset><fieldset><legend>Invoice</legend>
<label>Street <input name="bill[street]"></label></fieldset><label>Copies to <input type=email multiple name=copies>
</label><button>Place order</button></form><p id=said></p>"""

FACETS = """<title>Shoes</title><main><h1>Shoes</h1><fieldset><legend>Brand</legend>
<label><input type=checkbox name=brand value=n>Nike (12)</label><label><input type=checkbox name=brand value=p>Puma (3)
</label></fieldset><p id=said></p></main><script>document.querySelector('fieldset').onchange = () => {
  said.textContent = 'Only ' + [...document.querySelectorAll(':checked')].map((box) => box.value);
  document.querySelector('label').lastChild.data = 'Nike (7)'; };</script>"""


async def test_fields_of_one_name_say_which_group_they_are_of(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        fields = properties((await visit.open(ADDRESSES))["place_order"])
        assert fields["street"]["description"] == "Delivery: Street"
        assert fields["street_2"]["description"] == "Invoice: Street"
        told = await visit.call("place_order", street="Main 1", street_2="Side 2", copies="a@b.c,d@e.f")
        assert "ship[street],Main 1 bill[street],Side 2 copies,a@b.c,d@e.f" in told


async def test_counts_are_no_part_of_a_choice(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        before = (await visit.open(FACETS))["set_brand"]
        assert properties(before)["brand"]["items"]["enum"] == ["Nike", "Puma"]
        assert "Only p" in await visit.call("set_brand", brand=["Puma"])
        assert (await visit.tools())["set_brand"].input_schema == before.input_schema
        assert "Only n" in await visit.call("set_brand", brand=["Nike"])


STARS = """<title>Rate</title><h1>Rate</h1>
<form onsubmit="event.preventDefault();
said.textContent = [...this.elements].map((each) => Number(each.checked)).join('')">
<input type=radio name=stars><input type=radio name=stars><input type=radio name=stars>
<input type=checkbox name=extra><input type=checkbox name=extra><button>Rate</button></form><p id=said></p>"""


async def test_choices_that_say_nothing_are_counted(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        fields = properties((await visit.open(STARS))["rate"])
        assert (fields["stars"]["enum"], fields["extra"]["items"]["enum"]) == (["1", "2", "3"], ["1", "2"])
        assert "00101" in await visit.call("rate", stars="3", extra=["2"])
