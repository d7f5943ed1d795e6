"""What is a form: with or without an element of its own, in a dialog, many alike, whatever its fields are called."""

import pytest

from tests.conftest import Site
from tests.gateway import GatewayProcess
from tests.page_tools.visit import properties, visiting

pytestmark = pytest.mark.browser


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


async def test_forms_whose_nameless_fields_ask_for_different_things_are_tools_of_their_own(
    shared: GatewayProcess, site: Site
) -> None:
    asked = ("Filter nodes", "Search flows", "Find a library")
    forms = "".join(f'<div><form onsubmit="return false"><input placeholder="{each}"></form></div>' for each in asked)
    async with visiting(shared, site) as visit:
        tools = await visit.open(f"<title>Flows</title><main>{forms}<div hidden>{forms}</div></main>")
        assert set(tools) == {"filter_nodes", "search_flows", "find_library"}


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


async def test_a_search_beside_a_list_of_deeds_may_do_more_than_read(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        search = (
            "<form action=/found><input type=search name=s aria-label=Search><button>Search posts</button>{}</form>"
        )
        deeds = "<select name={}><option>-<option>{}</select><button name=do value=1>Apply</button>"
        for name, deed, reads in (
            ("action2", "Move to trash", False),
            ("what", "Delete", False),
            ("by", "Title", True),
        ):
            tools = await visit.open(f"<title>Posts</title>{search.format(deeds.format(name, deed))}")
            annotations = tools["search_posts"].annotations
            assert annotations is not None
            assert annotations.read_only_hint is reads, name


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


WIZARD = """<!doctype html><title>Bank</title><h1>Open an account</h1><form onsubmit="event.preventDefault()">
<section><h2>Personal details</h2><label>Name <input name=full></label>
<button type=button onclick="turn(this)">Next</button></section><section hidden><h2>Home address</h2>
<label>City <input name=city></label><button type=button onclick="turn(this)">Next</button></section>
<section hidden><h2>Confirm</h2><label><input type=checkbox name=terms>Terms</label><button>Open account</button>
</section></form><script>const turn = (button) => { const step = button.closest('section'); step.hidden = true;
step.nextElementSibling.hidden = false; };</script>"""


async def test_steps_are_called_by_their_own_headings(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        await visit.open(WIZARD)
        await visit.call("submit_personal_details", full="Ann")
        await visit.call("submit_home_address", city="Rome")
        await visit.call("open_account", terms=True)


async def test_what_is_new_is_sent_by_a_button_that_says_so(shared: GatewayProcess, site: Site) -> None:
    form = "<h2>New message</h2><form><label>To <input name=to></label><button>Send</button></form>"
    async with visiting(shared, site) as visit:
        assert "send_message" in await visit.open(form)


async def test_what_is_applied_is_what_the_field_asks_for(shared: GatewayProcess, site: Site) -> None:
    form = "<h1>Your cart</h1><form><label>Coupon code <input name=code></label><button>Apply</button></form>"
    async with visiting(shared, site) as visit:
        assert list(await visit.open(form)) == ["apply_coupon_code"]


SHOP = """<title>Shirt</title><main><h1>Blue shirt</h1><form id=buy onsubmit="event.preventDefault();said.textContent=
`In the cart: ${qty.value}`"><fieldset><legend>Colour</legend><label><input type=radio name=colour checked> Blue</label>
<label><input type=radio name=colour> Red</label></fieldset><div><button type=button>-</button>
<input type=number id=qty value=1 min=1 aria-label=Quantity><button type=button>+</button></div>
<button>Add to cart</button></form><p id=said role=status></p></main>"""

COUNTER = """<title>Counter</title><main><h1>Counter</h1>
<button onclick="out.textContent = 'Counted'">Increment</button><p id=out></p>
<input placeholder="Filter items" oninput="found.textContent = 'Found ' + this.value"><p id=found></p></main>"""


async def test_a_form_is_not_called_by_one_of_its_choices_nor_are_its_arrows_tools(
    shared: GatewayProcess, site: Site
) -> None:
    async with visiting(shared, site) as visit:
        tools = await visit.open(SHOP)
        assert set(tools) == {"add_to_cart"}
        assert "the form “Blue shirt”" in (tools["add_to_cart"].description or "")
        assert "In the cart: 2" in await visit.call("add_to_cart", qty=2)


async def test_a_filter_presses_no_button_that_does_something_else(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        tools = await visit.open(COUNTER)
        assert set(tools) == {"filter_items", "increment"}
        told = await visit.call("filter_items", query="tea")
        assert "Found tea" in told
        assert "Counted" not in told


SETTINGS = """<title>Settings</title><main><h1>Notifications</h1>
<div><span>By mail</span><button role=switch aria-checked=true></button></div>
<div><span id=p>Push</span><button role=switch aria-checked=false aria-labelledby=p></button></div>
<h2>Your data</h2><button onclick="out.textContent = 'Exported'">Export data</button><p id=out></p></main>
<style>[role=switch]{width:40px;height:20px}</style><script>
for (const each of document.querySelectorAll('[role=switch]'))
  each.onclick = () => each.setAttribute('aria-checked', each.getAttribute('aria-checked') !== 'true');</script>"""

OLD_TABLE = """<title>BMI</title><h1>BMI</h1><table><tr><td>Height (cm)<td><input id=h size=4>
<tr><td>Sex<td><input type=radio name=sex> male <input type=radio name=sex> female</table>
<input type=button value=Calculate onclick="out.textContent = [...document.getElementsByName('sex')][1].checked">
<p id=out></p>"""


async def test_a_button_under_a_heading_of_its_own_sends_no_choices(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        tools = await visit.open(SETTINGS)
        assert set(tools) == {"change_notifications", "export_data"}
        assert "Exported" not in await visit.call("change_notifications", push=True)


async def test_choices_in_one_cell_are_called_by_what_follows_them(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        tools = await visit.open(OLD_TABLE)
        [name] = tools
        assert properties(tools[name])["sex"] == {"type": "string", "enum": ["male", "female"]}
        assert "true" in await visit.call(name, sex="female")
