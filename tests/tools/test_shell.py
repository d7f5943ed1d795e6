"""Pages that have loaded and show nothing yet, or only empty boxes where something is to come."""

import itertools
from urllib.parse import quote

import pytest

from tests.clients import Agent
from tests.conftest import Site
from tests.tools.told import told

pytestmark = pytest.mark.browser

_paths = itertools.count()
BOX = "<div {} style='height: 40px; margin: 8px; background: #ddd'></div>"
LOADING = "It is still loading; what is there already can be used."


async def load(agent: Agent, site: Site, html: str) -> str:
    path = f"/shell/{next(_paths)}"
    site.pages[path] = f"<!doctype html><title>A page</title>{html}"
    return await told(agent, "navigate", url=site.url + path)


@pytest.mark.parametrize(
    "shell",
    [
        "",
        "<div class=spinner-loading>Loading...</div>",
        BOX.format("data-testid=stSkeleton") * 6,
        "<header><button>Menu</button> My app</header>" + BOX.format("class='MuiSkeleton-root'") * 3,
        "<p>My app</p>" + BOX.format("aria-busy=true"),
    ],
    ids=["nothing", "a word", "boxes", "boxes beside a menu", "a busy box"],
)
async def test_what_fills_an_empty_page_is_waited_for(agent: Agent, site: Site, shell: str) -> None:
    fill = "setTimeout(() => { m.innerHTML = '<button>Ready</button>' }, 700)"
    said = await load(
        agent, site, f'<main id=m>{shell}</main><script src="data:text/javascript,{quote(fill)}"></script>'
    )
    assert LOADING not in said
    assert '"Ready"' in await told(agent, "read_page", filter="interactive")


async def test_a_page_that_stays_empty_is_told_as_still_loading(agent: Agent, site: Site) -> None:
    boxes = BOX.format("class=skeleton") * 3
    assert LOADING in await load(agent, site, f"<p>My app</p>{boxes}<script>/* nothing more */</script>")


@pytest.mark.parametrize(
    "html",
    [
        "<div id=root></div>",
        "<div id=root></div><script>1</script>",
        "<script src='data:text/javascript,1'></script>",
        "<body class=loading-done><p>Words<script>1</script>",
        "<input class='placeholder-gray-400' placeholder=Name><script>1</script>",
        "<p>" + "Many words. " * 60 + BOX.format("class=ad-placeholder") * 3 + "<script>1</script>",
        "<my-app id=a style='display: contents'></my-app>"
        "<script>a.attachShadow({ mode: 'closed' }).innerHTML = '<p>Words'</script>",
        "<canvas width=100 height=100></canvas><script>1</script>",
    ],
    ids=[
        "no script",
        "words within",
        "all script",
        "a class of the body",
        "a field",
        "words beside boxes",
        "a closed root",
        "a canvas",
    ],
)
async def test_a_page_that_shows_what_it_has_is_not_waited_for(agent: Agent, site: Site, html: str) -> None:
    assert LOADING not in await load(agent, site, html)
