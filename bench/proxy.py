"""What a routed call costs the proxy in processor time, beside haproxy passing the same frames; and an idle browser.

One generator drives both: raw sockets, frames made beforehand. Through the proxy a call goes client -> extension and
back, with every limit and check on; through haproxy the same bytes go client -> server and back. The two run in turns.
Then as many idle extensions as asked for connect, authenticate and stay. Prints medians and ratios; ends with status 1
when a goal is missed.
"""

import argparse
import asyncio
import contextlib
import json
import os
import resource
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

import jwt
import uvloop

from bench import scaling
from bench.proxy_peers import Caller, Peer, bare, dial, mailbox, masked, reply

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
GOAL_RATIO, GOAL_KB, GOAL_CORE = 2.0, 24.0, 5.0
ANSWER_S: Final = 15.0
STEPS: Final = (1, 64, 1_000)
"""Idle extensions, before as many as asked for."""
STEP_S, STEP_CALLS = 3.0, 10_000
SECRET: Final = secrets.token_hex(32)


def token(role: str, user: str) -> str:
    claims = {"user_id": user, "connection_url": "ws://127.0.0.1/mcp", "exp": int(time.time()) + 3600, "role": role}
    return jwt.encode(claims, SECRET, algorithm="HS256")


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_kb(pid: int) -> float:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1024


@dataclass(frozen=True)
class Figures:
    """Of one run."""

    cost_us: float
    """Processor time a call."""
    per_s: float
    took_s: list[float]

    @property
    def p50_us(self) -> float:
        return median(self.took_s) * 1e6

    @property
    def p99_us(self) -> float:
        return sorted(self.took_s)[int(len(self.took_s) * 0.99)] * 1e6


async def drive(
    callers: list[tuple[Caller, Peer]], in_flight: int, pid: int, calls: int, done: asyncio.Event
) -> Figures:
    before, began = cpu_s(pid), time.perf_counter()
    for caller, peer in callers:
        peer.transport.write(b"".join(caller.next() for _ in range(in_flight)))
    await all_answered(callers, done)
    seconds = time.perf_counter() - began
    took = [each for caller, _ in callers for each in caller.took]
    return Figures((cpu_s(pid) - before) / calls * 1e6, calls / seconds, took)


async def all_answered(callers: list[tuple[Caller, Peer]], done: asyncio.Event) -> None:
    """Say so soon if no more answers come, instead of waiting for them."""
    while not done.is_set():
        before = sum(caller.out for caller, _ in callers)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(done.wait(), ANSWER_S)
        left = sum(caller.out for caller, _ in callers)
        assert left < before, f"{left} calls are not answered"


def crew(pairs: int, calls: int) -> tuple[list[Caller], asyncio.Event]:
    done, left = asyncio.Event(), [pairs]

    def one() -> None:
        left[0] -= 1
        if not left[0]:
            done.set()

    return [Caller(calls // pairs, one) for _ in range(pairs)], done


async def through_proxy(port: int, pid: int, pairs: int, in_flight: int, calls: int) -> Figures:
    callers, done = crew(pairs, calls)
    wired: list[tuple[Caller, Peer]] = []
    peers: list[Peer] = []
    for number, caller in enumerate(callers):
        extension, client = await join(port, f"user{number}", caller.answered)
        peers += [extension, client]
        wired.append((caller, client))
    cost = await drive(wired, in_flight, pid, calls, done)
    for peer in peers:
        peer.transport.abort()
    return cost


async def join(port: int, user: str, heard: Callable[[Peer, bytes], bytes | None]) -> tuple[Peer, Peer]:
    """An extension that answers everything, and a client connected to it."""
    return await join_apart(port, port, user, heard)


async def join_apart(
    extension_port: int, client_port: int, user: str, heard: Callable[[Peer, bytes], bytes | None]
) -> tuple[Peer, Peer]:
    """The same on two replicas."""
    queue, put = mailbox()

    def on_extension(_: Peer, data: bytes) -> bytes | None:
        if b'"method":"click"' in data:
            return reply(data, masked)
        put(_, data)
        return None

    extension = await dial(extension_port, "/extension", on_extension)
    assert (await queue.get())["id"] == "proxy:1"
    result = {"name": "bench", "accessToken": token("extension", user)}
    extension.transport.write(masked(json.dumps({"jsonrpc": "2.0", "id": "proxy:1", "result": result}).encode()))
    extension_id = (await queue.get())["params"]["extension_id"]
    answers, note = mailbox()
    ready = False

    def on_client(peer: Peer, data: bytes) -> bytes | None:
        return heard(peer, data) if ready else note(peer, data)

    client = await dial(client_port, "/mcp", on_client)

    async def ask(number: int, method: str, params: dict[str, str]) -> Any:
        client.transport.write(
            masked(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode())
        )
        return await answers.get()

    assert "result" in await ask(0, "mcp_handshake", {"accessToken": token("mcp", user)})
    # another replica learns of it in a moment
    for number in range(1, 500):
        async with asyncio.timeout(ANSWER_S):
            if "result" in await ask(number, "connect", {"extension_id": extension_id}):
                break
        await asyncio.sleep(0.01)
    ready = True
    return extension, client


async def through_haproxy(port: int, pid: int, target: int, pairs: int, in_flight: int, calls: int) -> Figures:
    callers, done = crew(pairs, calls)
    server = await asyncio.get_running_loop().create_server(
        lambda: Peer(lambda _, data: reply(data, bare), serves=True), "127.0.0.1", target
    )
    wired = [(caller, await dial(port, "/mcp", caller.answered)) for caller in callers]
    cost = await drive(wired, in_flight, pid, calls, done)
    for _, peer in wired:
        peer.transport.abort()
    server.close()
    return cost


async def idle(
    port: int, pid: int, count: int, seconds: float, calls: int, user_of: Callable[[int], str] = lambda _: "idle"
) -> tuple[float, float, float, Figures]:
    """KB each, % of a core while they do nothing but answer pings, seconds until all were in, calls beside them."""
    before, began = resident_kb(pid), time.monotonic()
    peers: list[Peer] = []
    gate = asyncio.Semaphore(200)
    made = [token("extension", user_of(number)) for number in range(count)]

    async def one(number: int) -> None:
        async with gate:
            joined = asyncio.get_running_loop().create_future()

            def on_frame(peer: Peer, data: bytes) -> bytes | None:
                if b'"authenticate"' in data:
                    result = {"name": "idle", "accessToken": made[number]}
                    return masked(json.dumps({"jsonrpc": "2.0", "id": "proxy:1", "result": result}).encode())
                joined.set_result(None)
                return None

            async with asyncio.timeout(30):
                peers.append(await dial(port, "/extension", on_frame))
                await joined

    async with asyncio.timeout(180):
        await asyncio.gather(*(one(number) for number in range(count)))
    took = time.monotonic() - began
    await asyncio.sleep(1)
    used = cpu_s(pid)
    await asyncio.sleep(seconds)
    core = (cpu_s(pid) - used) / seconds * 100
    each = (resident_kb(pid) - before) / count
    beside = await through_proxy(port, pid, 64, 1, calls)
    lost = sum(peer.transport.is_closing() for peer in peers)
    assert not lost, f"{lost} were lost"
    for peer in peers:
        peer.transport.abort()
    return each, core, took, beside


async def beside_idle(port: int, pid: int, count: int) -> float:
    """Processor time of a call beside so many idle extensions, without their upkeep."""
    _, core, _, beside = await idle(port, pid, count, STEP_S, STEP_CALLS)
    return beside.cost_us - core / 100 / beside.per_s * 1e6


def free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start_proxy(folder: Path) -> tuple["subprocess.Popen[str]", int]:
    (folder / "secret").write_text(SECRET)
    port = free_port()
    quiet = ("--strangers-per-address", "10000", "--log-level", "warning")
    limits = ("--rate", "100000000", "--user-peers", "1000000", "--connects-per-address", "0", "--strangers", "10000")
    process = subprocess.Popen(
        [TABWRIGHT, "proxy", "--port", str(port), "--jwt-secret-file", str(folder / "secret"), *limits, *quiet],
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
    import socket

    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return process, port
        except OSError:
            time.sleep(0.02)
    raise AssertionError("haproxy did not start")


def tell(label: str, ours: list[Figures], theirs: list[Figures]) -> bool:
    """Print the medians of all runs: whether the ratio of costs is as good as it should be."""
    ratio = 0.0
    for name, runs in (("proxy", ours), ("haproxy", theirs)):
        if not runs:
            continue
        costs = [run.cost_us for run in runs]
        line = f"{label:14} {name:8}{median(costs):6.1f} µs a call ({min(costs):.1f}-{max(costs):.1f})"
        line += f"{median(run.per_s for run in runs):8.0f} calls/s   p50 {median(run.p50_us for run in runs):5.0f}"
        print(f"{line} p99 {median(run.p99_us for run in runs):5.0f} µs")  # noqa: T201 - a bench talks to a person
    if theirs:
        ratio = median(run.cost_us for run in ours) / median(run.cost_us for run in theirs)
        added = median(run.p50_us for run in ours) - median(run.p50_us for run in theirs)
        print(f"{label:14} ratio {ratio:.2f}, {added:+.0f} µs in the middle beside haproxy")  # noqa: T201
    return ratio <= GOAL_RATIO


async def measure(folder: Path, options: argparse.Namespace) -> bool:
    target = free_port()
    proxy, port = start_proxy(folder)
    beside = start_haproxy(folder, target) if shutil.which("haproxy") else None
    good, busy_us = True, 0.0
    try:
        for label, pairs, in_flight in (("1 in flight", 1, 1), ("64 in flight", 64, 1), ("64, 8 by 8", 8, 8)):
            ours: list[Figures] = []
            theirs: list[Figures] = []
            calls = options.calls if pairs > 1 else options.calls // 4
            for _ in range(options.runs):
                ours.append(await through_proxy(port, proxy.pid, pairs, in_flight, calls))
                if beside is not None:
                    theirs.append(await through_haproxy(beside[1], beside[0].pid, target, pairs, in_flight, calls))
            good &= tell(label, ours, theirs) or in_flight > 1
            busy_us = median(run.cost_us for run in ours) if (pairs, in_flight) == (64, 1) else busy_us
        if options.idle:
            idle_s = options.idle_seconds
            steps = {f"{count:,} idle": await beside_idle(port, proxy.pid, count) for count in STEPS}
            each, core, took, calls_beside = await idle(port, proxy.pid, options.idle, idle_s, options.calls)
            steps[f"{options.idle:,} idle"] = calls_beside.cost_us - core / 100 / calls_beside.per_s * 1e6
            points = {step: {"proxy": round(cost, 1)} for step, cost in steps.items()}
            scaling.keep("connections", points)
            scaling.draw("connections", "A call beside idle browsers", "µs of processor time", points)
            good &= each <= GOAL_KB and core <= GOAL_CORE
            print(f"{options.idle} idle extensions: {each:.1f} KB each, {core:.1f} % of a core, in after {took:.1f} s")  # noqa: T201
            # what the idle ones cost by the second is no cost of a call, however slowly the calls were made
            upkeep_us = core / 100 / calls_beside.per_s * 1e6
            print(  # noqa: T201
                f"a call beside them {calls_beside.cost_us:.1f} µs, {upkeep_us:.1f} of it their upkeep meanwhile; "
                f"without them {busy_us:.1f} µs"
            )
    finally:
        proxy.terminate()
        sys.stderr.write(proxy.communicate(timeout=20)[1] or "")
        if beside is not None:
            beside[0].terminate()
            beside[0].wait(10)
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=40_000, help="a run (default 40000; a quarter one at a time)")
    parser.add_argument("--runs", type=int, default=3, help="of each, in turns (default 3)")
    parser.add_argument("--idle", type=int, default=10_000, help="extensions that only stay (default 10000; 0: none)")
    parser.add_argument("--idle-seconds", type=float, default=45.0)
    options = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with tempfile.TemporaryDirectory(prefix="tabwright-bench-") as folder:
        return 0 if uvloop.run(measure(Path(folder), options)) else 1


if __name__ == "__main__":
    sys.exit(main())
