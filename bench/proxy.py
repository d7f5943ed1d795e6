"""What a routed call costs the proxy in processor time, beside haproxy passing the same frames; and an idle browser.

One generator drives both: raw sockets, frames made beforehand. Through the proxy a call goes client -> extension and
back, with every limit and check on; through haproxy the same bytes go client -> server and back. The two run in turns.
Then more and more idle extensions connect, authenticate and stay while calls are made beside them. Prints medians and
ratios; ends with status 1 when a goal is missed.
"""

import argparse
import os
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Final

import uvloop

from bench.handover import Handover, Plot
from bench.proxy_load import SECRET, Figures, Rest, rest, through_haproxy, through_proxy

TABWRIGHT: Final = str(Path(sys.executable).with_name("tabwright"))
HAPROXY: Final = """
global
    maxconn 4096
    nbthread 1
defaults
    mode http
    timeout connect 5s
    timeout client 1h
    timeout server 1h
    timeout tunnel 1h
frontend in
    bind 127.0.0.1:{port}
    default_backend out
backend out
    server one 127.0.0.1:{target}
"""
GOAL_RATIO, GOAL_KB, GOAL_CORE, GOAL_FLAT = 2.0, 24.0, 5.0, 1.5
SHAPES: Final = (("1 in flight", 1, 1), ("64 in flight", 64, 1), ("64, 8 by 8", 8, 8))
"""Pairs of client and browser, and calls under way of each."""
STEPS: Final = (1, 64, 1_000)
"""Idle extensions, before as many as asked for."""
STEP_S: Final = 3.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start_proxy(folder: Path, *more: str) -> tuple["subprocess.Popen[str]", int]:
    (folder / "secret").write_text(SECRET)
    port = free_port()
    limits = ("--rate", "100000000", "--user-peers", "1000000", "--connects-per-address", "0", "--strangers", "10000")
    quiet = ("--strangers-per-address", "10000", "--log-level", "error")
    process = subprocess.Popen(
        [TABWRIGHT, "proxy", "--port", str(port), "--jwt-secret-file", str(folder / "secret"), *limits, *quiet, *more],
        env={**os.environ, "TABWRIGHT_HOME": str(folder)},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline().startswith("tabwright proxy ready"), "the proxy did not start"
    return process, port


def start_haproxy(folder: Path, target: int) -> tuple["subprocess.Popen[bytes]", int]:
    port = free_port()
    (folder / "haproxy.cfg").write_text(HAPROXY.format(port=port, target=target))
    process = subprocess.Popen(["haproxy", "-f", str(folder / "haproxy.cfg"), "-db"], stderr=subprocess.DEVNULL)
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return process, port
        except OSError:
            time.sleep(0.02)
    raise AssertionError("haproxy did not start")


def tell(label: str, ours: list[Figures], theirs: list[Figures]) -> float:
    """Print the medians of all runs; the ratio of costs."""
    for name, runs in (("proxy", ours), ("haproxy", theirs)):
        costs = [run.cost_us for run in runs]
        line = f"{label:14} {name:8}{median(costs):6.1f} µs a call ({min(costs):.1f}-{max(costs):.1f})"
        line += f"{median(run.per_s for run in runs):8.0f} calls/s   p50 {median(run.p50_us for run in runs):5.0f}"
        say(f"{line} p99 {median(run.p99_us for run in runs):5.0f} µs")
    # of neighbours: what a machine gives a process changes within seconds
    ratio = median(own.cost_us / other.cost_us for own, other in zip(ours, theirs, strict=True))
    added = median(run.p50_us for run in ours) - median(run.p50_us for run in theirs)
    say(f"{label:14} ratio {ratio:.2f}, {added:+.0f} µs in the middle beside haproxy")
    return ratio


async def calls_beside_haproxy(folder: Path, proxy: tuple[int, int], options: argparse.Namespace, to: Handover) -> None:
    """`proxy` is its process and its port."""
    target = free_port()
    pid, port = proxy
    haproxy, haproxy_port = start_haproxy(folder, target)
    try:
        for label, pairs, in_flight in SHAPES:
            calls = options.calls if pairs > 1 else options.calls // 4
            ours: list[Figures] = []
            theirs: list[Figures] = []
            for _ in range(options.runs):
                ours.append(await through_proxy(port, pid, pairs, in_flight, calls))
                theirs.append(await through_haproxy(haproxy_port, haproxy.pid, target, pairs, in_flight, calls))
            ratio = tell(label, ours, theirs)
            if in_flight == 1:
                to.most(f"a call, {label}, processor time to haproxy", ratio, GOAL_RATIO, "times")
    finally:
        haproxy.terminate()
        haproxy.wait(10)


async def beside_idle(proxy: tuple[int, int], options: argparse.Namespace, to: Handover) -> None:
    pid, port = proxy
    found: dict[int, Rest] = {}
    for count in (*(step for step in STEPS if step < options.idle), options.idle):
        seconds = options.idle_seconds if count == options.idle else STEP_S
        found[count] = await rest(port, pid, count, seconds, options.calls)
        say(f"beside {count:6,} idle extensions a call costs {found[count].call_us:5.1f} µs, without their upkeep")
    most, fewest = found[max(found)], found[min(found)]
    say(
        f"{options.idle:,} idle extensions: {most.each_kb:.1f} KB each, {most.core:.1f} % of a core, "
        f"in after {most.arrived_s:.1f} s"
    )
    to.most(f"an idle browser of {options.idle:,}, memory", most.each_kb, GOAL_KB, "KB")
    to.most(f"{options.idle:,} idle browsers, of a core", most.core, GOAL_CORE, "%")
    to.most(f"a call among {options.idle:,} browsers, to one", most.call_us / fewest.call_us, GOAL_FLAT, "times")
    lines = {"a call": [(count, each.call_us) for count, each in found.items()]}
    title = "Processor time of a call beside idle browsers"
    to.plots.append(Plot("scaling-connections", title, "µs", "idle browsers", lines, wide=True))


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def measure(folder: Path, options: argparse.Namespace) -> int:
    to = Handover()
    proxy, port = start_proxy(folder)
    try:
        await calls_beside_haproxy(folder, (proxy.pid, port), options, to)
        if options.idle:
            await beside_idle((proxy.pid, port), options, to)
    finally:
        proxy.terminate()
        sys.stderr.write(proxy.communicate(timeout=20)[1] or "")
    return to.status()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--calls", type=int, default=10_000, help="a run (default %(default)s; a quarter one at a time)"
    )
    parser.add_argument("--runs", type=int, default=9, help="of each, in turns (default %(default)s)")
    parser.add_argument("--idle", type=int, default=10_000, help="extensions that only stay (default 10000; 0: none)")
    parser.add_argument("--idle-seconds", type=float, default=20.0)
    options = parser.parse_args()
    if not shutil.which("haproxy"):
        raise SystemExit("There is no haproxy on this machine to measure beside.")
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with tempfile.TemporaryDirectory(prefix="tabwright-bench-") as folder:
        return uvloop.run(measure(Path(folder), options))


if __name__ == "__main__":
    sys.exit(main())
