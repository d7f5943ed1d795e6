import json
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tabwright.edges.chrome.extension_files import extension_id_of
from tabwright.edges.chrome.profile import (
    clear_lock,
    copy_extension,
    forget_old_worker,
    live_holder,
    prepare_profile,
)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_new_profile_is_private_and_has_developer_mode(tmp_path: Path) -> None:
    profile = tmp_path / "profiles" / "default"
    prepare_profile(profile)
    preferences = json.loads((profile / "Default" / "Preferences").read_text())
    assert preferences["extensions"]["ui"]["developer_mode"] is True
    assert preferences["profile"]["exit_type"] == "Normal"
    assert preferences["credentials_enable_service"] is False
    assert mode(profile) == 0o700
    assert mode(profile / "Default" / "Preferences") == 0o600


def test_what_stands_in_the_preferences_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "Default" / "Preferences"
    file.parent.mkdir()
    file.write_text(json.dumps({"profile": {"exit_type": "Crashed", "name": "Ü"}, "extensions": 5, "mine": [1]}))
    prepare_profile(tmp_path)
    preferences = json.loads(file.read_text())
    assert preferences["mine"] == [1]
    assert preferences["profile"]["name"] == "Ü"
    assert preferences["profile"]["exit_type"] == "Normal"
    assert preferences["extensions"] == {"ui": {"developer_mode": True}}
    written = file.stat().st_ino
    prepare_profile(tmp_path)
    assert file.stat().st_ino == written, "nothing to change, nothing written"


@pytest.mark.parametrize("content", [b"", b'{"cut', b"[]", b"\xff\xfe"])
def test_damaged_preferences_are_set_aside(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "Default" / "Preferences"
    file.parent.mkdir()
    file.write_bytes(content)
    prepare_profile(tmp_path)
    assert json.loads(file.read_text())["extensions"]["ui"]["developer_mode"] is True
    assert file.with_name("Preferences.damaged").read_bytes() == content


def test_copy_of_the_extension_is_private_and_replaces_the_former(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "run" / "extension"
    (source / "background").mkdir(parents=True)
    (source / "background" / "main.js").write_text("one")
    (source / "manifest.json").write_text("{}")
    (source / "background" / "main.js").chmod(0o444)
    (source / "background").chmod(0o555)
    copy_extension(source, target, {"token": "first"})
    (target / "left-over.js").touch()
    (target.parent / ".extension-died").mkdir()

    copy_extension(source, target, {"token": "second", "port": 8765})

    assert sorted(path.relative_to(target).as_posix() for path in target.rglob("*")) == [
        "background",
        "background/main.js",
        "config.json",
        "manifest.json",
    ]
    assert json.loads((target / "config.json").read_text()) == {"token": "second", "port": 8765}
    assert mode(target) == mode(target / "background") == 0o700
    assert mode(target / "config.json") == 0o600
    assert [path.name for path in target.parent.iterdir()] == ["extension"]


def test_failed_copy_leaves_the_former_one(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "extension"
    source.mkdir()
    copy_extension(source, target, {"token": "first"})
    with pytest.raises(OSError, match="nowhere"):
        copy_extension(tmp_path / "nowhere", target, {})
    assert json.loads((target / "config.json").read_text()) == {"token": "first"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["extension", "source"]


def test_extension_id_comes_from_the_key(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps({"key": "AAAA"}))
    assert extension_id_of(tmp_path) == "hajoiamiieihkcebbobooenpljpcckig"  # SHA-256 709e80c8...


def test_profile_is_free_without_a_lock_or_with_a_dead_browsers(tmp_path: Path) -> None:
    assert live_holder(tmp_path) is None
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    for pid in (gone.pid, os.getpid()):  # this process runs, but not on that profile
        (tmp_path / "SingletonLock").symlink_to(f"{socket.gethostname()}-{pid}")
        (tmp_path / "SingletonSocket").symlink_to(tmp_path / "nowhere")
        assert live_holder(tmp_path) is None
        clear_lock(tmp_path)
        assert list(tmp_path.iterdir()) == []


def test_profile_is_held_while_the_lock_socket_answers(tmp_path: Path) -> None:
    (tmp_path / "SingletonLock").symlink_to("another-host-with-dashes-4711")
    (tmp_path / "SingletonSocket").symlink_to(tmp_path / "socket")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        server.listen()
        assert live_holder(tmp_path) == 4711
    assert live_holder(tmp_path) is None


def test_profile_is_held_by_a_browser_whose_socket_was_cleaned_away(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "print(flush=True); input()", f"--user-data-dir={tmp_path}"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        (tmp_path / "SingletonLock").symlink_to(f"{socket.gethostname()}-{process.pid}")
        assert live_holder(tmp_path) == process.pid
        process.communicate(b"\n")
    assert live_holder(tmp_path) is None


def test_remembered_workers_go_only_when_the_extension_changed(tmp_path: Path) -> None:
    profile, extension = tmp_path / "profile", tmp_path / "extension"
    database = profile / "Default" / "Service Worker" / "Database"
    caches = profile / "Default" / "Service Worker" / "CacheStorage"
    extension.mkdir()
    for change, forgotten in (("main.js", True), ("config.json", False), ("new.js", True)):
        database.mkdir(parents=True, exist_ok=True)
        caches.mkdir(exist_ok=True)
        (extension / change).write_text("changed")
        forget_old_worker(profile, extension)
        assert database.exists() is not forgotten, change
        assert caches.exists()
