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


async def test_what_a_library_draws_by_lot_is_no_name(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        assert list(properties((await visit.open(DRAWN_NAMES))["join"])) == [
            "city",
            "street",
            "team",
            "plan",
            "address_2",
        ]
