"""browser_batch in a real browser, and what ends with a call or a client: work in the page, the debugger."""

import asyncio
import contextlib
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types
import pytest

from tests.cdp import Cdp
from tests.clients import Agent, Transport, connect
from tests.conftest import Site, cdp_of
from tests.gateway import GatewayProcess, until
from tests.tools.told import told

pytestmark = pytest.mark.browser

FORM = """<title>Sign up</title><h1>Sign up</h1>
<form onsubmit="event.preventDefault(); said.textContent = `Welcome ${who.value}, ${plan.value}`">
<label>Name <input id=who></label><label>Plan <select id=plan><option>Free<option>Team</select></label>
<button>Join</button></form><output id=said></output>"""


def text_of(result: types.CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, types.TextContent))


def step(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"tool": tool, "arguments": arguments}


@asynccontextmanager
async def working(gateway: GatewayProcess, transport: Transport = "stdio") -> AsyncGenerator[Agent]:
    async with connect(gateway, transport, toolsets="automation", list="stable") as agent:
        yield agent


async def test_an_errand_is_one_call(shared: GatewayProcess, site: Site) -> None:
    site.pages["/join"] = FORM
    async with working(shared) as agent:
        result = await agent.result(
            "browser_batch",
            steps=[
                step("navigate", url=f"{site.url}/join"),
                step("find", query="name field"),
                step("form_input", ref="$2.0", value="Ann"),
                step("form_input", ref="find:plan", value="Team"),
                step("computer", action="left_click", ref="find:join button"),
                step("computer", action="screenshot"),
                step("get_page_text"),
            ],
        )
        told = text_of(result)
        assert not result.is_error, told
        assert re.findall(r"^(\d)\. (\w+)", told, re.M) == [
            ("1", "navigate"), ("2", "find"), ("3", "form_input"), ("4", "form_input"), ("5", "computer"),
            ("6", "computer"), ("7", "get_page_text"),
        ]  # fmt: skip
        assert "Welcome Ann, Team" in told
        assert [type(part).__name__ for part in result.content] == ["TextContent", "ImageContent", "TextContent"]


async def test_the_page_is_as_the_steps_before_a_failure_left_it(shared: GatewayProcess, site: Site) -> None:
    site.pages["/rejoin"] = FORM
    async with working(shared) as agent:
        await agent.result("navigate", url=f"{site.url}/rejoin")
        result = await agent.result(
            "browser_batch",
            steps=[
                step("form_input", ref="find:name field", value="Bea"),
                step("form_input", ref="find:plan", value="Gold"),
                step("computer", action="left_click", ref="find:join button"),
            ],
        )
        assert result.is_error
        assert "2. form_input failed:" in text_of(result)
        assert "Stopped at step 2 of 3: step 1 done, step 3 not run." in text_of(result)
        assert result.structured_content is not None
        assert result.structured_content["failedStep"] == 2
        assert "Welcome" not in text_of(await agent.result("get_page_text"))
        with cdp_of(shared) as browser:
            assert browser.in_page("/rejoin", "who.value") == "Bea"


async def test_progress_is_told_step_by_step(shared: GatewayProcess, site: Site) -> None:
    told: list[tuple[float, float | None, str | None]] = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async with working(shared) as agent:
        assert agent.client is not None
        steps = [step("navigate", url=f"{site.url}/"), step("get_page_text")]
        await agent.client.call_tool("browser_batch", {"steps": steps}, progress_callback=heard)
    assert (0, 2, "1. navigate") in told
    assert (1, 2, "2. get_page_text") in told
    assert all(done < 2 for done, _, _ in told), "that it is done is what the answer says"
    assert [done for done, _, _ in told] == sorted(done for done, _, _ in told)


def typing() -> list[dict[str, Any]]:
    """Steps that take long."""
    return [
        step("computer", action="left_click", ref="find:text"),
        *[step("computer", action="type", text="x" * 400)] * 20,
    ]


class Typist:
    """Sees from outside how much is typed."""

    def __init__(self, browser: Cdp, path: str) -> None:
        self._browser = browser
        self._path = path

    def typed(self) -> int:
        return self._browser.in_page(self._path, "document.querySelector('textarea').value.length")

    async def has_begun(self) -> None:
        await asyncio.to_thread(until, self.typed)


async def test_a_cancelled_call_stops_in_the_browser(shared: GatewayProcess, site: Site) -> None:
    site.pages["/long"] = "<title>Long</title><textarea aria-label=Text></textarea>"
    async with working(shared) as agent:
        await agent.result("navigate", url=f"{site.url}/long")
        call = asyncio.create_task(agent.result("browser_batch", steps=typing()))
        with cdp_of(shared) as browser:
            typist = Typist(browser, "/long")
            await typist.has_begun()
            call.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await call
            await asyncio.to_thread(until, lambda: shared.told("tool='browser_batch'", "outcome='cancelled'"))
            reached = typist.typed()
            assert "Text" in text_of(await agent.result("read_page"))
            assert reached < 20 * 400
            assert typist.typed() - reached <= 1, "at most the key that was under way"


@pytest.mark.rule("T93")
@pytest.mark.parametrize("transport", ["stdio", "sse", "http"])
async def test_a_client_that_goes_takes_its_call_along(
    shared: GatewayProcess, site: Site, transport: Transport
) -> None:
    site.pages["/left"] = "<title>Left</title><textarea aria-label=Text></textarea>"
    async with contextlib.AsyncExitStack() as client:
        agent = await client.enter_async_context(working(shared, transport))
        await agent.result("navigate", url=f"{site.url}/left")
        browser = client.enter_context(cdp_of(shared))
        typist = Typist(browser, "/left")
        call = asyncio.create_task(agent.result("browser_batch", steps=typing()))
        await typist.has_begun()
    with cdp_of(shared) as browser:
        typist = Typist(browser, "/left")
        await asyncio.gather(call, return_exceptions=True)
        await asyncio.to_thread(until, lambda: not shared.status()["sessions"])
        reached = typist.typed()
        assert reached < 20 * 400
        async with working(shared) as other:
            await other.result("navigate", url=f"{site.url}/")
        assert typist.typed() - reached <= 1


async def test_the_debugger_lets_go_when_its_client_goes(shared: GatewayProcess, site: Site) -> None:
    site.pages["/held"] = "<title>Held</title><p>Held</p>"
    async with working(shared) as watcher:
        await watcher.result("navigate", url=f"{site.url}/")

        async def attached() -> str:
            return text_of(await watcher.result("dev_utils", action="list_attached"))

        async with working(shared) as agent:
            told = text_of(await agent.result("navigate", url=f"{site.url}/held"))
            found = re.search(r"tab (\d+)", told)
            assert found is not None
            await agent.result("computer", action="screenshot")
            await agent.result("gif_creator", action="start_recording")
            await agent.result("read_console_messages")
            assert found[1] in await attached()
        async with asyncio.timeout(5):
            while found[1] in await attached():
                continue
        with cdp_of(shared) as browser:
            assert browser.targets("page", "/held"), "the tab itself stays"


async def test_the_group_goes_with_its_client_where_that_is_set(shared: GatewayProcess, site: Site) -> None:
    site.pages["/leaving"] = "<title>Leaving</title>"
    async with connect(shared, toolsets="automation", list="stable", close_group_on_end="true") as agent:
        await agent.result("navigate", url=f"{site.url}/leaving")
    with cdp_of(shared) as browser:
        until(lambda: not browser.targets("page", "/leaving"))


async def test_a_dialog_is_answered_by_the_next_step(agent: Agent, site: Site) -> None:
    asking = "out.textContent = confirm('Sure?') ? 'Yes' : 'No'"
    site.pages["/ask"] = f'<title>Ask</title><button onclick="{asking}">Ask</button><p id=out></p>'
    await told(agent, "navigate", url=f"{site.url}/ask")
    click = {"tool": "computer", "arguments": {"action": "left_click", "ref": "find:ask"}}
    said = await told(agent, "browser_batch", steps=[click, {"tool": "handle_dialog", "arguments": {"accept": True}}])
    assert 'Done, and it opened a dialog (confirm): "Sure?".' in said
    assert await told(agent, "wait_for", text="Yes")
