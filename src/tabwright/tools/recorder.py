"""Recordings as tools meet them: frames of a tab, taken around each action of the session."""

from collections.abc import Sequence
from typing import Protocol

from tabwright.browser.recording.model import Frame
from tabwright.browser.tab import Tab
from tabwright.model import TabId


class Recorder(Protocol):
    """One session's recordings, one a tab."""

    async def start(self, tab: Tab) -> int:
        """Record from now on; returns how many frames it begins with. A recording that was stopped goes on."""
        ...

    async def stop(self, tab: Tab) -> int:
        """Take a last frame and no more; returns how many there are. Stopping twice is stopping."""
        ...

    def frames(self, tab_id: TabId) -> Sequence[Frame]: ...

    def missed(self, tab_id: TabId) -> int:
        """How many frames found no room."""
        ...

    def recording(self, tab_id: TabId) -> bool: ...

    def clear(self, tab_id: TabId) -> int:
        """Forget the tab's recording; returns how many frames it had."""
        ...

    def stop_all(self) -> int:
        """No recording goes on; returns how many did."""
        ...
