"""Hands a page to the person's own browser: the one that runs, else a new one. Only a browser itself opens pages of
extensions; none opens chrome:// pages for others.
"""

import os
import subprocess
import sys
from typing import Final

from tabwright.edges.chrome.finder import find_browser

FAILS_WITHIN_S: Final = 2.0


def show_page(page: str) -> bool:
    """Whether a browser took it, as far as it tells: one that fails does so soon."""
    binary = find_browser(None, os.environ, sys.platform) if has_display() else None
    if binary is None:
        return False
    started = subprocess.Popen(
        [binary.path, page],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return started.wait(FAILS_WITHIN_S) == 0
    except subprocess.TimeoutExpired:
        # it is the browser now
        return True


def has_display() -> bool:
    """Whether a browser with a window can be opened; one for the terminal would be none of the person's own."""
    return not sys.platform.startswith("linux") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
