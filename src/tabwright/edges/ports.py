"""Loopback listeners, and who is in the way when a port is taken."""

import contextlib
import errno
import os
import socket
from pathlib import Path

from tabwright.errors import GatewayError


class PortTaken(GatewayError):
    """Never another port in silence: clients and the extension look for this one."""


def listen(host: str, port: int, flag: str) -> socket.socket:
    """A listening socket on exactly this port.

    Raises:
        PortTaken: naming who has it.
    """
    listener = _socket(host)
    try:
        listener.bind((host, port))
        listener.listen(512)
    except OSError as exc:
        listener.close()
        raise _taken(host, port, flag, exc) from None
    listener.setblocking(False)
    return listener


def check(host: str, port: int, flag: str) -> None:
    """Whether a listener could have this port; nothing listens meanwhile.

    Raises:
        PortTaken: it could not.
    """
    with _socket(host) as probe:
        try:
            probe.bind((host, port))
        except OSError as exc:
            raise _taken(host, port, flag, exc) from None


def _socket(host: str) -> socket.socket:
    made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    return made


def _taken(host: str, port: int, flag: str, exc: OSError) -> PortTaken:
    if exc.errno != errno.EADDRINUSE:
        return PortTaken(f"Port {port} on {host} cannot be used: {exc.strerror}.", f"Choose another with {flag}.")
    holder = _holder_of(port) or "another process"
    return PortTaken(f"Port {port} is taken by {holder}.", f"Stop it, or choose another port with {flag}.")


def _holder_of(port: int) -> str | None:
    """Name and pid of the process that listens on a port, where the system lets us see it."""
    inodes = {inode for table in ("/proc/net/tcp", "/proc/net/tcp6") for inode in _listening(table, port)}
    if not inodes:
        return None
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            for descriptor in (process / "fd").iterdir():
                if os.readlink(descriptor) in inodes:
                    name = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
                    return f"{name[:120] or 'a process'} (pid {process.name})"
    return None


def _listening(table: str, port: int) -> list[str]:
    with contextlib.suppress(OSError):
        rows = [row.split() for row in Path(table).read_text(encoding="ascii").splitlines()[1:]]
        return [f"socket:[{row[9]}]" for row in rows if row[3] == "0A" and row[1].endswith(f":{port:04X}")]
    return []
