"""T10: somebody else on the port. The gateway does not start elsewhere, and the extension tells him nothing."""

import asyncio
import json
import os
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from tabwright.edges.chrome.chrome import Chrome, LaunchPlan
from tabwright.edges.chrome.extension_files import FOLDER, extension_id
from tabwright.edges.chrome.finder import find_browser
from tabwright.edges.chrome.profile import copy_extension, prepare_profile
from tests.attacks.command import refused_start

KEY = "5ec3e7" * 10 + "5ec3"
PROFILE = "launched-by-this-test"


@pytest.mark.parametrize("flag", ["--port", "--extension-port"])
def test_a_taken_port_is_told_with_its_holder_and_no_other_is_used(tmp_path: Path, flag: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as squatter:
        port = str(squatter.getsockname()[1])
        told = refused_start(tmp_path, flag, port)
    assert told.code == 3
    assert port in told.line
    assert f"pid {os.getpid()}" in told.line
    assert flag in told.line, "and how to choose another"
    assert not (tmp_path / "run" / "gateway.json").exists()


class Squatter:
    """A server that lies as a list of messages says, and keeps what it hears on each connection."""

    def __init__(self, *lies: list[dict[str, Any]]) -> None:
        self._lies = iter(lies)
        self.heard: asyncio.Queue[tuple[list[dict[str, Any]], int]] = asyncio.Queue()

    async def serve(self, connection: ServerConnection) -> None:
        heard = [json.loads(await connection.recv())]
        for lie in next(self._lies, ()):
            await connection.send(json.dumps(lie))
        try:
            async with asyncio.timeout(10):
                while True:
                    heard.append(json.loads(await connection.recv()))
        except ConnectionClosed as closed:
            await self.heard.put((heard, 1006 if closed.rcvd is None else closed.rcvd.code))


@asynccontextmanager
async def extension_facing(squatter: Squatter, folder: Path) -> AsyncGenerator[None]:
    """Our real extension in a browser, configured for the squatter's port."""
    found = find_browser(None, os.environ, "linux")
    assert found is not None, "these tests need a browser"
    async with serve(squatter.serve, "127.0.0.1", 0, compression=None) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        prepare_profile(folder / "profile")
        config = {"url": f"ws://127.0.0.1:{port}", "profileId": PROFILE, "key": KEY, "dialect": "tabwright"}
        copy_extension(FOLDER, folder / "extension", config)
        chrome = await Chrome.launch(LaunchPlan(found.path, folder / "profile", folder / "extension", True))
        try:
            async with asyncio.timeout(15):
                yield
        finally:
            await chrome.close()


@pytest.mark.browser
async def test_the_extension_says_hello_and_leaves(tmp_path: Path) -> None:
    challenge = {"type": "challenge", "nonce": "0" * 32, "proof": "0" * 64}
    command = {"jsonrpc": "2.0", "id": 1, "method": "getTabs"}
    squatter = Squatter([challenge, {"type": "welcome"}, command], [{"type": "welcome"}, {"type": "connect"}, command])
    async with extension_facing(squatter, tmp_path):
        for lie in ("a wrong proof", "no proof"):
            heard, code = await squatter.heard.get()
            assert [message["type"] for message in heard] == ["hello"], lie
            assert set(heard[0]) == {"type", "protocol", "extensionId", "profileId", "nonce"}, lie
            assert (heard[0]["extensionId"], heard[0]["profileId"]) == (extension_id(), PROFILE)
            assert KEY not in json.dumps(heard)
            assert code == 4401, lie


@pytest.mark.browser
async def test_a_gateway_that_refuses_is_no_impostor(tmp_path: Path) -> None:
    """Or the person would be told of a wrong server where the gateway said what to do: pair again."""
    squatter = Squatter([{"type": "error", "message": "This browser is not paired. Run `tabwright pair`."}])
    async with extension_facing(squatter, tmp_path):
        assert (await squatter.heard.get())[1] == 1000
