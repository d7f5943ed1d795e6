"""Keeping a tab drawn that nobody sees, for as long as somebody acts on it.

Chrome draws a hidden tab once a second, and pointer events and the wheel wait for that. What makes it draw at the usual
pace is a screencast, which may be as small as a stamp. It makes every frame dear, so for gestures the extension leaves
it out while the tab is in sight; pictures of a tab are not left to what can be known of that.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from tabwright.model import JsonObject

AWAKE_S: Final = 4.0
"""How long after the last gesture the tab is still drawn as if somebody looked."""
_STAMP: Final[JsonObject] = {"format": "jpeg", "quality": 1, "maxWidth": 16, "maxHeight": 16, "everyNthFrame": 1000}


Send = Callable[[str, JsonObject, bool], None]
"""Passes a command on that nobody waits for; whether it may be left out while the tab is in sight."""


class Drawing:
    """One tab's."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._drowsy: asyncio.TimerHandle | None = None
        self._certainly = False

    def waken(self, may_end: Callable[[], bool], *, certainly: bool) -> None:
        """Draw from now on; when that is over, `may_end` says whether there is still something to switch off.
        `certainly`: also if the tab seems to be in sight.
        """
        if self._drowsy is None or (certainly and not self._certainly):
            self._send("Page.startScreencast", _STAMP, not certainly)
            self._certainly = certainly
        if self._drowsy is not None:
            self._drowsy.cancel()
        self._drowsy = asyncio.get_running_loop().call_later(AWAKE_S, self._doze, may_end)

    def lost(self) -> None:
        """The attachment is gone, and with it the screencast."""
        if self._drowsy is not None:
            self._drowsy.cancel()
            self._drowsy = None

    def _doze(self, may_end: Callable[[], bool]) -> None:
        self._drowsy = None
        if may_end():
            self._send("Page.stopScreencast", {}, False)
