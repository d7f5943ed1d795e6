"""The folders a launched browser lives in: its profile, and its own copy of the extension.

Owns what tabwright writes into them before a start; the rest of a profile belongs to the browser.

1. `prepare_profile` sets the few preferences a launched browser needs and keeps all others.
2. `copy_extension` puts the extension with its `config.json` where the browser loads it from.
3. `live_holder` tells whether a browser is using the profile; `clear_lock` removes what a dead one left.
4. `forget_old_worker` makes the browser run the service worker that is in that copy, not one it remembers.
"""

import hashlib
import json
import logging
import os
import shutil
import socket
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, cast

from tabwright.edges.chrome.extension_files import shipped_files, write_files

log = logging.getLogger(__name__)

_PREFERENCES: Final[Mapping[str, object]] = {
    # Without developer mode the browser leaves an unpacked extension disabled when it reloads itself.
    "extensions": {"ui": {"developer_mode": True}},
    "browser": {"has_seen_welcome_page": True},
    # A browser that was killed would offer to restore its pages.
    "profile": {
        "exit_type": "Normal",
        "exited_cleanly": True,
        "password_manager_enabled": False,
        "password_manager_leak_detection": False,
    },
    "credentials_enable_service": False,
}
_LOCK_FILES: Final = ("SingletonLock", "SingletonSocket", "SingletonCookie")
_CONFIG: Final = "config.json"
_STAMP: Final = "tabwright-extension.sha256"


def prepare_profile(folder: Path) -> None:
    """Make the profile folder, private to this user, and set our preferences in it; call it before each launch."""
    default = folder / "Default"
    for made in (folder, default):
        made.mkdir(mode=0o700, parents=True, exist_ok=True)
        made.chmod(0o700)
    (folder / "First Run").touch(mode=0o600)
    preferences = default / "Preferences"
    present = _read_preferences(preferences)
    wanted = _merge(present, _PREFERENCES)
    if wanted != present:
        _write_private(preferences, json.dumps(wanted, separators=(",", ":")))


def _read_preferences(path: Path) -> dict[str, object]:
    try:
        present: object = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except ValueError:
        present = None
    if isinstance(present, dict):
        return cast("dict[str, object]", present)
    aside = path.with_name("Preferences.damaged")
    path.replace(aside)
    log.warning("damaged browser preferences set aside as %s", aside)
    return {}


def _merge(present: object, wanted: Mapping[str, object]) -> dict[str, object]:
    merged = dict(cast("dict[str, object]", present)) if isinstance(present, dict) else {}
    for key, value in wanted.items():
        inner = cast("Mapping[str, object]", value) if isinstance(value, Mapping) else None
        merged[key] = value if inner is None else _merge(merged.get(key), inner)
    return merged


def _write_private(path: Path, text: str) -> None:
    """Replace a file by one only this user can read; no reader ever sees half of it."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)  # made 0600
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(name, path)
    except OSError:
        os.unlink(name)
        raise


def copy_extension(source: Path, target: Path, config: Mapping[str, object]) -> None:
    """Put a fresh private copy of the extension at `target`, with `config` as its `config.json`.

    A former copy is swapped out only once the new one is complete.
    """
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    prefix = f".{target.name}-"
    for left_over in target.parent.glob(f"{prefix}*"):  # of a process that died half-way
        shutil.rmtree(left_over, ignore_errors=True)
    workshop = Path(tempfile.mkdtemp(prefix=prefix, dir=target.parent))
    try:
        fresh = workshop / "new"
        write_files(shipped_files(source), fresh)
        for folder, _, _ in os.walk(fresh):
            os.chmod(folder, 0o700)
        _write_private(fresh / _CONFIG, json.dumps(config))
        if target.exists():
            target.rename(workshop / "old")
        fresh.rename(target)
    finally:
        shutil.rmtree(workshop, ignore_errors=True)


def live_holder(folder: Path) -> int | None:
    """The process id of the browser that is using this profile, if one is."""
    try:
        host, _, pid_text = os.readlink(folder / "SingletonLock").rpartition("-")
    except OSError:
        return None
    pid = int(pid_text) if pid_text.isdecimal() else 0
    if _answers(folder / "SingletonSocket"):
        return pid
    # The socket lies in the temporary folder, where a clean-up may have taken it from a running browser.
    if host == socket.gethostname() and pid > 0 and _runs_on(pid, folder):
        return pid
    return None


def clear_lock(folder: Path) -> None:
    """Remove the lock of a browser that is gone.

    A browser takes over a dead process's lock by itself, but not one written under another host name, which is
    what a profile in a volume looks like to the next container.
    """
    for name in _LOCK_FILES:
        (folder / name).unlink(missing_ok=True)


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(0.2)
        try:
            client.connect(os.path.realpath(path))  # the link's target is short enough for a socket address
        except OSError:
            return False
    return True


def _runs_on(pid: int, folder: Path) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    processes = Path("/proc")
    if not (processes / "self").exists():
        return True  # macOS: nothing to look at, so better refuse than share a profile
    with suppress(OSError):
        command = (processes / str(pid) / "cmdline").read_bytes()
        return os.fsencode(folder) in command or os.fsencode(folder.resolve()) in command
    return False


def forget_old_worker(profile: Path, extension: Path) -> None:
    """Drop remembered service workers if the extension's files differ from those of the last launch.

    Trap: a browser that starts again on a profile runs the service worker it stored there, whatever the files of
    an unpacked extension say by now, even under a new version number. Sites' workers go too and register
    again on the next visit; their caches stay.
    """
    stamp = profile / _STAMP
    digest = _digest(extension)
    with suppress(OSError):
        if stamp.read_text(encoding="utf-8") == digest:
            return
    for remembered in ("Database", "ScriptCache"):
        shutil.rmtree(profile / "Default" / "Service Worker" / remembered, ignore_errors=True)
    _write_private(stamp, digest)


def _digest(extension: Path) -> str:
    """A hash over names and contents of all files but the generated configuration, which is never remembered."""
    whole = hashlib.sha256()
    for path in sorted(path for path in extension.rglob("*") if path.is_file()):
        name = path.relative_to(extension).as_posix()
        if name != _CONFIG:
            whole.update(f"{name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\0".encode())
    return whole.hexdigest()
