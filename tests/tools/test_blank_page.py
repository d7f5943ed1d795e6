"""about:blank, filled by a script: Chrome puts no content scripts there, and it is read and worked on all the same."""

import asyncio
import re
from pathlib import Path

import pytest

from tabwright.edges.chrome.extension_files import extension_id
from tests.clients import Agent, connect
from tests.conftest import Site, cdp_of
from tests.gateway import GatewayProcess, running, until
from tests.own_browser import browser, pair
from tests.tools.told import told

pytestmark = pytest.mark.browser

FILL = """document.body.innerHTML = `<h1>Members</h1><form id=f><label>Nick <input name=nick></label>
<button>Add member</button></form><ul id=list></ul>`; f.onsubmit = (event) => { event.preventDefault();
list.insertAdjacentHTML('beforeend', '<li>Joined: ' + f.nick.value); }; 1"""


async def filled(agent: Agent) -> None:
    """The focused tab shows about:blank with a form."""
    await agent.call("connect_browser", launch=True)
    await agent.call("open_tab", url="about:blank")
    await told(agent, "javascript_tool", text=FILL)


async def ref_of(agent: Agent, name: str) -> str:
    text = await told(agent, "read_page")
    found = re.search(rf'"{name}" (e\d+)', text)
    assert found is not None, text
    return found[1]


async def test_it_is_read_filled_in_and_clicked_like_any_page(shared: GatewayProcess) -> None:
    async with connect(shared) as agent:
        await filled(agent)
        nick, add = await ref_of(agent, "Nick"), await ref_of(agent, "Add member")
        assert f'{nick} textbox "Nick"' in await told(agent, "find", query="nick")
        assert "# Members" in await told(agent, "get_page_text")
        assert '"ann"' in await told(agent, "form_input", ref=nick, value="ann")
        assert "New on the page: “Joined: ann”" in await told(agent, "computer", action="left_click", ref=add)
        assert "It holds" in await told(agent, "wait_for", text="Joined: ann")


async def test_a_text_that_a_script_writes_later_is_waited_for(shared: GatewayProcess) -> None:
    async with connect(shared) as agent:
        await agent.call("connect_browser", launch=True)
        await agent.call("open_tab", url="about:blank")
        late = "setTimeout(() => { document.body.textContent = 'Here I am'; }, 700); 1"
        await told(agent, "javascript_tool", text=late)
        assert "It holds" in await told(agent, "wait_for", text="Here I am")


async def test_its_tools_join_the_list_once_it_is_read(shared: GatewayProcess) -> None:
    async with connect(shared) as agent:
        await filled(agent)
        await told(agent, "read_page")
        await agent.offered("add_member")
        assert "Joined: bob" in await told(agent, "add_member", nick="bob")


async def test_an_empty_one_says_that_nothing_is_there(shared: GatewayProcess) -> None:
    async with connect(shared) as agent:
        await agent.call("connect_browser", launch=True)
        await agent.call("open_tab", url="about:blank")
        assert "(nothing to click or read)" in await told(agent, "read_page", filter="all")


async def test_refs_stay_good_when_the_debugger_comes_back_and_when_the_worker_does(shared: GatewayProcess) -> None:
    async with connect(shared) as agent:
        await filled(agent)
        nick, add = await ref_of(agent, "Nick"), await ref_of(agent, "Add member")
        await told(agent, "turn_answer_complete")
        assert '"ann"' in await told(agent, "form_input", ref=nick, value="ann")
        with cdp_of(shared) as cdp:
            await asyncio.to_thread(cdp.stop_workers, extension_id())
        await told(agent, "computer", action="left_click", ref=add)
        assert "It holds" in await told(agent, "wait_for", text="Joined: ann")


async def test_what_is_navigated_to_has_its_own_agent_and_a_new_blank_page_another(
    shared: GatewayProcess, site: Site
) -> None:
    site.pages["/from-blank"] = "<title>Web</title><button>Web button</button>"
    async with connect(shared) as agent:
        await filled(agent)
        old = await ref_of(agent, "Nick")
        await told(agent, "navigate", url=f"{site.url}/from-blank")
        assert "Nick" not in await told(agent, "read_page")
        await told(agent, "computer", action="left_click", ref=await ref_of(agent, "Web button"))
        await told(agent, "navigate", url="about:blank")
        assert (await agent.refused("form_input", ref=old, value="x"))["code"] == "stale_ref"
        await told(agent, "javascript_tool", text=FILL)
        assert '"cy"' in await told(agent, "form_input", ref=await ref_of(agent, "Nick"), value="cy")


async def test_in_the_person_s_own_browser_reading_does_not_attach_the_debugger(tmp_path: Path) -> None:
    with running(tmp_path / "home") as gateway:
        async with browser(tmp_path, gateway.extension_port) as cdp, connect(gateway) as agent:
            await pair(gateway, cdp)
            await agent.call("connect_browser")
            await agent.call("open_tab", url="about:blank")
            refused = await agent.refused("read_page")
            assert refused["code"] == "unreachable_page"
            assert "screenshot" in str(refused)
            assert "screenshot" in str(await agent.refused("wait_for", text="Members", ms=100))

            session = cdp.attach(until(lambda: cdp.targets("page", "about:blank"))[-1])
            cdp.evaluate(session, FILL)
            await agent.result("computer", action="screenshot")
            assert '"dee"' in await told(agent, "form_input", ref=await ref_of(agent, "Nick"), value="dee")
