"""The page agent where Chrome puts no content scripts: its files in a world that the debugger makes, on about:blank."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import tabwright
from tests.cdp import Cdp
from tests.clients import connect
from tests.conftest import cdp_of
from tests.gateway import GatewayProcess, until

pytestmark = pytest.mark.browser

EXTENSION = Path(tabwright.__file__).parent / "extension"
FILLED = """document.body.innerHTML = `<h1>Members</h1><form id=f><label>Nick <input name=nick></label>
<button>Add member</button></form><ul id=list></ul>`; f.onsubmit = (event) => { event.preventDefault();
list.insertAdjacentHTML('beforeend', '<li>' + f.nick.value); }; 1"""
AGENT = "globalThis[Symbol.for('tabwright.agent')]"


def sources() -> Iterator[str]:
    """The agent as it is loaded into pages, without the relay: only that needs the extension around it."""
    scripts = json.loads((EXTENSION / "manifest.json").read_text())["content_scripts"]
    for name in scripts[1]["js"]:
        if name.startswith("content/agent/"):
            yield (EXTENSION / name).read_text()


def world_of(cdp: Cdp, session: str) -> int:
    frame = cdp.send("Page.getFrameTree", session)["frameTree"]["frame"]["id"]
    world = cdp.send("Page.createIsolatedWorld", session, frameId=frame, worldName="tabwright")["executionContextId"]
    for source in sources():
        cdp.evaluate(session, source, world)
    return world


async def test_the_agent_lists_and_runs_tools_of_a_blank_page_by_the_debugger_alone(shared: GatewayProcess) -> None:
    async with connect(shared) as agent:
        await agent.call("connect_browser", launch=True)
        await agent.call("open_tab", url="about:blank")
        with cdp_of(shared) as cdp:
            session = cdp.attach(until(lambda: cdp.targets("page", "about:blank"))[0])
            world = world_of(cdp, session)
            assert cdp.evaluate(session, f"{AGENT}.get('introspection').list().map(({{ name }}) => name)", world) == []
            cdp.evaluate(session, FILLED)
            listed = cdp.evaluate(session, f"{AGENT}.get('introspection').list()", world)
            assert [tool["name"] for tool in listed if tool["source"] != "generic"] == ["add_member"]
            told = cdp.evaluate(session, f"{AGENT}.get('introspection').run('add_member', {{ nick: 'ann' }})", world)
            assert "ann" in told["content"][0]["text"]
            assert cdp.evaluate(session, "list.textContent") == "ann"
