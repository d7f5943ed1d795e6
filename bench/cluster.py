"""What does a call cost that crosses from one replica to another, beside one that stays on its replica?

Proxies on one nats-server. By turns (`cluster_turns.py`) the same calls go client -> proxy -> extension and back on one
replica, and client -> proxy -> NATS -> other proxy -> extension and back. Counts the processor time of both proxies,
that of the broker by itself, and how much longer one call alone takes; beside one call alone, what it costs two
processes that only pass its bytes on (`cluster_floor.py`). Ends with status 1 when a goal is missed.
"""

import argparse
import asyncio
import os
import resource
import secrets
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import Final

import uvloop

from bench import cluster_page
from bench.cluster_turns import apart, compare
from bench.handover import Handover, Plot
from bench.processes import cpu_s, resident_mb
from bench.proxy import free_port, start_proxy
from bench.proxy_load import crew, drive, join_apart, rest
from bench.proxy_peers import Caller, Peer, bare, dial, reply

NATS_CONF: Final = Path(__file__).parents[1] / "deploy" / "nats.conf"
PASSWORD: Final = f"b{secrets.token_hex(16)}"
GOAL_RATIO, GOAL_ADDED_MS, GOAL_KB = 2.5, 1.0, 24.0


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
    return start_proxy(
        folder, "--broker", f"nats://127.0.0.1:{broker}", "--broker-credentials", str(folder / "credentials")
    )


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


async def over_replicas(replicas: list[tuple["subprocess.Popen[str]", int]], broker: int, calls: int) -> Plot:
    """The same calls on one, two and three replicas."""
    lines: dict[str, list[tuple[float, float]]] = {"all replicas": [], "the broker": []}
    for count in range(1, len(replicas) + 1):
        used, before = replicas[:count], cpu_s(broker)
        cost = await spread([port for _, port in used], [process.pid for process, _ in used], calls)
        through = (cpu_s(broker) - before) / calls * 1e6
        lines["all replicas"].append((count, cost))
        lines["the broker"].append((count, through))
        say(f"64 in flight over {count}: {cost:6.1f} µs a call   (and the broker {through:.1f} µs)")
    title = "Processor time of a call, each time to a browser on another replica"
    return Plot("scaling-replicas", title, "µs", "replicas", lines)


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
            with apart(*pids):
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
    cluster_page.keep("bare bytes", one=here, two=there, broker=through)


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


async def measure(folder: Path, options: argparse.Namespace) -> int:
    to = Handover()
    broker, broker_port = start_nats(folder)
    replicas = [start_replica(folder, broker_port) for _ in range(3)]
    pids = [replicas[0][0].pid, replicas[1][0].pid, broker.pid]
    near, far = replicas[0][1], replicas[1][1]
    try:
        for label, pairs, calls in (("1 in flight", 1, options.calls // 8), ("64 in flight", 64, options.calls)):
            with apart(*pids[:2]) if pairs == 1 else nullcontext():
                found = await compare(near, far, pids[:2], broker.pid, pairs, calls)
            await asyncio.sleep(0.2)
            say(
                f"{label:13} one replica {found.same:6.1f} µs a call   two {found.cross:6.1f} µs"
                f"   ratio {found.ratio:.2f}   (and the broker {found.broker:.1f} µs)   {found.added_ms:+.2f} ms a call"
            )
            part = "one call" if pairs == 1 else f"{pairs} calls"
            figures = {"same": found.same, "cross": found.cross, "ratio": found.ratio}
            cluster_page.keep(part, **figures, broker=found.broker, added_ms=found.added_ms)
            if pairs == 1:
                await floor(folder, broker, broker_port, calls // 3)
                to.most("one call alone, longer between replicas", found.added_ms, GOAL_ADDED_MS, "ms")
            else:
                to.most(
                    "a call between replicas, processor time to one on its replica", found.ratio, GOAL_RATIO, "times"
                )
        to.plots.append(await over_replicas(replicas, broker.pid, options.calls // 3))
        if options.idle:
            before = resident_mb(pids[2])
            idle = await rest(
                near, pids[0], options.idle, options.idle_seconds, options.calls // 3, lambda number: f"idle{number}"
            )
            more = (resident_mb(pids[2]) - before) / options.idle * 1024
            say(
                f"{options.idle:,} idle extensions of as many users: {idle.each_kb:.1f} KB each and {more:.1f} KB on"
                f" the broker, {idle.core:.1f} % of a core, in after {idle.arrived_s:.1f} s"
            )
            cluster_page.keep("idle", kb=idle.each_kb, us_s=idle.core * 1e4 / options.idle, broker_kb=more)
            to.most(f"an idle browser of {options.idle:,} users, memory", idle.each_kb, GOAL_KB, "KB")
    finally:
        for process, _ in replicas:
            process.terminate()
            sys.stderr.write(process.communicate(timeout=20)[1] or "")
        broker.terminate()
        broker.wait(10)
    return to.status()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--calls", type=int, default=48_000, help="of each kind (default %(default)s; an eighth one at a time)"
    )
    parser.add_argument("--idle", type=int, default=5_000, help="extensions that only stay (default 5000; 0: none)")
    parser.add_argument("--idle-seconds", type=float, default=10.0)
    options = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with tempfile.TemporaryDirectory(prefix="tabwright-bench-") as folder:
        return uvloop.run(measure(Path(folder), options))


if __name__ == "__main__":
    sys.exit(main())
