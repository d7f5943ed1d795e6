"""What nobody but a gateway that the person trusts may do in their browser through a proxy, and who passes for one."""

import asyncio
import json
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from tests.approvals.test_foreign import at, behind_proxy, stranger
from tests.approvals.test_prompt import PROMPT, press, prompted
from tests.clients import connect
from tests.conftest import Site
from tests.gateway import running, until
from tests.proxy.far import SLOW_S, OptionsPage
from tests.proxy.server import Bare, ProxyProcess, token

pytestmark = pytest.mark.browser

SAVE = """const link = document.createElement('a'); link.href = URL.createObjectURL(new Blob(['the will']));
link.download = 'will.txt'; link.click()"""


async def test_the_persons_files_the_extension_and_its_pages_are_no_strangers(tmp_path: Path, site: Site) -> None:
    site.pages["/shop"] = "<title>shop</title>"
    saved = tmp_path / "saved"
    async with behind_proxy(tmp_path) as (proxy, cdp):
        cdp.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(saved))
        cdp.send("Target.createTarget", url=f"{site.url}/shop")
        until(lambda: cdp.in_page("/shop", "document.readyState") == "complete")
        cdp.in_page("/shop", SAVE)
        until(lambda: (saved / "will.txt").exists())

        client = stranger(proxy)
        for number in range(1, 4):
            asked = {"downloadId": number, "verdict": "drop"}
            assert client.request("judgeDownload", asked, SLOW_S)["error"]["data"]["code"] == "denied"
        assert (saved / "will.txt").read_text() == "the will"
        [tab] = [tab["id"] for tab in client.ask("getTabs", {})["tabs"] if tab["url"].endswith("/shop")]
        posing = {"id": "s", "name": "Your bank: call 555", "tabs": [{"tabId": tab, "claimed": True}]}
        assert client.request("showHolds", {"sessions": [posing]}, SLOW_S)["error"]["data"]["code"] == "denied"
        up = client.ask("getStatus", {})["upForMs"]
        assert client.request("reload", {}, SLOW_S)["error"]["data"]["code"] == "denied"
        assert client.ask("getStatus", {})["upForMs"] >= up, "it is the same worker"
        assert not cdp.targets("page", PROMPT), "nobody was asked either"


async def test_a_gateway_that_is_not_trusted_yet_is_shown_without_words_of_its_own(tmp_path: Path, site: Site) -> None:
    site.pages["/shop"] = "<title>shop</title>"
    async with behind_proxy(tmp_path) as (proxy, cdp):
        via = f"ws://127.0.0.1:{proxy.port}"
        with running(tmp_path / "far", "--via", via, "--via-token-file", str(_token(tmp_path, via))) as far:
            until(lambda: far.status()["browsers"], SLOW_S)
            async with connect(far) as agent:
                await agent.call("connect_browser")
                await agent.call("open_tab", url=at(site, "shop.test", "/shop"))
                popup = OptionsPage(cdp, "popup.html", "#sessions")
                popup.shows("An agent elsewhere")
                assert "mcp" not in popup.text.split("\n"), "nor under the name it has from its client"
                calling = asyncio.create_task(agent.result("javascript_tool", text="40 + 2"))
                await prompted(cdp)
                await press(cdp, "once")
                while cdp.targets("page", PROMPT) or not calling.done():
                    # the gateway's own rules ask next
                    if cdp.targets("page", PROMPT):
                        await prompted(cdp)
                        await press(cdp, "once")
                    await asyncio.wait([calling], timeout=0.1)
                await agent.call("open_tab", url=at(site, "shop.test", "/shop?2"))
                await asyncio.to_thread(popup.shows, "mcp")
                assert "An agent elsewhere" not in popup.text


async def test_a_hostile_proxy_cannot_pass_for_a_gateway_that_was_led_to_it(tmp_path: Path) -> None:
    """It is a client of the honest proxy, and hands the browser's challenge to the gateway as if it were its own."""
    async with behind_proxy(tmp_path) as (proxy, _):
        with _hostile(proxy) as (via, outcomes):
            flags = ("--via", via, "--via-token-file", str(_token(tmp_path, via)))
            with running(tmp_path / "far", *flags):
                until(lambda: outcomes, SLOW_S)
            assert outcomes[0]["error"]["code"] == -32602, outcomes
            assert f"ws://127.0.0.1:{proxy.port}" in outcomes[0]["error"]["message"]


def _token(folder: Path, via: str) -> Path:
    path = folder / "token"
    path.write_text(token("alice", "mcp", connection_url=f"{via}/mcp", scope="cdp"))
    path.chmod(0o600)
    return path


@contextmanager
def _hostile(honest: ProxyProcess) -> Generator[tuple[str, list[dict[str, Any]]]]:
    """A proxy that shows one browser: that of the honest one. What became of the proof it was given is noted."""
    outcomes: list[dict[str, Any]] = []

    def relay(socket: ServerConnection) -> None:
        client: Bare | None = None
        for text in socket:
            asked = json.loads(text)
            match asked["method"]:
                case "mcp_handshake":
                    told: dict[str, Any] = {"user_id": "alice"}
                case "list_extensions":
                    told = {"extensions": [{"id": "x", "name": "Chrome"}]}
                case "connect":
                    client = honest.client("alice", scope="cdp")
                    [found] = client.ask("list_extensions", {})["extensions"]
                    told = client.ask("connect", {"extension_id": found["id"]})
                case "prove":
                    assert client is not None
                    outcomes.append(client.request("prove", asked["params"], SLOW_S))
                    told = {"trusted": True}
                case method:
                    assert client is not None
                    told = client.request(method, asked.get("params", {}), SLOW_S).get("result", {})
            try:
                socket.send(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": told}))
            except ConnectionClosed:
                return

    with serve(relay, "127.0.0.1", 0) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}", outcomes
        server.shutdown()
        thread.join(SLOW_S)
