"""The processes of a server, wherever they are by now, and the memory they hold."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_WHOLE_PROCESS: Final = 2


@dataclass(frozen=True)
class Memory:
    """Megabytes: resident, and with shared pages divided among those who share them."""

    resident: float
    proportional: float
    processes: int


def marked(mark: str) -> Iterator[int]:
    """Processes that inherited this variable, as NAME=VALUE."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            variables = (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if mark.encode() in variables:
            yield int(entry.name)


def is_browser(pid: int) -> bool:
    """Whether it belongs to the browser: what that needs is the same for all."""
    try:
        return "chrom" in (Path(f"/proc/{pid}/exe").readlink().name)
    except OSError:
        return True


def memory(mark: str) -> Memory:
    """Of a server's processes without its browser."""
    pids = [pid for pid in marked(mark) if not is_browser(pid)]
    rolled = [_rollup(pid) for pid in pids]
    return Memory(
        sum(each.get("Rss", 0) for each in rolled) / 1024, sum(each.get("Pss", 0) for each in rolled) / 1024, len(pids)
    )


def _rollup(pid: int) -> dict[str, int]:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    except OSError:
        return {}
    return {name: int(size.split()[0]) for name, _, size in (line.partition(":") for line in lines) if "kB" in size}


def cpu_s(pid: int) -> float:
    """Processor time of all threads it ever had, to the nanosecond, by the process's own clock in Linux."""
    return time.clock_gettime((~pid << 3) | _WHOLE_PROCESS)


def resident_mb(pid: int) -> float:
    return _rollup(pid).get("Rss", 0) / 1024
