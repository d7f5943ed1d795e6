"""What the README and the comparison say of the whole, and nothing else shows."""

import asyncio
import os
from pathlib import Path

import pytest

from tests.clients import connect
from tests.conftest import Site
from tests.gateway import GatewayProcess, running
from tests.own_browser import browser, pair

pytestmark = pytest.mark.browser


async def test_the_list_of_tools_is_short_and_every_tool_has_its_hints(gateway: GatewayProcess) -> None:
    async with connect(gateway, era="modern", toolsets="focus,automation,hub") as agent:
        tools = await agent.tools()
    assert len(tools) > 30
    told = [tool.model_dump_json(by_alias=True, exclude_none=True) for tool in tools]
    # four bytes a token is fewer than any list of tools was measured at
    assert sum(map(len, told)) < 6_000 * 4
    for tool in tools:
        assert tool.annotations is not None, tool.name
        assert tool.annotations.read_only_hint is not None, tool.name


async def test_what_pairs_a_browser_reaches_no_agent(tmp_path: Path) -> None:
    with running(tmp_path / "home") as gateway:
        async with browser(tmp_path, gateway.extension_port) as cdp, connect(gateway, list="stable") as agent:
            await pair(gateway, cdp)
            assert cdp.targets("page", "ui/pair.html"), "the page is still open"
            told = [await agent.call("connect_browser"), await agent.call("list_tabs")]
            told.append(await agent.call("open_tab", url="about:blank"))
            assert "pair.html" not in str(told)


def _spoken_to(pid: int) -> set[str]:
    """The other ends of a process's TCP connections, in hex as the system writes them."""
    held = {os.readlink(path) for path in Path(f"/proc/{pid}/fd").iterdir()}
    lines = "".join(Path(f"/proc/{pid}/net/{name}").read_text() for name in ("tcp", "tcp6")).splitlines()
    return {
        row[2].partition(":")[0] for row in map(str.split, lines) if f"socket:[{row[9]}]" in held and row[3] == "01"
    }


async def test_the_gateway_speaks_to_nobody_outside_of_this_machine(shared: GatewayProcess, site: Site) -> None:
    async with connect(shared, "http") as agent:
        await agent.call("connect_browser", launch=True)
        await agent.call("open_tab", url=site.url)
        await agent.result("read_page")
        others = await asyncio.to_thread(_spoken_to, shared.pid)
    assert others, "its client and its browser at least"
    assert others <= {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}
