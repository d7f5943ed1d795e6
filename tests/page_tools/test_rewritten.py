"""A page that writes itself anew: no listener of its window and its document is left, ours neither."""

import json
import re

import pytest

from tests.clients import connect
from tests.conftest import Site, cdp_of
from tests.gateway import GatewayProcess
from tests.page_tools import pages

pytestmark = pytest.mark.browser


def rewritten(html: str) -> str:
    """A page that is there, and then another one in the same document."""
    script = json.dumps(html).replace("<", "\\u003c")
    return f"""<!doctype html><title>Before</title><p>Loading</p><script>
    onload = () => setTimeout(() => {{ document.open(); document.write({script}); document.close(); }}, 200)</script>"""


async def test_its_server_is_heard_and_its_forms_answer(shared: GatewayProcess, site: Site) -> None:
    site.pages["/rewritten"] = rewritten(pages.server(pages.FORMS))
    async with connect(shared) as agent:
        await agent.call("connect_browser", launch=True)
        await agent.call("open_tab", url=f"{site.url}/rewritten")
        await agent.offered("add", "search_flights")
        assert "5" in str((await agent.result("add", a=2, b=3)).content)
        assert "SFO" in str((await agent.result("search_flights", **{"from": "SFO"})).content)
        await agent.call("close_tab")


async def test_what_listens_in_it_is_seen_to(shared: GatewayProcess, site: Site) -> None:
    site.pages["/rewritten"] = rewritten(
        """<title>After</title><div id=bare>Bare one</div><script>
        bare.addEventListener('click', () => { document.title = 'hit'; })</script>"""
    )
    async with connect(shared) as agent:
        await agent.call("connect_browser", launch=True)
        await agent.call("open_tab", url=f"{site.url}/rewritten")
        await agent.result("wait_for", text="Bare one")
        outline = str((await agent.result("read_page")).content)
        found = re.search(r'clickable "Bare one" (e\d+)', outline)
        assert found, outline
        assert "hit" in str((await agent.result("computer", action="left_click", ref=found[1])).content)
        await agent.call("close_tab")


async def test_it_is_there_again_when_it_is_come_back_to(shared: GatewayProcess, site: Site) -> None:
    site.pages["/rewritten"] = rewritten(pages.webmcp())
    site.pages["/next"] = "<title>Next</title><p>Next</p>"
    async with connect(shared) as agent:
        await agent.call("connect_browser", launch=True)
        await agent.call("open_tab", url=f"{site.url}/rewritten")
        await agent.offered("add")
        with cdp_of(shared) as cdp:
            cdp.in_page("/rewritten", "window.shown = false, addEventListener('pageshow', () => { shown = true; })")
            cdp.in_page("/rewritten", "setTimeout(() => { location.href = '/next'; }) && 1")
            await agent.once(agent.names, lambda names: "add" not in names)
            cdp.in_page("/next", "setTimeout(() => history.back()) && 1")
            await agent.offered("add")
            assert cdp.in_page("/rewritten", "shown"), "the document of before, kept by the browser meanwhile"
        assert "5" in str((await agent.result("add", a=2, b=3)).content)
        await agent.call("close_tab")
