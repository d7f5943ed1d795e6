"""Where tabwright keeps its state. Imported on the stdio fast path: nothing but `os` and `sys` at the top."""

from __future__ import annotations

import os
import sys

# typing itself is 5 ms of a start that is to take 20
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

SOCKET_PATH_LIMIT: Final = 100
"""Unix socket paths end at 104 to 108 bytes, depending on the system."""


def home_folder() -> str:
    """`TABWRIGHT_HOME`, or the user's data folder for this application."""
    told = os.environ.get("TABWRIGHT_HOME")
    if told:
        return os.path.abspath(os.path.expanduser(told))
    if sys.platform.startswith("linux"):
        return _of_linux("XDG_DATA_HOME", "~/.local/share")
    from platformdirs import user_data_dir

    return user_data_dir("tabwright", appauthor=False)


def cache_folder() -> str:
    """The user's folder for what may be lost; the same for all homes."""
    if sys.platform.startswith("linux"):
        return _of_linux("XDG_CACHE_HOME", "~/.cache")
    from platformdirs import user_cache_dir

    return user_cache_dir("tabwright", appauthor=False)


def _of_linux(variable: str, otherwise: str) -> str:
    """What platformdirs answers, without its 20 ms (a test holds the two together)."""
    base = os.environ.get(variable, "")
    if not os.path.isabs(base):
        base = os.path.expanduser(otherwise)
    return os.path.join(base, "tabwright")


def socket_path(home: str) -> str:
    return os.path.join(home, "run", "gateway.sock")


def reachable(path: str) -> str:
    """The same socket by a path short enough for the kernel.

    A home deep in the tree is reached through a descriptor of its folder, which stays open with the process.
    """
    if len(os.fsencode(path)) <= SOCKET_PATH_LIMIT or not sys.platform.startswith("linux"):
        return path
    folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY)
    return f"/proc/self/fd/{folder}/{os.path.basename(path)}"
