"""What keeping presence costs on a real broker: many browsers arrive, the broker comes back empty, and a long list.

    python -m bench.cluster_presence [--browsers 10000] [--listed 1000]

Two proxies on one nats-server. Counts the records in the bucket until all are there, and the processor time of proxy
and broker meanwhile; then the broker is killed and started again, empty; then a client on the other proxy lists all
extensions of one user. Every wait is bounded.
"""

import argparse
import asyncio
import json
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import nats
import nats.errors
import nats.js.errors
import uvloop

from bench import cluster_page
from bench.cluster import PASSWORD, run_nats, say, start_nats, start_replica
from bench.processes import cpu_s
from bench.proxy_load import arrive, token
from bench.proxy_peers import dial, mailbox, masked

WITHIN_S, LISTS = 120, 20
STREAM = "KV_tabwright_presence"


async def _not_yet(_: Exception) -> None:
    """The broker has only just been started."""


async def recorded(broker: int, count: int) -> tuple[float, int]:
    """Seconds until so many records are there, and how many writes that took."""
    began = time.monotonic()
    url = f"nats://replica:{PASSWORD}@127.0.0.1:{broker}"
    connect: Any = getattr(nats, "connect")  # noqa: B009 - its options have no types
    client = await connect(url, inbox_prefix="tabwright.i", connect_timeout=5, error_cb=_not_yet)
    try:
        async with asyncio.timeout(WITHIN_S):
            while True:
                try:
                    state = (await client.jetstream().stream_info(STREAM)).state
                    if state.messages >= count:
                        return time.monotonic() - began, state.last_seq
                except (nats.errors.Error, nats.js.errors.Error):
                    pass  # it is not there yet
                await asyncio.sleep(0.1)
    finally:
        await client.close()


async def list_all(port: int, user: str, count: int) -> tuple[float, float]:
    """Milliseconds in the middle, and KB, of a list with all of them."""
    answers, note = mailbox()
    client = await dial(port, "/mcp", note)

    async def ask(number: int, method: str, params: dict[str, str]) -> Any:
        told = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        client.transport.write(masked(json.dumps(told).encode()))
        async with asyncio.timeout(WITHIN_S):
            return await answers.get()

    await ask(0, "mcp_handshake", {"accessToken": token("mcp", user)})
    took: list[float] = []
    answer: Any = None
    for number in range(1, LISTS + 1):
        began = time.perf_counter()
        answer = await ask(number, "list_extensions", {})
        took.append(time.perf_counter() - began)
    assert len(answer["result"]["extensions"]) == count, f"{len(answer['result']['extensions'])} are listed"
    client.transport.abort()
    return median(took) * 1000, len(json.dumps(answer)) / 1024


class Costs:
    """Processor time of proxy and broker since it was made."""

    def __init__(self, **pids: int) -> None:
        self._before = {name: (pid, cpu_s(pid)) for name, pid in pids.items()}

    def each(self, count: int) -> dict[str, float]:
        """Microseconds."""
        return {name: (cpu_s(pid) - before) / count * 1e6 for name, (pid, before) in self._before.items()}


def told(each: dict[str, float]) -> str:
    return ", ".join(f"{name} {cost:.0f} µs" for name, cost in each.items())


def note(part: str, count: int, seconds: float, each: dict[str, float]) -> None:
    say(f"  each costs {told(each)}")
    figures = {"replica_us": each["proxy"], "broker_us": each["broker"]}
    cluster_page.keep(part, browsers=count, seconds=seconds, **figures)


async def measure(folder: Path, count: int, listed: int) -> None:
    broker, broker_port = start_nats(folder)
    replicas: list[tuple[subprocess.Popen[str], int]] = []
    try:
        replicas += [start_replica(folder, broker_port) for _ in range(2)]
        (far, far_port), (_, near_port) = replicas
        each = [token("extension", f"user{number}") for number in range(count)]
        costs, began = Costs(proxy=far.pid, broker=broker.pid), time.monotonic()
        peers = await arrive(far_port, each)
        came = time.monotonic() - began
        await recorded(broker_port, count)
        took = time.monotonic() - began
        say(f"{count} browsers arrive: in after {came:.1f} s, recorded after {took:.1f} s: {count / took:.0f} a second")
        note("arrivals", count, took, costs.each(count))
        broker.send_signal(signal.SIGKILL)
        broker.wait(10)
        costs, broker = Costs(proxy=far.pid), run_nats(folder)
        took, writes = await recorded(broker_port, count)
        say(f"the broker comes back empty: recorded after {took:.1f} s, {count / took:.0f} a second, {writes} writes")
        note("broker back", count, took, {**costs.each(count), "broker": cpu_s(broker.pid) / count * 1e6})
        costs, began = Costs(proxy=far.pid, broker=broker.pid), time.monotonic()
        peers += await arrive(far_port, [token("extension", "many")] * listed)
        await recorded(broker_port, count + 1)
        await asyncio.sleep(1)
        say(f"{listed} browsers of one user arrive: in after {time.monotonic() - began - 1:.1f} s")
        say(f"  each costs {told(costs.each(listed))}")
        took, size = await list_all(near_port, "many", listed)
        say(f"list_extensions with {listed} entries from the other proxy: {took:.1f} ms, {size:.0f} KB")
        cluster_page.keep("list", browsers=listed, ms=took, kb=size)
        lost = sum(peer.transport.is_closing() for peer in peers)
        assert not lost, f"{lost} were lost"
    finally:
        for process, _ in replicas:
            process.kill()
            process.communicate(timeout=20)
        broker.kill()
        broker.wait(10)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--browsers", type=int, default=10_000)
    parser.add_argument("--listed", type=int, default=1_000)
    options = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with tempfile.TemporaryDirectory(prefix="tabwright-bench-") as folder:
        uvloop.run(measure(Path(folder), options.browsers, options.listed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
