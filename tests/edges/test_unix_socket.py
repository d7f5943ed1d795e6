"""MCP over the gateway's Unix socket, line by line: what clients get wrong is answered, and the session lives on."""

import json
import signal
import socket
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tabwright import __version__
from tabwright.edges.mcp.exchange import MAX_BATCH, MAX_UNANSWERED
from tabwright.edges.mcp.stream import MAX_LINE
from tests.attacks.wire import INITIALIZE, status
from tests.gateway import GatewayProcess, running, until

GREETING: dict[str, Any] = {"tabwright": 1, "version": __version__, "pid": 1, "cwd": "/", "options": {}, "gateway": {}}
META: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Lines:
    """One connection to the socket."""

    def __init__(self, gateway: GatewayProcess) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(5)
        self._socket.connect(str(gateway.home / "run" / "gateway.sock"))
        self._answers = self._socket.makefile("rb")

    def send(self, *messages: dict[str, Any] | list[dict[str, Any]] | bytes) -> None:
        for message in messages:
            data = message if isinstance(message, bytes) else json.dumps(message).encode()
            self._socket.sendall(data + b"\n")

    def hear(self) -> Any:
        """The next line, or None at the end."""
        line = self._answers.readline()
        return json.loads(line) if line else None

    def ask(self, message: dict[str, Any] | list[dict[str, Any]] | bytes) -> Any:
        self.send(message)
        return self.hear()

    def finish(self) -> None:
        self._socket.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self._answers.close()
        self._socket.close()


@contextmanager
def connected(gateway: GatewayProcess, version: str = "2025-11-25", **options: str) -> Generator[Lines]:
    """A legacy session that has shaken hands."""
    lines = Lines(gateway)
    try:
        assert lines.ask({**GREETING, "options": options}) == {"ok": True, "version": __version__}
        hello = {**INITIALIZE, "params": {**INITIALIZE["params"], "protocolVersion": version}}
        assert lines.ask(hello)["result"]["protocolVersion"] == version
        lines.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        yield lines
    finally:
        lines.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    with running(tmp_path_factory.mktemp("served") / "home", TABWRIGHT_CONNECT_WAIT_S="30") as made:
        yield made


def request(number: int | str, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


@pytest.mark.parametrize(
    ("line", "code", "told_id"),
    [
        (b"{not json", -32700, None),
        (b'"\xff\xfe"', -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}', -32600, None),
        (b"[]", -32600, None),
        (b"42", -32600, None),
        (b'{"jsonrpc":"1.0","id":5,"method":"ping"}', -32600, 5),
        (b'{"jsonrpc":"2.0","id":6}', -32600, 6),
        (b'{"jsonrpc":"2.0","id":[],"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":"seven","method":7}', -32600, "seven"),
        (b"[" * 100_000 + b"]" * 100_000, -32700, None),
    ],
)
def test_what_is_no_message_is_answered_and_the_session_lives(
    served: GatewayProcess, line: bytes, code: int, told_id: int | str | None
) -> None:
    with connected(served) as lines:
        lines.send(line, request(9, "ping"))
        answer = lines.hear()
        assert answer["id"] == told_id
        assert answer["error"]["code"] == code
        assert lines.hear() == {"jsonrpc": "2.0", "id": 9, "result": {}}


def test_a_line_that_is_too_long_is_skipped_whole(served: GatewayProcess) -> None:
    with connected(served) as lines:
        for size in (MAX_LINE + 1, MAX_LINE * 2):
            answer = lines.ask(b'{"jsonrpc":"2.0","id":1,"method":"ping","x":"' + b"y" * size + b'"}')
            assert answer["error"]["code"] == -32600
            assert str(MAX_LINE) in answer["error"]["message"]
        assert lines.ask(request(2, "ping"))["id"] == 2


def test_a_long_line_within_the_limit_is_read(served: GatewayProcess) -> None:
    with connected(served) as lines:
        told = lines.ask(request(1, "tools/call", name="nothing", arguments={"long": "z" * 3_000_000}))
        assert told["error"]["code"] == -32602


def test_blank_lines_and_crlf_are_no_messages(served: GatewayProcess) -> None:
    with connected(served) as lines:
        lines.send(b"", b"\r", b"   ", json.dumps(request(1, "ping")).encode() + b"\r")
        assert lines.hear()["id"] == 1


def test_a_batch_is_answered_as_one(served: GatewayProcess) -> None:
    with connected(served, "2025-03-26") as lines:
        notice = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 77}}
        answers = lines.ask([request(1, "ping"), notice, request("two", "tools/list"), request(3, "no/such")])
        assert {answer["id"] for answer in answers} == {1, "two", 3}
        assert next(answer for answer in answers if answer["id"] == 3)["error"]["code"] == -32601
        too_many = lines.ask([request(number, "ping") for number in range(MAX_BATCH + 1)])
        assert too_many["error"]["code"] == -32600
        assert lines.ask(request(4, "ping"))["id"] == 4


def test_an_invalid_part_of_a_batch_does_not_lose_the_others(served: GatewayProcess) -> None:
    with connected(served, "2025-03-26") as lines:
        answers = lines.ask([request(1, "ping"), {"jsonrpc": "2.0", "id": 2}])
        assert {answer["id"]: "error" in answer for answer in answers} == {1: False, 2: True}
        assert [answer["error"]["code"] for answer in lines.ask(b"[1]")] == [-32600]


def test_unknown_methods_and_tools_have_their_codes(served: GatewayProcess) -> None:
    with connected(served) as lines:
        assert lines.ask(request(1, "no/such/method"))["error"]["code"] == -32601
        unknown = lines.ask(request(2, "tools/call", name="no_such_tool", arguments={}))["error"]
        assert unknown["code"] == -32602
        assert "no_such_tool" in unknown["message"]
        assert lines.ask(request(3, "tools/call", arguments={}))["error"]["code"] == -32602
        lines.send({"jsonrpc": "2.0", "method": "notifications/nonsense"})
        assert lines.ask(request(4, "ping"))["id"] == 4


def test_the_same_id_twice_gets_an_answer_each(served: GatewayProcess) -> None:
    with connected(served) as lines:
        assert [lines.ask(request(1, "ping"))["id"] for _ in range(3)] == [1, 1, 1]


def test_a_cancelled_call_ends_and_the_next_is_answered(served: GatewayProcess) -> None:
    with connected(served) as lines:
        lines.send(request(1, "tools/call", name="connect_browser", arguments={}))
        until(lambda: any(session["client"] == "raw" for session in status(served)["sessions"]))
        lines.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
        answer = lines.ask(request(2, "ping"))
        assert answer == {"jsonrpc": "2.0", "id": 2, "result": {}}, "a cancelled call is not answered"
    until(lambda: served.told("tool='connect_browser'", "outcome='cancelled'"))


def test_a_client_with_all_its_requests_open_can_call_them_off(served: GatewayProcess) -> None:
    with connected(served) as lines:
        lines.send(*(request(number, "tools/call", name="connect_browser") for number in range(MAX_UNANSWERED)))
        lines.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}})
        assert lines.ask(request(1_000, "ping"))["id"] == 1_000


def test_a_cancelled_part_of_a_batch_does_not_hold_back_the_others(served: GatewayProcess) -> None:
    with connected(served, "2025-03-26") as lines:
        lines.send([request(1, "tools/call", name="connect_browser", arguments={}), request(2, "ping")])
        until(lambda: any(session["client"] == "raw" for session in status(served)["sessions"]))
        lines.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
        assert [answer["id"] for answer in lines.hear() or ()] == [2]
        assert lines.ask(request(3, "ping"))["id"] == 3


def test_a_modern_client_is_served_and_with_a_dynamic_list_falls_back(served: GatewayProcess) -> None:
    lines = Lines(served)
    assert lines.ask(GREETING)["ok"] is True
    assert lines.ask(request(1, "server/discover", _meta=META))["result"]["supportedVersions"][0] == "2026-07-28"
    names = [tool["name"] for tool in lines.ask(request(2, "tools/list", _meta=META))["result"]["tools"]]
    assert names[:2] == ["connect_browser", "list_tabs"]
    lines.close()

    lines = Lines(served)
    assert lines.ask({**GREETING, "options": {"list": "dynamic"}})["ok"] is True
    refused = lines.ask(request(1, "server/discover", _meta=META))["error"]
    assert refused["code"] in (-32601, -32602, -32600), "as an older server would"
    assert lines.ask({**INITIALIZE, "id": 2})["result"]["protocolVersion"] == "2025-11-25"
    assert len(lines.ask(request(3, "tools/list"))["result"]["tools"]) == 1
    lines.close()


def test_a_client_that_began_with_initialize_stays_in_its_era(served: GatewayProcess) -> None:
    with connected(served) as lines:
        refused = lines.ask(request(1, "tools/list", _meta=META))["error"]
        assert refused["code"] == -32600
        assert "initialize" in refused["message"]
        assert lines.ask(request(2, "tools/list"))["result"]["tools"]


def test_what_comes_before_the_first_request_is_heard_after_it_was_looked_at(served: GatewayProcess) -> None:
    lines = Lines(served)
    assert lines.ask(GREETING)["ok"] is True
    for _ in range(20):
        lines.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert lines.ask(INITIALIZE)["result"]["protocolVersion"] == "2025-11-25"
    assert lines.ask(request(2, "ping")) == {"jsonrpc": "2.0", "id": 2, "result": {}}
    lines.close()


def test_a_flood_of_lines_leaves_others_their_turn(served: GatewayProcess) -> None:
    notice = json.dumps({"jsonrpc": "2.0", "method": "notifications/nonsense"}).encode()
    with connected(served) as flooding, connected(served) as other:
        flooding.send(b"\n".join([notice] * 2_000), request(1, "ping"))
        assert other.ask(request(2, "ping"))["id"] == 2
        assert flooding.hear()["id"] == 1


def test_answers_under_way_come_out_after_the_end_of_input(served: GatewayProcess) -> None:
    with connected(served) as lines:
        lines.send(request(1, "tools/list"), request(2, "ping"))
        lines.finish()
        assert {lines.hear()["id"], lines.hear()["id"]} == {1, 2}
        assert lines.hear() is None


@pytest.mark.parametrize(
    "greeting",
    [
        b"GET / HTTP/1.1\r",
        b"[]",
        b"{}",
        b'{"tabwright":2,"version":"' + __version__.encode() + b'"}',
        b'{"tabwright":1,"version":7}',
        b'{"control":"no-such-request"}',
        b'{"control":7}',
    ],
)
def test_a_stranger_on_the_socket_is_told_so(served: GatewayProcess, greeting: bytes) -> None:
    lines = Lines(served)
    answer = lines.ask(greeting)
    assert answer["error"]
    assert "ok" not in answer
    lines.close()


def test_a_control_peer_that_writes_nonsense_is_a_departure_not_a_failure(served: GatewayProcess) -> None:
    lines = Lines(served)
    assert lines.ask({"tabwright": 1, "control": "status", "params": {}})["result"]["pid"] == served.pid
    assert "error" in lines.ask(b"nonsense")
    lines.close()
    assert "a local client failed" not in served.log()


def test_a_stopping_gateway_answers_what_is_under_way(tmp_path: Path) -> None:
    gateway = GatewayProcess(tmp_path / "home", TABWRIGHT_CONNECT_WAIT_S="30")
    with connected(gateway) as lines:
        lines.send(request(1, "tools/call", name="connect_browser"))
        assert lines.ask(request(2, "ping"))["id"] == 2
        assert gateway.process is not None
        gateway.process.send_signal(signal.SIGTERM)
        told = lines.hear()
        assert (told["id"], told["error"]["code"]) == (1, -32011)
        assert told["error"]["data"] == {"code": "outcome_unknown"}
        assert lines.hear() is None, "and nothing is answered twice"
    assert gateway.stop() == 0


def test_who_asks_it_to_stop_is_answered(tmp_path: Path) -> None:
    gateway = GatewayProcess(tmp_path / "home")
    lines = Lines(gateway)
    told = lines.ask({"tabwright": 1, "version": __version__, "control": "stop"})
    assert told == {"ok": True, "version": __version__, "result": {}}
    assert lines.hear() is None
    lines.close()
    assert gateway.stop() == 0


def test_a_client_that_goes_before_its_answers_is_no_failure(tmp_path: Path) -> None:
    with running(tmp_path / "home") as gateway:
        for _ in range(3):
            with connected(gateway) as lines:
                lines.send(*(request(number, "tools/call", name="list_tabs") for number in range(100)))
        until(lambda: not status(gateway)["sessions"])
    assert "ERROR" not in gateway.log()


def test_a_session_ends_with_its_connection(served: GatewayProcess) -> None:
    with connected(served) as lines:
        lines.ask(request(1, "tools/list"))
        until(lambda: len(status(served)["sessions"]) == 1)
    until(lambda: status(served)["sessions"] == [])
