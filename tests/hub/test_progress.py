"""A page tells how far a call of its tool is: its client hears it, and the call's time begins anew."""

import asyncio

import pytest

from tabwright.calls.hub_running import RunningCall
from tabwright.hub.places import Place
from tabwright.link.hub_wire import Confirming, Progressing
from tabwright.model import JsonObject
from tests.clients import Era, Transport, connect
from tests.conftest import Site
from tests.fakes import settle
from tests.gateway import GatewayProcess
from tests.hub.agents import hub_tools
from tests.hub.memory_transport import at
from tests.hub.test_hub import World, caller
from tests.hub.test_registry import registering, tool
from tests.page_tools import pages

FACES: list[tuple[Transport, Era]] = [("stdio", "legacy"), ("http", "legacy"), ("stdio", "modern"), ("http", "modern")]

# `steps` tells that it has begun, that it is halfway, and answers; `long` takes longer than a silent tool may.
WORK = """<script>
const config = { description: 'Works', inputSchema: {} };
const steps = (name, pause) => server.registerTool(name, config, async (_, extra) => {
  const { progressToken } = extra._meta;
  for (const progress of [1, 2, 3]) {
    await new Promise((done) => setTimeout(done, pause));
    const params = { progressToken, progress, total: 4, message: `Step ${progress}` };
    await extra.sendNotification({ method: 'notifications/progress', params });
  }
  await new Promise((done) => setTimeout(done, pause));
  return plain({ done: true });
});
steps('work', 150);
steps('long', 3500);
</script>"""


class Told:
    """What a client heard of a call."""

    def __init__(self) -> None:
        self.steps: list[tuple[float, float | None, str | None]] = []

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None:
        self.steps.append((progress, total, message))


def unanswered(place: Place, asked: Confirming, refusal: str | None) -> None:
    """Whatever a page asks, it hears of no answer."""


@pytest.mark.browser
@pytest.mark.parametrize(("transport", "era"), FACES)
async def test_a_client_hears_how_far_a_page_s_tool_is(
    shared: GatewayProcess, site: Site, transport: Transport, era: Era
) -> None:
    site.pages["/work"] = pages.server(WORK)
    steps = [(float(step), 4.0, f"[{site.url}] Step {step}") for step in (1, 2, 3)]
    async with connect(shared, transport, era, toolsets="focus,hub") as agent:
        await agent.call("connect_browser", launch=True)
        tab = (await agent.call("open_tab", url=f"{site.url}/work"))["tab"]["id"]
        async with asyncio.timeout(10):
            while not (found := [name for name in await hub_tools(agent) if name.endswith("_work")]):
                pass
        ways: list[tuple[str, JsonObject]] = [(found[0], {}), ("hub_call_tool", {"name": found[0], "arguments": {}})]
        if era == "modern":
            ways.append(("call_page_tool", {"tabId": tab, "name": "work", "arguments": {}}))
        else:
            await agent.offered("work")
            ways.append(("work", {}))
        for name, arguments in ways:
            told = Told()
            assert agent.client is not None
            result = await agent.client.call_tool(name, arguments, progress_callback=told)
            assert "done" in str(result), name
            assert told.steps == steps, name
        await agent.call("close_tab", tabId=tab)


@pytest.mark.browser
async def test_a_tool_that_tells_how_far_it_is_has_longer(shared: GatewayProcess, site: Site) -> None:
    site.pages["/long"] = pages.server(WORK)
    async with connect(shared) as agent:
        await agent.call("connect_browser", launch=True)
        await agent.call("open_tab", url=f"{site.url}/long")
        await agent.offered("long")
        assert '"done":true' in str((await agent.result("long")).content)
        await agent.call("close_tab")


async def test_a_call_s_time_begins_anew_with_each_word() -> None:
    told: list[float] = []

    async def report(far: Progressing) -> None:
        told.append(far.done)

    call = RunningCall(at(5), caller(report=report), unanswered, within_s=0.2)
    request: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    waiting = asyncio.create_task(call.wait(request))
    for done in (1.0, 2.0, 2.0, 1.5, 3.0):
        finished, _ = await asyncio.wait({waiting}, timeout=0.1)
        assert not finished
        call.progressed(Progressing(call.id, done))
        await settle()
    assert told == [1.0, 2.0, 3.0], "only what is further than before"
    with pytest.raises(TimeoutError):
        await waiting
    call.progressed(Progressing(call.id, 4.0))
    await call.end()
    assert told[-1] == 3.0, "a call that is over is no further"


async def test_a_word_while_the_person_is_asked_starts_no_clock() -> None:
    async def confirm(asked: Confirming) -> None:
        await asyncio.Event().wait()

    async def report(far: Progressing) -> None: ...

    call = RunningCall(at(5), caller(confirm, report), unanswered, within_s=0.05)
    waiting = asyncio.create_task(call.wait(asyncio.get_running_loop().create_future()))
    await settle()
    call.ask(Confirming("q", "Pay?"))
    call.progressed(Progressing(call.id, 1.0))
    finished, _ = await asyncio.wait({waiting}, timeout=0.2)
    assert not finished
    waiting.cancel()
    await call.end()


async def test_what_cannot_be_told_harms_no_call(caplog: pytest.LogCaptureFixture) -> None:
    world = World(5)
    world.transport.say(at(5), registering(tool("buy")))
    calling = asyncio.create_task(world.hub.execute(world.entry(), {}, caller()))
    await world.transport.asked.wait()
    (_, message) = world.transport.sent[0]
    params: JsonObject = {"progressToken": message["id"], "progress": 1}
    world.transport.say(at(5), {"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
    world.transport.say(at(5), {"method": "notifications/progress", "params": {**params, "progressToken": "other"}})
    await settle()
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == [
        "how far a call of https://shop.example is could not be told"
    ]
    assert not calling.done()
    calling.cancel()
