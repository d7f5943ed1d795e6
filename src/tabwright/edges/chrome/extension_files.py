"""The extension as it lies in the package, the id its key gives it, and the copy that a person's own browser loads."""

import base64
import errno
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final, cast

from tabwright.edges.chrome.extension_join import joined

FOLDER: Final = Path(__file__).parents[2] / "extension"
_FOR_DEVELOPERS: Final = (".d.ts",)
_MANIFEST: Final = "manifest.json"


@cache
def extension_id() -> str:
    """The one that our key gives our extension, wherever it lies."""
    return extension_id_of(FOLDER)


def extension_id_of(folder: Path) -> str:
    """The id a browser gives to an unpacked extension: made of its manifest's key, else of its path."""
    manifest = cast("Mapping[str, object]", json.loads((folder / _MANIFEST).read_bytes()))
    key = manifest.get("key")
    seed = base64.b64decode(key) if isinstance(key, str) else os.fsencode(folder.absolute())
    return "".join(chr(ord("a") + int(digit, 16)) for digit in hashlib.sha256(seed).hexdigest()[:32])


def shipped_files(folder: Path = FOLDER) -> dict[str, bytes]:
    """What a browser is given of an extension, by its name in the folder, in a fixed order.

    Raises:
        OSError: there is no such folder.
    """
    files = _files(folder)
    return joined(files) if _MANIFEST in files else files


def _files(folder: Path) -> dict[str, bytes]:
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder))
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if not path.is_dir() and not path.name.endswith(_FOR_DEVELOPERS) and "__pycache__" not in path.parts
    }


def version_of(folder: Path) -> str | None:
    """The version that a copy says it is; None where there is none."""
    try:
        return str(json.loads((folder / _MANIFEST).read_bytes())["version"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def is_current(folder: Path) -> bool:
    """Whether a copy holds what the package holds, to the byte."""
    return _files(folder) == shipped_files()


def unpack_extension(folder: Path) -> None:
    """The extension in a folder that stays where it is when the package is upgraded."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".extension-"))
    old = fresh.with_name(fresh.name + "-old")
    try:
        write_files(shipped_files(), fresh)
        fresh.chmod(0o755)
        if folder.exists():
            folder.rename(old)
        fresh.rename(folder)
    finally:
        shutil.rmtree(old, ignore_errors=True)
        shutil.rmtree(fresh, ignore_errors=True)


def write_files(files: Mapping[str, bytes], folder: Path) -> None:
    """Contents only: an installed package may be read-only, a copy must not be."""
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
