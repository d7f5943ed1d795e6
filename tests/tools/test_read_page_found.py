"""read_page: controls that are hard to find have refs too, by which they can be clicked and filled in."""

import re

import pytest

from tests.clients import Agent
from tests.conftest import Site
from tests.tools.outlines import outline, refs, visit, without_refs
from tests.tools.told import told

pytestmark = pytest.mark.browser


async def ref_of(agent: Agent, name: str) -> str:
    text = "\n".join(await outline(agent))
    found = re.search(rf'"{re.escape(name)}" (e\d+)', text)
    assert found is not None, text
    return found[1]


async def test_parts_of_a_drawing_in_something_that_takes_the_focus_have_refs(agent: Agent, site: Site) -> None:
    await visit(
        agent,
        site,
        """<style>.hand{cursor:pointer}</style><div tabindex=0 style="cursor:grab"><svg
        width=400 height=200><g id=one class=hand><rect x=20 y=20 width=100 height=40 fill=#acf /><text x=30 y=45>Node
        one</text></g><g><rect id=two x=200 y=20 width=100 height=40 fill=#fca /><text x=210 y=95>Node two</text></g>
        <path class="region hand" d="M20 100h90v40h-90z"/></svg></div>
        <div tabindex=0 aria-label=Tool><svg width=24 height=24><rect class=hand width=20 height=20 /></svg></div>
        <button aria-label=Big><svg width=99 height=99><rect class=icon width=20 height=20 /></svg></button>
        <script>two.addEventListener('click', () => document.title = 'Two');
        document.querySelector('.icon').addEventListener('click', () => {})</script>""",
    )
    lines = without_refs(await outline(agent))
    assert lines == [
        "clickable draggable",
        'clickables "Node one", "Node two", "region hand #000000"',
        'clickable "Tool"',
        'button "Big"',
    ]
    assert "Two" in await told(agent, "computer", action="left_click", ref=await ref_of(agent, "Node two"))
