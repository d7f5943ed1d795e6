"""Forms as tools, in a real browser through a real client: what is listed, what a call does, what it answers."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types
import pytest

from tabwright.tools import TOOLS
from tests.clients import Agent, connect
from tests.conftest import Site
from tests.gateway import WAIT_S, GatewayProcess

pytestmark = pytest.mark.browser

OWN = {tool.name for tool in TOOLS}

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

SIGN_UP = """<title>Sign up</title><h1>Sign up</h1><form id=f novalidate>
<label>Email <input name=email aria-describedby=e1></label><p id=e1></p>
<label>Password <input type=password name=password></label><p class=field-error id=e2></p>
<button>Create account</button></form><div role=status id=s></div><script>f.onsubmit = (event) => {
event.preventDefault(); setTimeout(() => { const ok = f.email.value.includes('@');
f.email.setAttribute('aria-invalid', !ok);
e1.textContent = ok ? '' : 'Enter a valid email';
e2.textContent = f.password.value.length > 5 ? '' : `“${f.password.value}” is too short`;
if (ok && !e2.textContent) { s.textContent = 'Welcome'; f.remove() } }, 100) }</script>"""


class Visit:
    """A page in a tab of its own and what it offers."""

    def __init__(self, agent: Agent, site: Site) -> None:
        self._agent, self._site = agent, site

    async def open(self, body: str) -> dict[str, types.Tool]:
        path = f"/form-{abs(hash(body))}"
        self._site.pages[path] = f"<!doctype html><meta charset=utf-8>{body}"
        await self._agent.call("open_tab", url=self._site.url + path)
        # A busy browser may answer before it has looked; then it tells later.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(WAIT_S):
                heard = self._agent.changes
                while not await self.tools():
                    await self._agent.told_of(heard + 1)
                    heard = self._agent.changes
        return await self.tools()

    async def tools(self) -> dict[str, types.Tool]:
        return {tool.name: tool for tool in await self._agent.tools() if tool.name not in OWN}

    async def call(self, name: str, /, **arguments: Any) -> str:
        result = await self._agent.result(name, **arguments)
        assert not result.is_error, result.content
        return _text(result)

    async def refused(self, name: str, /, **arguments: Any) -> str:
        result = await self._agent.result(name, **arguments)
        assert result.is_error, result.content
        return _text(result)


def _text(result: types.CallToolResult) -> str:
    assert isinstance(result.content[0], types.TextContent)
    return result.content[0].text


@asynccontextmanager
async def visiting(gateway: GatewayProcess, site: Site, toolsets: str = "focus,automation") -> AsyncGenerator[Visit]:
    async with connect(gateway, toolsets=toolsets) as agent:
        await agent.call("connect_browser", launch=True)
        yield Visit(agent, site)


def properties(tool: types.Tool) -> dict[str, Any]:
    return tool.input_schema["properties"]


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


async def test_what_the_form_complains_about_is_said_without_the_password(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        await visit.open(SIGN_UP)
        told = await visit.refused("create_account", email="nobody", password="abcde")
        assert "Email: Enter a valid email" in told
        assert "is too short" in told
        assert "abcde" not in told
        assert "Welcome" in await visit.call("create_account", email="a@b.c", password="abcdef")


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


async def test_fields_without_a_form_belong_to_the_button_beside_them(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        tools = await visit.open(
            """<title>Team</title><main><div><h3>Invite member</h3><div><input placeholder="Email address"></div>
            <select aria-label=Role><option>Admin<option>Viewer</select>
            <button onclick="out.textContent = document.querySelector('input').value + ' invited'">Invite</button></div>
            <section><h2>Settings</h2><label><input type=checkbox> Dark mode</label>
            <label>Sort by <select><option>Name<option>Date</select></label></section>
            <input class=new-todo placeholder="What needs to be done?"
             onkeydown="if (event.key === 'Enter') out.textContent = 'to do: ' + value"><p id=out></p></main>"""
        )
        assert set(tools) == {"invite_member", "change_settings", "add_todo"}
        assert "a@b.c invited" in await visit.call("invite_member", emailAddress="a@b.c", role="Viewer")
        assert "to do: milk" in await visit.call("add_todo", whatNeedsToBeDone="milk")
        await visit.call("change_settings", darkMode=True, sortBy="Date")


async def test_forms_in_closed_shadow_roots_work_like_others(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        await visit.open(
            """<title>Shadow</title><x-form></x-form><script>customElements.define('x-form', class extends HTMLElement {
            connectedCallback() { const root = this.attachShadow({mode: 'closed'});
            root.innerHTML = `<form><label>Email<input name=email type=email required></label>
            <button>Subscribe</button></form><p></p>`;
            root.querySelector('form').onsubmit = (event) => { event.preventDefault();
            root.querySelector('p').textContent = 'Thanks ' + root.querySelector('input').value } } })</script>"""
        )
        assert "not accepted" in await visit.refused("subscribe", email="a@b@c.d")
        assert "Thanks a@b.c" in await visit.call("subscribe", email="a@b.c")


async def test_an_open_modal_dialog_is_all_there_is(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        tools = await visit.open(
            """<title>Files</title><form><label>Behind <input name=behind></label><button>Send</button></form>
            <dialog id=d><form method=dialog><h2>Rename file</h2><label>Name<input name=name required></label>
            <button>OK</button></form></dialog><script>d.showModal()</script>"""
        )
        assert set(tools) == {"rename_file"}
        assert "The dialog “Rename file” closed." in await visit.call("rename_file", name="a.txt")


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


async def test_forms_that_repeat_are_one_tool_with_an_index(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        rows = "".join(
            f"<li><h3>Mug {number}</h3><form action='/found'><input type=hidden name=item value={number}>"
            f"<label>Count <input type=number name=count value=1></label><button>Add to cart</button></form></li>"
            for number in range(5)
        )
        cart = (await visit.open(f"<title>Shop</title><ul>{rows}</ul>"))["add_to_cart"]
        assert properties(cart)["index"]["maximum"] == 4
        assert "item=3&count=4" in await visit.call("add_to_cart", index=3, count=4)


async def test_headings_tell_forms_of_one_name_apart(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        search = "<input name=q><button>Search</button>"
        tools = await visit.open(
            f"""<title>Shop</title><header><form>{search}</form></header><section><h2>Orders</h2>
            <form action=/o>{search}</form></section>
            <section><h2>Invoices</h2><form action=/i>{search}</form></section>"""
        )
        assert set(tools) == {"search", "search_orders", "search_invoices"}


async def test_a_field_may_be_called_like_a_member_of_its_form(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        tools = await visit.open(
            """<title>Hotels</title><h1>Book a hotel</h1><form action="/found"><label>City <input name=city></label>
            <label>Adults <input type=number name=adults value=2></label>
            <label>Children <input type=number name=children value=0></label>
            <button name=submit value=1>Search hotels</button></form>"""
        )
        assert list(properties(tools["search_hotels"])) == ["city", "adults", "children"]
        told = await visit.call("search_hotels", city="Rome", adults=1, children=3)
        assert "city=Rome&adults=1&children=3&submit=1" in told


@pytest.mark.parametrize(
    "name",
    ["parentElement", "matches", "closest", "getRootNode", "querySelectorAll", "hasAttribute", "elements", "id", "name",
     "action", "method", "submit", "reset", "contains", "childNodes", "localName", "checkVisibility"],
)  # fmt: skip
async def test_no_name_of_a_field_hides_its_form(shared: GatewayProcess, site: Site, name: str) -> None:
    async with visiting(shared, site) as visit:
        await visit.open(
            f"""<title>Odd</title><h1>Item</h1><form action="/found"><label>One <input name={name}></label>
            <label>Beta <input name=beta></label><button>Save item</button></form>"""
        )
        assert "beta=b" in await visit.call("save_item", beta="b")


async def test_what_stands_in_secret_fields_is_never_told(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site, toolsets="focus") as visit:
        tools = await visit.open(
            """<title>Pay</title><h1>Payment</h1><form id=f><label>Owner <input name=owner value=Ann></label>
            <label>Card <input name=card autocomplete="billing cc-number" value=4111111111111111></label>
            <label>Code <input name=code autocomplete=one-time-code value=778899></label>
            <label>Password <input type=password name=password></label><button>Save card</button></form>
            <p id=out></p><script>f.onsubmit = (event) => { event.preventDefault();
            out.textContent = `Paid with ${f.card.value}` }</script>"""
        )
        assert properties(tools["save_card"])["owner"]["default"] == "Ann"
        told = [
            str(tools["save_card"].input_schema),
            await visit.call("get_page_content"),
            await visit.call("save_card", card="4222222222222222"),
            await visit.call("fill", label="Password", value="4333pass"),
            await visit.call("fill", label="Code", value="4333code"),
        ]
        assert "Owner: Ann" in told[1]
        assert "Paid with •••" in told[2]
        assert '"Password" is filled.' in told[3]
        for secret in ("4111", "778899", "4222", "4333"):
            assert not [text for text in told if secret in text]


async def test_fields_named_like_the_dom_lose_only_their_own_form(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        tools = await visit.open(
            """<title>Odd</title><form><input name=id><input name=elements><input name=querySelectorAll>
            <button>Go</button></form>
            <form><label>Code <input name=id></label><button>Redeem voucher</button></form>"""
        )
        assert "redeem_voucher" in tools


@pytest.mark.parametrize("forms", ["alike", "different"])
async def test_five_hundred_forms_make_a_short_list(shared: GatewayProcess, site: Site, forms: str) -> None:
    async with visiting(shared, site) as visit:
        letters = [f"{chr(97 + number % 26)}{chr(97 + number // 26)}" for number in range(500)]
        marks = letters if forms == "different" else ["one"] * 500
        body = "".join(
            f"<div><h3>Item {mark}</h3><form><input name=count{mark}><button>Send {mark} away</button></form></div>"
            for mark in marks
        )
        tools = await visit.open(f"<title>Many</title>{body}")
        assert len(tools) <= 24
        if forms == "different":
            assert "are not listed" in str(list(tools.values())[-1].description)


ACTING = """<title>Pay</title><h1>Transfer</h1><form method=post action="/found">
<label>Recipient <input type=search name=to></label><label>Amount <input name=amount type=number></label>
<button>Send money</button></form><h2>Delete things</h2>
<form onsubmit="event.preventDefault(); done.textContent = 'Deleted ' + this.s.value">
<label>Customer <input name=s></label><label>Reason <input name=reason></label><button>Delete account</button></form>
<form action="/found" id=finder><input name=q aria-label="Search articles"></form><p id=done></p>"""


async def test_only_a_lone_search_field_or_a_button_that_says_so_is_read_only(
    shared: GatewayProcess, site: Site
) -> None:
    async with visiting(shared, site) as visit:
        tools = await visit.open(ACTING)
        hints = {name: tool.annotations and tool.annotations.read_only_hint for name, tool in tools.items()}
        assert hints == {"send_money": False, "delete_account": False, "search_articles": True}
        assert "Searches" not in str(tools["send_money"].description)
        assert list(properties(tools["delete_account"])) == ["customer", "reason"]
        annotations = tools["delete_account"].annotations
        assert annotations
        assert annotations.destructive_hint
        assert "Deleted Ann" in await visit.call("delete_account", customer="Ann", reason="none")


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


# As documentation sites search: the form has nowhere to go, what is found shows while one types.
LIVE = """<title>Docs</title><header><form name=search><input name=query aria-label="Search" placeholder="Search">
<button type=reset>Clear</button></form></header><main><h1>Docs</h1><ul id=found></ul></main><script>
document.querySelector('input').oninput = ({ target }) => setTimeout(() => {
  found.innerHTML = `<li>Page about ${target.value}</li>`; }, 50);</script>"""


async def test_a_search_that_answers_while_one_types_is_not_sent(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        [name] = [name for name in await visit.open(LIVE) if name.startswith("search")]
        told = await visit.call(name, query="tokens")
        assert "Typed." in told
        assert "Page about tokens" in told


COUNTED = """<title>Todo</title><h1>todos</h1><p>2 left</p><select><option>Newest<option>Oldest</select>"""


async def test_a_count_names_no_field(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        [name] = await visit.open(COUNTED)
        assert "left" not in name
