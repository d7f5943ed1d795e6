"""What stands in fields for passwords, cards and codes, and in hidden ones, is told by no tool that reads the page."""

import pytest

from tests.clients import connect
from tests.conftest import Site
from tests.gateway import GatewayProcess

pytestmark = [pytest.mark.browser, pytest.mark.rule("T72")]

FORM = """<title>Pay</title><form action="/paid" method="post"><h1>Pay</h1>
<input type="hidden" name="csrf_token" value="SECRET-csrf-9d2">
<label>Password <input type="password" name="pw" value="SECRET-pw-9d2"></label>
<label>Card <input autocomplete="cc-number" name="card" value="4111 1111 1111 1111"></label>
<label>Check <input autocomplete="billing cc-csc" name="csc" value="SECRET-737"></label>
<label>Expiry <input autocomplete="cc-exp" name="exp" value="SECRET-1299"></label>
<label>Code <input autocomplete="one-time-code" name="otp" value="SECRET-424242"></label>
<label>New <input type="text" autocomplete="new-password" name="np" value="SECRET-new-9d2"></label>
<label>Name <input name="name" value="Alice"></label><button>Pay now</button></form>
<script>const show = document.querySelector('[name=pw]'); show.type = 'text'; show.type = 'password'</script>"""
SECRETS = ("SECRET", "4111")


async def test_no_reading_tool_tells_them(shared: GatewayProcess, site: Site) -> None:
    site.pages["/secrets"] = FORM
    async with connect(shared, toolsets="focus,automation") as agent:
        await agent.call("connect_browser", launch=True)
        tab = (await agent.call("open_tab", url=f"{site.url}/secrets"))["tab"]["id"]
        said: dict[str, str] = {"list": str([tool.model_dump() for tool in await agent.tools()])}
        for name, arguments in (
            ("read_page", {}),
            ("read_page", {"filter": "all"}),
            ("read_page", {"filter": "interactive"}),
            ("get_page_text", {}),
            ("find", {"query": "password"}),
            ("find", {"query": "card number"}),
            ("find", {"query": "csrf"}),
            ("find", {"query": "SECRET"}),
            ("computer", {"action": "screenshot"}),
        ):
            said[f"{name} {arguments}"] = str(await agent.result(name, tabId=tab, **arguments))
        assert "Alice" in said["read_page {'filter': 'all'}"], "what is no secret is told"
        for name, words in said.items():
            for secret in SECRETS:
                found = words.replace("SECRET'", "").find(secret)
                assert found < 0, (name, words[max(0, found - 200) : found + 50])
        await agent.call("close_tab", tabId=tab)
