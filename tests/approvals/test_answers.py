"""What a page answers is data, whatever it is; and nobody ends the call of another."""

import asyncio
from typing import Any

import mcp_types as types
import pytest

from tests.clients import connect
from tests.conftest import Site
from tests.gateway import GatewayProcess

pytestmark = pytest.mark.browser

ODD = """<title>odd</title><script>document.modelContext.registerTool({ name: 'odd', description: 'Answers oddly',
inputSchema: { type: 'object', properties: {} }, outputSchema: { type: 'object', properties: { n: { type: 'number' } },
required: ['n'] }, execute: async () => ({ content: [{ type: 'text', text: 'told' }],
structuredContent: JSON.parse('{"__proto__": {"isError": true}, "constructor": {"name": "x"}, "n": "no number"}') }) })
</script>"""


@pytest.mark.rule("T60")
async def test_keys_of_prototypes_and_answers_that_fit_no_schema_are_data_like_others(
    shared: GatewayProcess, site: Site
) -> None:
    site.pages["/odd"] = ODD
    async with connect(shared) as agent:
        await agent.call("connect_browser", launch=True)
        tab = (await agent.call("open_tab", url=f"{site.url}/odd"))["tab"]["id"]
        await agent.offered("odd")
        listed = {tool.name: tool for tool in await agent.tools()}
        assert listed["odd"].output_schema is None, "nobody is promised what a page may not keep"
        result = await agent.result("odd")
        assert not result.is_error
        told: dict[str, Any] = result.structured_content or {}
        assert told.get("n") == "no number"
        assert told.get("constructor") == {"name": "x"}
        assert "isError" not in told
        await agent.call("close_tab", tabId=tab)


@pytest.mark.rule("T93")
async def test_a_cancel_notice_for_the_call_of_another_client_ends_nothing(shared: GatewayProcess, site: Site) -> None:
    visits = site.slow("/begun", 0.0)
    async with connect(shared) as one, connect(shared) as other:
        await one.call("connect_browser", launch=True)
        tab = (await one.call("open_tab", url=f"{site.url}/page"))["tab"]["id"]
        script = f"await fetch('{site.url}/begun'); await new Promise(done => globalThis.finish = done); 'ended'"
        calling = asyncio.create_task(one.result("javascript_tool", text=script, tabId=tab))
        await asyncio.to_thread(visits.get, timeout=20)
        assert other.client is not None
        for number in range(20):
            for name in (number, str(number)):
                params = types.CancelledNotificationParams(request_id=name)
                await other.client.session.send_notification(types.CancelledNotification(params=params))
        await other.call("connect_browser")
        assert not calling.done()
        await one.result("javascript_tool", text="finish()", tabId=tab)
        assert "ended" in str((await calling).content)
        await one.call("close_tab", tabId=tab)
