"""Whose socket is at the other end, asked of the operating system: loopback peers of our own user need no token.

The kernel is asked for the one connection (netlink), which takes the same time however many sockets there are: a
neighbour who opens thousands must not slow our answers down. Where that is not to be had, its tables are read.
"""

import errno
import os
import socket
import struct
import sys
from typing import Final

_TABLES: Final = ("/proc/net/tcp", "/proc/net/tcp6")

Address = tuple[str, int]

# linux/netlink.h, linux/sock_diag.h, linux/inet_diag.h
_SOCK_DIAG: Final = 4
_SOCK_DIAG_BY_FAMILY: Final = 20
_REQUEST: Final = 1
_ERROR: Final = 2
_LISTENING: Final = 10
_ANY: Final = 0xFFFFFFFF
_HEADER: Final = struct.Struct("=IHHII")
_QUESTION: Final = struct.Struct("=BBxxI")
_PORTS: Final = struct.Struct("!HH")
_REST_OF_ID: Final = struct.Struct("=III")
_ANSWER: Final = struct.Struct("=xB62xII")
"""Of an answer: its state, and after the connection's id and three counters the owner and the inode."""


def same_user(peer: Address | None, local: Address | None) -> bool:
    """Whether a loopback TCP peer belongs to the user this process runs as. False wherever the system cannot tell."""
    return _holder(peer, local) == os.geteuid()


def is_there(peer: Address | None, local: Address | None) -> bool:
    """Whether a process holds the other end of a loopback connection. False wherever the system cannot tell."""
    return _holder(peer, local) is not None


def _holder(peer: Address | None, local: Address | None) -> int | None:
    if peer is None or local is None or not sys.platform.startswith("linux"):
        return None
    return owner_of(peer, local)


def owner_of(peer: Address, local: Address) -> int | None:
    """The user id that owns the peer's end of a connection; None if nobody does any more."""
    try:
        return _ask_kernel(peer, local)
    except OSError:
        return _read_tables(peer, local)


def _ask_kernel(peer: Address, local: Address) -> int | None:
    """Raises:
    OSError: this kernel does not answer such questions.
    """
    family = socket.AF_INET6 if ":" in peer[0] else socket.AF_INET
    ends = b"".join(_packed(family, host).ljust(16, b"\0") for host, _ in (peer, local))
    question = _QUESTION.pack(family, socket.IPPROTO_TCP, _ANY) + _PORTS.pack(peer[1], local[1]) + ends
    question += _REST_OF_ID.pack(0, _ANY, _ANY)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, _SOCK_DIAG) as kernel:
        kernel.settimeout(1)
        kernel.send(_HEADER.pack(_HEADER.size + len(question), _SOCK_DIAG_BY_FAMILY, _REQUEST, 0, 0) + question)
        answer = kernel.recv(4096)
    if _HEADER.unpack_from(answer)[1] == _ERROR:
        (failure,) = struct.unpack_from("=i", answer, _HEADER.size)
        if -failure == errno.ENOENT:
            return None
        raise OSError(-failure, "the kernel does not tell of sockets")
    state, uid, inode = _ANSWER.unpack_from(answer, _HEADER.size)
    # a socket its owner has left has no inode any more, and is shown as root's; a listener is no connection
    return uid if inode and state != _LISTENING else None


def _read_tables(peer: Address, local: Address) -> int | None:
    theirs, ours = _spellings(*peer), _spellings(*local)
    for table in _TABLES:
        try:
            with open(table, encoding="ascii") as rows:
                next(rows)
                for row in rows:
                    fields = row.split()
                    if fields[1] in theirs and fields[2] in ours:
                        return int(fields[7]) if fields[9] != "0" else None
        except OSError:
            continue
    return None


def _packed(family: socket.AddressFamily, host: str) -> bytes:
    return socket.inet_pton(family, host.partition("%")[0])


def _spellings(host: str, port: int) -> frozenset[str]:
    """An address as the kernel's tables write it, for both families."""
    spelled: set[str] = set()
    if ":" in host:
        packed = _packed(socket.AF_INET6, host)
        spelled.add(f"{_words(packed)}:{port:04X}")
    else:
        packed = _packed(socket.AF_INET, host)
        spelled.add(f"{_words(packed)}:{port:04X}")
        spelled.add(f"{_words(bytes(10) + bytes([255, 255]) + packed)}:{port:04X}")
    return frozenset(spelled)


def _words(packed: bytes) -> str:
    # the tables print each 32-bit word in the machine's own byte order
    return "".join(f"{word:08X}" for (word,) in struct.iter_unpack("=I", packed))
