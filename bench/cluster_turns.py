"""The same calls on one replica and between two, by turns, and what each turn cost.

What a machine gives a process changes within seconds, by half and more, while the reads and writes of a call stay the
same to the hundredth. So two crews come once and stay, their turns are short, and each turn is compared with the one
beside it: the ratio is the median of those. Nothing but calls happens meanwhile, as all have arrived before.
"""

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from bench.processes import cpu_s
from bench.proxy_load import crew, drive, join_apart
from bench.proxy_peers import Caller, Peer

TURNS: Final = 15
WARM_UP: Final = 10
"""Calls of each caller before the first turn."""


@dataclass(frozen=True)
class Turn:
    replicas_us: float
    """Processor time a call of both replicas."""
    broker_us: float
    took_ms: float
    """One call, in the middle of all."""


@dataclass(frozen=True)
class Compared:
    """Medians of all turns."""

    same: float
    cross: float
    ratio: float
    """Of neighbouring turns."""
    broker: float
    added_ms: float


class Crew:
    """Clients with a browser each, on the same replica or on another."""

    def __init__(self) -> None:
        self._clients: list[Peer] = []
        self._peers: list[Peer] = []
        self._callers: list[Caller] = []

    async def join(self, extensions: int, clients: int, pairs: int, name: str) -> None:
        """To these ports."""
        for number in range(pairs):
            extension, client = await join_apart(extensions, clients, f"{name}{number}", self._heard(number))
            self._clients.append(client)
            self._peers += [extension, client]

    def _heard(self, number: int) -> Callable[[Peer, bytes], bytes | None]:
        def heard(peer: Peer, data: bytes) -> bytes | None:
            return self._callers[number].answered(peer, data) if self._callers else None

        return heard

    async def turn(self, replicas: Sequence[int], broker: int, calls: int) -> Turn:
        self._callers, done = crew(len(self._clients), calls)
        wired = list(zip(self._callers, self._clients, strict=True))
        made = sum(caller.left for caller in self._callers)
        before, through = sum(map(cpu_s, replicas)), cpu_s(broker)
        figures = await drive(wired, 1, replicas[0], made, done)
        cost = (sum(map(cpu_s, replicas)) - before) / made * 1e6
        return Turn(cost, (cpu_s(broker) - through) / made * 1e6, figures.p50_us / 1000)

    def leave(self) -> None:
        for peer in self._peers:
            peer.transport.abort()


@contextmanager
def apart(*pids: int) -> Generator[None]:
    """These processes on a core of their own, and this one on another, where there are two.

    One call at a time costs a proxy half if its caller happens to sleep and wake on the same core, which no caller of a
    hosted one does.
    """
    ours = sorted(os.sched_getaffinity(0))
    if len(ours) > 1:
        _keep_to({ours[1]}, *pids)
        os.sched_setaffinity(0, {ours[0]})
    try:
        yield
    finally:
        _keep_to(set(ours), *pids)
        os.sched_setaffinity(0, ours)


def _keep_to(cores: set[int], *pids: int) -> None:
    for pid in pids:
        for thread in Path(f"/proc/{pid}/task").glob("*"):
            os.sched_setaffinity(int(thread.name), cores)


async def compare(near: int, far: int, replicas: Sequence[int], broker: int, pairs: int, calls: int) -> Compared:
    """So many calls of each kind, clients on the near replica and their browsers there or on the far one."""
    here, there = Crew(), Crew()
    try:
        await here.join(near, near, pairs, f"same{pairs}-")
        await there.join(far, near, pairs, f"cross{pairs}-")
        for each in (here, there):
            await each.turn(replicas, broker, pairs * WARM_UP)
        turns = [
            (await here.turn(replicas, broker, calls // TURNS), await there.turn(replicas, broker, calls // TURNS))
            for _ in range(TURNS)
        ]
    finally:
        here.leave()
        there.leave()
    return Compared(
        median(same.replicas_us for same, _ in turns),
        median(cross.replicas_us for _, cross in turns),
        median(cross.replicas_us / same.replicas_us for same, cross in turns),
        median(cross.broker_us for _, cross in turns),
        median(cross.took_ms - same.took_ms for same, cross in turns),
    )
