"""What does a call cost that crosses from one replica to another, beside one that stays on its replica?

Proxies on one nats-server. In turns the same calls go client -> proxy -> extension and back on one replica, and
client -> proxy -> NATS -> other proxy -> extension and back. Counts the processor time of both proxies, that of
the broker by itself, and how much longer one call alone takes; beside one call alone, what it costs two processes that
only pass its bytes on (`cluster_floor.py`). Ends with status 1 when a goal is missed.
"""

import argparse
import asyncio
import os
import resource
import secrets
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Final

import uvloop

from bench import scaling
from bench.proxy import SECRET, TABWRIGHT, cpu_s, crew, drive, free_port, idle, join_apart, resident_kb
from bench.proxy_peers import Caller, Peer, bare, dial, reply

NATS_CONF: Final = Path(__file__).parents[1] / "deploy" / "nats.conf"
PASSWORD: Final = f"b{secrets.token_hex(16)}"
GOAL_RATIO, GOAL_ADDED_MS = 2.5, 1.0


def start_nats(folder: Path) -> tuple["subprocess.Popen[bytes]", int]:
    port = free_port()
    told = NATS_CONF.read_text().replace("0.0.0.0:4222", f"127.0.0.1:{port}")
    (folder / "nats.conf").write_text(told.replace("/tmp/tabwright-nats", str(folder / "js")))
    (folder / "credentials").write_text(f"replica:{PASSWORD}")
    return run_nats(folder), port


def run_nats(folder: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        ["nats-server", "-c", str(folder / "nats.conf")],
        env={**os.environ, "REPLICA_PASSWORD": PASSWORD, "STATUS_PASSWORD": PASSWORD},
        stderr=subprocess.DEVNULL,
    )


def start_replica(folder: Path, broker: int) -> tuple["subprocess.Popen[str]", int]:
    (folder / "secret").write_text(SECRET)
    port = free_port()
    limits = ("--rate", "100000000", "--user-peers", "1000000", "--connects-per-address", "0", "--strangers", "10000")
    quiet = ("--strangers-per-address", "10000", "--log-level", "error")
    keys = ("--jwt-secret-file", str(folder / "secret"))
    meet = ("--broker", f"nats://127.0.0.1:{broker}", "--broker-credentials", str(folder / "credentials"))
    process = subprocess.Popen(
        [TABWRIGHT, "proxy", "--port", str(port), *keys, *limits, *quiet, *meet],
        env={**os.environ, "TABWRIGHT_HOME": str(folder)},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline().startswith("tabwright proxy ready"), "the proxy did not start"
    return process, port


async def run(
    ports: tuple[int, int], pids: list[int], pairs: int, in_flight: int, calls: int
) -> tuple[list[float], float]:
    """Microseconds of processor time a call of each process, and milliseconds a call of one caller."""
    callers, done = crew(pairs, calls)
    wired: list[tuple[Caller, Peer]] = []
    peers: list[Peer] = []
    for number, caller in enumerate(callers):
        extension, client = await join_apart(*ports, f"user{number}", caller.answered)
        peers += [extension, client]
        wired.append((caller, client))
    before, began = [cpu_s(pid) for pid in pids], time.perf_counter()
    await drive(wired, in_flight, pids[0], calls, done)
    took = (time.perf_counter() - began) / calls * 1000 * pairs * in_flight
    costs = [(cpu_s(pid) - start) / calls * 1e6 for pid, start in zip(pids, before, strict=True)]
    for peer in peers:
        peer.transport.abort()
    await asyncio.sleep(0.2)
    return costs, took


async def spread(ports: list[int], pids: list[int], calls: int) -> float:
    """Processor time a call of all replicas together, each browser on another one than its client if there are two."""
    callers, done = crew(64, calls)
    wired: list[tuple[Caller, Peer]] = []
    peers: list[Peer] = []
    for number, caller in enumerate(callers):
        here, there = ports[number % len(ports)], ports[(number + 1) % len(ports)]
        extension, client = await join_apart(here, there, f"spread{number}", caller.answered)
        peers += [extension, client]
        wired.append((caller, client))
    before = sum(map(cpu_s, pids))
    await drive(wired, 1, pids[0], calls, done)
    cost = (sum(map(cpu_s, pids)) - before) / calls * 1e6
    for peer in peers:
        peer.transport.abort()
    await asyncio.sleep(0.2)
    return cost


async def over_replicas(replicas: list[tuple["subprocess.Popen[str]", int]], calls: int) -> None:
    """The same calls on one, two and three replicas."""
    points: dict[str, dict[str, float]] = {}
    for count in range(1, len(replicas) + 1):
        used = replicas[:count]
        cost = await spread([port for _, port in used], [process.pid for process, _ in used], calls)
        points[f"{count} replica{'s' if count > 1 else ''}"] = {"proxy": round(cost, 1)}
        say(f"64 in flight over {count}: {cost:6.1f} µs a call")
    scaling.keep("replicas", points)
    scaling.draw("replicas", "A call over replicas, each time to another", "µs of processor time", points)


def start_part(*words: str) -> "subprocess.Popen[str]":
    process = subprocess.Popen([sys.executable, "-m", "bench.cluster_floor", *words], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline(), "it did not start"
    return process


async def floor(folder: Path, broker: "subprocess.Popen[bytes]", port: int, calls: int) -> None:
    """The same bytes with one call under way, through processes that only pass them on."""
    target, ports, parts = free_port(), (free_port(), free_port()), list[subprocess.Popen[str]]()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Peer(lambda _, d: reply(d, bare), serves=True), "127.0.0.1", target)
    costs: list[tuple[float, float]] = []
    try:
        for part, listens in (("one", ports[0]), ("far", 0), ("near", ports[1])):
            words = (part, str(listens), str(target), str(port), str(folder / "credentials"))
            parts.append(start_part(*words))
        for listens in ports:
            (caller,), done = crew(1, calls)
            peer = await dial(listens, "/mcp", caller.answered)
            pids = [part.pid for part in parts]
            before, through = sum(map(cpu_s, pids)), cpu_s(broker.pid)
            await drive([(caller, peer)], 1, pids[0], calls, done)
            costs.append(((sum(map(cpu_s, pids)) - before) / calls * 1e6, (cpu_s(broker.pid) - through) / calls * 1e6))
    finally:
        for part in parts:
            part.kill()
            part.communicate()
        server.close()
    (here, _), (there, through) = costs
    say(
        f"  bare bytes  one process {here:6.1f} µs a call   two {there:6.1f} µs   ratio {there / here:.2f}"
        f"   (and the broker {through:.1f} µs)"
    )


def say(text: str) -> None:
    print(text)  # noqa: T201 - a bench talks to a person


async def measure(folder: Path, options: argparse.Namespace) -> bool:
    good = True
    broker, broker_port = start_nats(folder)
    replicas = [start_replica(folder, broker_port) for _ in range(3)]
    pids = [replicas[0][0].pid, replicas[1][0].pid, broker.pid]
    near, far = replicas[0][1], replicas[1][1]
    try:
        for label, pairs, calls in (("1 in flight", 1, options.calls // 8), ("64 in flight", 64, options.calls)):
            same: list[tuple[list[float], float]] = []
            cross: list[tuple[list[float], float]] = []
            for _ in range(options.runs):
                same.append(await run((near, near), pids, pairs, 1, calls))
                cross.append(await run((far, near), pids, pairs, 1, calls))
            here = median(sum(costs[:2]) for costs, _ in same)
            there = median(sum(costs[:2]) for costs, _ in cross)
            through = median(costs[2] for costs, _ in cross)
            added = median(took for _, took in cross) - median(took for _, took in same)
            say(
                f"{label:13} one replica {here:6.1f} µs a call   two {there:6.1f} µs   ratio {there / here:.2f}"
                f"   (and the broker {through:.1f} µs)   {added:+.2f} ms a call"
            )
            if pairs == 1:
                await floor(folder, broker, broker_port, calls)
                good &= added <= GOAL_ADDED_MS
            else:
                good &= there / here <= GOAL_RATIO
        await over_replicas(replicas, options.calls)
        if options.idle:
            before = resident_kb(pids[2])
            each, core, took, _ = await idle(
                near, pids[0], options.idle, options.idle_seconds, options.calls, lambda number: f"idle{number}"
            )
            more = (resident_kb(pids[2]) - before) / options.idle
            say(
                f"{options.idle} idle extensions of as many users: {each:.1f} KB each and {more:.1f} KB on the broker,"
                f" {core:.1f} % of a core, in after {took:.1f} s"
            )
    finally:
        for process, _ in replicas:
            process.terminate()
            sys.stderr.write(process.communicate(timeout=20)[1] or "")
        broker.terminate()
        broker.wait(10)
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=40_000, help="a run (default 40000; an eighth one at a time)")
    parser.add_argument("--idle", type=int, default=5_000, help="extensions that only stay (default 5000; 0: none)")
    parser.add_argument("--idle-seconds", type=float, default=20.0)
    parser.add_argument("--runs", type=int, default=3, help="of each, in turns (default 3)")
    options = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with tempfile.TemporaryDirectory(prefix="tabwright-bench-") as folder:
        return 0 if uvloop.run(measure(Path(folder), options)) else 1


if __name__ == "__main__":
    sys.exit(main())
