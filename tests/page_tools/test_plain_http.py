"""Pages without https, as many at home and at work are: they are read and used like any other."""

import re

import pytest

from tests.clients import connect
from tests.conftest import Site
from tests.gateway import GatewayProcess

pytestmark = pytest.mark.browser

PAGE = """<title>Intranet</title><form><label>Article <input name="article"></label><button>Order</button></form>
<p onclick="document.title = 'seen'">Details</p>"""


async def test_a_page_without_https_is_read_and_offers_its_tools(shared: GatewayProcess, site: Site) -> None:
    site.pages["/plain"] = PAGE
    async with connect(shared) as agent:
        await agent.call("connect_browser", launch=True)
        opened = await agent.call("open_tab", url=site.url.replace("127.0.0.1", "intranet.test") + "/plain")
        assert "order" in opened["toolsAvailable"]
        assert "false" in str((await agent.result("javascript_tool", text="isSecureContext")).content)
        outline = str((await agent.result("read_page")).content)
        assert 'button "Order" e' in outline
        assert len(set(re.findall(r'" (e\d+)', outline))) == 3, "what listens to clicks is known"
        await agent.call("close_tab")
