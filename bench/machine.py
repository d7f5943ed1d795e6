"""On what and of what the figures are: the machine, the browser, the versions of everyone."""

import json
import os
import platform
import subprocess
import time
from pathlib import Path

from bench.servers import PEERS, chromium
from tabwright import __version__


def about() -> dict[str, str]:
    said = subprocess.run([chromium(), "--version"], capture_output=True, text=True).stdout.strip()
    node = subprocess.run(["node", "--version"], capture_output=True, text=True).stdout.strip()
    system = f"{platform.system()} {platform.release()}"
    return {
        "machine": f"{os.cpu_count()} cores ({_processor()}), {_memory_gb():.0f} GB, {system}",
        "browser": said.partition(" built")[0],
        "Python": platform.python_version(),
        "Node": node.lstrip("v"),
        "tabwright": __version__,
        **{name: _version(name) for name in ("@playwright/mcp", "chrome-devtools-mcp", "agent-browser")},
    }


def busy(seconds: float = 0.5) -> float:
    """Share of all processors that is in use while nothing is asked of them."""
    before = processor_ticks()
    time.sleep(seconds)
    gone = [after - earlier for earlier, after in zip(before, processor_ticks(), strict=True)]
    # the fourth and fifth: idle, and waiting for a disk
    return 1 - sum(gone[3:5]) / max(1, sum(gone))


def processor_ticks() -> list[int]:
    """What all processors spent on what since the start, in the kernel's order: user, nice, system and so on."""
    with Path("/proc/stat").open() as told:
        return [int(each) for each in told.readline().split()[1:9]]


def _version(package: str) -> str:
    path = PEERS / "node_modules" / package / "package.json"
    return str(json.loads(path.read_text())["version"]) if path.exists() else "not installed"


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.machine())


def _memory_gb() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
