"""Files that are no page's business though they lie in an upload folder: hidden ones, and private keys."""

import re
from pathlib import PurePath
from typing import Final

HEAD_BYTES: Final = 4096
"""So much of a file's beginning tells whether it is a key."""
_KEY_STORES: Final = re.compile(
    r"\.(?:p12|pfx|kdbx?|jks|keystore|ppk|gpg)$|^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$", re.I
)
_KEY_TEXT: Final = re.compile(rb"-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----|PuTTY-User-Key-File-|AGE-SECRET-KEY-1")


def is_hidden(below: PurePath) -> bool:
    """Whether a path below an upload folder is hidden, or in something hidden: `.ssh/config`, `.env`."""
    return any(part.startswith(".") for part in below.parts)


def is_key(name: str, head: bytes) -> bool:
    """Whether a file is a private key or a store of such, by its name or by how it begins."""
    return _KEY_STORES.search(name) is not None or _KEY_TEXT.search(head) is not None
