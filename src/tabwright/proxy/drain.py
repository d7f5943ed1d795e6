"""Leaving: no new work, then everybody is sent away, not all at once, and each when its calls have ended."""

import math
from typing import Final

from tabwright.proxy.model import CloseCode, Effect, Gone, Limits, PeerId
from tabwright.proxy.peers import Client, Extension, Verifying, Waiting
from tabwright.proxy.roster import Phase, Roster
from tabwright.proxy.switchboard import Switchboard

LEAVING_A_SECOND: Final = 500
"""How many are sent away together: they all come back somewhere else at once."""


class Drain:
    def __init__(self, roster: Roster, switchboard: Switchboard, limits: Limits) -> None:
        self._roster = roster
        self._switchboard = switchboard
        self._limits = limits
        self.began = False
        self._began_at = 0.0
        self._leaving = 0

    @property
    def over(self) -> bool:
        return self.began and not self._roster.peers

    def begin(self, now: float) -> list[Effect]:
        self.began, self._began_at = True, now
        self._leaving = len(self._roster.peers)
        return self.step(now)

    def step(self, now: float) -> list[Effect]:
        passed = now - self._began_at
        over = passed >= self._limits.drain_s
        effects: list[Effect] = []
        room = self._room_to_leave(passed)
        for peer, phase in list(self._roster.peers.items()):
            if over or (room > 0 and not _working(phase)):
                effects += self._cut_for_restart(peer, phase)
                room -= 1
        return effects

    def _room_to_leave(self, passed: float) -> int:
        """How many may leave now, so that others are not run over by those who come back."""
        seconds = min(self._leaving / LEAVING_A_SECOND, self._limits.drain_s / 2)
        due = self._leaving if passed >= seconds else math.ceil(self._leaving * (passed + 0.05) / (seconds + 0.05))
        return due - (self._leaving - len(self._roster.peers))

    def _cut_for_restart(self, peer: PeerId, phase: Phase) -> list[Effect]:
        effects: list[Effect] = []
        if isinstance(phase, Client):
            for connection in list(phase.connections.values()):
                effects += self._switchboard.gone(connection, Gone.SHUTDOWN)
        return effects + self._roster.cut(peer, CloseCode.RESTART, Gone.SHUTDOWN.value, Gone.SHUTDOWN)


def _working(phase: Phase) -> bool:
    match phase:
        case Client():
            return phase.pending > 0
        case Extension():
            return bool(phase.calls)
        case Verifying():
            return True
        case Waiting():
            return False
