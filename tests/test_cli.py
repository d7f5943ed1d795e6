"""The command line as a person or a script meets it: outputs, one-line errors, exit codes."""

import json
import os
import shlex
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tabwright import __version__
from tabwright.edges.chrome.extension_files import extension_id
from tabwright.edges.runtime import Home
from tabwright.settings import Settings
from tests.attacks.command import refused
from tests.attacks.test_pairing import guess
from tests.gateway import TABWRIGHT, GatewayProcess, alive, running, until

COMMANDS = (
    "serve", "stdio", "status", "stop", "pair", "shortcuts", "doctor", "config", "proxy", "token", "version",
)  # fmt: skip
SECRET = "only-for-this-test-0123456789"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    with running(tmp_path_factory.mktemp("served") / "home") as made:
        yield made


def run(home: Path, *arguments: str, seconds: float = 10, **variables: str) -> subprocess.CompletedProcess[str]:
    """A command without a terminal, in a home of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TABWRIGHT_", "CLAUDE_"))}
    return subprocess.run(
        [TABWRIGHT, *arguments],
        env={**kept, "TABWRIGHT_HOME": str(home), "TERM": "xterm-256color", **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
    )


def test_version_is_one_word(tmp_path: Path) -> None:
    for spelled in ("version", "--version"):
        told = run(tmp_path, spelled)
        assert (told.returncode, told.stdout.strip(), told.stderr) == (0, __version__, "")


def test_help_names_every_command_and_needs_no_home(tmp_path: Path) -> None:
    told = run(tmp_path / "none", "--help")
    assert (told.returncode, told.stderr) == (0, "")
    assert all(command in told.stdout for command in COMMANDS)
    assert "\x1b" not in told.stdout
    assert "--extension-port" in run(tmp_path / "none", "serve", "--help").stdout
    assert "--toolsets" in run(tmp_path / "none", "stdio", "--help").stdout
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("nonsense",),
        ("--nonsense",),
        ("serve", "stray"),
        ("serve", "--port", "many"),
        ("serve", "--port", "70000"),
        ("serve", "--auth", "perhaps"),
        ("serve", "--auth-token", SECRET),
        ("status", "--nonsense"),
    ],
)
def test_a_usage_error_is_one_line_and_exit_2(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    assert refused(tmp_path, *arguments).code == 2


def test_a_usage_error_names_the_help_of_its_command(tmp_path: Path) -> None:
    told = refused(tmp_path, "proxy", "init", "ws://127.0.0.1:1")
    assert (
        told.line
        == "tabwright: `tabwright proxy init` does not take ws://127.0.0.1:1. See `tabwright proxy init --help`."
    )
    assert "See `tabwright status --help`." in refused(tmp_path, "status", "--nonsense").line


def test_help_begins_with_what_a_newcomer_needs_and_tells_choices_and_defaults(tmp_path: Path) -> None:
    told = run(tmp_path, "--help").stdout
    assert told.index("│ install ") < told.index("│ dashboard ") < told.index("│ serve ") < told.index("│ proxy ")
    serve = " ".join(run(tmp_path, "serve", "--help").stdout.replace("│", " ").split())
    assert "[choices: auto, dynamic, stable] [default: auto]" in serve
    assert "--port INT HTTP port (/mcp, /sse); 0 takes any free port. [default: 3456]" in serve
    assert "[default: False]" not in run(tmp_path, "install", "--help").stdout


def test_a_wrong_word_names_one_like_it_and_no_help_that_fails_too(tmp_path: Path) -> None:
    assert refused(tmp_path, "srve").line == (
        'tabwright: Unknown command "srve". Did you mean "serve"? See `tabwright --help`.'
    )
    (tmp_path / "settings.toml").write_text("prot = 1\n")
    assert refused(tmp_path, "config").line == (
        "tabwright: There is no setting prot in settings.toml. Did you mean port? See `tabwright serve --help`."
    )
    assert run(tmp_path, "serve", "--help").returncode == 0


def test_the_record_has_no_negative_end(tmp_path: Path) -> None:
    assert refused(tmp_path, "audit", "--limit", "-3").code == 2


def test_the_steps_of_a_shortcut_may_come_on_standard_input(tmp_path: Path) -> None:
    told = run(tmp_path, "shortcuts", "add", "nothing", "--steps", "-")
    assert told.stderr.startswith("tabwright: - cannot be read: it is not JSON (Expecting value: line 1 column 1")


def test_so_it_is_for_a_process(tmp_path: Path) -> None:
    for arguments in (("stdio", "stray"), ("stdio", "--nonsense"), ("nonsense",)):
        told = run(tmp_path, *arguments)
        assert (told.returncode, told.stdout, len(told.stderr.splitlines())) == (2, "", 1)


@pytest.mark.parametrize("text", ["port = 'high'\n", "nonsense = 1\n", "port = \n"])
def test_so_is_a_wrong_settings_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "settings.toml").write_text(text)
    assert refused(tmp_path, "config").code == 2


def test_a_home_that_cannot_be_is_one_line_too(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for command in ("serve", "config"):
        assert refused(tmp_path / "file", command).code == 1
    told = run(tmp_path / "file" / "home", "stdio")
    assert (told.returncode, len(told.stderr.splitlines())) == (1, 1)
    assert "Set TABWRIGHT_HOME" in told.stderr


def test_output_that_finds_no_room_is_told_and_is_a_failure(tmp_path: Path) -> None:
    for command in ("config", "config --json", "--help"):
        told = subprocess.run(
            f"{TABWRIGHT} {command} >/dev/full", shell=True, env={**os.environ, "TABWRIGHT_HOME": str(tmp_path)},
            capture_output=True, text=True, timeout=10,
        )  # fmt: skip
        assert (told.returncode, told.stderr) == (1, "tabwright: No space left on device.\n")


def test_a_terminal_without_a_sign_shows_another(tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_text('[[site]]\nmatch = "*"\nact = "ask"\nclient = "日本"\n', encoding="utf-8")
    told = run(tmp_path, "policy", "show", PYTHONIOENCODING="latin-1")
    assert (told.returncode, told.stderr) == (0, "")
    assert "for ??: act ask" in told.stdout


def test_paths_are_shown_as_they_are(tmp_path: Path) -> None:
    assert str(tmp_path / "a [b] c") in run(tmp_path / "a [b] c", "config").stdout


def test_without_a_gateway_there_is_nothing_to_show_or_stop(tmp_path: Path) -> None:
    for command in ("status", "stop"):
        told = refused(tmp_path, command)
        assert (told.code, told.line) == (
            1,
            "tabwright: No gateway is running. The next MCP client starts one, or `tabwright serve` does.",
        )


def test_status_shows_where_the_gateway_is(served: GatewayProcess) -> None:
    told = served.run("status")
    assert (told.returncode, told.stderr) == (0, "")
    for fact in (__version__, f"pid {served.pid}", served.url, f"ws://127.0.0.1:{served.extension_port}"):
        assert fact in told.stdout
    assert "\x1b" not in told.stdout
    for_programs = served.status()
    published = json.loads((served.home / "run" / "gateway.json").read_text())
    assert {**for_programs, **published} == for_programs
    assert {"browsers", "sessions"} <= set(for_programs)


def test_what_is_to_be_typed_can_be_pasted_as_it_is(tmp_path: Path) -> None:
    with running(tmp_path / "my home") as served:
        assert served.process is not None
        assert served.process.stderr is not None
        told = next(line for line in served.process.stderr if "mcp add" in line)
        assert shlex.split(told)[4:6] == ["-e", f"TABWRIGHT_HOME={served.home}"]
    program = tmp_path / "my tools" / "tabwright"
    program.parent.mkdir()
    program.symlink_to(TABWRIGHT)
    env = {"HOME": str(tmp_path), "TABWRIGHT_HOME": str(tmp_path / "none"), "PATH": "/usr/bin:/bin"}
    told = subprocess.run([program, "install", "--yes"], env=env, capture_output=True, text=True, timeout=30).stdout
    assert told.count(f"'{program}'") == 2


def test_config_shows_every_setting_and_no_secret(served: GatewayProcess) -> None:
    shown = served.run("config", TABWRIGHT_AUTH_TOKEN=SECRET, COLUMNS="200")
    assert shown.returncode == 0
    assert all(name in shown.stdout for name in Settings.model_fields)
    assert "TABWRIGHT_EXTENSION_PORT" in shown.stdout
    assert "\x1b" not in shown.stdout
    for_programs = served.run("config", "--json", TABWRIGHT_AUTH_TOKEN=SECRET, TABWRIGHT_PORT="4711")
    values = json.loads(for_programs.stdout)
    assert (set(values), values["port"], values["auth"]) == (set(Settings.model_fields), 4711, "token")
    token = served.run("config", "--token").stdout.strip()
    assert token == (served.home / "token").read_text().strip()
    for output in (shown.stdout, for_programs.stdout):
        assert SECRET not in output
        assert token not in output


def test_our_variables_win_over_old_ones_and_those_over_the_file(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("port = 1111\nextension-port = 2222\nlog_level = 'error'\n")
    told = run(tmp_path, "config", "--json", CLAUDE_BROWSER_MCP_PORT="3333")
    assert json.loads(told.stdout)["port"] == 3333
    told = run(tmp_path, "config", "--json", CLAUDE_BROWSER_MCP_PORT="3333", TABWRIGHT_PORT="4444")
    both = json.loads(told.stdout)
    assert (both["port"], both["extension_port"], both["log_level"]) == (4444, 2222, "error")


def test_doctor_goes_through_everything(served: GatewayProcess, tmp_path: Path) -> None:
    told = served.run("doctor", HOME=str(tmp_path))
    assert (told.returncode, told.stderr) == (0, "")
    lines = told.stdout.splitlines()
    assert lines[0].startswith(f"ok   tabwright {__version__}")
    assert any(extension_id() in line for line in lines)
    assert any(f"pid {served.pid}" in line for line in lines)
    assert "\x1b" not in told.stdout
    assert all(line.startswith(("ok   ", "note ", "FIX  ", "      ")) for line in lines), (
        "a finding is a line, however long"
    )


def test_doctor_counts_what_is_to_fix(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    told = run(
        tmp_path,
        "doctor",
        HOME=str(tmp_path),
        TABWRIGHT_BROWSER="/no/such/browser",
        TABWRIGHT_PORT="0",
        TABWRIGHT_EXTENSION_PORT="0",
    )
    assert told.returncode == 1
    assert "FIX  " in told.stdout
    assert told.stderr == "tabwright: 1 thing to fix.\n"


def test_pair_waits_for_the_browser_and_shows_the_same_digits(served: GatewayProcess) -> None:
    with subprocess.Popen(
        [TABWRIGHT, "pair", "--print-only"],
        env={**served.env, "PYTHONUNBUFFERED": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        page = next(line for line in process.stdout if extension_id() in line).strip()
        address, _, key = page.partition("#")
        assert address == f"chrome-extension://{extension_id()}/ui/pair.html"
        assert key.encode() not in Path(f"/proc/{process.pid}/cmdline").read_bytes()
        handshake, _ = guess(served, bytes.fromhex(key))
        rest = process.stdout.read()
        assert process.wait(5) == 0
    digits = handshake.digits()
    assert f"{digits[:3]} {digits[3:]}" in rest
    assert served.status()["paired"] is True


def test_pair_refuses_what_is_no_extension_id(served: GatewayProcess) -> None:
    told = refused(served.home, "pair", "--extension-id", "Not-An-Id")
    assert (told.code, "32 letters" in told.line) == (1, True)


def test_stop_ends_the_gateway(gateway: GatewayProcess) -> None:
    assert gateway.process is not None
    # as a shell or a service manager would: whoever started it takes note of its end
    threading.Thread(target=gateway.process.wait, daemon=True).start()
    told = gateway.run("stop")
    assert (told.returncode, told.stdout.strip(), told.stderr) == (0, "stopped", "")
    assert not alive(gateway.pid)
    assert refused(gateway.home, "stop").code == 1


def test_stop_does_not_wait_for_a_parent_that_never_looks(gateway: GatewayProcess) -> None:
    """In a container the first process may not reap: a gateway that has ended stays as a zombie."""
    told = gateway.run("stop", seconds=3)
    assert (told.returncode, told.stdout.strip()) == (0, "stopped")
    until(lambda: not alive(gateway.pid))


def test_a_gateway_that_ends_before_it_has_answered_is_stopped(tmp_path: Path) -> None:
    """Killed meanwhile, or told to stop by somebody else: the socket breaks, and nothing is left of it."""
    home = Home(tmp_path / "home")
    home.prepare()
    home.lock_file.touch()
    with subprocess.Popen(["sleep", "60"]) as gateway, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(home.socket))
        listener.listen()

        def serve() -> None:
            with listener.accept()[0] as asked, asked.makefile("rb") as lines:
                assert b'"status"' in lines.readline()
                asked.sendall(json.dumps({"ok": True, "result": {"pid": gateway.pid}}).encode() + b"\n")
            with listener.accept()[0] as asked, asked.makefile("rb") as lines:
                assert b'"stop"' in lines.readline()
                gateway.kill()
                gateway.wait()

        serving = threading.Thread(target=serve)
        serving.start()
        told = run(home.path, "stop")
        serving.join()
    assert (told.returncode, told.stdout.strip(), told.stderr) == (0, "stopped", "")
