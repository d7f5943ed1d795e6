"""Enter after form_input sends the form, as it does for a person who has just typed."""

import pytest

from tests.clients import Agent
from tests.conftest import Site
from tests.tools.told import told

pytestmark = pytest.mark.browser


async def test_enter_goes_to_the_field_filled_in_last(agent: Agent, site: Site) -> None:
    site.pages["/log-in"] = """<title>Log in</title><form action=/inside>
    <label>User <input name=user></label> <label>Password <input name=p type=password></label>
    <button>Log in</button></form>"""
    site.pages["/inside"] = "<title>Inside</title><h1>Welcome</h1>"
    await told(agent, "navigate", url=f"{site.url}/log-in")
    await told(agent, "read_page")
    await told(agent, "form_input", ref="e1", value="ada")
    await told(agent, "form_input", ref="e2", value="countess")
    assert "Welcome" in await told(agent, "computer", action="key", text="Enter")


async def test_enter_goes_where_the_caret_is_if_it_is_anywhere(agent: Agent, site: Site) -> None:
    site.pages["/two"] = """<title>Two</title><label>First <input></label>
    <button onclick="out.textContent = 'Pressed'">Press</button><p id=out></p>"""
    await told(agent, "navigate", url=f"{site.url}/two")
    await told(agent, "read_page")
    await told(agent, "form_input", ref="e1", value="x")
    await told(agent, "computer", action="key", text="Tab")
    assert "Pressed" in await told(agent, "computer", action="key", text="Enter")
    assert "Nothing visible changed" in await told(agent, "computer", action="key", text="F2")
