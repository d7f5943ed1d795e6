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
    before, idle_before = _ticks()
    time.sleep(seconds)
    after, idle_after = _ticks()
    return 1 - (idle_after - idle_before) / max(1, after - before)


def _ticks() -> tuple[int, int]:
    """Of all processors since the start: all, and idle or waiting for a disk."""
    ticks = [int(each) for each in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    return sum(ticks), ticks[3] + ticks[4]


def _version(package: str) -> str:
    path = PEERS / "node_modules" / package / "package.json"
    return str(json.loads(path.read_text())["version"]) if path.exists() else "not installed"


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.machine())


def _memory_gb() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
