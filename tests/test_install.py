"""`tabwright install` and `uninstall`, as a person runs them, in a home of their own."""

import base64
import json
import os
import pty
import re
import shlex
import stat
import subprocess
import tomllib
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from tabwright import __version__
from tabwright.edges.chrome.extension_files import extension_id
from tests.gateway import TABWRIGHT

CLAUDE = """#!/bin/sh
# keeps what it is told, as the real one does
case "$2" in
add) printf '{"mcpServers": {"%s": {"type": "stdio", "command": "%s", "args": [], "env": {}}}}' "$5" "$7" ;;
remove) printf '{"mcpServers": {}}' ;;
esac >"$HOME/.claude.json"
"""


def tabwright(
    home: Path, *arguments: str, stdin: int = subprocess.DEVNULL, **env: str
) -> subprocess.CompletedProcess[str]:
    keep = {name: value for name, value in os.environ.items() if not name.startswith(("TABWRIGHT_", "XDG_"))}
    return subprocess.run(
        [TABWRIGHT, *arguments],
        env={**keep, "HOME": str(home), "PATH": f"{home}/bin:/usr/bin:/bin", **env},
        capture_output=True,
        text=True,
        timeout=30,
        stdin=stdin,
    )


def at_terminal(home: Path, *arguments: str, keys: bytes = b"") -> str:
    """What is said to somebody who sits there and presses these keys."""
    terminal, ours = pty.openpty()
    os.write(terminal, keys)
    try:
        done = tabwright(home, *arguments, stdin=ours, DISPLAY=":9")
    finally:
        os.close(terminal)
        os.close(ours)
    assert done.returncode == 0, done.stderr
    return done.stdout


def put(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_only_clients_that_are_here_are_told(tmp_path: Path) -> None:
    (tmp_path / ".cursor").mkdir()
    done = tabwright(tmp_path, "install", "--yes")
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / ".cursor/mcp.json").read_text()) == {
        "mcpServers": {"tabwright": {"command": TABWRIGHT, "args": []}}
    }
    assert not (tmp_path / ".gemini").exists()


def test_what_a_client_was_told_starts_a_server(tmp_path: Path) -> None:
    (tmp_path / ".cursor").mkdir()
    tabwright(tmp_path, "install", "--yes")
    entry = json.loads((tmp_path / ".cursor/mcp.json").read_text())["mcpServers"]["tabwright"]
    done = subprocess.run([entry["command"], *entry["args"], "version"], capture_output=True, text=True, timeout=30)
    assert done.returncode == 0
    assert done.stdout.strip()


@pytest.mark.parametrize(
    ("file", "before", "entry"),
    [
        (".cursor/mcp.json", '{\n    "mcpServers": {"other": {"command": "x"}},\n    "more": "ü"\n}\n', "mcpServers"),
        (".config/Claude/claude_desktop_config.json", '{"globalShortcut": ""}\n', "mcpServers"),
        (".config/Code/User/mcp.json", '{"servers": {}, "inputs": []}\n', "servers"),
        (".codeium/windsurf/mcp_config.json", "", "mcpServers"),
        (".gemini/settings.json", '{"theme": "x"}\n', "mcpServers"),
    ],
)
def test_json_keeps_everything_else_and_is_copied_first(tmp_path: Path, file: str, before: str, entry: str) -> None:
    config = put(tmp_path / file, before)
    config.chmod(0o600)
    assert "the file as it was" in tabwright(tmp_path, "install", "--yes").stdout

    old = json.loads(before or "{}")
    new = json.loads(config.read_text())
    assert new[entry].pop("tabwright")["command"] == TABWRIGHT
    assert {name: value for name, value in new.items() if value or name in old} == old
    assert stat.S_IMODE(config.stat().st_mode) == 0o600
    [backup] = config.parent.glob("*.bak")
    assert backup.read_text() == before

    assert tabwright(tmp_path, "uninstall", "--yes").returncode == 0
    assert "tabwright" not in config.read_text()


def test_toml_keeps_comments_and_other_servers(tmp_path: Path) -> None:
    before = '# mine\nmodel = "o"\n\n[mcp_servers.other]\ncommand = "x" # why\n'
    config = put(tmp_path / ".codex/config.toml", before)
    assert tabwright(tmp_path, "install", "--yes", TABWRIGHT_HOME=str(tmp_path / "t")).returncode == 0
    assert config.read_text().startswith(before)
    assert tomllib.loads(config.read_text())["mcp_servers"]["tabwright"] == {
        "command": TABWRIGHT,
        "args": [],
        "env": {"TABWRIGHT_HOME": str(tmp_path / "t")},
    }
    config.write_text(config.read_text() + '\n[mcp_servers.tabwright.tools]\nx = 1\n[tui]\ny = "z"\n')
    assert tabwright(tmp_path, "uninstall", "--yes").returncode == 0
    left = config.read_text()
    assert "tabwright" not in left
    assert left.startswith(before.rstrip())
    assert tomllib.loads(left)["tui"] == {"y": "z"}


def test_lines_end_as_they_did(tmp_path: Path) -> None:
    for file, before in (
        (".cursor/mcp.json", b'{\r\n  "mcpServers": {}\r\n}\r\n'),
        (".codex/config.toml", b'model = "o"\r\n\r\n[tui]\r\nx = 1\r\n'),
    ):
        put(tmp_path / file, "").write_bytes(before)
        assert tabwright(tmp_path, "install", "--yes").returncode == 0
        told = (tmp_path / file).read_bytes()
        assert b"tabwright" in told
        assert told.count(b"\r\n") == told.count(b"\n")
        assert tabwright(tmp_path, "uninstall", "--yes").returncode == 0
        assert (tmp_path / file).read_bytes() == before


def test_a_second_time_changes_nothing(tmp_path: Path) -> None:
    for file in (".cursor/mcp.json", ".codex/config.toml"):
        put(tmp_path / file, "")
    tabwright(tmp_path, "install", "--yes")
    before = [(tmp_path / file).read_text() for file in (".cursor/mcp.json", ".codex/config.toml")]
    again = tabwright(tmp_path, "install", "--yes").stdout
    assert again.count("knows tabwright already") == 2
    assert [(tmp_path / file).read_text() for file in (".cursor/mcp.json", ".codex/config.toml")] == before


@pytest.mark.parametrize("text", ['{\n  // mine\n  "servers": {}\n}', "[1]", '{"servers": 3}'])
def test_a_file_that_is_no_plain_json_is_left_alone_and_the_entry_is_printed(tmp_path: Path, text: str) -> None:
    config = put(tmp_path / ".config/Code/User/mcp.json", text)
    told = tabwright(tmp_path, "install", "--yes").stdout
    assert config.read_text() == text
    assert "VS Code: left alone" in told
    assert '"type": "stdio"' in told


@pytest.mark.parametrize("left", ["linked", "no text"])
def test_a_file_that_cannot_be_written_is_left_alone_and_the_others_are_told(tmp_path: Path, left: str) -> None:
    config = put(tmp_path / ".cursor/mcp.json", '{"mcpServers": {"other": {"command": "\\ud83d"}}}')
    before = config.read_text()
    if left == "linked":
        config.unlink()
        config.symlink_to("/proc/self/nothing/mcp.json")
    other = put(tmp_path / ".gemini/settings.json", "")
    told = tabwright(tmp_path, "install", "--yes")
    assert told.returncode == 0, told.stderr
    assert "Cursor: left alone, it cannot be written" in told.stdout
    assert '"mcpServers"' in told.stdout
    assert list(config.parent.iterdir()) == [config]
    assert left == "linked" or config.read_text() == before
    assert "tabwright" in other.read_text()


def test_claude_code_is_told_by_its_own_command(tmp_path: Path) -> None:
    put(tmp_path / "bin/claude", CLAUDE).chmod(0o755)
    config = tmp_path / ".claude.json"
    assert tabwright(tmp_path, "install", "--yes").returncode == 0
    assert json.loads(config.read_text())["mcpServers"]["tabwright"]["command"] == TABWRIGHT
    assert "Claude Code: knows tabwright already" in tabwright(tmp_path, "install", "--yes").stdout
    assert tabwright(tmp_path, "uninstall", "--yes").returncode == 0
    assert json.loads(config.read_text()) == {"mcpServers": {}}


def test_nothing_is_written_when_nobody_can_be_asked(tmp_path: Path) -> None:
    (tmp_path / ".cursor").mkdir()
    done = tabwright(tmp_path, "install")
    assert done.returncode == 1
    assert "--yes" in done.stderr
    assert list((tmp_path / ".cursor").iterdir()) == []


def test_the_question_says_what_becomes_of_which_file(tmp_path: Path) -> None:
    config = put(tmp_path / ".cursor/mcp.json", "{}")
    assert f"Cursor: add tabwright to {config}?" in at_terminal(tmp_path, "install", "cursor", keys=b"y\n" * 2)
    assert f"Cursor: remove tabwright from {config}?" in at_terminal(tmp_path, "uninstall", "cursor", keys=b"n\n")
    assert "tabwright" in json.loads(config.read_text())["mcpServers"]


def test_print_changes_nothing_at_all(tmp_path: Path) -> None:
    told = tabwright(tmp_path, "install", "--print", "codex", "vscode").stdout
    assert "[mcp_servers.tabwright]" in told
    assert '"servers"' in told
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_client_is_refused_with_those_that_are_known(tmp_path: Path) -> None:
    done = tabwright(tmp_path, "install", "netscape")
    assert done.returncode == 1
    assert "cursor" in done.stderr


def test_the_extension_is_put_where_upgrades_find_it_again(tmp_path: Path) -> None:
    tabwright(tmp_path, "install", "--yes")
    folder = tmp_path / ".local/share/tabwright/extension"
    version = json.loads((folder / "manifest.json").read_text())["version"]
    (folder / "left-over.js").write_text("")
    done = tabwright(tmp_path, "install", "--yes")
    assert str(folder) in done.stdout
    assert json.loads((folder / "manifest.json").read_text())["version"] == version
    assert not (folder / "left-over.js").exists()
    assert [entry.name for entry in folder.parent.iterdir() if entry.name.startswith(".extension")] == []


def test_an_extension_that_is_outdated_is_replaced_and_one_that_is_not_stays(tmp_path: Path) -> None:
    tabwright(tmp_path, "install", "--yes")
    manifest = tmp_path / ".local/share/tabwright/extension/manifest.json"
    before = manifest.stat().st_ino
    assert "up to date" in tabwright(tmp_path, "install", "--yes").stdout
    assert manifest.stat().st_ino == before
    manifest.write_text(manifest.read_text().replace(f'"version": "{__version__}"', '"version": "0.0.1"'))
    told = tabwright(tmp_path, "install", "--yes").stdout
    assert f"0.0.1 replaced by {__version__}" in told
    assert "reload" in told


@pytest.mark.parametrize("code", [0, 1])
def test_whoever_sits_at_a_display_is_shown_how_the_extension_is_loaded(tmp_path: Path, code: int) -> None:
    shown = tmp_path / "shown"
    put(tmp_path / "bin/google-chrome-stable", f'#!/bin/sh\necho "$1" >>{shown}\nexit {code}\n').chmod(0o755)
    told = at_terminal(tmp_path, "install", "--yes")
    assert shown.read_text() == f"file://{tmp_path}/.local/share/tabwright/extension/ui/load.html\n"
    assert ("shown in your browser" in told) == (code == 0), "a browser that fails shows nothing"
    assert f"type {TABWRIGHT}" in told, "it is not on this PATH"


def test_whoever_has_the_extension_is_not_told_to_load_it(tmp_path: Path) -> None:
    folder = tmp_path / ".local/share/tabwright/extension"
    noted = {"extensions": {"settings": {extension_id(): {"path": str(folder)}}}}
    put(tmp_path / ".config/chromium/Default/Preferences", json.dumps(noted))
    told = tabwright(tmp_path, "install", "--yes").stdout
    assert "Your browser has the extension." in told
    assert "Load unpacked" not in told


def test_browsers_learn_how_to_start_us_and_forget_it_again(tmp_path: Path) -> None:
    (tmp_path / ".config/google-chrome").mkdir(parents=True)
    elsewhere = tmp_path / "elsewhere"
    told = tabwright(tmp_path, "install", "--yes", "--user-data-dir", str(elsewhere)).stdout
    assert "It then pairs by itself." in told
    manifests = [
        folder / "NativeMessagingHosts/tabwright.gateway.json"
        for folder in (tmp_path / ".config/google-chrome", elsewhere)
    ]
    for manifest in manifests:
        launcher = Path(json.loads(manifest.read_text())["path"])
        assert launcher.is_relative_to(tmp_path / ".local/share/tabwright")
        assert os.access(launcher, os.X_OK)
    assert not (tmp_path / ".config/vivaldi").exists(), "there is no Vivaldi here"
    assert "done" in tabwright(tmp_path, "uninstall", "--yes", "--user-data-dir", str(elsewhere)).stdout
    assert not any(manifest.exists() for manifest in manifests)


def test_links_install_the_same_server_and_change_nothing(tmp_path: Path) -> None:
    told = tabwright(tmp_path, "install", "--links").stdout
    cursor: str
    [cursor] = re.findall(r"cursor://\S+", told)
    config = parse_qs(urlsplit(cursor).query)["config"][0]
    assert json.loads(base64.b64decode(config)) == {"command": TABWRIGHT, "args": []}
    [vscode] = re.findall(r"vscode:mcp/install\?(\S+)", told)
    named = {"name": "tabwright", "type": "stdio", "command": TABWRIGHT, "args": list[str]()}
    assert json.loads(unquote(vscode)) == named
    [line] = re.findall(r"^code .*$", told, re.MULTILINE)
    assert json.loads(shlex.split(line)[2]) == named
    assert f"\nclaude mcp add --scope user tabwright -- {TABWRIGHT}\n" in told
    assert list(tmp_path.iterdir()) == []
