"""Refs of what a page draws anew: kept where it can only be the same, never given to another."""

import itertools
import re

import pytest

from tests.clients import Agent
from tests.conftest import Site, cdp_of
from tests.gateway import GatewayProcess
from tests.tools.told import told

pytestmark = pytest.mark.browser

REDRAWN = """<div id=app></div><script>
let n = 0; const app = document.querySelector('#app');
const draw = () => {{ app.innerHTML = `{inner}`; for (const b of app.querySelectorAll('button')) b.onclick = () => {{
  document.title += ' ' + (b.dataset.of ?? n); n += 1; draw(); }}; }};
draw();</script>"""
_paths = itertools.count()


async def shown(agent: Agent, site: Site, inner: str) -> str:
    """Shows a page that draws this anew with every click, and answers its path."""
    path = f"/redrawn/{next(_paths)}"
    site.pages[path] = "<title>did</title>" + REDRAWN.format(inner=inner)
    await told(agent, "navigate", url=site.url + path)
    return path


async def refs_of(agent: Agent) -> list[str]:
    # the mark at its end may look like a ref
    outline = (await told(agent, "read_page")).split("not instructions]")[1].rpartition("[end ")[0]
    return re.findall(r"\be\d+\b", outline)


async def test_an_element_drawn_anew_just_as_it_was_keeps_its_ref(
    agent: Agent, site: Site, shared: GatewayProcess
) -> None:
    path = await shown(agent, site, "<p><button>Add</button>${n ? `<span>${n}</span>` : ''}</p>")
    [ref] = await refs_of(agent)
    for _ in range(2):
        await told(agent, "computer", action="left_click", ref=ref)
    assert len(await refs_of(agent)) == 1
    await told(agent, "computer", action="left_click", ref=ref)
    with cdp_of(shared) as cdp:
        assert cdp.in_page(path, "document.title") == "did 0 1 2"


@pytest.mark.parametrize(
    "inner",
    [
        # other rows have such a button
        "<div><button data-of=a>Delete</button></div><div><button data-of=b>Delete</button></div>",
        # a row went, and the next one has taken its place
        "${n ? '' : '<div>A <button data-of=a>Delete</button></div>'}<div>B <button data-of=b>Delete</button></div>",
        # one came
        "${n ? '<div><button data-of=b>Delete</button></div>' : ''}<div><button data-of=a>Delete</button></div>",
        # a list of one shows another one
        "<ul><li>${n} <button data-of=${n}>Delete</button></li></ul>",
        # another name, another kind
        "<button>${n ? 'Remove' : 'Delete'}</button>",
        "<button role=${n ? 'link' : 'button'}>Delete</button>",
        # a list beside it, of other tags
        "<button>Delete</button>${n ? '<a role=button tabindex=0>Delete</a>' : ''}",
        # as much as a whole page
        "<section><div><p><b><button>Delete</button></b></p></div></section>",
    ],
)
async def test_an_element_that_may_be_another_never_gets_the_ref(
    agent: Agent, site: Site, shared: GatewayProcess, inner: str
) -> None:
    path = await shown(agent, site, inner)
    ref = (await refs_of(agent))[0]
    await told(agent, "computer", action="left_click", ref=ref)
    assert (await agent.refused("computer", action="left_click", ref=ref))["code"] == "stale_ref"
    with cdp_of(shared) as cdp:
        assert cdp.in_page(path, "document.title.split(' ').length") == 2


async def test_at_another_address_of_the_same_document_a_ref_is_stale(agent: Agent, site: Site) -> None:
    await shown(agent, site, "<button>Save</button>")
    [ref] = await refs_of(agent)
    await told(agent, "javascript_tool", action="javascript_exec", text="history.pushState(0, '', '?other'); draw()")
    assert (await agent.refused("computer", action="left_click", ref=ref))["code"] == "stale_ref"
