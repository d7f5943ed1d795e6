"""The scripts that measure one thing each, with goals of their own: run as they are, what they print is kept."""

import subprocess
import sys
from typing import Final

from bench.records import Outcome
from bench.serving import ROOT

LONGEST_S: Final = 900.0
SCRIPTS: Final[dict[str, tuple[str, ...]]] = {
    "pump": (),
    "actions": (),
    "page_tools": (),
    "hub": (),
    "growth": (),
    "hour": (),
    "recovery": (),
    "find": (),
    "proxy": (),
    "cluster": (),
}
TITLES: Final = {
    "pump": "The pump beside a bare Python script",
    "actions": "Click, script and picture, in front and in the background",
    "page_tools": "Page tools: listed, called",
    "hub": "Tools of all tabs",
    "growth": "A thousand tabs, a hundred sessions, ten thousand page tools",
    "hour": "Memory over an hour's calls",
    "recovery": "After a broken link",
    "find": "How often `find` is right",
    "proxy": "The hosted proxy beside haproxy",
    "cluster": "Several proxies",
}


def run(name: str) -> Outcome:
    command = [sys.executable, "-m", f"bench.{name}", *SCRIPTS[name]]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=LONGEST_S)
    sys.stderr.write(told.stderr)
    # one that could not run says why in its last line
    printed = told.stdout.strip() or told.stderr.strip().rpartition("\n")[2]
    return Outcome(name, told.returncode == 0, printed)
