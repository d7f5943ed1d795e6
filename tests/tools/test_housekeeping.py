"""resize_window, update_plan, turn_answer_start, turn_answer_complete, dev_utils, permissions_check."""

import re

import pytest

from tests.cdp import Cdp
from tests.clients import Agent
from tests.conftest import cdp_of
from tests.gateway import GatewayProcess
from tests.tools.told import tab_of, told
from tests.tools.web import Web

pytestmark = pytest.mark.browser


def look(cdp: Cdp, group: int) -> tuple[str, str]:
    """Title and colour of a tab group, as the browser has them."""
    extension = cdp.targets("service_worker", "chrome-extension://")[0]["url"].split("/")[2]
    found = cdp.in_extension(extension, f"chrome.tabGroups.get({group})")
    return found["title"], found["color"]


async def test_a_browser_that_nobody_sees_has_pages_of_a_desktops_size(agent: Agent, web: Web) -> None:
    await told(agent, "navigate", url=web.url)
    size = await told(agent, "javascript_tool", action="javascript_exec", text="[innerWidth, innerHeight]")
    assert size == "[1280, 800]"


async def test_a_window_is_resized_and_its_page_with_it(agent: Agent, web: Web, shared: GatewayProcess) -> None:
    web.answers["/size"] = "<title>Size</title>"
    await told(agent, "navigate", url=f"{web.url}/size")
    said = await told(agent, "resize_window", width=900, height=700)
    found = re.fullmatch(r"The window is 900×700, its page (\d+)×(\d+)\.", said)
    assert found is not None, said
    with cdp_of(shared) as cdp:
        assert cdp.in_page("/size", "[innerWidth, innerHeight]") == [int(found[1]), int(found[2])]


async def test_a_page_in_the_background_follows_its_window_too(agent: Agent, web: Web, shared: GatewayProcess) -> None:
    web.answers["/behind"] = "<title>Behind</title>"
    await told(agent, "tabs_create_mcp")
    await told(agent, "tabs_create_mcp", url=f"{web.url}/behind")
    for width in (820, 640):
        assert f"its page {width}×" in await told(agent, "resize_window", width=width, height=600)
        with cdp_of(shared) as cdp:
            assert cdp.in_page("/behind", "innerWidth") == width


async def test_sizes_that_make_no_window_are_refused(agent: Agent) -> None:
    await told(agent, "tabs_create_mcp")
    assert (await agent.refused("resize_window", width=5, height=600))["code"] == "invalid_arguments"
    assert "too small" in (await agent.refused("resize_window", width=9000, height=9000))["message"]


async def test_a_plan_that_nobody_can_be_asked_about_is_refused_with_the_next_step(agent: Agent) -> None:
    error = await agent.refused("update_plan", domains=["shop.example"], approach=["Search", "Compare"])
    assert (error["code"], error["next"]) == (
        "nobody_to_ask",
        "Put the plan into your answer and let the person decide.",
    )
    assert "shop.example: Search; Compare" in error["message"]
    assert (await agent.refused("update_plan", domains=[], approach=["x"]))["code"] == "invalid_arguments"


async def test_the_group_shows_that_the_agent_answers_and_has_answered(agent: Agent, shared: GatewayProcess) -> None:
    made = await agent.result("tabs_context_mcp", createIfEmpty=True)
    assert made.structured_content is not None
    group: int = made.structured_content["groupId"]
    with cdp_of(shared) as cdp:
        name, color = look(cdp, group)
        await told(agent, "turn_answer_start")
        assert look(cdp, group) == (f"⏳ {name}", color)
        await told(agent, "tabs_create_mcp")
        assert look(cdp, group) == (f"⏳ {name}", color), "a tab that joins does not undo it"
        await told(agent, "turn_answer_complete")
        assert look(cdp, group) == (f"✓ {name}", "grey")


async def test_completing_an_answer_ends_recordings_and_lets_go_of_the_debugger(agent: Agent, web: Web) -> None:
    web.answers["/attached"] = "<title>Attached</title><script>console.log('hello')</script>"
    tab_id = tab_of(await told(agent, "navigate", url=f"{web.url}/attached"))
    await told(agent, "read_console_messages")
    await told(agent, "read_network_requests")
    assert str(tab_id) in await told(agent, "dev_utils", action="list_attached")
    assert f"the debugger let go of tab {tab_id}" in await told(agent, "turn_answer_complete")
    assert await told(agent, "dev_utils", action="list_attached") == "The debugger is attached to no tab."
    assert "log: hello" in await told(agent, "read_console_messages"), "recording begins anew"


async def test_diagnostics_tell_versions_link_tabs_and_latencies(agent: Agent, web: Web) -> None:
    web.answers["/"] = "<title>Home</title>"
    tab_id = tab_of(await told(agent, "navigate", url=web.url))
    await told(agent, "read_console_messages")
    status = await told(agent, "dev_utils")
    assert status.splitlines()[0] == await told(agent, "dev_utils", action="version")
    assert re.match(r"tabwright [\d.]+, extension [\d.]+, \w+ [\d.]+\.", status)
    assert f"1 of this session ({tab_id})" in status
    ping = (await told(agent, "dev_utils", action="ping")).splitlines()
    assert re.match(r"gateway – extension: [\d.]+ ms \(median of 7", ping[0])
    assert ping[1].startswith(f"gateway – page of tab {tab_id} by the debugger: ")


async def test_the_extension_is_reloaded_and_the_tab_is_still_the_sessions(agent: Agent, web: Web) -> None:
    web.answers["/stays"] = "<title>Stays</title>"
    tab_id = tab_of(await told(agent, "navigate", url=f"{web.url}/stays"))
    assert "is back after" in await told(agent, "dev_utils", action="reload_extension")
    assert f'{tab_id} "Stays"' in await told(agent, "tabs_context")
    assert '"Stays"' in await told(agent, "navigate", url="reload")


async def test_permissions_are_told_with_their_rule(agent: Agent, shared: GatewayProcess) -> None:
    tab_id = tab_of(await told(agent, "tabs_create_mcp"))
    own = f"http://127.0.0.1:{shared.port}/"
    assert "allowed (rule: " in await told(agent, "permissions_check", url="example.com", action="navigate")
    assert "denied: " in await told(agent, "permissions_check", url=own, action="navigate")
    assert "(rule: page: own ports)" in await told(agent, "permissions_check", url=own, action="read")
    assert "web pages only" in await told(agent, "permissions_check", url="file:///etc/hosts", action="navigate")
    assert len((await told(agent, "permissions_check", tabId=tab_id)).splitlines()) == 8
    assert (await agent.refused("permissions_check"))["code"] == "invalid_arguments"
