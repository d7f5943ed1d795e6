"""The extension as it lies in the package, the id its key gives it, and the copy that a person's own browser loads.

Browsers are given the many small files that run in pages as one a world: Chrome spends some time on each of them in
every frame of every page.
"""

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

FOLDER: Final = Path(__file__).parent.parent / "extension"
_FOR_DEVELOPERS: Final = (".d.ts",)
_MANIFEST: Final = "manifest.json"
_ALSO_ALONE: Final = frozenset({"content/relay.js"})
"""A page of the extension's own loads it, too."""


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
    return _joined(files) if _MANIFEST in files else files


def _files(folder: Path) -> dict[str, bytes]:
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder))
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if not path.is_dir() and not path.name.endswith(_FOR_DEVELOPERS) and "__pycache__" not in path.parts
    }


def _joined(files: dict[str, bytes]) -> dict[str, bytes]:
    """The same with the content scripts of each world in one file; each of ours is a function of its own."""
    manifest = json.loads(files[_MANIFEST])
    scripts = [script for script in manifest.get("content_scripts", ()) if len(script["js"]) > 1]
    if not scripts:
        return files
    left = dict(files)
    for script in scripts:
        name = f"content/{script.get('world', 'ISOLATED').lower()}_world.js"
        assert name not in left, "one list of scripts a world"
        left[name] = b"\n".join(files[each] for each in script["js"])
        for each in set(script["js"]) - _ALSO_ALONE:
            del left[each]
        script["js"] = [name]
    left[_MANIFEST] = json.dumps(manifest, indent=2).encode()
    return dict(sorted(left.items()))


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
