"""What works without a browser has none launched."""

from typing import Any

import pytest

from tabwright.model import Face, Json, Toolset
from tests.calls.world import world
from tests.clients import connect
from tests.fakes import tab
from tests.gateway import GatewayProcess

ALONE: dict[str, tuple[dict[str, Any], str]] = {
    "shortcuts_list": ({}, "No shortcuts are saved."),
    "turn_answer_start": ({}, "Shown as answering."),
    "turn_answer_complete": ({}, "Shown as answered."),
    "tabs_context": ({}, "This session has no tab. Call navigate with a url"),
    "tabs_context_mcp": ({}, "This session's group has no tab yet."),
    "permissions_check": ({"url": "https://shop.example", "action": "read"}, "read: allowed"),
    "dev_utils": ({}, "No browser is connected."),
    "browser_batch": ({"steps": [{"tool": "shortcuts_list"}]}, "1. shortcuts_list: No shortcuts are saved."),
}
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "shortcuts_execute": ({"command": "weekly"}, "invalid_arguments"),
    "dev_utils": ({"action": "ping"}, "browser_not_connected"),
    "permissions_check": ({"tabId": 1}, "browser_not_connected"),
    "browser_batch": ({"steps": [{"tool": "read_page"}]}, "browser_not_connected"),
}


async def test_no_browser_is_launched_for_what_works_without(gateway: GatewayProcess) -> None:
    async with connect(gateway, toolsets="automation", list="stable") as agent:
        for name, (arguments, said) in ALONE.items():
            result = await agent.result(name, **arguments)
            assert not result.is_error, (name, result)
            assert said in str(result.content), name
        for name, (arguments, code) in REFUSED.items():
            assert (await agent.refused(name, **arguments))["code"] == code, name
        assert gateway.status()["browsers"] == []
        assert not gateway.told("launched")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("tabs_context_mcp", {"createIfEmpty": True}),
        ("browser_batch", {"steps": [{"tool": "shortcuts_list"}, {"tool": "tabs_create_mcp"}]}),
    ],
)
async def test_a_browser_is_launched_for_what_opens_a_tab(tool: str, arguments: dict[str, Json]) -> None:
    async with world() as made:
        made.launcher.starts = lambda: made.chrome(launched=True).link(tab(1))
        await made.client(Toolset.AUTOMATION, face=Face.STABLE).session.call(tool, arguments)
        assert made.launcher.launched == 1


async def test_a_browser_that_is_there_is_used_all_the_same() -> None:
    async with world() as made:
        made.chrome("mine").link(tab(1))
        agent = made.client(Toolset.AUTOMATION, face=Face.STABLE)
        assert not (await agent.session.call("tabs_context", {})).is_error
        assert agent.session.workspace.browser == "mine"
