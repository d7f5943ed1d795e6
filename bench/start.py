"""From starting a server to its list of tools: with a gateway running, without one, and each peer.

Without a gateway the pump itself says what follows from version and settings, or what was answered last.
"""

import functools
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from bench import pump, rota
from bench.records import Record, timed
from bench.servers import ADAPTERS, Adapter, Tabwright
from bench.session import Session
from tests.gateway import until

PART: Final = "start"
ROW: Final = "stdio, from spawn to tools/list"
ROUNDS, WARM = 20, 2
BARE: Final = "bare Python"
FIRST, LATER = "tabwright, first start", "tabwright, later start"


def measure(folder: Path, rounds: int = ROUNDS) -> list[Record]:
    """In turns; the first start has a home of its own each time, and a gateway that is ended with it."""
    shared = folder / "start-shared"
    took: dict[str, list[float]] = {}
    with Session(Tabwright(()), shared):
        # the list may be answered before the gateway is there
        until((shared / "home" / "run" / "gateway.json").exists)
        contenders: dict[str, Callable[[int], float]] = {
            BARE: lambda _: _bare(shared / "home"),
            "tabwright": lambda _: _listed(Tabwright(()), shared),
            FIRST: lambda turn: _listed(Tabwright(()), folder / f"start-first-{turn}"),
            LATER: lambda _: _listed(Tabwright(()), folder / "start-later"),
            **{each.name: functools.partial(_peer, each, folder) for each in ADAPTERS[1:]},
        }
        names = list(contenders)
        for turn, order in rota.rounds(names, rounds + WARM):
            for name in order:
                seconds = contenders[name](turn)
                took.setdefault(name, []).extend([seconds] if turn >= WARM else [])
    return [timed(PART, ROW, name, took[name]) for name in names]


def _peer(adapter: Adapter, folder: Path, turn: int) -> float:
    return _listed(adapter, folder / f"start-{adapter.name}")


def _listed(adapter: Adapter, folder: Path) -> float:
    with Session(adapter, folder) as session:
        session.driver.tools()
        return time.perf_counter() - session.driver.began


def _bare(home: Path) -> float:
    """A script that opens the gateway's socket and sends and reads the same lines."""
    return pump.timed(pump.script(home, "bare.py", pump.BARE), dict(os.environ), 3)
