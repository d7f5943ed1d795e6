"""Puts up the native messaging host: a launcher in the home folder, and a manifest in the folder of each browser.

Removing it takes away what leads to this home's launcher, and leaves that of another home alone.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from tabwright.edges.chrome.extension_files import extension_id
from tabwright.edges.runtime import Home
from tabwright.install.browsers import MANIFEST, host_manifest, launcher_script

PING_S: Final = 10.0


def put_up_host(home: Home, folders: Iterable[Path], env: Mapping[str, str]) -> list[Path]:
    """Make the launcher, and tell these browsers of it. Answers the manifests that are new or changed."""
    launcher = home.native_launcher
    launcher.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _replace(launcher, launcher_script(sys.executable, env), 0o700)
    wanted = host_manifest(launcher, extension_id())
    changed: list[Path] = []
    for folder in folders:
        manifest = folder / MANIFEST
        if _text(manifest) != wanted:
            _make_folder(manifest.parent)
            _replace(manifest, wanted, 0o600)
            changed.append(manifest)
    return changed


def take_down_host(home: Home, folders: Iterable[Path]) -> list[Path]:
    """Remove the launcher and the manifests that name it. Answers those manifests."""
    removed: list[Path] = []
    for folder in folders:
        manifest = folder / MANIFEST
        if _told(manifest).get("path") == str(home.native_launcher):
            manifest.unlink()
            removed.append(manifest)
    shutil.rmtree(home.native_launcher.parent, ignore_errors=True)
    return removed


def is_put_up(folder: Path) -> bool:
    return (folder / MANIFEST).exists()


def fault_of_host(folder: Path) -> str | None:
    """Why the host that a browser is told of would not serve our extension; None if it does. It is run."""
    told = _told(folder / MANIFEST)
    if told.get("allowed_origins") != [f"chrome-extension://{extension_id()}/"]:
        return "its manifest cannot be read, or is not meant for our extension alone"
    launcher = Path(str(told.get("path", "")))
    if not os.access(launcher, os.X_OK):
        return f"{launcher} is not there or cannot be run"
    message = b'{"ask":"ping"}'
    try:
        done = subprocess.run(
            [launcher, f"chrome-extension://{extension_id()}/"],
            input=len(message).to_bytes(4, sys.byteorder) + message,
            capture_output=True,
            timeout=PING_S,
        )
    except (OSError, subprocess.TimeoutExpired) as exc:
        return f"{launcher} does not run: {exc}"
    with suppress(ValueError):
        if "version" in json.loads(done.stdout[4:]):
            return None
    said = done.stderr.decode(errors="replace").strip().splitlines()
    return f"{launcher} fails: {said[-1] if said else f'status {done.returncode}'}"


def _told(manifest: Path) -> dict[str, Any]:
    with suppress(OSError, ValueError):
        told = json.loads(manifest.read_bytes())
        if isinstance(told, dict):
            return told  # pyright: ignore[reportUnknownVariableType] - whatever lies there; only looked up in
    return {}


def _text(path: Path) -> str | None:
    with suppress(OSError, UnicodeError):
        return path.read_text(encoding="utf-8")
    return None


def _make_folder(folder: Path) -> None:
    """A browser that was never started has no folder yet; the one it finds must be its user's alone."""
    if not folder.parent.exists():
        folder.parent.mkdir(mode=0o700, parents=True)
    folder.mkdir(mode=0o700, exist_ok=True)


def _replace(path: Path, text: str, mode: int) -> None:
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(name, mode)
        os.replace(name, path)
    except OSError:
        os.unlink(name)
        raise
