"""What a form's tool does and answers: what is sent, what is complained about, what only reads, what stays secret."""

import re

import pytest

from tests.conftest import Site
from tests.gateway import GatewayProcess
from tests.page_tools.visit import properties, visiting

pytestmark = pytest.mark.browser

SIGN_UP = """<title>Sign up</title><h1>Sign up</h1><form id=f novalidate>
<label>Email <input name=email aria-describedby=e1></label><p id=e1></p>
<label>Password <input type=password name=password></label><p class=field-error id=e2></p>
<button>Create account</button></form><div role=status id=s></div><script>f.onsubmit = (event) => {
event.preventDefault(); setTimeout(() => { const ok = f.email.value.includes('@');
f.email.setAttribute('aria-invalid', !ok);
e1.textContent = ok ? '' : 'Enter a valid email';
e2.textContent = f.password.value.length > 5 ? '' : `“${f.password.value}” is too short`;
if (ok && !e2.textContent) { s.textContent = 'Welcome'; f.remove() } }, 100) }</script>"""


async def test_what_the_form_complains_about_is_said_without_the_password(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        await visit.open(SIGN_UP)
        told = await visit.refused("create_account", email="nobody", password="abcde")
        assert "Email: Enter a valid email" in told
        assert "is too short" in told
        assert "abcde" not in told
        assert "Welcome" in await visit.call("create_account", email="a@b.c", password="abcdef")


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
        # addresses and marks hold numbers of their own
        words = [re.sub(r"http://\S+|\[(page content|page|end) \w+", "", text) for text in told]
        for secret in ("4111", "778899", "4222", "4333"):
            assert not [text for text in words if secret in text]


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


# A search that a script runs when Enter is pressed, and nothing else: no button, no address.
ENTERED = """<title>Issues</title><h1>Issues</h1><form role=search onsubmit="event.preventDefault();
found.textContent = 'About ' + this.q.value"><input name=q aria-label="Search issues" value="is:open"></form>
<p id=found></p>"""


async def test_a_search_that_only_enter_starts_is_sent(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        await visit.open(ENTERED)
        assert "About crash" in await visit.call("search_issues", query="crash")
