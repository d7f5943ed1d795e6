"""Peers that read slowly: what waits for them is bounded, and whoever makes it waits instead of their being cut.

A reader is full when more than `queue_bytes` wait for it. Whoever spoke to it is not read any more until it has caught
up; but only one that talks with nobody else, since a slow reader must not delay the others of the same browser. Where
somebody else would be delayed, a few times as much may wait. A full reader is cut when it takes nothing for a while,
when it does not catch up at all, or when even that is too little room.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from tabwright.edges.proxy.socket import PeerSocket
from tabwright.proxy.model import PeerId

STALL_S: Final = 5.0
CATCH_UP_S: Final = 60.0
OVERFLOW: Final = 4


@dataclass(slots=True)
class _Full:
    since: float
    lowest: int
    moved_at: float
    stopped: set[PeerSocket] = field(default_factory=set[PeerSocket])


class Pressure:
    def __init__(self, queue_bytes: int, talks_only_with: Callable[[PeerId, PeerId], bool]) -> None:
        self._queue_bytes = queue_bytes
        self._talks_only_with = talks_only_with
        self._full: dict[PeerSocket, _Full] = {}

    def wrote(self, reader: PeerSocket, speaker: PeerSocket | None, size: int, waiting: int, now: float) -> bool:
        """Bytes wait for a reader after a message of some size: whether it still has room."""
        if waiting <= self._queue_bytes:
            return True
        full = self._full.get(reader)
        if full is None:
            full = self._full[reader] = _Full(now, waiting, now)
        if speaker is not None and speaker is not reader and self._talks_only_with(speaker.peer, reader.peer):
            full.stopped.add(speaker)
            speaker.stop()
        return waiting - size <= self._queue_bytes * OVERFLOW

    def relieved(self, reader: PeerSocket) -> None:
        """A reader has caught up, or is gone."""
        full = self._full.pop(reader, None)
        if full is not None:
            for speaker in full.stopped:
                speaker.go_on()

    def stalled(self, now: float) -> list[PeerSocket]:
        """Readers that have had their time."""
        return [reader for reader, full in self._full.items() if self._is_stalled(reader, full, now)]

    @staticmethod
    def _is_stalled(reader: PeerSocket, full: _Full, now: float) -> bool:
        waiting = reader.waiting_bytes
        if waiting < full.lowest:
            full.lowest, full.moved_at = waiting, now
        return now - full.moved_at > STALL_S or now - full.since > CATCH_UP_S
