"""T05, T07, T13, T23 on HTTP+SSE: no stream for strangers, no word in another's session, no session for a page."""

import json
from collections.abc import Iterator

import pytest

from tests.attacks.conftest import keep_reading
from tests.attacks.wire import as_nobody, as_root, request, status
from tests.gateway import GatewayProcess, running, until
from tests.streams import JSON, Stream, stream

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
TALK = """
port, sent = sys.argv[1], bytes.fromhex(sys.argv[2])
made = peer(port); made.sendall(sent)
print(made.recv(65536).decode("latin-1"))
"""


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    with running(tmp_path_factory.mktemp("locked") / "home", "--auth", "token", "--log-level", "debug") as made:
        keep_reading(made)
        yield made


def token_of(gateway: GatewayProcess) -> str:
    return (gateway.home / "token").read_text().strip()


def as_another_user(gateway: GatewayProcess, method: str, target: str, *headers: str, body: str = "") -> str:
    lines = (
        f"{method} {target} HTTP/1.1",
        f"Host: localhost:{gateway.port}",
        JSON,
        *headers,
        f"Content-Length: {len(body)}",
    )
    return as_nobody(TALK, str(gateway.port), ("\r\n".join([*lines, "", ""]) + body).encode().hex())


def test_without_the_token_there_is_no_stream_no_message_and_no_list(locked: GatewayProcess) -> None:
    token = token_of(locked)
    for wrong in ((), ("Authorization: Bearer wrong",), (f"Authorization: Basic {token}",)):
        for method, target in (("GET", "/sse"), ("POST", "/message?sessionId=x"), ("GET", "/tools")):
            answer = request(locked.port, method, target, *wrong)
            assert (answer.status, answer.json["error"]["code"]) == (401, -32000)
            assert answer.header("www-authenticate") == "Bearer"
            assert answer.header("x-session-id") is None
    assert request(locked.port, "GET", f"/sse?token={token}").status == 401
    assert request(locked.port, "GET", f"/sse?authToken={token}").status == 401


def test_with_the_token_there_is_a_session_that_needs_it_for_every_message(locked: GatewayProcess) -> None:
    with stream(locked.port, "?toolsets=focus", f"Authorization: Bearer {token_of(locked)}") as opened:
        opened.initialize()
        target = f"/message?sessionId={opened.id}"
        assert request(locked.port, "POST", target, JSON, body=PING).status == 401, "the id alone is no key"
        assert opened.ask("ping")["result"] == {}
    assert opened.id not in locked.log(), "whoever reads the log cannot speak in its name"


@as_root
def test_another_user_of_the_machine_gets_no_stream(target: GatewayProcess) -> None:
    assert as_another_user(target, "GET", "/sse").startswith("HTTP/1.1 401")
    assert as_another_user(target, "GET", "/tools").startswith("HTTP/1.1 401")


@as_root
def test_another_user_cannot_speak_in_our_session_even_with_the_token(target: GatewayProcess) -> None:
    with stream(target.port) as opened:
        opened.initialize()
        bearer = f"Authorization: Bearer {token_of(target)}"
        message, body = f"/message?sessionId={opened.id}", json.dumps({**PING, "id": "intruder"})
        assert as_another_user(target, "POST", message, body=body).startswith("HTTP/1.1 401")
        told = as_another_user(target, "POST", message, bearer, body=body)
        assert told.startswith("HTTP/1.1 404"), "as if there were no such session"
        assert opened.ask("ping", "mine") == {"jsonrpc": "2.0", "id": "mine", "result": {}}
        assert b"intruder" not in opened.seen


def test_off_means_everyone_but_browsers(tmp_path_factory: pytest.TempPathFactory) -> None:
    with running(tmp_path_factory.mktemp("off") / "home", "--auth", "off") as gateway:
        keep_reading(gateway)
        with stream(gateway.port) as opened:
            opened.initialize()
            for betrayal in ("Origin: http://evil.test", "Origin: null", "Sec-Fetch-Site: cross-site"):
                assert request(gateway.port, "GET", "/sse", betrayal).status == 403
                assert opened.post(PING, betrayal).status == 403
            assert opened.ask("ping")["result"] == {}


def test_what_a_page_can_post_without_asking_is_refused(target: GatewayProcess) -> None:
    """Were a browser ever to send no Origin."""
    with stream(target.port) as opened:
        body = json.dumps(PING).encode()
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
            answer = request(target.port, "POST", f"/message?sessionId={opened.id}", f"Content-Type: {kind}", body=body)
            assert answer.status == 415, kind
        bare = request(target.port, "POST", f"/message?sessionId={opened.id}", body=body)
        assert bare.status == 415


def test_guessing_ids_finds_nothing(target: GatewayProcess) -> None:
    with stream(target.port) as opened:
        guesses = (opened.id[:-1], opened.id + "0", opened.id.upper(), opened.id.removeprefix("session_"), "../" * 9)
        for guess in (*guesses, "session_" + "0" * 32, "%00", "x" * 9000):
            assert request(target.port, "POST", f"/message?sessionId={guess}", JSON, body=PING).status == 404


def test_streams_opened_and_dropped_in_a_storm_leave_nothing(target: GatewayProcess) -> None:
    for _ in range(150):
        until(lambda: (opened := Stream(target.port)).close() or opened.status == 200)
    until(lambda: request(target.port).json["activeSessions"] == 0)
    assert status(target)["sessions"] == []
