"""While a gateway starts: what is known is told, nothing is heard twice, and a list that changed is announced."""

import fcntl
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tabwright.edges.pump.early_answers import LIST_CHANGED, MOST, EarlyAnswers, Memory
from tests.attacks.wire import INITIALIZE
from tests.edges.test_pump import LIST, ask, gateway_of, pump, welcome

HELLO = {"protocolVersion": "2025-11-25"}
TOOLS = {"tools": [{"name": "connect_browser"}]}
OTHERS = {"tools": [{"name": "open_tab"}]}
CALL = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "list_tabs"}}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "tabwright" / "answers.json"


def line(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"


def result(request: dict[str, Any], told: Any) -> bytes:
    return line({"jsonrpc": "2.0", "id": request["id"], "result": told})


def memory(home: str = "/nowhere", **options: str) -> Memory:
    """With a setting whose answers only the gateway knows, so that they can come from the memory alone."""
    return Memory(home, {"toolsets": "focus", **{name.replace("_", "-"): value for name, value in options.items()}})


def learnt(hello: Any = HELLO, tools: Any = TOOLS) -> None:
    """A client of a gateway that had to be started, when nothing was known."""
    early = EarlyAnswers(memory())
    assert early.heard(line(INITIALIZE) + line(LIST), alone=True) == b""
    answers = result(INITIALIZE, hello) + result(LIST, tools)
    assert early.came(answers) == answers
    assert early.over


def test_what_was_answered_once_is_answered_at_once_and_not_twice() -> None:
    learnt()
    early = EarlyAnswers(memory("/another/home", port="5", log_level="debug"))
    assert early.heard(line(INITIALIZE), alone=True) == result(INITIALIZE, HELLO)
    assert early.heard(line({"jsonrpc": "2.0", "method": "notifications/initialized"}), alone=True) == b""
    assert early.heard(line(LIST), alone=True) == result(LIST, TOOLS)
    assert not early.owing
    assert early.came(result(INITIALIZE, HELLO)) == b""
    assert not early.over
    assert early.came(result(LIST, TOOLS) + b'{"jsonrpc": "2.0", "me') == b'{"jsonrpc": "2.0", "me'
    assert early.over


def test_a_list_that_is_another_by_now_is_announced_and_learnt() -> None:
    learnt()
    early = EarlyAnswers(memory())
    early.heard(line(INITIALIZE) + line(LIST), alone=True)
    assert early.came(result(INITIALIZE, HELLO) + result(LIST, OTHERS)) == LIST_CHANGED
    assert EarlyAnswers(memory()).heard(line(LIST), alone=True) == result(LIST, OTHERS)


@pytest.mark.parametrize("other", [{"toolsets": "hub"}, {"list": "stable"}])
def test_other_settings_have_other_answers(other: dict[str, str]) -> None:
    learnt()
    assert EarlyAnswers(memory(**other)).heard(line(LIST), alone=True) == b""


def test_settings_of_the_file_and_of_the_environment_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learnt()
    (tmp_path / "settings.toml").write_text('toolsets = "hub"')
    assert EarlyAnswers(memory(str(tmp_path))).heard(line(LIST), alone=True) == b""
    monkeypatch.setenv("TABWRIGHT_LIST", "stable")
    assert EarlyAnswers(memory()).heard(line(LIST), alone=True) == b""


def test_after_anything_else_only_the_gateway_knows() -> None:
    learnt()
    early = EarlyAnswers(memory())
    assert early.heard(line(CALL) + line(LIST), alone=True) == b""
    assert early.owing
    assert early.came(result(CALL, {}) + result(LIST, OTHERS)) == result(CALL, {}) + result(LIST, OTHERS)


@pytest.mark.parametrize("said", [b"[1, 2]\n", b"{\n", b'"tools/list"\n', b"[" * 100_000 + b"\n"])
def test_what_is_no_request_is_left_to_the_gateway(said: bytes) -> None:
    learnt()
    assert EarlyAnswers(memory()).heard(said + line(LIST), alone=True) == b""


def test_a_line_without_end_is_not_gathered() -> None:
    early = EarlyAnswers(memory())
    for _ in range(2_000):
        assert early.heard(b"x" * 65_536, alone=True) == b""
    assert early.owing, "the gateway will say what is wrong with it"
    assert early.came(b"{}\n") == b"{}\n"
    assert early.over


def test_beside_a_gateway_nothing_is_answered_in_its_place() -> None:
    learnt()
    early = EarlyAnswers(memory())
    assert early.heard(line(LIST), alone=False) == b""
    assert early.came(result(LIST, TOOLS)) == result(LIST, TOOLS)


def test_a_refusal_is_nothing_to_remember() -> None:
    early = EarlyAnswers(memory())
    early.heard(line(LIST), alone=True)
    refused = line({"jsonrpc": "2.0", "id": LIST["id"], "error": {"code": -32600, "message": "no"}})
    assert early.came(refused) == refused
    assert EarlyAnswers(memory()).heard(line(LIST), alone=True) == b""


def test_the_same_request_under_another_id_and_progress_token_is_the_same() -> None:
    learnt()
    again = {**LIST, "id": "x", "params": {"_meta": {"progressToken": 7}}}
    assert EarlyAnswers(memory()).heard(line(again), alone=True) == result(again, TOOLS)


@pytest.mark.parametrize(
    "spoilt", [b"", b"{", b"[]", b'{"version": "0.0.0", "answers": {}}', b'{"answers": 1}', b"[" * 99_999]
)
def test_a_spoilt_memory_is_none(cache: Path, spoilt: bytes) -> None:
    learnt()
    cache.write_bytes(spoilt)
    assert EarlyAnswers(memory()).heard(line(LIST), alone=True) == b""
    learnt()


def test_the_memory_is_bounded_and_the_users_own(cache: Path) -> None:
    many = memory()
    for number in range(MOST + 5):
        many.keep(str(number), number)
    many.save()
    assert len(memory().answers) == MOST
    assert cache.stat().st_mode & 0o077 == 0


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file away")
def test_the_memory_of_another_user_is_not_believed(cache: Path) -> None:
    learnt()
    os.chown(cache, 12345, 12345)
    assert EarlyAnswers(memory()).heard(line(LIST), alone=True) == b""


def test_a_memory_that_others_could_change_or_that_is_no_file_is_none(cache: Path) -> None:
    learnt()
    cache.chmod(0o620)
    assert memory().answers == {}
    cache.chmod(0o600)
    assert memory().answers
    cache.rename(cache.with_name("elsewhere"))
    cache.symlink_to(cache.with_name("elsewhere"))
    assert memory().answers == {}
    cache.unlink()
    os.mkfifo(cache)
    assert memory().answers == {}, "nor does a pipe hold a client up"


def test_a_client_has_its_list_before_the_gateway_is_there(tmp_path: Path) -> None:
    home = tmp_path / "home"
    variables = {"XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"], "TABWRIGHT_PORT": "0", "TABWRIGHT_EXTENSION_PORT": "0"}
    with pump(tmp_path / "first", TABWRIGHT_IDLE_EXIT_S="1", **variables) as process:
        first = [ask(process, INITIALIZE), ask(process, LIST)]
    # nothing can be started here, so nobody but the memory can have answered
    (home / "logs").mkdir(parents=True)
    with (home / "logs" / "start.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pump(home, TABWRIGHT_IDLE_EXIT_S="1", **variables) as process:
            assert [ask(process, INITIALIZE), ask(process, LIST)] == first
            heard: list[bytes] = []

            def talk(peer: Any, greeting: bytes) -> None:
                welcome(peer)
                with peer.makefile("rb", buffering=0) as lines:
                    heard.extend([lines.readline(), lines.readline()])
                    peer.sendall(result(INITIALIZE, first[0]["result"]) + result(LIST, OTHERS))
                    heard.append(lines.readline())
                    peer.sendall(result(CALL, {"content": []}))

            with gateway_of(home, talk):
                assert process.stdout is not None
                assert process.stdout.readline() == LIST_CHANGED
                assert ask(process, CALL)["result"] == {"content": []}
            assert [json.loads(each) for each in heard] == [INITIALIZE, LIST, CALL]
