"""The HTTP face as raw requests: what it answers to whom, and how it takes what is wrong or too much."""

import asyncio
import contextlib
import json
import socket
from collections.abc import Iterator, Mapping
from functools import partial
from http.client import HTTPConnection
from typing import Any, cast

import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from tabwright import __version__
from tabwright.edges.http.face import HttpParts, HttpServer, build_app
from tabwright.edges.http.sse import SseSessions
from tabwright.edges.mcp.server import McpServer
from tabwright.settings import load
from tests.attacks.wire import INITIALIZE, MCP, TIMEOUT_S, Answer, request
from tests.clients import connect
from tests.gateway import GatewayProcess, running, until
from tests.hub.peer import peer, tab, tool

MODERN = "2026-07-28"
HOST = (b"host", b"localhost:3456")
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": dict[str, Any](),
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    with running(tmp_path_factory.mktemp("served") / "home") as made:
        yield made


def post(gateway: GatewayProcess, body: bytes | dict[str, Any], *headers: str, query: str = "") -> Answer:
    return request(gateway.port, "POST", f"/mcp{query}", *MCP, *headers, body=body)


def modern(gateway: GatewayProcess, method: str, query: str = "", **params: Any) -> Answer:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": META}}
    named = (f"Mcp-Name: {params['name']}",) if "name" in params else ()
    return post(gateway, body, f"MCP-Protocol-Version: {MODERN}", f"Mcp-Method: {method}", *named, query=query)


def told(answer: Answer) -> Any:
    """The message of an answer, in whichever of the two forms it came."""
    if (answer.header("content-type") or "").startswith("text/event-stream"):
        data = [line[5:].strip() for line in answer.body.decode().splitlines() if line.startswith("data:")]
        return json.loads(next(line for line in data if line))
    return answer.json


def test_health_tells_its_own_user_version_and_sessions(served: GatewayProcess) -> None:
    answer = request(served.port)
    assert answer.status == 200
    assert answer.json == {"status": "ok", "version": __version__, "activeSessions": answer.json["activeSessions"]}
    assert request(served.port, "HEAD").status == 200
    assert request(served.port, "POST").status == 405
    assert answer.header("server") is None, "what it runs on is nobody's business"


def test_a_legacy_session_lives_by_its_id(served: GatewayProcess) -> None:
    opened = post(served, INITIALIZE)
    assert opened.status == 200
    assert told(opened)["result"]["serverInfo"]["name"] == "tabwright"
    session = opened.header("mcp-session-id")
    assert session is not None
    assert len(session) >= 32, "128 bits"
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    known = (f"Mcp-Session-Id: {session}", "MCP-Protocol-Version: 2025-11-25")
    assert [tool["name"] for tool in told(post(served, listing, *known))["result"]["tools"]] == ["connect_browser"]
    assert post(served, listing, "Mcp-Session-Id: somebody-elses", known[1]).status == 404
    assert request(served.port, "DELETE", "/mcp", *known).status == 200
    assert post(served, listing, *known).status == 404


def test_a_stream_that_broke_is_opened_anew_wherever_it_ended(served: GatewayProcess) -> None:
    session = post(served, INITIALIZE).header("mcp-session-id")
    known = (f"Mcp-Session-Id: {session}", "Accept: text/event-stream", "Last-Event-ID: 7")
    lines = ("GET /mcp HTTP/1.1", f"Host: localhost:{served.port}", *known, "", "")
    with socket.create_connection(("127.0.0.1", served.port), timeout=TIMEOUT_S) as stream:
        stream.sendall("\r\n".join(lines).encode())
        assert stream.recv(1_000).startswith(b"HTTP/1.1 200 ")
        assert request(served.port, "GET", "/mcp", *known).status == 409, "it is the one stream of this session"


def test_a_modern_client_needs_no_session(served: GatewayProcess) -> None:
    answer = modern(served, "tools/list")
    assert answer.status == 200
    assert answer.header("mcp-session-id") is None
    assert [tool["name"] for tool in told(answer)["result"]["tools"]][:2] == ["connect_browser", "list_tabs"]


def test_a_modern_client_that_wants_the_dynamic_list_is_sent_back_to_the_handshake(served: GatewayProcess) -> None:
    refused = modern(served, "server/discover", "?list=dynamic")
    assert refused.status == 400
    assert refused.json["error"]["code"] == -32600
    opened = post(served, INITIALIZE, query="?list=dynamic")
    assert told(opened)["result"]["protocolVersion"] == "2025-11-25"


async def test_a_client_that_chooses_its_era_falls_back_by_itself(served: GatewayProcess) -> None:
    async with Client(streamable_http_client(f"{served.url}?list=dynamic"), mode="auto") as agent:
        assert [tool.name for tool in (await agent.list_tools()).tools] == ["connect_browser"]
    async with Client(streamable_http_client(served.url), mode="auto") as agent:
        assert len((await agent.list_tools()).tools) > 1, "asked for nothing, it is modern"


@pytest.mark.parametrize("query", ["?toolsets=nonsense", "?list=sometimes", "?activate_on_focus=perhaps"])
def test_an_option_that_does_not_exist_is_refused(served: GatewayProcess, query: str) -> None:
    answer = post(served, INITIALIZE, query=query)
    assert answer.status == 400
    assert answer.json["error"]["code"] == -32602
    assert query[1:].partition("=")[0] in answer.json["error"]["message"]


def test_gateway_settings_cannot_be_asked_for(served: GatewayProcess) -> None:
    assert post(served, INITIALIZE, query="?auth=off&cors_origins=http://evil.test&host=0.0.0.0").status == 200
    assert request(served.port, "GET", "/health", "Origin: http://evil.test").status == 403


@pytest.mark.parametrize(
    ("body", "code", "request_id"),
    [
        (b"{not json", -32700, None),
        (b"", -32700, None),
        (b'"\xff"', -32700, None),
        (b"[]", -32600, None),
        (b"42", -32600, None),
        (b'{"jsonrpc":"2.0","id":1}', -32600, 1),
        (b'{"id":"a","method":"ping"}', -32600, "a"),
        (b'{"jsonrpc":"1.0","id":2,"method":"ping","params":{}}', -32600, 2),
        (b'{"jsonrpc":"2.0","id":3,"method":"ping","params":[1]}', -32600, 3),
        (b'{"jsonrpc":"2.0","id":4,"method":5}', -32600, 4),
    ],
)
def test_what_is_no_message_is_a_bad_request(
    served: GatewayProcess, body: bytes, code: int, request_id: int | str | None
) -> None:
    for answer in (post(served, body), post(served, body, f"MCP-Protocol-Version: {MODERN}", "Mcp-Method: ping")):
        assert (answer.status, answer.json["error"]["code"], answer.json["id"]) == (400, code, request_id)
        assert "pydantic" not in answer.json["error"]["message"]


def test_methods_and_types_that_are_not_served(served: GatewayProcess) -> None:
    for method in ("PUT", "PATCH", "OPTIONS"):
        assert request(served.port, method, "/mcp").status == 405, method
    assert request(served.port, "POST", "/mcp", "Content-Type: text/plain", MCP[1], body=INITIALIZE).status in (
        400,
        415,
    )
    assert request(served.port, "POST", "/mcp", MCP[0], "Accept: text/html", body=INITIALIZE).status == 406


def test_types_may_be_told_in_several_lines_and_in_any_case(served: GatewayProcess) -> None:
    lines = ("content-type: Application/JSON; charset=UTF-8", "Accept: Application/JSON", "Accept: text/event-stream")
    assert request(served.port, "POST", "/mcp", *lines, body=INITIALIZE).status == 200
    assert request(served.port, "POST", "/mcp", *lines[:2], body=INITIALIZE).status == 406


def test_no_reader_of_a_stream_takes_a_message_for_several_lines(served: GatewayProcess) -> None:
    answer = post(served, {**INITIALIZE, "id": "a\x85b\u2028c\u2029d"})
    (data,) = (line for line in answer.body.decode().splitlines() if line.startswith("data: {"))
    assert json.loads(data[6:])["id"] == "a\x85b\u2028c\u2029d"
    discovering = {"jsonrpc": "2.0", "id": "a\u2028b", "method": "server/discover", "params": {"_meta": META}}
    told_plainly = post(served, discovering, f"MCP-Protocol-Version: {MODERN}", "Mcp-Method: server/discover")
    assert told_plainly.json["id"] == "a\u2028b"


def test_an_unknown_method_or_tool_has_its_code(served: GatewayProcess) -> None:
    assert told(modern(served, "no/such"))["error"]["code"] == -32601
    unknown = told(modern(served, "tools/call", name="no_such_tool", arguments={}))
    assert unknown["error"]["code"] == -32602


def test_a_body_beyond_all_measure_is_not_read(served: GatewayProcess) -> None:
    with socket.create_connection(("127.0.0.1", served.port), timeout=TIMEOUT_S) as peer:
        head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n" + "".join(f"{line}\r\n" for line in MCP)
        peer.sendall(f"{head}Content-Length: {10**12}\r\n\r\n".encode())
        assert peer.recv(65536).startswith(b"HTTP/1.1 413")


def test_headers_beyond_all_measure_are_refused(served: GatewayProcess) -> None:
    with socket.create_connection(("127.0.0.1", served.port), timeout=TIMEOUT_S) as peer:
        peer.sendall(f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nX-Long: {'x' * 70_000}".encode())
        assert peer.recv(12) in (b"HTTP/1.1 400", b"HTTP/1.1 431")
    assert request(served.port).status == 200


def test_connections_rest_longer_than_clients_keep_theirs_but_not_those_of_strangers(served: GatewayProcess) -> None:
    """A client that sends a call just as its connection is closed sees it fail."""
    resting = HttpServer(cast(Any, None)).config.timeout_keep_alive
    assert resting > 90, "as long as the libraries of Go and Rust keep an unused connection"
    with contextlib.closing(HTTPConnection("127.0.0.1", served.port, timeout=TIMEOUT_S)) as peer:
        for status, headers, after in ((200, {}, None), (403, {"Origin": "http://evil.test"}, "close")):
            peer.request("GET", "/health", headers=headers)
            with peer.getresponse() as answer:
                assert (answer.status, answer.getheader("connection")) == (status, after)
                answer.read()


def test_half_a_request_does_not_hold_up_others(served: GatewayProcess) -> None:
    with socket.create_connection(("127.0.0.1", served.port), timeout=TIMEOUT_S) as peer:
        peer.sendall(f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nContent-Le".encode())
        assert request(served.port).status == 200


def test_a_client_that_has_said_all_it_has_to_say_is_answered(served: GatewayProcess) -> None:
    """It closes its own direction after the last request; of two that it sent together both are answered."""
    head = f"Host: 127.0.0.1:{served.port}\r\n" + "".join(f"{line}\r\n" for line in MCP)
    body = json.dumps(INITIALIZE)
    posted = f"POST /mcp HTTP/1.1\r\n{head}Content-Length: {len(body)}\r\n\r\n{body}".encode()
    with socket.create_connection(("127.0.0.1", served.port), timeout=TIMEOUT_S) as peer:
        peer.sendall(posted * 2)
        peer.shutdown(socket.SHUT_WR)
        with peer.makefile("rb") as answers:
            assert answers.read().count(b'"serverInfo"') == 2, "and then the connection is closed"


def test_a_session_ends_with_its_stream_also_behind_a_forwarder(served: GatewayProcess) -> None:
    """Which closes its own direction when its client leaves, and waits for ours."""
    with socket.create_connection(("127.0.0.1", served.port), timeout=4 * TIMEOUT_S) as forwarder:
        forwarder.sendall(f"GET /sse HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n\r\n".encode())
        with forwarder.makefile("rb") as stream:
            endpoint = next(line for line in stream if line.startswith(b"data:"))
            forwarder.shutdown(socket.SHUT_WR)
            assert b"event:" not in stream.read(), "it ended"
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert request(served.port, "POST", endpoint.decode().split()[1], *MCP, body=ping).status == 404


async def test_a_call_is_cancelled_when_its_client_leaves_though_it_had_said_all_before(served: GatewayProcess) -> None:
    shop = "https://shop.example"
    arguments: dict[str, Any] = {"name": "website_tool_shop_example_tab1_buy", "arguments": {}}
    params = {"name": "hub_call_tool", "arguments": arguments, "_meta": META}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    sent = json.dumps(body).encode()
    named = (f"MCP-Protocol-Version: {MODERN}", "Mcp-Method: tools/call", "Mcp-Name: hub_call_tool")
    lines = (*MCP, *named, f"Host: localhost:{served.port}", f"Content-Length: {len(sent)}", "", "")
    async with peer(served, tab(1, f"{shop}/")) as browser:
        browser.answer = lambda call: None
        await browser.register(1, shop, tool("buy"))
        _, writer = await asyncio.open_connection("127.0.0.1", served.port)
        writer.write("\r\n".join(("POST /mcp?toolsets=hub HTTP/1.1", *lines)).encode() + sent)
        writer.write_eof()
        await browser.until(lambda it: bool(it.calls))
        assert (await asyncio.to_thread(request, served.port)).status == 200
        ended = partial(served.told, "tool='hub_call_tool'", "outcome='cancelled'")
        assert not ended()
        writer.close()
        await asyncio.to_thread(until, ended)


async def test_our_own_mistake_is_told_without_details() -> None:
    def count() -> int:
        raise RuntimeError("a secret of the gateway")

    def never(asked: Mapping[str, str], modern: bool = False) -> Any:
        raise AssertionError("nobody asks")

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    parts = HttpParts(McpServer(cast(Any, None), never, never), SseSessions(), load({}), count, asyncio.Event())
    app = build_app(parts, port=3456, auth="off", token="")
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/health",
        "query_string": b"",
        "headers": [HOST],
        "root_path": "",
    }
    with pytest.raises(RuntimeError):
        await app(scope, receive, send)
    assert sent[0]["status"] == 500
    assert json.loads(sent[1]["body"]) == {"error": {"code": -32603, "message": "Internal error"}}


async def test_sessions_are_counted_and_end_with_their_clients(served: GatewayProcess) -> None:
    def count() -> int:
        return request(served.port).json["activeSessions"]

    before = count()
    async with connect(served, "http") as agent:
        await agent.names()
        assert await asyncio.to_thread(count) == before + 1
    await asyncio.to_thread(until, lambda: count() == before)
