"""The local relay: pages without the extension, admitted by exact origin, and never speaking for another one."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Origin, Subprotocol

from tabwright.edges.links import local_relay
from tests import clients
from tests.attacks.wire import listening, upgrade
from tests.gateway import GatewayProcess, running
from tests.hub.agents import all_tools, hub_once, hub_tools

SHOP = "https://shop.example"
WIDGET = "https://widget.example"


@pytest.fixture(scope="module")
def relaying(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    home = tmp_path_factory.mktemp("relay") / "home"
    with running(home, "--local-relay", TABWRIGHT_RELAY_ORIGINS=f"{SHOP} {WIDGET}") as made:
        yield made


def port(gateway: GatewayProcess) -> int:
    found = re.search(r"local relay on port (\d+)", gateway.log())
    assert found is not None
    return int(found[1])


@asynccontextmanager
async def page(gateway: GatewayProcess, origin: str | None, claims: str) -> AsyncGenerator[ClientConnection]:
    """A page whose script has found us and said who it is."""
    async with connect(
        f"ws://127.0.0.1:{port(gateway)}",
        origin=None if origin is None else Origin(origin),
        subprotocols=[Subprotocol("webmcp.v1")],
        compression=None,
        proxy=None,
    ) as socket:
        assert socket.subprotocol == "webmcp.v1"
        hello = json.loads(await socket.recv())
        assert (hello["type"], hello["service"], hello["version"]) == ("server-hello", "webmcp-local-relay", 1)
        await say(socket, type="hello", tabId="a1", origin=claims, url=f"{claims}/cart", title="Cart")
        yield socket


async def say(socket: ClientConnection, **message: Any) -> None:
    await socket.send(json.dumps(message))


async def answering(socket: ClientConnection) -> None:
    with_words: dict[str, Any] = {"content": [{"type": "text", "text": "3 apples"}]}
    try:
        async for text in socket:
            message = json.loads(text)
            if message["type"] == "invoke":
                assert message["toolName"] == "get_cart"
                await say(socket, type="result", callId="another", result={"content": []})
                await say(socket, type="result", callId=message["callId"], result=with_words)
    except ConnectionClosed:
        return


async def test_a_page_of_a_configured_origin_offers_its_tools_and_answers(relaying: GatewayProcess) -> None:
    async with clients.connect(relaying, toolsets="hub") as agent:
        assert await hub_tools(agent) == set()
        async with page(relaying, WIDGET, SHOP) as socket:
            running = asyncio.create_task(answering(socket))
            await say(socket, type="tools/list", tools=[{"name": "get_cart", "description": "Shows the cart."}])
            await agent.told_of(1)
            [name] = await hub_tools(agent)
            assert re.fullmatch(r"website_tool_shop_example_[0-9a-f]{6}_tab1_get_\w+", name), name
            assert (await all_tools(agent))[name].description == "[shop.example • Tab 1] Shows the cart."
            result = await agent.result(name)
            assert "3 apples" in str(result.content)
            await say(socket, type="tools/changed", tools=[{"name": "other", "description": ""}])
            await agent.told_of(2)
            assert (await agent.refused(name))["code"] == "stale_target"
        await running
        await hub_once(agent, lambda names: not names)


async def test_a_page_cannot_claim_an_origin_that_is_not_configured(relaying: GatewayProcess) -> None:
    async with (
        clients.connect(relaying, toolsets="hub") as agent,
        page(relaying, SHOP, "https://bank.example") as socket,
    ):
        assert await hub_tools(agent) == set()
        await say(
            socket, type="tools/list", tools=[{"name": "pay", "description": "", "origin": "https://bank.example"}]
        )
        await agent.told_of(1)
        [name] = await hub_tools(agent)
        assert "shop_example" in name


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://shop.example"])
async def test_other_origins_are_turned_away_at_the_door(relaying: GatewayProcess, origin: str) -> None:
    with pytest.raises(InvalidStatus, match="403"):
        async with connect(f"ws://127.0.0.1:{port(relaying)}", origin=Origin(origin), proxy=None):
            pass


def test_another_host_is_turned_away(relaying: GatewayProcess) -> None:
    answer = upgrade(port(relaying), f"Origin: {SHOP}", host="Host: shop.example")
    assert answer.status == 421


def test_it_is_off_unless_asked_for(gateway: GatewayProcess) -> None:
    assert len(listening(gateway.pid)) == 2


async def test_sockets_that_never_say_who_they_are_count_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_relay, "MAX_PAGES", 2)
    monkeypatch.setattr(local_relay, "HELLO_S", 60.0)
    relay = local_relay.LocalRelay(frozenset({SHOP}), range(1))
    await relay.listen("127.0.0.1")
    address = f"ws://127.0.0.1:{relay.port}"
    try:
        async with (
            connect(address, origin=Origin(SHOP), proxy=None) as one,
            connect(address, origin=Origin(SHOP), proxy=None) as other,
        ):
            await asyncio.gather(one.recv(), other.recv())
            with pytest.raises(InvalidStatus, match="503"):
                await connect(address, origin=Origin(SHOP), proxy=None)
    finally:
        relay.close()


async def test_nonsense_of_any_depth_ends_no_socket(relaying: GatewayProcess) -> None:
    async with clients.connect(relaying, toolsets="hub") as agent, page(relaying, SHOP, SHOP) as socket:
        assert await hub_tools(agent) == set()
        for text in ("[", "7", "{}", '{"type":"tools/list"}', '{"type":"invoke"}', b"\xff"):
            await socket.send(text)
        deep = "[" * 900 + "]" * 900
        await socket.send(f'{{"type":"tools/list","tools":[{{"name":"deep","annotations":{{"x":{deep}}}}}]}}')
        await say(socket, type="tools/list", tools=[{"name": "get_cart", "description": "Shows the cart."}, 7])
        await agent.told_of(1)
        [name] = await hub_tools(agent)
        assert "get_" in name
