"""Reaching the gateway that runs. Imported on the stdio fast path: nothing but C modules."""

from __future__ import annotations

from _socket import AF_UNIX, SOCK_STREAM, socket

from tabwright.home import reachable, socket_path


def connect(home: str) -> socket | None:
    """A connection to the gateway of this home, if one runs."""
    gateway = socket(AF_UNIX, SOCK_STREAM)
    try:
        gateway.connect(reachable(socket_path(home)))
    except OSError:
        gateway.close()
        return None
    return gateway
