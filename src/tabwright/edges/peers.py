"""Whose socket is at the other end, asked of the operating system: loopback peers of our own user need no token."""

import os
import socket
import struct
import sys
from typing import Final

_TABLES: Final = ("/proc/net/tcp", "/proc/net/tcp6")


def same_user(peer: tuple[str, int] | None, local: tuple[str, int] | None) -> bool:
    """Whether a loopback TCP peer belongs to the user this process runs as. False wherever the system cannot tell."""
    if peer is None or local is None or not sys.platform.startswith("linux"):
        return False
    uid = owner_of(peer, local)
    return uid is not None and uid == os.geteuid()


def owner_of(peer: tuple[str, int], local: tuple[str, int]) -> int | None:
    """The user id that owns the peer's end of a connection; None if nobody does any more."""
    theirs, ours = _spellings(*peer), _spellings(*local)
    for table in _TABLES:
        try:
            with open(table, encoding="ascii") as rows:
                next(rows)
                for row in rows:
                    fields = row.split()
                    if fields[1] in theirs and fields[2] in ours:
                        # a socket its owner has left has no inode any more, and is shown as root's
                        return int(fields[7]) if fields[9] != "0" else None
        except OSError:
            continue
    return None


def _spellings(host: str, port: int) -> frozenset[str]:
    """An address as the kernel's tables write it, for both families."""
    spelled: set[str] = set()
    if ":" in host:
        packed = socket.inet_pton(socket.AF_INET6, host.partition("%")[0])
        spelled.add(f"{_words(packed)}:{port:04X}")
    else:
        packed = socket.inet_pton(socket.AF_INET, host)
        spelled.add(f"{_words(packed)}:{port:04X}")
        spelled.add(f"{_words(bytes(10) + bytes([255, 255]) + packed)}:{port:04X}")
    return frozenset(spelled)


def _words(packed: bytes) -> str:
    # the tables print each 32-bit word in the machine's own byte order
    return "".join(f"{word:08X}" for (word,) in struct.iter_unpack("=I", packed))
