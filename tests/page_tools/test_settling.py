"""A call answers when its effect is there: after the requests it caused, not after a fixed while."""

import pytest

from tests.apps.page import visiting
from tests.conftest import Site
from tests.gateway import GatewayProcess

pytestmark = pytest.mark.browser

SEARCH = """<title>Shop</title><h1>Shop</h1>
<form id=search><label>Search products <input name=q></label><button>Search products</button></form><div id=out></div>
<script>
search.onsubmit = async (event) => {
  event.preventDefault();
  out.textContent = "Searching…";
  const answer = await %s;
  out.textContent = "3 lamps found";
};
</script>"""


FETCH = "fetch('/slow').then((r) => r.text())"
XHR = """new Promise((done) => {
  const request = new XMLHttpRequest(); request.onload = done; request.open('GET', '/slow'); request.send();
})"""


@pytest.mark.parametrize("asking", [FETCH, XHR], ids=["fetch", "xhr"])
async def test_an_answer_that_takes_its_time_is_waited_for(shared: GatewayProcess, site: Site, asking: str) -> None:
    site.pages["/shop"] = SEARCH % asking
    site.slow("/slow", 0.7)
    async with visiting(shared, f"{site.url}/shop", toolsets="focus") as page:
        told = await page.run("search_products", query="lamp")
        assert "3 lamps found" in told


async def test_one_that_never_comes_is_not_waited_for_without_end(shared: GatewayProcess, site: Site) -> None:
    site.pages["/shop"] = SEARCH % "fetch('/endless')"
    site.slow("/endless", 15)
    async with visiting(shared, f"{site.url}/shop", toolsets="focus") as page:
        told = await page.run("search_products", query="lamp")
        assert "Searching…" in told
        assert "still waits for answers from the network" in told
