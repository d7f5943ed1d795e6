"""Two servers of one page on one channel, as where an application and a widget in it bring their own."""

import pytest

from tests.clients import Agent, connect
from tests.conftest import Site, cdp_of
from tests.gateway import GatewayProcess
from tests.page_tools import pages

pytestmark = pytest.mark.browser

# A second server beside the page's own: another tool, and one whose answer is an error.
WIDGET = """<script>
const second = new McpServer({ name: 'widget', version: '1.0.0' });
second.registerTool('greet', { description: 'Greets', inputSchema: { who: z.string() } },
  async ({ who }) => {
    await new Promise((done) => setTimeout(done, 30));
    return { content: [{ type: 'text', text: `Hello ${who}` }] };
  });
second.registerTool('sulk', { description: 'Sulks', inputSchema: {} }, async () => { throw new Error('not today'); });
window.widget = {
  start: () => second.connect(new TabServerTransport({ allowedOrigins: ['*'] })),
  stop: () => second.close(),
};
</script>"""


async def opened(agent: Agent, site: Site, *names: str) -> None:
    await agent.call("connect_browser", launch=True)
    await agent.call("open_tab", url=f"{site.url}/two")
    await agent.offered(*names)


async def test_the_tools_of_both_are_listed_and_each_answers_for_its_own(shared: GatewayProcess, site: Site) -> None:
    site.pages["/two"] = pages.server(f"{WIDGET}<script>widget.start()</script>")
    async with connect(shared) as agent:
        await opened(agent, site, "add", "greet", "sulk", "fail")
        assert "5" in str((await agent.result("add", a=2, b=3)).content)
        assert "Hello Ann" in str((await agent.result("greet", who="Ann")).content)
        sulked, failed = await agent.result("sulk"), await agent.result("fail")
        assert (sulked.is_error, failed.is_error) == (True, True)
        assert "not today" in str(sulked.content)
        assert "no luck today" in str(failed.content)
        await agent.call("close_tab")


async def test_one_that_comes_later_adds_its_tools_and_takes_only_these_along(
    shared: GatewayProcess, site: Site
) -> None:
    site.pages["/two"] = pages.server(WIDGET)
    async with connect(shared) as agent:
        await opened(agent, site, "add")
        with cdp_of(shared) as cdp:
            cdp.in_page("/two", "widget.start().then(() => 1)")
            await agent.offered("add", "greet")
            cdp.in_page("/two", "widget.stop().then(() => 1)")
            await agent.once(agent.names, lambda names: "greet" not in names)
            assert "add" in await agent.names()
            assert "5" in str((await agent.result("add", a=2, b=3)).content)
        await agent.call("close_tab")


async def test_a_library_and_a_server_of_the_page_s_own_share_the_channel(shared: GatewayProcess, site: Site) -> None:
    site.pages["/two"] = pages.mcpb("5.1", pages.script(pages.server_library()) + WIDGET)
    async with connect(shared) as agent:
        await opened(agent, site, "add")
        with cdp_of(shared) as cdp:
            cdp.in_page("/two", "widget.start().then(() => 1)")
        await agent.offered("add", "greet")
        assert "Hello Ann" in str((await agent.result("greet", who="Ann")).content)
        assert "5" in str((await agent.result("add", a=2, b=3)).content)
        await agent.call("close_tab")
