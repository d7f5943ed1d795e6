"""From starting a server to its list of tools: with a gateway running, without one, and each peer."""

import os
import time
from pathlib import Path
from typing import Final

from bench import pump
from bench.records import Record, timed
from bench.servers import ADAPTERS, Adapter, Tabwright
from bench.session import Session

PART: Final = "start"
ROW: Final = "stdio, from spawn to tools/list"
ROUNDS, WARM = 20, 2
BARE: Final = "bare Python"
FIRST: Final = "tabwright, first start"


def measure(folder: Path, rounds: int = ROUNDS) -> list[Record]:
    """In turns; the first start has a home of its own each time, and a gateway that is ended with it."""
    shared = folder / "start-shared"
    took: dict[str, list[float]] = {}
    with Session(Tabwright(()), shared):
        for turn in range(rounds + WARM):
            each = {BARE: _bare(shared / "home"), "tabwright": _listed(Tabwright(()), shared)}
            each[FIRST] = _listed(Tabwright(()), folder / f"start-first-{turn}")
            for adapter in ADAPTERS[1:]:
                each[adapter.name] = _listed(adapter, folder / f"start-{adapter.name}")
            for name, seconds in each.items():
                took.setdefault(name, []).extend([seconds] if turn >= WARM else [])
    return [timed(PART, ROW, name, seconds) for name, seconds in took.items()]


def _listed(adapter: Adapter, folder: Path) -> float:
    with Session(adapter, folder) as session:
        session.driver.tools()
        return time.perf_counter() - session.driver.began


def _bare(home: Path) -> float:
    """A script that opens the gateway's socket and sends and reads the same lines."""
    return pump.timed(pump.script(home, "bare.py", pump.BARE), dict(os.environ), 3)
