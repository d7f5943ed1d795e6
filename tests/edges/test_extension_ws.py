"""The extension's port over time: what has come and gone is not kept."""

import asyncio
import gc
import json
import socket

from websockets.asyncio.client import connect

from tabwright.browser.browser import Browser
from tabwright.browser.browsers import Browsers
from tabwright.edges.links.extension_ws import ExtensionServer
from tabwright.edges.links.link import SocketLink
from tabwright.edges.links.prompt_socket import PromptSocket

PEERS = 8
HERE = {
    "type": "connected",
    "browser": {"name": "Foreign", "version": "9"},
    "tabs": [{"id": 7, "title": "Flights", "url": "https://flights.example/"}],
}


class NoPairings:
    def pairing_key(self, extension_id: str, profile_id: str) -> bytes | None:
        return None

    def remember_pairing(self, extension_id: str, profile_id: str, key: bytes) -> None:
        raise AssertionError("nobody pairs here")

    def admitted(self) -> frozenset[str]:
        return frozenset()


async def test_peers_that_have_gone_leave_nothing_behind() -> None:
    browsers = Browsers()
    server = ExtensionServer(browsers, NoPairings(), "a" * 32, grace_s=5, launched=lambda _: False)
    before = _kept()
    async with await server.listen(socket.create_server(("127.0.0.1", 0))):
        for _ in range(PEERS):
            async with connect(f"ws://127.0.0.1:{server.port}/", compression=None) as peer:
                await peer.send(json.dumps(HERE))
                assert await browsers.wait_for_any(5)
    assert _kept() - before <= 2, "one link and its browser, at most"
    assert browsers.all() == ()


async def test_requests_that_become_no_socket_leave_nothing_behind() -> None:
    server = ExtensionServer(Browsers(), NoPairings(), "a" * 32, grace_s=5, launched=lambda _: False)
    before = _kept()
    async with await server.listen(socket.create_server(("127.0.0.1", 0))):
        for _ in range(PEERS):
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
            assert (await reader.read()).startswith(b"HTTP/1.1 426 ")
            writer.close()
    assert _kept() == before


def _kept() -> int:
    gc.collect()
    return sum(isinstance(each, SocketLink | Browser | PromptSocket) for each in gc.get_objects())
