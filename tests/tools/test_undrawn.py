"""read_page: lists that draw only the rows in view say that there are more; what is all there says nothing."""

import itertools
import re

import pytest

from tests.clients import Agent
from tests.conftest import Site
from tests.tools.told import told

pytestmark = pytest.mark.browser

_paths = itertools.count()


def rows(count: int, start: str, end: str, style: str = "") -> str:
    return "".join(
        f"<{start} style='{style.format(top=30 * n)}height:30px'>Row {n} <button>Buy</button></{end}>"
        for n in range(count)
    )


def scrolling(html: str) -> str:
    return f"<div style='height:300px;overflow:auto'>{html}</div>"


IN_ROOM = scrolling(
    f"<div style='height:30000px;position:relative'>{rows(12, 'div', 'div', 'position:absolute;top:{top}px;')}</div>"
)
PADDED = scrolling(f"<div style='padding-bottom:29640px'>{rows(12, 'div', 'div')}</div>")
IN_TABLE = scrolling(
    f"<table>{rows(12, 'tr><td', 'td></tr')}<tr><td style='height:29640px;padding:0'></td></tr></table>"
)
OVERLAID = scrolling(
    f"""<div style='position:relative'>
<div style='position:absolute;transform:translateY(0)'>{rows(12, "div", "div")}</div>
<div style='height:30000px;width:1px'></div></div>"""
)
COUNTED = f"<div role=grid aria-rowcount=1000>{rows(12, 'div role=row', 'div')}</div>"
FEED = f"<div>{rows(12, 'div tabindex=0 aria-setsize=1000', 'div')}</div>"


@pytest.mark.parametrize(
    "html",
    [IN_ROOM, PADDED, IN_TABLE, OVERLAID, COUNTED, FEED],
    ids=["in its room", "padded", "in a table", "over its room", "counted rows", "counted items"],
)
async def test_a_list_that_draws_what_is_in_view_says_that_there_is_more(agent: Agent, site: Site, html: str) -> None:
    await visit(agent, site, html)
    last = (await told(agent, "read_page")).splitlines()[-1]
    form = r"Of about ([\d,]+) rows from (e\d+) on only 12 are drawn: computer action=scroll ref=(e\d+) .*"
    found = re.fullmatch(form, last)
    assert found is not None, last
    assert 850 <= int(found[1].replace(",", "")) <= 1000
    assert found[2] == found[3]


@pytest.mark.parametrize(
    "html",
    [
        scrolling(rows(40, "div", "div")),
        f"<div style='height:300px;overflow:auto'><div style='height:1200px'>{rows(40, 'div', 'div')}</div></div>",
        f"{rows(6, 'p', 'p')}<div style='height:3000px'></div><p>{rows(6, 'span', 'span')}</p>",
        "<div style='height:4000px'><h1>Hello</h1><button>Far</button></div>",
        f"<div role=grid aria-rowcount=12>{rows(12, 'div role=row', 'div')}</div>",
        f"<div role=grid aria-rowcount=-1>{rows(12, 'div role=row', 'div')}</div>",
    ],
    ids=["a box that scrolls", "as tall as its rows", "an empty block", "a tall page", "all of them", "nobody knows"],
)
async def test_what_is_all_there_says_nothing(agent: Agent, site: Site, html: str) -> None:
    await visit(agent, site, html)
    said = await told(agent, "read_page")
    assert "are drawn" not in said


async def visit(agent: Agent, site: Site, html: str) -> None:
    path = f"/undrawn/{next(_paths)}"
    site.pages[path] = f"<!doctype html><title>A page</title>{html}"
    await told(agent, "navigate", url=site.url + path)


async def test_a_branch_of_a_tree_is_called_by_itself_and_told_with_its_tick(agent: Agent, site: Site) -> None:
    await visit(
        agent,
        site,
        """<ul role=tree><li role=treeitem aria-expanded=true aria-checked=mixed tabindex=0><span>src</span>
<ul role=group><li role=treeitem aria-checked=true tabindex=-1>main.py</li></ul></li></ul>
<button aria-pressed=mixed>Bold</button>""",
    )
    said = await told(agent, "read_page")
    assert 'treeitem "src" e' in said
    assert said.count("mixed") == 2
    assert 'treeitem "main.py"' in said
    assert " checked" in said
