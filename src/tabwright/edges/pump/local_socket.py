"""Reaching the gateway that runs. Imported on the stdio fast path: nothing but C modules."""

from __future__ import annotations

import os
import sys
from _socket import AF_UNIX, SOCK_STREAM, SOL_SOCKET, socket

from tabwright.home import reachable, socket_path


def connect(home: str) -> socket | None:
    """A connection to the gateway of this home, if one runs and is ours: it hears all that the client says."""
    gateway = socket(AF_UNIX, SOCK_STREAM)
    try:
        gateway.connect(reachable(socket_path(home)))
    except OSError:
        gateway.close()
        return None
    if not _is_ours(gateway):
        gateway.close()
        return None
    return gateway


def _is_ours(gateway: socket) -> bool:
    if not sys.platform.startswith("linux"):
        return True
    from _socket import SO_PEERCRED

    # struct ucred: pid, uid, gid
    return int.from_bytes(gateway.getsockopt(SOL_SOCKET, SO_PEERCRED, 12)[4:8], sys.byteorder) == os.geteuid()
