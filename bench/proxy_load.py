"""What is done to proxies: users with a browser and a client come, make calls, or only stay; and what that costs."""

import asyncio
import contextlib
import json
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

import jwt

from bench.processes import cpu_s, resident_mb
from bench.proxy_peers import Caller, Peer, bare, dial, mailbox, masked, reply

SECRET: Final = secrets.token_hex(32)
ANSWER_S, ARRIVED_S, AT_ONCE = 15.0, 180.0, 200


def token(role: str, user: str) -> str:
    claims = {"user_id": user, "connection_url": "ws://127.0.0.1/mcp", "exp": int(time.time()) + 3600, "role": role}
    return jwt.encode(claims, SECRET, algorithm="HS256")


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


@dataclass(frozen=True)
class Rest:
    """What extensions cost that only stay, and calls beside them."""

    each_kb: float
    core: float
    """Percent, while they do nothing but answer pings."""
    arrived_s: float
    beside: Figures

    @property
    def upkeep_us(self) -> float:
        """Theirs by the second, while one call was made: no cost of a call, however slowly the calls were made."""
        return self.core / 100 / self.beside.per_s * 1e6

    @property
    def call_us(self) -> float:
        return self.beside.cost_us - self.upkeep_us


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
        extension, client = await join_apart(port, port, f"user{number}", caller.answered)
        peers += [extension, client]
        wired.append((caller, client))
    cost = await drive(wired, in_flight, pid, calls, done)
    for peer in peers:
        peer.transport.abort()
    return cost


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


async def join_apart(
    extension_port: int, client_port: int, user: str, heard: Callable[[Peer, bytes], bytes | None]
) -> tuple[Peer, Peer]:
    """An extension that answers everything, and a client connected to it, maybe by another replica."""
    queue, put = mailbox()

    def on_extension(_: Peer, data: bytes) -> bytes | None:
        if b'"method":"click"' in data:
            return reply(data, masked)
        put(_, data)
        return None

    extension = await dial(extension_port, "/extension", on_extension)
    assert (await queue.get())["id"] == "proxy:1"
    extension.transport.write(proof("bench", token("extension", user)))
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


def proof(name: str, signed: str) -> bytes:
    """An extension's answer to `authenticate`."""
    result = {"name": name, "accessToken": signed}
    return masked(json.dumps({"jsonrpc": "2.0", "id": "proxy:1", "result": result}).encode())


async def arrive(port: int, tokens: list[str]) -> list[Peer]:
    """So many extensions that are let in, and stay."""
    gate, peers = asyncio.Semaphore(AT_ONCE), list[Peer]()

    async def one(number: int, signed: str) -> None:
        joined = asyncio.get_running_loop().create_future()

        def on_frame(_: Peer, data: bytes) -> bytes | None:
            if b'"authenticate"' in data:
                return proof(f"browser {number}", signed)
            if not joined.done():
                joined.set_result(None)
            return None

        async with gate, asyncio.timeout(ANSWER_S * 2):
            peers.append(await dial(port, "/extension", on_frame))
            await joined

    async with asyncio.timeout(ARRIVED_S):
        await asyncio.gather(*(one(number, signed) for number, signed in enumerate(tokens)))
    return peers


async def rest(
    port: int, pid: int, count: int, seconds: float, calls: int, user_of: Callable[[int], str] = lambda _: "idle"
) -> Rest:
    """So many extensions come, stay for a while, and leave after calls were made beside them."""
    tokens = [token("extension", user_of(number)) for number in range(count)]
    before, began = resident_mb(pid), time.monotonic()
    peers = await arrive(port, tokens)
    arrived_s = time.monotonic() - began
    await asyncio.sleep(1)
    used, began = cpu_s(pid), time.monotonic()
    await asyncio.sleep(seconds)
    core = (cpu_s(pid) - used) / (time.monotonic() - began) * 100
    each_kb = (resident_mb(pid) - before) / count * 1024
    beside = await through_proxy(port, pid, 64, 1, calls)
    lost = sum(peer.transport.is_closing() for peer in peers)
    assert not lost, f"{lost} were lost"
    for peer in peers:
        peer.transport.abort()
    return Rest(each_kb, core, arrived_s, beside)
