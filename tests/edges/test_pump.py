"""The stdio pump as an MCP client runs it: a process, its pipes and its exit code."""

import fcntl
import json
import os
import pty
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tabwright import __version__
from tabwright.edges.pump.gateway_start import START_TIMEOUT_S
from tabwright.edges.pump.stdio_pump import PIPE_BYTES
from tests.attacks.wire import INITIALIZE, listening, status
from tests.gateway import TABWRIGHT, GatewayProcess, alive, running, until

LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
TWO_REQUESTS = "".join(f"{json.dumps(request)}\n" for request in (INITIALIZE, LIST))
FREE_PORTS = {"TABWRIGHT_PORT": "0", "TABWRIGHT_EXTENSION_PORT": "0"}
# what no fast start can afford
HEAVY = {
    "json",
    "asyncio",
    "pydantic",
    "mcp",
    "subprocess",
    "threading",
    "cyclopts",
    "logging",
    "dataclasses",
    "pathlib",
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    with running(tmp_path_factory.mktemp("served") / "home") as made:
        yield made


def environment(home: Path, **variables: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TABWRIGHT_", "CLAUDE_"))}
    return {**kept, "TABWRIGHT_HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), **variables}


@contextmanager
def pump(home: Path, *arguments: str, **variables: str) -> Generator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        [TABWRIGHT, *arguments],
        env=environment(home, **variables),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def piped(home: Path, text: str = TWO_REQUESTS, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """What `printf ... | tabwright` does."""
    return subprocess.run(
        [TABWRIGHT, *arguments],
        input=text,
        env=environment(home, **variables),
        capture_output=True,
        text=True,
        timeout=30,
    )


def ask(process: subprocess.Popen[bytes], request: dict[str, Any]) -> dict[str, Any]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(request).encode() + b"\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


@contextmanager
def gateway_of(home: Path, talk: Callable[[socket.socket, bytes], None]) -> Generator[None]:
    """Stands in for the gateway: hears the greeting, then does as the test says with the raw connection."""
    (home / "run").mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(home / "run" / "gateway.sock"))
        listener.listen()

        def serve() -> None:
            peer, _ = listener.accept()
            with peer, peer.makefile("rb", buffering=0) as lines:
                talk(peer, lines.readline())

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield
        thread.join(5)


def welcome(peer: socket.socket) -> None:
    peer.sendall(b'{"ok":true,"version":"' + __version__.encode() + b'"}\n')


def test_bytes_pass_unchanged_both_ways(tmp_path: Path) -> None:
    message = "\n".join(
        (
            '{"plain": "ASCII"}',
            '{"escaped": "\\u00e9\\ud83d\\ude00\\u2028", "raw": "é😀\u2028"}\r',
            "",
            "  \t not JSON at all \x00\x1b[31m",
            "x" * 3_000_000,
            "no end of line",
        )
    ).encode() + bytes(range(256))

    def echo(peer: socket.socket, _: bytes) -> None:
        welcome(peer)
        while data := peer.recv(65536):
            peer.sendall(data)

    with gateway_of(tmp_path, echo):
        told = subprocess.run([TABWRIGHT], input=message, env=environment(tmp_path), capture_output=True, timeout=10)
    assert told.stdout == message
    assert (told.returncode, told.stderr) == (0, b"")


@pytest.mark.skipif(not hasattr(fcntl, "F_GETPIPE_SZ"), reason="only Linux says how much a pipe holds")
@pytest.mark.parametrize(("size", "holds"), [(10_000, 65_536), (150_000, PIPE_BYTES)])
def test_the_clients_pipe_grows_with_the_first_large_answer(tmp_path: Path, size: int, holds: int) -> None:
    def tell(peer: socket.socket, _: bytes) -> None:
        welcome(peer)
        peer.sendall(b"x" * size)
        peer.recv(1)

    piped, env = subprocess.PIPE, environment(tmp_path)
    with gateway_of(tmp_path, tell), subprocess.Popen([TABWRIGHT], stdin=piped, stdout=piped, env=env) as pump:
        assert pump.stdin is not None
        assert pump.stdout is not None
        assert pump.stdout.read(size) == b"x" * size
        assert fcntl.fcntl(pump.stdout, fcntl.F_GETPIPE_SZ) == holds
        pump.stdin.close()


def test_the_first_line_is_the_pumps_and_carries_no_secret(tmp_path: Path) -> None:
    greetings: list[dict[str, Any]] = []

    def listen(peer: socket.socket, greeting: bytes) -> None:
        greetings.append(json.loads(greeting))
        welcome(peer)

    secret = "a-secret-of-thirty-characters!"
    with gateway_of(tmp_path, listen):
        piped(
            tmp_path,
            "",
            "stdio",
            "--list=stable",
            "--port",
            "0",
            TABWRIGHT_AUTH_TOKEN=secret,
            TABWRIGHT_TOOLSETS="focus",
        )
    told = greetings[0]
    assert (told["tabwright"], told["version"], told["cwd"]) == (1, __version__, os.getcwd())
    assert told["options"] == {"list": "stable", "toolsets": "focus"}
    assert told["gateway"]["port"] == "0"
    assert secret not in json.dumps(told)


def test_piped_requests_are_answered_before_it_leaves(served: GatewayProcess) -> None:
    told = piped(served.home)
    assert (told.returncode, told.stderr) == (0, "")
    answers = [json.loads(line) for line in told.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [1, 2]
    assert answers[0]["result"]["serverInfo"]["name"] == "tabwright"
    assert answers[1]["result"]["tools"][0]["name"] == "connect_browser"
    until(lambda: status(served)["sessions"] == [])


def test_end_of_input_ends_it_within_a_second_whatever_is_unanswered(tmp_path: Path) -> None:
    closing = threading.Event()

    def never_answer(peer: socket.socket, _: bytes) -> None:
        welcome(peer)
        closing.wait(5)

    with gateway_of(tmp_path, never_answer), pump(tmp_path) as process:
        assert process.stdin is not None
        process.stdin.write(TWO_REQUESTS.encode())
        process.stdin.close()
        began = time.monotonic()
        assert process.wait(5) == 0
        assert time.monotonic() - began < 4, "not with the connection, which holds for five"
        closing.set()


def test_a_killed_gateway_is_told_and_is_exit_4(served: GatewayProcess) -> None:
    with pump(served.home) as process:
        ask(process, INITIALIZE)
        served.kill()
        assert process.wait(2) == 4
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read() == b""
        said = process.stderr.read().decode()
        assert said.startswith("tabwright: the gateway ended")
        assert len(said.splitlines()) == 1
    served.start()


def test_a_gateway_that_stands_still_is_told(tmp_path: Path) -> None:
    waiting = (
        "import sys; from _socket import socket; from tabwright.edges.pump.stdio_pump import first_words_of as hear"
    )
    ours, theirs = socket.socketpair()
    with ours, theirs:
        command = [sys.executable, "-c", f"{waiting}; hear(socket(fileno={theirs.fileno()}), 0.05)"]
        ended = subprocess.run(command, pass_fds=(theirs.fileno(),), capture_output=True, text=True, timeout=30)
    assert (ended.returncode, ended.stdout) == (4, "")
    assert ended.stderr.startswith("tabwright: the gateway does not answer; run `tabwright stop`")


def test_a_client_that_stops_reading_is_gone(served: GatewayProcess) -> None:
    with pump(served.home) as process:
        ask(process, INITIALIZE)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.close()
        process.stdin.write(json.dumps(LIST).encode() + b"\n")
        process.stdin.flush()
        assert process.wait(2) == 0
    until(lambda: status(served)["sessions"] == [])


def test_it_is_small_opens_no_listener_and_writes_nothing_but_answers(served: GatewayProcess) -> None:
    with pump(served.home) as process:
        assert ask(process, INITIALIZE)["id"] == 1
        assert listening(process.pid) == []
        status = Path(f"/proc/{process.pid}/status").read_text()
        resident = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
        assert resident <= 15 * 1024, f"{resident} KB"


def imports_of_the_fast_path(served: GatewayProcess) -> set[str]:
    told = subprocess.run(
        [sys.executable, "-X", "importtime", TABWRIGHT],
        input=TWO_REQUESTS,
        env=served.env,
        capture_output=True,
        text=True,
        timeout=10,
    )
    assert len(told.stdout.splitlines()) == 2
    return {line.rpartition("|")[2].strip() for line in told.stderr.splitlines() if line.startswith("import time")}


def test_the_fast_path_imports_only_what_pumping_needs(served: GatewayProcess) -> None:
    imported = imports_of_the_fast_path(served)
    assert imported & HEAVY == set()
    ours = {name for name in imported if name.startswith("tabwright")}
    assert ours == {
        "tabwright",
        "tabwright.__main__",
        "tabwright.home",
        "tabwright.edges",
        "tabwright.edges.pump",
        "tabwright.edges.pump.local_socket",
        "tabwright.edges.pump.stdio_pump",
    }


def test_nor_does_it_pay_for_annotations(served: GatewayProcess) -> None:
    assert imports_of_the_fast_path(served) & {"typing", "re"} == set()


def gateways_of(home: Path) -> list[int]:
    """Every process that serves this home."""
    found: list[int] = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            serves = b"\0serve\0" in (process / "cmdline").read_bytes()
            if serves and f"TABWRIGHT_HOME={home}".encode() in (process / "environ").read_bytes().split(b"\0"):
                found.append(int(process.name))
        except OSError:
            continue
    return [pid for pid in found if alive(pid)]


def test_pumps_at_once_start_one_gateway_which_leaves_when_idle(tmp_path: Path) -> None:
    variables = {**FREE_PORTS, "TABWRIGHT_IDLE_EXIT_S": "1.0"}
    pumps = [
        subprocess.Popen(
            [TABWRIGHT],
            env=environment(tmp_path, **variables),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(5)
    ]
    try:
        assert [ask(process, INITIALIZE)["id"] for process in pumps] == [1] * 5
        assert [ask(process, LIST)["id"] for process in pumps] == [2] * 5
        [serving] = until(lambda: len(found := gateways_of(tmp_path)) == 1 and found)
        told = tmp_path / "run" / "gateway.json"
        until(lambda: told.exists() and json.loads(told.read_text())["pid"] == serving)
    finally:
        ended = [process.communicate(timeout=5) for process in pumps]
    assert [process.returncode for process in pumps] == [0] * 5
    assert ended == [(b"", b"")] * 5, "nothing after the answers"
    until(lambda: gateways_of(tmp_path) == [], 4)
    assert not (tmp_path / "run" / "gateway.json").exists()
    assert not (tmp_path / "run" / "gateway.sock").exists()


def test_a_connected_client_keeps_the_gateway_however_quiet_it_is(tmp_path: Path) -> None:
    with pump(tmp_path, **FREE_PORTS, TABWRIGHT_IDLE_EXIT_S="0.3") as process:
        ask(process, INITIALIZE)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1)


def test_a_gateway_that_cannot_start_is_told_at_once(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as squatter:
        port = squatter.getsockname()[1]
        began = time.monotonic()
        told = piped(tmp_path, **{**FREE_PORTS, "TABWRIGHT_PORT": str(port)})
        assert time.monotonic() - began < START_TIMEOUT_S - 5, "it is not waited for"
    assert (told.returncode, told.stdout) == (1, "")
    assert told.stderr.startswith(f"tabwright: Port {port} is taken by")
    assert len(told.stderr.splitlines()) == 1


def test_gateway_settings_that_differ_are_told_and_the_session_goes_on(served: GatewayProcess) -> None:
    told = piped(served.home, TWO_REQUESTS, "stdio", "--port", "4711")
    assert told.returncode == 0
    assert len(told.stdout.splitlines()) == 2
    assert len(told.stderr.splitlines()) == 1
    assert "port=4711" in told.stderr
    assert "tabwright stop" in told.stderr


def test_the_same_setting_in_another_spelling_is_no_difference(tmp_path: Path) -> None:
    same = {"TABWRIGHT_HEADLESS": "1", "TABWRIGHT_LINK_GRACE_S": "5", "TABWRIGHT_IDLE_EXIT_S": "1"}
    assert piped(tmp_path, **FREE_PORTS, **same).stderr == ""


def test_a_gateway_of_another_major_version_is_refused(served: GatewayProcess, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as peer:
        peer.connect(str(served.home / "run" / "gateway.sock"))
        peer.sendall(b'{"tabwright":1,"version":"99.0.0","pid":1,"cwd":"/","options":{},"gateway":{}}\n')
        with peer.makefile("rb") as lines:
            refusal = lines.readline()
            assert lines.readline() == b"", "and the connection is closed"
    assert "tabwright stop" in json.loads(refusal)["next"]

    with gateway_of(tmp_path / "other", lambda peer, _: peer.sendall(refusal)):
        told = piped(tmp_path / "other")
    assert (told.returncode, told.stdout) == (1, "")
    assert "99.0.0" in told.stderr
    assert "tabwright stop" in told.stderr


@pytest.mark.parametrize("command", [("stdio",), ()], ids=["stdio", "alone"])
@pytest.mark.parametrize("option", [("--list", "stable"), ("--list=stable",)], ids=["two words", "one"])
def test_options_of_a_server_need_no_command(
    served: GatewayProcess, command: tuple[str, ...], option: tuple[str, ...]
) -> None:
    told = piped(served.home, TWO_REQUESTS, *command, *option)
    listed = next(answer for line in told.stdout.splitlines() if (answer := json.loads(line)).get("id") == 2)
    assert len(listed["result"]["tools"]) > 20


def test_a_session_option_that_does_not_exist_is_told(served: GatewayProcess) -> None:
    told = piped(served.home, TWO_REQUESTS, "stdio", "--toolsets", "nonsense")
    assert (told.returncode, told.stdout) == (2, "")
    assert "toolsets" in told.stderr
    assert len(told.stderr.splitlines()) == 1
    unknown = piped(served.home, TWO_REQUESTS, "stdio", "--nonsense")
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert len(unknown.stderr.splitlines()) == 1


def test_on_a_terminal_it_explains_itself(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    try:
        told = subprocess.run(
            [TABWRIGHT], stdin=theirs, capture_output=True, text=True, env=environment(tmp_path), timeout=30
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert told.returncode == 0
    assert "serve" in told.stdout
    assert "Usage" in told.stdout
    assert list(tmp_path.iterdir()) == [], "and starts nothing"
