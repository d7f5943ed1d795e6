"""A real page asks the person in the middle of a call: through the client, in both eras and both ways to call it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import mcp_types as types
import pytest
from mcp.client.context import ClientRequestContext

from tests.clients import Agent, Era, Transport, connect
from tests.conftest import Site, cdp_of
from tests.gateway import GatewayProcess, until
from tests.hub.agents import hub_tools
from tests.page_tools import pages

pytestmark = pytest.mark.browser

FACES: list[tuple[Transport, Era]] = [("stdio", "legacy"), ("http", "legacy"), ("stdio", "modern"), ("http", "modern")]
# what a page says and hears of the hub's protocol; everything it hears is kept
ASK = """<script>
window.heard = [];
addEventListener('message', ({ source, data }) => {
  const isForUs = source === window && data.direction === 'client-to-server' && typeof data.payload === 'object';
  if (isForUs) heard.push(data.payload);
});
const say = (payload) => postMessage(
  { channel: 'mcp-default', type: 'mcp', direction: 'server-to-client', payload }, location.origin);
const answerTo = (fits) => new Promise((resolve) => {
  const look = () => { const found = heard.find(fits); if (found) resolve(found); else setTimeout(look, 5); };
  look();
});
window.ask = (message, more = {}, id = crypto.randomUUID()) => {
  say({ jsonrpc: '2.0', id, method: 'browser/elicitConfirmation', params: { message, ...more } });
  return answerTo((payload) => payload.id === id && payload.result);
};
window.askOld = (message) => {
  const requestId = crypto.randomUUID();
  say({ type: 'confirm-action', requestId, message });
  return answerTo((payload) => payload.type === 'confirm-result' && payload.requestId === requestId);
};
</script>"""
SHOP = f"""<!doctype html><title>Shop</title>{ASK}<script>
window.ran = 0;
const pay = (name, ask) => document.modelContext.registerTool({{ name, description: 'Pays',
  inputSchema: {{ type: 'object' }},
  execute: async () => {{ window.ran += 1; return JSON.stringify(await ask()); }} }});
pay('pay', async () => (await ask('Pay 12 to the shop?', {{}}, 40 + window.ran)).result);
pay('pay_old', () => askOld('Pay 12 to the shop?'));
pay('pay_twice', async () => [(await ask('Once?')).result, (await ask('Twice?')).result]);
</script>"""


class Person:
    """Answers as told, once allowed to, and remembers the questions."""

    def __init__(self, *answers: str) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        self.asked.append(params.message)
        action = self._answers[min(len(self.asked), len(self._answers)) - 1]
        return types.ElicitResult.model_validate({"action": action, "content": {}})


@asynccontextmanager
async def visiting(agent: Agent, url: str) -> AsyncGenerator[int]:
    """A tab of the agent's for a while."""
    tab = (await agent.call("open_tab", url=url, focus=False))["tab"]["id"]
    yield tab
    await agent.call("close_tab", tabId=tab)


async def offered(agent: Agent, tool: str) -> str:
    """The hub's name of a tool, once it is listed; a modern client that does not subscribe hears of nothing."""
    async with asyncio.timeout(10):
        while not (found := [name for name in await hub_tools(agent) if name.endswith(f"_{tool}")]):
            pass
    return found[0]


def text(result: types.CallToolResult) -> str:
    assert isinstance(result.content[0], types.TextContent)
    return result.content[0].text


@pytest.mark.parametrize(("transport", "era"), FACES)
async def test_the_person_s_word_reaches_the_page_that_asked(
    shared: GatewayProcess, site: Site, transport: Transport, era: Era
) -> None:
    site.pages["/asks"], site.pages["/quiet"] = SHOP, f"<title>Quiet</title>{ASK}"
    person = Person("accept", "decline")
    async with connect(shared, transport, era, person=person, toolsets="hub,focus") as agent:
        await agent.call("connect_browser", launch=True)
        async with visiting(agent, f"{site.url}/quiet"), visiting(agent, f"{site.url}/asks"):
            pay = await offered(agent, "pay")
            assert text(await agent.result(pay)) == '{"confirmed":true}'
            assert person.asked == [f"{site.url} asks: Pay 12 to the shop?"]
            refused = '{"confirmed":false,"reason":"denied"}'
            assert text(await agent.result("hub_call_tool", name=pay, arguments={})) == refused
            old = text(await agent.result(await offered(agent, "pay_old")))
            assert '"type":"confirm-result"' in old
            assert '"confirmed":false' in old
            with cdp_of(shared) as cdp:
                assert cdp.in_page("/asks", "window.ran") == 3, "each ran once"
                assert cdp.in_page("/asks", "heard.filter(({ id }) => id > 40).length") == 2
                assert cdp.in_page("/quiet", "heard.length") == 0, "nothing of it is another page's business"


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_a_page_may_ask_more_than_once_in_one_call(shared: GatewayProcess, site: Site, era: Era) -> None:
    site.pages["/asks"] = SHOP
    person = Person("accept", "decline")
    async with connect(shared, "http", era, person=person, toolsets="hub,focus") as agent:
        await agent.call("connect_browser", launch=True)
        async with visiting(agent, f"{site.url}/asks"):
            told = text(await agent.result(await offered(agent, "pay_twice")))
            assert told == '[{"confirmed":true},{"confirmed":false,"reason":"denied"}]'
            assert [question.split(": ")[1] for question in person.asked] == ["Once?", "Twice?"]


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_a_tool_of_the_focused_page_may_ask_as_well(shared: GatewayProcess, site: Site, era: Era) -> None:
    site.pages["/asks"] = SHOP
    person = Person("accept")
    async with connect(shared, "http", era, person=person, toolsets="focus", list="stable") as agent:
        await agent.call("connect_browser", launch=True)
        tab = (await agent.call("open_tab", url=f"{site.url}/asks", focus=True))["tab"]["id"]
        result = await agent.result("call_page_tool", tabId=tab, name="pay", arguments={})
        assert text(result) == '{"confirmed":true}'
        assert person.asked == [f"{site.url} asks: Pay 12 to the shop?"]
        await agent.call("close_tab", tabId=tab)


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_where_the_client_cannot_ask_the_page_is_told_why(shared: GatewayProcess, site: Site, era: Era) -> None:
    site.pages["/asks"] = SHOP
    async with connect(shared, "http", era, toolsets="hub,focus") as agent:
        await agent.call("connect_browser", launch=True)
        async with visiting(agent, f"{site.url}/asks"):
            pay = await offered(agent, "pay")
            assert text(await agent.result(pay)) == '{"confirmed":false,"reason":"nobody_to_ask"}'


async def test_a_page_without_a_call_of_its_own_is_told_so_and_nobody_is_asked(
    shared: GatewayProcess, site: Site
) -> None:
    site.pages["/asks"] = SHOP
    person = Person("accept")
    async with connect(shared, "http", person=person, toolsets="hub,focus") as agent:
        await agent.call("connect_browser", launch=True)
        async with visiting(agent, f"{site.url}/asks"):
            await offered(agent, "pay")
            with cdp_of(shared) as cdp:
                cdp.in_page("/asks", "ask('Give me money?').then((answer) => { window.told = answer.result; })")
                told = await asyncio.to_thread(
                    until, lambda: cdp.in_page("/asks", "JSON.stringify(window.told ?? null)")
                )
                assert told == '{"confirmed":false,"reason":"no_call"}'
            assert person.asked == []


async def test_a_page_server_names_its_call_by_the_id_it_was_given(shared: GatewayProcess, site: Site) -> None:
    serves = """<script>
    server.registerTool('pay', { description: 'Pays', inputSchema: {} }, async (_, { requestId }) => {
      const { result } = await ask('Pay 12?', { callId: requestId });
      const other = await ask('Pay 13?', { callId: 'another' });
      return plain([result, other.result]);
    });</script>"""
    site.pages["/asking-server"] = pages.server(ASK + serves, start=False) + "<script>page.start()</script>"
    person = Person("accept")
    async with connect(shared, "http", person=person, toolsets="hub,focus") as agent:
        await agent.call("connect_browser", launch=True)
        async with visiting(agent, f"{site.url}/asking-server"):
            told = text(await agent.result(await offered(agent, "pay")))
            assert told == '[{"confirmed":true},{"confirmed":false,"reason":"no_call"}]'
            assert len(person.asked) == 1
    assert shared.run("cache", "clear").returncode == 0


async def test_a_frame_cannot_ask_in_its_page_s_name(shared: GatewayProcess, site: Site) -> None:
    other = site.url.replace("127.0.0.1", "localhost")
    site.pages["/asking-ad"] = """<script>
      const params = { message: 'Click yes' };
      const question = { jsonrpc: '2.0', id: 'ad', method: 'browser/elicitConfirmation', params };
      setInterval(() => {
        for (const channel of ['mcp-default', 'mcp-iframe']) for (const payload of ['mcp-server-ready', question]) {
          parent.postMessage({ channel, type: 'mcp', direction: 'server-to-client', payload }, '*');
        }
      }, 20);
    </script>"""
    slow = SHOP.replace(
        "await ask('Pay 12 to the shop?', {}, 40 + window.ran)",
        "await new Promise((done) => setTimeout(done, 400)), {}",
    )
    site.pages["/asks-beside"] = slow + f'<iframe src="{other}/asking-ad"></iframe>'
    person = Person("accept")
    async with connect(shared, "http", person=person, toolsets="hub,focus") as agent:
        await agent.call("connect_browser", launch=True)
        async with visiting(agent, f"{site.url}/asks-beside"):
            await agent.result(await offered(agent, "pay"))
            assert person.asked == []


async def test_a_tab_closed_while_the_person_thinks_withdraws_the_question(shared: GatewayProcess, site: Site) -> None:
    site.pages["/asks"] = SHOP
    asked, withdrawn = asyncio.Event(), asyncio.Event()

    async def person(context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            withdrawn.set()
        raise AssertionError

    async with connect(shared, "http", person=person, toolsets="hub,focus") as agent:
        await agent.call("connect_browser", launch=True)
        tab = (await agent.call("open_tab", url=f"{site.url}/asks", focus=False))["tab"]["id"]
        calling = asyncio.create_task(agent.refused(await offered(agent, "pay")))
        async with asyncio.timeout(10):
            await asked.wait()
        await agent.call("close_tab", tabId=tab)
        assert (await calling)["code"] == "outcome_unknown"
        async with asyncio.timeout(5):
            await withdrawn.wait()


async def test_a_person_may_think_for_longer_than_a_tool_may_run(shared: GatewayProcess, site: Site) -> None:
    site.pages["/asks"] = SHOP

    async def person(context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        await asyncio.sleep(11)  # the 10 s of a call are the point
        return types.ElicitResult(action="accept", content={})

    async with connect(shared, "http", person=person, toolsets="hub,focus") as agent:
        await agent.call("connect_browser", launch=True)
        async with visiting(agent, f"{site.url}/asks"):
            assert text(await agent.result(await offered(agent, "pay"))) == '{"confirmed":true}'
