"""The scripts that measure one thing each, with goals of their own: what they print and hand over is kept."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench import handover
from bench.records import Outcome
from bench.serving import ROOT

LONGEST_S, ENDING_S = 300.0, 30.0


@dataclass(frozen=True)
class Script:
    area: str
    title: str
    lead: str
    needs: str = ""
    """A program without which there is nothing to measure."""


SCRIPTS: Final = {
    "pump": Script(
        "start",
        "The pump beside a bare Python script",
        "From starting the process to its `tools/list` answer; the bare script sends the same bytes to the gateway.",
    ),
    "actions": Script(
        "latency",
        "Click, script and picture, in front and in the background",
        "From a client's call to its answer, on a page of 200 paragraphs, in a launched browser and in a person's own, "
        "which was started without any of its switches; the person's front tab stays in front.",
    ),
    "page_tools": Script(
        "page tools",
        "Tools of the focused page",
        "From the registration of ten tools in a page until the client is told, and calls of one.",
    ),
    "hub": Script(
        "page tools",
        "Tools of all tabs",
        "From the registration of ten tools in a page to the list that a client fetched, and calls of one among many.",
    ),
    "find": Script(
        "find",
        "How often `find` is right",
        "Labelled queries; nobody looked at the held-out ones while tuning, nor at what is missed on unseen pages.",
    ),
    "hour": Script(
        "memory",
        "An hour's calls",
        "As many calls as an hour of use at one a second has, by two sessions without the pauses, in a "
        "real browser: what the gateway holds meanwhile, and what tabs and sessions add to it afterwards.",
    ),
    "growth": Script(
        "growth",
        "A thousand tabs, a hundred sessions, ten thousand page tools",
        "The same calls at gateways with few and many of all three, in turns. The browser's side is a peer that "
        "answers at once, so that the gateway is all that is measured.",
    ),
    "recovery": Script(
        "recovery",
        "After a broken link",
        "From the break to the answer of a call made at once, or to the link of a paired browser.",
    ),
    "proxy": Script(
        "proxy",
        "The hosted proxy beside haproxy",
        "Processor time of the process under test for a routed call, with every limit and check on, beside haproxy "
        "passing the same frames; then the same beside idle browsers.",
        "haproxy",
    ),
    "cluster": Script(
        "cluster",
        "Calls between replicas",
        "Processor time of both proxies for a call that crosses from one to the other, beside one that stays. What "
        "that means for a million browsers: [scaling](scaling.md).",
        "nats-server",
    ),
}


def run(name: str) -> Outcome:
    script = SCRIPTS[name]
    if script.needs and not shutil.which(script.needs):
        return Outcome(name, None, f"Not measured: {script.needs} is not installed on this machine.")
    with tempfile.TemporaryDirectory(prefix="tabwright-bench-") as folder:
        file = Path(folder) / "handover.json"
        status, printed = _run(name, file)
        given = handover.read(file)
    return Outcome(name, status == 0, printed, tuple(given.checks), tuple(given.plots))


def _run(name: str, file: Path) -> tuple[int | None, str]:
    command = [sys.executable, "-m", f"bench.{name}"]
    environment = {**os.environ, handover.FILE: str(file)}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=pipe, stderr=pipe, text=True) as script:
        try:
            printed, complaints = script.communicate(timeout=LONGEST_S)
        except subprocess.TimeoutExpired:
            _end(script)
            return None, f"It was ended after {LONGEST_S:g} s."
        except BaseException:
            _end(script)
            raise
    sys.stderr.write(complaints)
    # one that could not run says why in its last line
    return script.returncode, printed.strip() or complaints.strip().rpartition("\n")[2]


def _end(script: "subprocess.Popen[str]") -> None:
    """As from the keyboard: it ends its gateways and browsers first."""
    script.send_signal(signal.SIGINT)
    try:
        script.communicate(timeout=ENDING_S)
    except subprocess.TimeoutExpired:
        script.kill()
