"""Pages that print, grow or reload without end: every call is answered within bounds, and the tab stays usable."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tabwright.edges.chrome.extension_files import extension_id
from tests.clients import Agent, connect
from tests.conftest import Site
from tests.gateway import GatewayProcess, running
from tests.own_browser import browser, pair

pytestmark = [pytest.mark.browser, pytest.mark.rule("T75"), pytest.mark.timeout(180)]

MOST_S = 60.0
"""Far more than any of these takes; without bounds they would take for ever."""
MOST_CHARS = 200_000


@asynccontextmanager
async def at_work(shared: GatewayProcess) -> AsyncGenerator[Agent]:
    async with connect(shared, toolsets="focus,automation") as made:
        await made.call("connect_browser", launch=True)
        yield made


async def told(agent: Agent, name: str, **arguments: Any) -> str:
    async with asyncio.timeout(MOST_S):
        return str((await agent.result(name, **arguments)).content)


ATTACHED = (
    "chrome.debugger.getTargets().then((all) => all.some(({ url, attached }) => url.endsWith('/calm') && attached))"
)
BUSY = ("stands still", "does not respond", "has not answered")


async def bounded(agent: Agent, name: str, *words: str, **arguments: Any) -> None:
    """What is told is short, with these words; or, on a machine that is busy with the page, that it is."""
    said = await told(agent, name, **arguments)
    assert 0 < len(said) < MOST_CHARS, name
    assert all(word in said for word in words) or any(word in said for word in BUSY), said[:2_000]


async def leave(agent: Agent, site: Site) -> None:
    """The tab can be taken elsewhere and read there; where the machine is still busy with the page, not at once."""
    site.pages["/calm"] = "<title>Calm</title><button>Rest</button>"
    # on a busy machine its title may be told later
    assert f"Loaded {site.url}/calm" in await once_free(agent, "navigate", url=f"{site.url}/calm")
    assert "Rest" in await once_free(agent, "read_page")


async def once_free(agent: Agent, name: str, **arguments: Any) -> str:
    """What is told in the end: who hears that the page is busy may ask again, as the answer says."""
    said = ""
    for _ in range(4):
        said = await told(agent, name, **arguments)
        if not any(word in said for word in BUSY):
            break
    return said


@pytest.mark.parametrize(
    "script",
    [
        "print()",
        "setInterval(print, 10)",
        "onbeforeprint = () => print(); onafterprint = () => print(); print()",
        "document.querySelector('button').onclick = () => { print(); print(); document.title = 'printed' }",
    ],
    ids=["once", "for ever", "again", "by a click"],
)
async def test_printing_holds_nothing_up(shared: GatewayProcess, site: Site, script: str) -> None:
    site.pages["/prints"] = f"""<title>Prints</title><button style="width: 200px; height: 40px">Print</button>
        <script>{script}</script>"""
    async with at_work(shared) as agent:
        await told(agent, "open_tab", url=f"{site.url}/prints")
        await told(agent, "computer", action="left_click", coordinate=[50, 25])
        assert "Print" in await told(agent, "read_page")
        assert "42" in await told(agent, "javascript_tool", text="40 + 2")
        await leave(agent, site)


async def test_of_a_million_nodes_so_much_is_told_as_there_is_room_for(shared: GatewayProcess, site: Site) -> None:
    # as quickly drawn as so many can be, and none of them left out by who reads the page
    site.pages["/many"] = """<title>Many</title><h1>Many</h1><button>First</button><div style="height: 3000px"></div>
        <div id="room" style="content-visibility: auto"></div><script>
        document.getElementById('room').innerHTML = ('<p>' + '<b>x</b>'.repeat(99) + '</p>').repeat(10_000)</script>"""
    async with at_work(shared) as agent:
        await told(agent, "open_tab", url=f"{site.url}/many")
        await bounded(agent, "javascript_tool", "1000000", text="document.querySelectorAll('#room *').length")
        await bounded(agent, "read_page", "First")
        await bounded(agent, "read_page", "First", filter="all")
        await bounded(agent, "get_page_text")
        await bounded(agent, "find", "First", query="first")
        await leave(agent, site)


async def test_of_a_hundred_megabytes_of_text_a_part_is_told_and_said_to_be_one(
    shared: GatewayProcess, site: Site
) -> None:
    site.pages["/long"] = """<title>Long</title><button>First</button><pre id="room"></pre><script>
        document.getElementById('room').textContent = ('word '.repeat(19) + 'end.\\n').repeat(1_000_000)</script>"""
    async with at_work(shared) as agent:
        await told(agent, "open_tab", url=f"{site.url}/long")
        await bounded(agent, "javascript_tool", "100000000", text="document.querySelector('#room').textContent.length")
        await bounded(agent, "get_page_text", "word", "longer than can be read at once")
        await bounded(agent, "read_page", "First", filter="all")
        await leave(agent, site)


RESTLESS = {
    "reload": "<script>location.reload()</script>",
    "reload again and again": "<script>setInterval(() => location.reload())</script>",
    "reload and flood": """<script>setInterval(() => {
        location.reload();
        for (let n = 0; n < 300; n++) { console.log('x'.repeat(999)); postMessage(n) }
    })</script>""",
    "other address": "<script>location.href = '?' + Math.random()</script>",
    "two pages": "<script>location.replace(location.search ? location.pathname : '?b')</script>",
    "refresh": "<meta http-equiv=refresh content=0>",
    "form": "<form><input name=a></form><script>document.forms[0].submit()</script>",
    "link": "<a href='?a'>On</a><script>document.querySelector('a').click()</script>",
    "history": """<script>onpageshow = () => setTimeout(() => {
        if (location.search) history.back();
        else if (history.length > 3) history.forward();
        else location.href = '?x';
    }, 5)</script>""",
    "wherever it is left for": """<script>
        onbeforeunload = () => { location.href = '?b' };
        onpagehide = () => location.reload();
        location.reload()</script>""",
    "written anew": """<script>setTimeout(function again() {
        document.open();
        document.write('<title>Again</title><button>Here</button><script>setTimeout(' + again + ')<\\/script>');
        document.close();
    })</script>""",
}
"""Pages that load themselves or others without end, by what they do."""


def restless(site: Site, kind: str) -> str:
    path = f"/{kind.replace(' ', '-')}"
    site.pages[path] = f"<title>Again</title><button>Here</button>{RESTLESS[kind]}"
    return site.url + path


@pytest.mark.parametrize("kind", RESTLESS)
async def test_a_page_that_moves_its_tab_for_ever_is_left_for_another(
    shared: GatewayProcess, site: Site, kind: str
) -> None:
    async with at_work(shared) as agent:
        # it may be busy enough that opening it is told to take too long
        await told(agent, "open_tab", url=restless(site, kind))
        await leave(agent, site)


async def test_in_a_browser_of_the_persons_own_they_are_left_too(tmp_path: Path, site: Site) -> None:
    with running(tmp_path / "home") as gateway:
        async with browser(tmp_path, gateway.extension_port) as cdp:
            await pair(gateway, cdp)
            async with connect(gateway, toolsets="focus,automation") as agent:
                await agent.call("connect_browser")
                for kind in RESTLESS:
                    await told(agent, "open_tab", url=restless(site, kind))
                    await leave(agent, site)
                assert not cdp.in_extension(extension_id(), ATTACHED), "no bar is left behind"


async def test_a_page_that_reloads_for_ever_is_read_or_refused_and_can_be_closed(
    shared: GatewayProcess, site: Site
) -> None:
    again = restless(site, "reload")
    async with at_work(shared) as agent:
        for name, arguments in (
            ("open_tab", {"url": again}),
            ("read_page", {}),
            ("get_page_text", {}),
            ("computer", {"action": "screenshot"}),
            ("computer", {"action": "left_click", "coordinate": [20, 20]}),
        ):
            assert await told(agent, name, **arguments)
        await leave(agent, site)
        tab = (await agent.call("open_tab", url=again))["tab"]["id"]
        assert not (await agent.result("close_tab", tabId=tab)).is_error
