"""What a page says of its tools, and the parts of what they answer, as clients of each revision are told it."""

import asyncio
from typing import Any

import pytest

from tests.gateway import GatewayProcess
from tests.hub.peer import Call, peer, tab, tool
from tests.streams import Stream, stream

SHOP = "https://shop.example"
AUDIO = {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"}
NOTE = {"type": "resource", "resource": {"uri": "note://1", "text": "Tea", "mimeType": "text/plain"}}
LINK = {"type": "resource_link", "uri": "https://shop.example/1.pdf", "name": "The bill"}
IN_WORDS = {
    "audio": {"type": "text", "text": "[audio, audio/wav, 4 bytes]"},
    "resource_link": {"type": "text", "text": "[link to The bill: https://shop.example/1.pdf]"},
}


def listed(opened: Stream, ending: str) -> dict[str, Any]:
    tools = opened.ask("tools/list")["result"]["tools"]
    return next(each for each in tools if each["name"].endswith(ending))


@pytest.mark.parametrize(
    ("version", "known"),
    [("2024-11-05", ()), ("2025-03-26", ("audio",)), ("2025-06-18", ("audio", "resource_link"))],
)
async def test_clients_get_the_kinds_of_parts_that_they_know(
    gateway: GatewayProcess, version: str, known: tuple[str, ...]
) -> None:
    def answer(_call: Call) -> dict[str, Any]:
        return {"success": True, "payload": {"content": [AUDIO, NOTE, LINK]}}

    def asked() -> Any:
        with stream(gateway.port, "?toolsets=hub") as opened:
            opened.initialize(version)
            return opened.ask("tools/call", name=listed(opened, "_listen")["name"])["result"]

    async with peer(gateway, tab(5, SHOP)) as page:
        page.answer = answer
        await page.register(5, SHOP, tool("listen"))
        told = await asyncio.to_thread(asked)
    assert told["content"] == [
        AUDIO if "audio" in known else IN_WORDS["audio"],
        NOTE,
        LINK if "resource_link" in known else IN_WORDS["resource_link"],
    ]


@pytest.mark.parametrize(("version", "older"), [("2025-03-26", True), ("2025-06-18", False), ("2025-11-25", False)])
async def test_a_title_stands_where_the_revision_has_it(gateway: GatewayProcess, version: str, older: bool) -> None:
    def asked() -> list[dict[str, Any]]:
        with stream(gateway.port, "?toolsets=hub") as opened:
            opened.initialize(version)
            return [listed(opened, f"_{name}") for name in ("pay", "look", "plain")]

    async with peer(gateway, tab(5, SHOP)) as page:
        titled = tool("pay", title="Pay\u202e  it", annotations={"title": "Other"})
        await page.register(5, SHOP, titled, tool("look", annotations={"title": "Look"}), tool("plain"))
        pay, look, plain = await asyncio.to_thread(asked)
    for told, title in ((pay, "Pay it"), (look, "Look")):
        place, other = (told["annotations"], told) if older else (told, told["annotations"])
        assert place["title"] == title
        assert "title" not in other
    assert "title" not in plain
    assert "title" not in plain["annotations"]
