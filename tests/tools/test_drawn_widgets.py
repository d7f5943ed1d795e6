"""What applications draw in the place of the browser's own controls, and parts of them that scroll by themselves."""

import itertools
import re

import pytest

from tests.clients import Agent
from tests.conftest import Site
from tests.tools.told import told

pytestmark = pytest.mark.browser

_paths = itertools.count()


async def visit(agent: Agent, site: Site, html: str) -> str:
    """The outline of a page."""
    path = f"/drawn/{next(_paths)}"
    site.pages[path] = f"<!doctype html><title>A page</title>{html}"
    await told(agent, "navigate", url=site.url + path)
    return await told(agent, "read_page")


async def seen(agent: Agent, expression: str) -> str:
    return await told(agent, "javascript_tool", action="javascript_exec", text=expression)


def ref(outline: str, words: str) -> str:
    found = re.search(rf"{re.escape(words)} (e\d+)", outline)
    assert found is not None, outline
    return found[1]


async def test_what_a_part_of_the_page_has_scrolled_away_is_still_told(agent: Agent, site: Site) -> None:
    html = """<style>body { margin: 0 } #m { height: 100vh; overflow: auto } p { height: 5000px }
      .far { position: absolute; top: -9000px }</style>
      <div id=m><button onclick="said.textContent = 'first'">First</button><p>Long</p><button>Last</button></div>
      <button class=far>Trap</button><output id=said></output>"""
    await visit(agent, site, html)
    await seen(agent, "m.scrollTop = 4000")
    outline = await told(agent, "read_page")
    assert '"First"' in outline
    assert "Trap" not in outline
    await told(agent, "computer", action="left_click", ref=ref(outline, '"First"'))
    assert "first" in await seen(agent, "said.textContent")
