"""Designs of pages that people meet every day: which button is for which fields, and what those are called."""

import pytest

from tests.conftest import Site
from tests.gateway import GatewayProcess
from tests.page_tools.visit import properties, visiting

pytestmark = pytest.mark.browser

LOGIN = """<title>Sign in</title><TAG id=app><h1>Welcome back</h1><button>Continue with Google</button>
<button>Continue with GitHub</button><p>or</p><label>Email <input type=email></label>
<label>Password <input type=password></label><button type=button aria-label="Show password">o</button>
<label><input type=checkbox>Keep me signed in</label><button>Sign in</button></TAG><p id=out></p><script>
app.addEventListener('submit', (event) => event.preventDefault());
app.addEventListener('click', ({ target }) => { if (target.matches('button')) out.textContent = target.textContent; });
</script>"""

TABLE = """<title>Admin</title><h1>Users</h1><div><input placeholder="Search users…"
onkeydown="if (event.key === 'Enter') out.textContent = `Found ${value}`"><select aria-label=Role><option>All
<option>Admin</select><button onclick="out.textContent = 'Inviting'">Invite user</button></div>
<table><thead><tr><th><input type=checkbox aria-label=All><th>Name<th>Role<tbody id=rows></table>
<div class=pages aria-label=Pagination>
<button disabled>Previous</button><button aria-current=page>1</button><button>2</button><button>3</button>
<button onclick="out.textContent = 'Page 2'">Next</button></div><p id=out></p><script>
for (const who of ['Ann', 'Bob', 'Cid']) rows.insertAdjacentHTML('beforeend', `<tr>
<td><input type=checkbox aria-label="Select ${who}"><td><a href="?${who}">${who}</a>
<td><select aria-label="Role of ${who}"><option>Admin<option>Viewer</select>`);
</script>"""

FILTERS = """<title>Shoes</title><aside><h3>Brand</h3><label><input type=checkbox name=brand value=n>Nike</label>
<label><input type=checkbox name=brand value=p>Puma</label><h3>Price</h3><input type=number placeholder=Min name=least>
<input type=number placeholder=Max name=most>
<button onclick="out.textContent = `${document.querySelector('[name=least]').value} and more`">Go</button>
<h3>Rating</h3><a href="?stars=4">4 stars and up</a></aside><p id=out></p>"""


@pytest.mark.parametrize("tag", ["form", "div"])
async def test_other_ways_to_sign_in_do_not_send_the_password(shared: GatewayProcess, site: Site, tag: str) -> None:
    async with visiting(shared, site) as visit:
        tools = await visit.open(LOGIN.replace("TAG", tag))
        assert list(properties(tools["sign_in"])) == ["email", "password", "keepMeSignedIn"]
        assert properties(tools["continue_with_google"]) == {}
        told = await visit.call("sign_in", email="a@b.c", password="correct horse")
        assert "New on the page: “Sign in" in told


async def test_a_search_and_the_pages_of_a_table_are_no_form_of_the_buttons_around(
    shared: GatewayProcess, site: Site
) -> None:
    async with visiting(shared, site) as visit:
        tools = await visit.open(TABLE)
        assert properties(tools["invite_user"]) == properties(tools["next_page"]) == {}
        assert "Found ann" in await visit.call("search_users", query="ann")
        assert "Inviting" in await visit.call("invite_user")
        assert "Page 2" in await visit.call("next_page")
        asked = [name for tool in tools.values() for name in properties(tool)]
        assert "selectAnn" not in asked, "that is select_user"


async def test_a_button_amid_sections_is_for_its_own(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        tools = await visit.open(FILTERS)
        [price] = [tool for tool in tools.values() if "least" in properties(tool)]
        assert list(properties(price)) == ["least", "most"]
        assert "“Price”" in (price.description or "")
        assert list(properties(tools["set_brand"])) == ["brand"]
        assert "30 and more" in await visit.call(price.name, least=30)


async def test_what_a_list_asks_for_names_it_and_is_no_choice(shared: GatewayProcess, site: Site) -> None:
    page = "<title>Ship</title><select><option>Select country<option>Germany<option>France</select>"
    async with visiting(shared, site) as visit:
        (tool,) = (await visit.open(page)).values()
        assert properties(tool) == {"country": {"type": "string", "enum": ["Germany", "France"]}}
        assert tool.name == "set_country"


async def test_what_stands_before_radios_says_what_they_are_about(shared: GatewayProcess, site: Site) -> None:
    radios = "".join(f"<label><input type=radio name=pace value={each}>{each}</label>" for each in ("Daily", "Never"))
    page = f"<title>Mail</title><h1>Settings</h1><form><p>How often we write</p>{radios}<button>Save</button></form>"
    async with visiting(shared, site) as visit:
        (tool,) = (await visit.open(page)).values()
        assert properties(tool)["pace"]["description"] == "How often we write."


DRAWN = """<title>Checkout</title><TAG><div><input placeholder="First name"><input placeholder="City"></div>
<div><div onclick="pick(this)">Standard</div><div onclick="pick(this)">Express</div></div>
<BUTTON>Continue to payment</BUTTON></TAG><p id=out></p><script>const pick = ({ textContent }) => textContent;
const inputs = [...document.querySelectorAll('input')];
const send = () => { out.textContent = inputs.map(({ value }) => value).join(' in '); };
for (const each of document.querySelectorAll('.btn')) each.addEventListener('click', send);</script>"""


@pytest.mark.parametrize("tag", ["form", "div"])
@pytest.mark.parametrize("button", ["div onclick=send() style=cursor:pointer", "a href=# class=btn"])
async def test_what_is_only_drawn_as_a_button_sends_its_fields(
    shared: GatewayProcess, site: Site, tag: str, button: str
) -> None:
    drawn = DRAWN.replace("/BUTTON", f"/{button.split()[0]}").replace("BUTTON", button).replace("TAG", tag)
    async with visiting(shared, site) as visit:
        tools = await visit.open(drawn)
        assert list(properties(tools["continue_to_payment"])) == ["firstName", "city"]
        assert "Ann in Rome" in await visit.call("continue_to_payment", firstName="Ann", city="Rome")
