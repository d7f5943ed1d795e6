"""The exchanges that the two protocol pages print, replayed by bare sockets on both sides, ids apart."""

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest

from tests.proxy.server import Bare, ProxyProcess, proxying, token

_UUID: Final = re.compile(r"\b(ext|mcp|conn)-[0-9a-z-]{4,}")

STANDARD: Final = (Path(__file__).parent / "transcripts" / "standard.txt").read_text(encoding="utf-8")
SIMPLE: Final = (Path(__file__).parent / "transcripts" / "simple.txt").read_text(encoding="utf-8")


class Replay:
    """Plays both peers line by line; what the page calls by one id, this run may call by another."""

    def __init__(self, peers: dict[str, Bare], access: str) -> None:
        self._peers = peers
        self._access = access
        self._real: dict[str, str] = {}

    def play(self, transcript: str) -> None:
        for line in transcript.strip().splitlines():
            who, _, body = line.partition(": ")
            if who.endswith(" leaves"):
                self._peers[who.removesuffix(" leaves")].close()
            elif who.endswith("→ Proxy"):
                self._peers[who.partition(" ")[0]].say(self._translated(body))
            else:
                self._compare(json.loads(body), self._peers[who.rpartition(" ")[2]].hear(), line)

    def _translated(self, body: str) -> str:
        for printed, real in self._real.items():
            body = body.replace(printed, real)
        return body.replace("eyJhbGci...", self._access)

    def _compare(self, printed: Any, heard: Any, line: str) -> None:
        self._learn(printed, heard)
        wanted = json.loads(self._translated(json.dumps(printed)))
        if "timestamp" in str(wanted):
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d{4}", heard["params"].pop("timestamp"))
            del wanted["params"]["timestamp"]
        assert heard == wanted, line

    def _learn(self, printed: Any, heard: Any) -> None:
        names, reals = (list(_UUID.finditer(json.dumps(value))) for value in (printed, heard))
        for name, real in zip(names, reals, strict=True):
            assert name[1] == real[1]
            self._real.setdefault(name[0], real[0])


@pytest.mark.rule("proxy.md")
def test_the_exchanges_of_the_proxy_protocol(proxy: ProxyProcess) -> None:
    user = "83898119-db4f-4848-9d27-ea328b73a4df"
    extension = proxy.bare("/extension")
    client = proxy.bare("/mcp")
    Replay({"Extension": extension, "MCP": client}, token(user)).play(STANDARD)


@pytest.mark.rule("proxy.md")
def test_a_failed_handshake_reads_as_printed(proxy: ProxyProcess) -> None:
    client = proxy.bare("/mcp")
    client.say(
        {"jsonrpc": "2.0", "id": 1, "method": "mcp_handshake", "params": {"accessToken": "eyJhbGciOiJIUzI1NiJ9..."}}
    )
    error = {"code": -32000, "message": "Authentication failed: Invalid token"}
    assert client.hear() == {"jsonrpc": "2.0", "id": 1, "error": error}
    assert client.close_code() == 4401


@pytest.mark.rule("proxy-simple.md")
@pytest.mark.parametrize("paths", [("/", "/"), ("/extension", "/mcp")])
def test_the_exchanges_of_the_simple_protocol(tmp_path: Path, paths: tuple[str, str]) -> None:
    with proxying(tmp_path / "home", auth=False) as proxy:
        extension, client = proxy.bare(paths[0]), proxy.bare(paths[1])
        if paths[0] != "/":
            assert extension.hear()["method"] == "authenticate"
        Replay({"Extension": extension, "MCP": client}, "").play(SIMPLE)


def test_a_large_answer_passes_and_so_does_what_was_sent_without_waiting(proxy: ProxyProcess) -> None:
    extension, extension_id = proxy.extension("pipeliner")
    client = proxy.bare("/mcp", max_size=None)
    calls = [
        ("mcp_handshake", {"accessToken": token("pipeliner")}),
        ("connect", {"extension_id": extension_id}),
        *(("type", {"text": "x" * 10_000, "number": number}) for number in range(5)),
    ]
    for number, (method, params) in enumerate(calls):
        client.say({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    assert [client.hear()["id"] for _ in range(2)] == [0, 1]
    assert client.hear()["method"] == extension.hear()["method"] == "status"
    for number in range(5):
        call = extension.hear()
        assert call["params"]["number"] == number
        extension.say({"id": call["id"], "result": {"data": "y" * 3_000_000, "é": "ü"}})
        answer = client.hear()
        assert (answer["id"], len(answer["result"]["data"])) == (number + 2, 3_000_000)
