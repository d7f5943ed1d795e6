"""The extension as it lies in the package, and the id its key gives it."""

import base64
import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent.parent / "extension"


@cache
def extension_id() -> str:
    """Chrome's id for our extension: the first 32 hex digits of the key's SHA-256, spelled a-p."""
    manifest = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
    digest = hashlib.sha256(base64.b64decode(manifest["key"])).hexdigest()[:32]
    return "".join(chr(ord("a") + int(digit, 16)) for digit in digest)
