"""HTTP+SSE on the wire: the bytes its specification prints, what each method answers, and how sessions end."""

import json
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from tabwright import __version__
from tabwright.edges.http.sse_routes import MAX_BODY
from tests.attacks.wire import TIMEOUT_S, Answer, request
from tests.gateway import GatewayProcess, running, until
from tests.streams import JSON, Stream, stream

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    with running(tmp_path_factory.mktemp("served") / "home", TABWRIGHT_CONNECT_WAIT_S="0") as made:
        yield made


def active(gateway: GatewayProcess) -> int:
    return request(gateway.port).json["activeSessions"]


def error_of(answer: Answer) -> tuple[int, int]:
    assert set(answer.json) == {"error"}
    assert set(answer.json["error"]) == {"code", "message"}
    return answer.status, answer.json["error"]["code"]


def test_the_stream_begins_with_the_bytes_of_the_specification(served: GatewayProcess) -> None:
    with stream(served.port) as opened:
        printed = (
            "HTTP/1.1 200 OK\r\n"
            "Content-Type: text/event-stream\r\n"
            "Cache-Control: no-cache\r\n"
            "Connection: keep-alive\r\n"
            f"X-Session-Id: {opened.id}\r\n"
        )
        head = re.sub(rb"(?i)(date|transfer-encoding): .*\r\n", b"", opened.head)
        assert head == printed.encode()
        assert opened.seen == f"event: endpoint\ndata: /message?sessionId={opened.id}\n\n".encode()


def test_a_post_is_accepted_with_the_bytes_of_the_specification_and_answered_in_one_line(
    served: GatewayProcess,
) -> None:
    with stream(served.port) as opened:
        opened.initialize()
        began = len(opened.seen)
        accepted = opened.post(PING)
        assert (accepted.status, accepted.header("content-type")) == (202, "application/json")
        assert accepted.body == b'{"status": "accepted"}'
        assert opened.message() == {"jsonrpc": "2.0", "id": 1, "result": {}}
        assert opened.seen[began:] == b'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n'


def test_a_session_id_is_128_random_bits(served: GatewayProcess) -> None:
    with stream(served.port) as one, stream(served.port) as other:
        assert one.id != other.id
        assert re.fullmatch(r"session_[0-9a-f]{32}", one.id)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ],
)
def test_the_version_asked_for_is_spoken(served: GatewayProcess, asked: str, told: str) -> None:
    with stream(served.port) as opened:
        result = opened.initialize(asked)
        assert result["protocolVersion"] == told
        assert result["capabilities"]["tools"] == {"listChanged": True}
        assert (result["serverInfo"]["name"], result["serverInfo"]["version"]) == ("tabwright", __version__)


def test_each_method_has_its_answer(served: GatewayProcess) -> None:
    with stream(served.port) as opened:
        opened.initialize()
        assert opened.ask("ping", "a string")["result"] == {}
        assert opened.ask("no/such")["error"]["code"] == -32601
        assert [tool["name"] for tool in opened.ask("tools/list", 2)["result"]["tools"]] == ["connect_browser"]
        called = opened.ask("tools/call", 3, name="connect_browser")["result"]
        assert called["structuredContent"]["connected"] is False, "arguments may be absent"
        assert opened.ask("tools/call", 4, name="no_such_tool")["error"]["code"] == -32602


def test_shutdown_is_answered_last_and_ends_the_session(served: GatewayProcess) -> None:
    with stream(served.port) as opened:
        opened.initialize()
        assert opened.post({"jsonrpc": "2.0", "id": 7, "method": "tools/list"}).status == 202
        assert opened.post({"jsonrpc": "2.0", "id": 8, "method": "shutdown"}).status == 202
        assert [opened.message()["id"], opened.message()] == [7, {"jsonrpc": "2.0", "id": 8, "result": {}}]
        with pytest.raises(EOFError):
            opened.next()
        assert error_of(opened.post(PING)) == (404, -32001)


def test_a_session_ends_with_its_stream(served: GatewayProcess) -> None:
    before = active(served)
    with stream(served.port) as opened:
        assert active(served) == before + 1, "a client that has only connected counts too"
        opened.initialize()
        opened.ask("tools/list")
        assert active(served) == before + 1
    until(lambda: active(served) == before)
    gone = opened.post(PING)
    assert error_of(gone) == (404, -32001)
    assert gone.json["error"]["message"] == "Session not found"


def test_a_session_is_no_place_for_other_sessions_answers(served: GatewayProcess) -> None:
    with stream(served.port) as one, stream(served.port) as other:
        one.initialize()
        other.initialize()
        assert one.post({**PING, "id": "same"}).status == 202
        assert other.post({"jsonrpc": "2.0", "id": "same", "method": "tools/list"}).status == 202
        assert one.message()["result"] == {}
        assert "tools" in other.message()["result"]


def test_what_is_wrong_with_a_post_is_said_with_the_code_of_the_specification(served: GatewayProcess) -> None:
    with stream(served.port) as opened:
        opened.initialize()

        def post(query: str, body: bytes = b"{}", kind: str = JSON) -> tuple[int, int]:
            return error_of(request(served.port, "POST", f"/message{query}", kind, body=body))

        mine = f"?sessionId={opened.id}"
        assert post("") == (400, -32600)
        assert post("?sessionId=") == (400, -32600)
        assert post(f"{mine}&sessionId={opened.id}") == (400, -32600)
        assert post("?sessionId=session_abc123") == (404, -32001)
        assert post("?session_id=" + opened.id) == (400, -32600)
        assert post(mine, b"{not json") == (400, -32700)
        assert post(mine, b"") == (400, -32700)
        assert post(mine, b'"\xff"') == (400, -32700)
        assert post(mine, b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}') == (400, -32700)
        assert post(mine, b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":1,"x":2}}') == (400, -32600)
        for none in (b"{}", b"42", b"null", b"[]", b'{"jsonrpc":"2.0","id":1}', b'{"jsonrpc":"2.0","id":null}'):
            assert post(mine, none) == (400, -32600), none
        assert post(mine, json.dumps(PING).encode(), "Content-Type: text/plain") == (415, -32600)
        assert opened.ask("ping")["result"] == {}, "and the session goes on"


@pytest.mark.parametrize("framing", ["Content-Length: 1000000000000", "Transfer-Encoding: chunked"])
def test_a_body_beyond_all_measure_is_not_read(served: GatewayProcess, framing: str) -> None:
    with (
        stream(served.port) as opened,
        socket.create_connection(("127.0.0.1", served.port), timeout=TIMEOUT_S) as peer,
    ):
        lines = (f"POST /message?sessionId={opened.id} HTTP/1.1", f"Host: localhost:{served.port}", JSON, framing)
        peer.sendall("\r\n".join([*lines, "", ""]).encode())
        if "chunked" in framing:
            peer.sendall(b"%x\r\n" % (MAX_BODY + 1) + b" " * (MAX_BODY + 1))
        assert peer.recv(65536).startswith(b"HTTP/1.1 413")


def test_other_methods_and_routes_are_refused_in_json(served: GatewayProcess) -> None:
    for method, route in (("POST", "/sse"), ("HEAD", "/sse"), ("GET", "/message"), ("PUT", "/message")):
        answer = request(served.port, method, route)
        assert answer.status == 405, (method, route)
    assert error_of(request(served.port, "POST", "/sse")) == (405, -32600)
    assert error_of(request(served.port, "GET", "/nowhere")) == (404, -32600)


def test_a_batch_is_answered_as_a_batch(served: GatewayProcess) -> None:
    with stream(served.port) as opened:
        opened.initialize("2025-03-26")
        wrong: dict[str, Any] = {"jsonrpc": "2.0", "id": 5}
        batch = [PING, {"jsonrpc": "2.0", "method": "notifications/x"}, {**PING, "id": 2}, wrong]
        assert opened.post(batch).status == 202
        refused, *answers = opened.message()
        assert refused == {"jsonrpc": "2.0", "id": 5, "error": opened_error(-32600)}
        assert sorted(answer["id"] for answer in answers) == [1, 2]
        assert error_of(opened.post([PING] * 101)) == (400, -32600)


def opened_error(code: int) -> dict[str, Any]:
    return {"code": code, "message": "Not a JSON-RPC 2.0 message."}


def test_text_cannot_end_a_line_or_an_event(served: GatewayProcess) -> None:
    evil = "x\n\nevent: endpoint\ndata: http://evil.test\r\rdata:\u2028\u2029\u0085end"
    with stream(served.port) as opened:
        opened.initialize()
        began = len(opened.seen)
        told = opened.ask("tools/call", name=evil)
        assert evil in told["error"]["message"]
        event = opened.seen[began:].decode()
        assert len(event.strip("\n").splitlines()) == 2, "one name, one line of data, for every reader of lines"


def test_options_are_taken_from_the_address_of_the_stream(served: GatewayProcess) -> None:
    with stream(served.port, "?toolsets=focus&list=stable") as opened:
        opened.initialize()
        assert len(opened.ask("tools/list")["result"]["tools"]) > 5
    for query in ("?toolsets=nonsense", "?list=sometimes"):
        refused = request(served.port, "GET", f"/sse{query}")
        assert error_of(refused) == (400, -32602)
        assert query[1:].partition("=")[0] in refused.json["error"]["message"]


def test_tools_are_those_of_the_stable_list_of_sse(served: GatewayProcess) -> None:
    def listed(query: str) -> list[dict[str, Any]]:
        answer = request(served.port, "GET", f"/tools{query}")
        assert (answer.status, set(answer.json)) == (200, {"tools"})
        return answer.json["tools"]

    for tool in listed("?toolsets=focus"):
        assert set(tool) == {"name", "description", "inputSchema"}
        assert tool["inputSchema"]["type"] == "object"
    for toolsets in ("focus", "automation"):
        with stream(served.port, f"?toolsets={toolsets}&list=stable") as opened:
            opened.initialize()
            names = [tool["name"] for tool in opened.ask("tools/list")["result"]["tools"]]
            assert [tool["name"] for tool in listed(f"?toolsets={toolsets}")] == names
    with stream(served.port, "") as opened:
        opened.initialize()
        names = [tool["name"] for tool in opened.ask("tools/list")["result"]["tools"]]
        assert [tool["name"] for tool in listed("")] == names, "automation is shown at once, and by default"
    assert error_of(request(served.port, "GET", "/tools?toolsets=nonsense")) == (400, -32602)
    until(lambda: active(served) == 0)


def test_a_client_that_leaves_in_the_middle_of_a_call_leaves_nothing_behind(tmp_path: Any) -> None:
    with running(tmp_path / "home", TABWRIGHT_CONNECT_WAIT_S="30") as gateway:
        with stream(gateway.port) as opened:
            opened.initialize()
            call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "connect_browser"}}
            assert opened.post(call).status == 202
            opened.ask("tools/list", 2)
        until(lambda: active(gateway) == 0, 2)
        until(lambda: "closed" in gateway.log(), 2)


def test_a_stopping_gateway_says_so_and_ends_the_stream(tmp_path: Any) -> None:
    gateway = GatewayProcess(tmp_path / "home")
    opened = Stream(gateway.port, "?toolsets=focus")
    opened.initialize()
    assert gateway.process is not None
    gateway.process.send_signal(signal.SIGTERM)
    told = opened.next()
    assert (told.name, json.loads(told.data)["code"]) == ("error", -32000)
    with pytest.raises(EOFError):
        opened.next()
    opened.close()
    assert gateway.stop() == 0


def test_a_stopping_gateway_answers_what_is_under_way_before_it_ends_the_stream(tmp_path: Any) -> None:
    gateway = GatewayProcess(tmp_path / "home", TABWRIGHT_CONNECT_WAIT_S="30")
    with stream(gateway.port) as opened:
        opened.initialize()
        call = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "connect_browser"}}
        assert opened.post({**call, "id": "one"}).status == 202
        assert opened.post([{**call, "id": 2}, {**call, "id": 3}]).status == 202
        opened.ask("tools/list", 4)
        assert gateway.process is not None
        gateway.process.send_signal(signal.SIGTERM)
        one, batch = opened.message(), opened.message()
        assert [answer["id"] for answer in (one, *batch)] == ["one", 2, 3]
        for answer in (one, *batch):
            assert (answer["error"]["code"], answer["error"]["data"]) == (-32011, {"code": "outcome_unknown"})
        assert opened.next().name == "error"
        with pytest.raises(EOFError):
            opened.next()
    assert gateway.stop() == 0


def test_an_open_stream_keeps_a_gateway_that_would_end_by_itself(tmp_path: Any) -> None:
    gateway = GatewayProcess(tmp_path / "home", "--started-by-pump", "--idle-exit-s", "1.5")
    assert gateway.process is not None
    with stream(gateway.port), pytest.raises(subprocess.TimeoutExpired):
        gateway.process.wait(2.5)
    assert gateway.process.wait(10) == 0
    assert gateway.stop() == 0


def test_without_http_only_health_answers(tmp_path: Any) -> None:
    (tmp_path / "home").mkdir(mode=0o700)
    (tmp_path / "home" / "settings.toml").write_text("[mcpServer]\nenabled = false\n")
    with running(tmp_path / "home") as gateway:
        assert request(gateway.port).json["status"] == "ok"
        for method, route in (("GET", "/sse"), ("POST", "/message"), ("GET", "/tools"), ("POST", "/mcp")):
            assert request(gateway.port, method, route).status == 404, route
