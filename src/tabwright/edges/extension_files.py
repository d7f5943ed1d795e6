"""The extension as it lies in the package, the id its key gives it, and the copy that a person's own browser loads."""

import base64
import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent.parent / "extension"
_FOR_DEVELOPERS: Final = (".d.ts",)


@cache
def extension_id() -> str:
    """Chrome's id for our extension: the first 32 hex digits of the key's SHA-256, spelled a-p."""
    manifest = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
    digest = hashlib.sha256(base64.b64decode(manifest["key"])).hexdigest()[:32]
    return "".join(chr(ord("a") + int(digit, 16)) for digit in digest)


def shipped_files(folder: Path = FOLDER) -> Iterator[tuple[str, Path]]:
    """Every file that a browser is given, with its name in the folder, in a fixed order."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.endswith(_FOR_DEVELOPERS) and "__pycache__" not in path.parts:
            yield path.relative_to(folder).as_posix(), path


def version_of(folder: Path) -> str | None:
    """The version that a copy says it is; None where there is none."""
    try:
        return str(json.loads((folder / "manifest.json").read_bytes())["version"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def is_current(folder: Path) -> bool:
    """Whether a copy holds what the package holds, to the byte."""
    return _digest(folder) == _digest(FOLDER)


def unpack_extension(folder: Path) -> None:
    """The extension in a folder that stays where it is when the package is upgraded."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".extension-"))
    old = fresh.with_name(fresh.name + "-old")
    try:
        for name, path in shipped_files():
            (fresh / name).parent.mkdir(parents=True, exist_ok=True)
            # contents only: an installed package may be read-only, the copy must not be
            shutil.copyfile(path, fresh / name)
        fresh.chmod(0o755)
        if folder.exists():
            folder.rename(old)
        fresh.rename(folder)
    finally:
        shutil.rmtree(old, ignore_errors=True)
        shutil.rmtree(fresh, ignore_errors=True)


def _digest(folder: Path) -> str:
    whole = hashlib.sha256()
    for name, path in shipped_files(folder):
        whole.update(f"{name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\0".encode())
    return whole.hexdigest()
