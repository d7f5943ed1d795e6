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


# A second server that offers two of the page's tools as well, one of which only reads, and none of its own.
RIVAL = """<script>
const rival = new McpServer({ name: 'rival', version: '1.0.0' });
window.ran = [];
for (const name of ['order', 'stock']) {
  const config = { description: name, inputSchema: {}, annotations: { readOnlyHint: name === 'stock' } };
  const content = [{ type: 'text', text: `some ${name}` }];
  const run = (who) => async () => { ran.push(`${who} ${name}`); return { content }; };
  server.registerTool(name, config, run('first'));
  rival.registerTool(name, config, run('second'));
}
rival.connect(new TabServerTransport({ allowedOrigins: ['*'] }));
</script>"""


async def test_what_both_would_run_is_offered_by_neither_unless_it_only_reads(
    shared: GatewayProcess, site: Site
) -> None:
    site.pages["/two"] = pages.server(RIVAL)
    async with connect(shared) as agent:
        await opened(agent, site, "add", "stock")
        assert "order" not in await agent.names()
        assert "some stock" in str((await agent.result("stock")).content)
        with cdp_of(shared) as cdp:
            cdp.in_page("/two", "rival.close().then(() => 1)")
            await agent.offered("order")
            assert "some order" in str((await agent.result("order")).content)
            assert cdp.in_page("/two", "ran.filter((each) => each.endsWith('order')).join()") == "first order"
        await agent.call("close_tab")


# A second server that knows no tools, only pages of text: whoever calls a tool hears an error of it at once.
LIBRARY = """<script>
const library = new McpServer({ name: 'library', version: '1.0.0' });
const contents = [{ uri: 'doc://about', text: 'About' }];
library.registerResource('about', 'doc://about', {}, async () => ({ contents }));
library.connect(new TabServerTransport({ allowedOrigins: ['*'] }));
</script>"""


async def test_a_server_without_tools_answers_no_call_of_another_s(shared: GatewayProcess, site: Site) -> None:
    site.pages["/two"] = pages.server(LIBRARY)
    async with connect(shared) as agent:
        await opened(agent, site, "add", "wait")
        assert "5" in str((await agent.result("add", a=2, b=3)).content)
        assert "waited" in str((await agent.result("wait", ms=60)).content)
        assert "no luck today" in str((await agent.result("fail")).content)
        await agent.call("close_tab")


async def test_a_server_on_a_channel_of_its_own_is_heard_beside_the_usual_one(
    shared: GatewayProcess, site: Site
) -> None:
    apart = WIDGET.replace("allowedOrigins: ['*']", "allowedOrigins: ['*'], channelId: 'my-widget'")
    site.pages["/two"] = pages.server(f"{apart}<script>widget.start()</script>")
    async with connect(shared) as agent:
        await opened(agent, site, "add", "greet", "sulk")
        assert "Hello Ann" in str((await agent.result("greet", who="Ann")).content)
        assert "not today" in str((await agent.result("sulk")).content)
        assert "5" in str((await agent.result("add", a=2, b=3)).content)
        with cdp_of(shared) as cdp:
            cdp.in_page("/two", "widget.stop().then(() => 1)")
        await agent.once(agent.names, lambda names: "greet" not in names and "add" in names)
        await agent.call("close_tab")
