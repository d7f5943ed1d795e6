"""The gateway's own side of the proxy, against a server the test plays: what it tells whom, and how it comes back."""

import asyncio
import base64
import gc
import json
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from tabwright.browser.browsers import Browsers
from tabwright.edges.links.link import SocketLink
from tabwright.edges.links.proxy_calls import NotWanted, ProxyDoor
from tabwright.edges.links.proxy_client import ProxyClient
from tabwright.errors import ToolError


def made_token(url: str, **claims: Any) -> str:
    body = json.dumps({"user_id": "ada", "exp": time.time() + 600, "connection_url": url, **claims}).encode()
    return f"eyJh.{base64.urlsafe_b64encode(body).decode().rstrip('=')}.c2ln"


class PlayedProxy:
    """Speaks proxy.md's MCP side from a script: extensions by id, each with its profile."""

    def __init__(self) -> None:
        self.extensions: dict[str, str] = {"ext-1": "p-1"}
        self.heard: list[dict[str, Any]] = []
        self.answers: dict[str, Any] = {}
        self.refuse: str | None = None
        self.carrying: dict[str, ServerConnection] = {}
        self.sockets = 0
        self._news = asyncio.Event()

    async def serve(self, socket: ServerConnection) -> None:
        self.sockets += 1
        connected = ""
        with suppress(ConnectionClosed):
            async for text in socket:
                message = json.loads(text)
                self.heard.append(message)
                if message["method"] == "connect":
                    connected = message["params"]["extension_id"]
                    self.carrying[connected] = socket
                await self._answer(socket, message, connected)
                self._news.set()
        if self.carrying.get(connected) is socket:
            del self.carrying[connected]
        self._news.set()

    async def _answer(self, socket: ServerConnection, message: dict[str, Any], connected: str) -> None:
        method = message["method"]
        if method == "mcp_handshake" and self.refuse is not None:
            error = {"code": -32000, "message": f"Authentication failed: {self.refuse}"}
            await socket.send(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}))
            await socket.close(4401, "no")
            return
        results: dict[str, Any] = {
            "mcp_handshake": {"authenticated": True, "user_id": "ada", "mcp_client_id": "mcp-1"},
            "list_extensions": {"extensions": [{"id": each, "name": "Chrome 141"} for each in self.extensions]},
            "connect": {"connection_id": "conn-1"},
            "introduce": {
                "profileId": self.extensions.get(connected, ""),
                "browser": {"name": "Chrome", "version": "141"},
                "tabs": [{"id": 4, "title": "T", "url": "https://a.example/"}],
            },
            **self.answers,
        }
        if method in results:
            await socket.send(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": results[method]}))

    async def until(self, what: Any, seconds: float = 10) -> Any:
        async with asyncio.timeout(seconds):
            while not (found := what()):
                self._news.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(0.02):
                        await self._news.wait()
            return found

    def methods(self) -> list[str]:
        return [message["method"] for message in self.heard]


@asynccontextmanager
async def playing(proxy: PlayedProxy, port: int = 0, **more: Any) -> AsyncGenerator[int]:
    async with serve(proxy.serve, "127.0.0.1", port, compression=None, close_timeout=0.2, **more) as server:
        yield server.sockets[0].getsockname()[1]


@asynccontextmanager
async def gateway(port: int, token: str = "", grace_s: float = 5) -> AsyncGenerator[tuple[ProxyClient, Browsers]]:
    browsers = Browsers()
    client = ProxyClient(
        ProxyDoor(f"ws://127.0.0.1:{port}/mcp", lambda: token), browsers, grace_s=grace_s, chance=lambda: 1
    )
    running = asyncio.create_task(client.run())
    try:
        yield client, browsers
    finally:
        client.end_all("over")
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


async def test_a_browser_is_found_introduced_and_asked() -> None:
    proxy = PlayedProxy()
    proxy.answers["closeTab"] = {"tabId": 4}
    async with playing(proxy) as port, gateway(port) as (client, browsers):
        [browser] = await proxy.until(browsers.all)
        assert (browser.id, browser.name, browser.remote, list(browser.tabs)) == ("via-p-1", "Chrome", True, [4])
        assert (client.state.state, client.state.user) == ("connected", "ada")
        await browser.close_tab(next(iter(browser.tabs)))
        assert proxy.heard[-1]["params"] == {"tabId": 4}


async def test_the_token_goes_to_the_configured_proxy_and_is_not_carried_elsewhere() -> None:
    elsewhere, proxy = PlayedProxy(), PlayedProxy()

    async with playing(elsewhere) as other:

        def redirect(socket: ServerConnection, request: Request) -> Response:
            response = socket.respond(HTTPStatus.FOUND, "")
            response.headers["Location"] = f"ws://127.0.0.1:{other}/mcp"
            return response

        async with playing(proxy, process_request=redirect) as port:
            token = made_token(f"ws://127.0.0.1:{port}/mcp")
            async with gateway(port, token) as (client, _):
                await proxy.until(lambda: "302" in client.state.reason)
                assert (client.state.state, elsewhere.sockets) == ("looking", 0)


async def test_a_token_for_another_proxy_is_sent_to_nobody() -> None:
    proxy = PlayedProxy()
    async with playing(proxy) as port:
        async with gateway(port, made_token("wss://evil.example/mcp")) as (client, _):
            await proxy.until(lambda: client.state.state == "refused")
            assert "evil.example" in client.state.reason
        assert proxy.sockets == 0


def test_a_file_without_a_token_is_said() -> None:
    def missing() -> str:
        raise FileNotFoundError(2, "No such file or directory", "/nowhere")

    with pytest.raises(NotWanted, match="/nowhere"):
        ProxyDoor("wss://proxy.example.com/mcp", missing).token()
    with pytest.raises(NotWanted, match="wants a token"):
        ProxyDoor("wss://proxy.example.com/mcp", str).token()
    with pytest.raises(NotWanted, match="not a token"):
        ProxyDoor("wss://proxy.example.com/mcp", lambda: "x").token()


async def test_a_refusal_is_kept_with_the_proxys_words() -> None:
    proxy = PlayedProxy()
    proxy.refuse = "Token revoked"
    async with playing(proxy) as port, gateway(port, made_token(f"ws://127.0.0.1:{port}/mcp")) as (client, browsers):
        await proxy.until(lambda: client.state.state == "refused")
        assert "Token revoked" in client.state.reason
        assert "Token revoked. Renew the gateway's token" in browsers.trouble
        assert proxy.sockets == 1, "it is not asked again at once"


async def test_a_gateway_without_a_token_is_told_to_have_one() -> None:
    proxy = PlayedProxy()
    proxy.refuse = "Invalid params: accessToken is missing or no string"
    async with playing(proxy) as port, gateway(port) as (client, _):
        await proxy.until(lambda: client.state.state == "refused")
        assert "wants a token, and the gateway has none. Give --via-token-file" in client.state.reason


async def test_what_keeps_browsers_away_is_told_for_the_person() -> None:
    proxy = PlayedProxy()
    async with playing(proxy) as port, gateway(port) as (client, browsers):
        assert "does not answer" in browsers.trouble
        await proxy.until(lambda: client.state.state == "connected")
        assert "no browser of ada answers through it" in browsers.trouble


async def test_a_browser_comes_back_as_the_same_one_when_the_proxy_does() -> None:
    proxy = PlayedProxy()
    async with playing(proxy) as port, gateway(port) as (_, browsers):
        [browser] = await proxy.until(browsers.all)
        for socket in list(proxy.carrying.values()):
            await socket.close(1012, "Server shutting down")
        await proxy.until(lambda: proxy.methods().count("introduce") == 2)
        proxy.answers["getStatus"] = {"version": "9"}
        assert (await browser.status())["version"] == "9"
        assert browsers.all() == (browser,)


async def test_a_call_waits_for_the_extensions_next_connection() -> None:
    proxy = PlayedProxy()
    proxy.answers["closeTab"] = {"tabId": 4}
    async with playing(proxy) as port, gateway(port) as (_, browsers):
        [browser] = await proxy.until(browsers.all)
        socket, proxy.extensions = proxy.carrying["ext-1"], {}
        notice = {"connection_id": "conn-1", "reason": "Extension closed"}
        await socket.send(json.dumps({"jsonrpc": "2.0", "method": "disconnected", "params": notice}))
        await proxy.until(lambda: not proxy.carrying)
        call = asyncio.create_task(browser.close_tab(next(iter(browser.tabs))))
        proxy.extensions = {"ext-2": "p-1"}
        await asyncio.wait_for(call, 10)
        assert list(proxy.carrying) == ["ext-2"]


async def test_one_browser_that_is_there_twice_is_used_once() -> None:
    proxy = PlayedProxy()
    proxy.extensions = {"ext-1": "p-1", "ext-2": "p-1"}
    async with playing(proxy) as port, gateway(port) as (_, browsers):
        await proxy.until(lambda: proxy.methods().count("introduce") == 2)
        await proxy.until(lambda: len(proxy.carrying) == 1)
        asked = proxy.methods().count("list_extensions")
        await proxy.until(lambda: proxy.methods().count("list_extensions") > asked + 1, 15)
        assert (len(proxy.carrying), proxy.methods().count("introduce")) == (1, 2)
        assert len(browsers.all()) == 1


async def test_an_extension_that_makes_no_sense_costs_the_others_nothing() -> None:
    proxy = PlayedProxy()
    proxy.extensions = {"ext-0": "", "ext-1": "p-1"}
    async with playing(proxy) as port, gateway(port) as (_, browsers):
        [browser] = await proxy.until(browsers.all)
        assert browser.id == "via-p-1"


async def test_browsers_that_have_left_for_good_leave_nothing_behind() -> None:
    proxy = PlayedProxy()
    proxy.extensions.clear()
    gone = {"jsonrpc": "2.0", "method": "disconnected", "params": {"reason": "Extension closed"}}
    async with playing(proxy) as port, gateway(port, grace_s=0.01) as (_, browsers):
        before = _links()
        for number in range(4):
            proxy.extensions = {f"ext-{number}": f"p-{number}"}
            await proxy.until(lambda number=number: [each.id for each in browsers.all()] == [f"via-p-{number}"])
            await proxy.carrying[f"ext-{number}"].send(json.dumps(gone))
            proxy.extensions.clear()
            await proxy.until(lambda: not browsers.all())
        assert _links() - before <= 1


def _links() -> int:
    gc.collect()
    return sum(isinstance(each, SocketLink) for each in gc.get_objects())


async def test_when_the_gateway_ends_nobody_waits() -> None:
    proxy = PlayedProxy()
    async with playing(proxy) as port:
        async with gateway(port) as (_, browsers):
            [browser] = await proxy.until(browsers.all)
            call = asyncio.create_task(browser.status())
            await proxy.until(lambda: "getStatus" in proxy.methods())
        with pytest.raises(ToolError):
            await asyncio.wait_for(call, 5)


@pytest.mark.parametrize(
    ("via", "far"), [("ws://127.0.0.1:3457/mcp", False), ("wss://localhost/mcp", False), ("wss://a.example/mcp", True)]
)
def test_browsers_behind_a_proxy_elsewhere_are_far(via: str, far: bool) -> None:
    assert ProxyDoor(via, str).far is far
