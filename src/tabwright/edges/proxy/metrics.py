"""What the proxy tells of itself in Prometheus's text format, and the small listener that tells it on loopback."""

import asyncio
import contextlib
import dataclasses
import time
from collections.abc import Callable, Iterator
from http import HTTPStatus
from pathlib import Path
from socket import socket as Socket
from typing import Final

from tabwright import __version__
from tabwright.edges.proxy.doors import Doors
from tabwright.policy.doors import Knock, Refusal
from tabwright.proxy.admission import Door
from tabwright.proxy.router import Router

READ_S: Final = 5.0
_GAUGES: Final = {
    "clients": "MCP clients connected.",
    "extensions": "Extensions connected.",
    "users": "Users remembered.",
}


class Metrics:
    def __init__(self, router: Router, door: Door) -> None:
        self._router = router
        self._door = door
        self.more: Callable[[], dict[str, float]] | None = None
        """Gauges of the other replicas, where there are any."""

    def text(self) -> str:
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield from _metric("info", "gauge", "The version that runs.", 1, f'{{version="{__version__}"}}')
        for name, meaning in _GAUGES.items():
            yield from _metric(name, "gauge", meaning, getattr(self._router.roster, name))
        yield from _metric("pending", "gauge", "Calls under way.", self._router.pending)
        yield from _metric("strangers", "gauge", "Sockets that have not authenticated.", self._door.strangers)
        for name, value in ({} if self.more is None else self.more()).items():
            yield from _metric(name, "gauge", f"{name.replace('_', ' ').capitalize()}.", value)
        for field in dataclasses.fields(self._router.counts):
            meaning = field.name.replace("_", " ").capitalize()
            yield from _metric(
                f"{field.name}_total", "counter", f"{meaning}.", getattr(self._router.counts, field.name)
            )
        yield from _metric("cpu_seconds_total", "counter", "Processor time used.", round(time.process_time(), 3))
        resident = _resident_bytes()
        if resident is not None:
            yield from _metric("resident_memory_bytes", "gauge", "Memory in use.", resident)


def _metric(name: str, kind: str, meaning: str, value: float, labels: str = "") -> Iterator[str]:
    full = f"tabwright_proxy_{name}"
    yield f"# HELP {full} {meaning}"
    yield f"# TYPE {full} {kind}"
    yield f"{full}{labels} {value}"


def _resident_bytes() -> int | None:
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096
    return None


async def listen(listener: Socket, text: Callable[[], str], doors: Doors) -> asyncio.Server:
    """`GET /metrics` and nothing else, one request a connection."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            async with asyncio.timeout(READ_S):
                line, _, headers = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").partition("\r\n")
                refusal = doors.check(_knock(headers), None, None)
                if refusal is None and not line.startswith(("GET /metrics ", "GET /metrics?")):
                    refusal = Refusal(404, "Only /metrics is here.")
                status = HTTPStatus.OK if refusal is None else HTTPStatus(refusal.status)
                body = text() if refusal is None else f"{refusal.reason}\n"
                kind = "text/plain; version=0.0.4; charset=utf-8"
                head = f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: {kind}\r\n"
                more = f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
                writer.write(f"{head}{more}{body}".encode())
                await writer.drain()
        writer.close()

    return await asyncio.start_server(answer, sock=listener, limit=8192)


def _knock(headers: str) -> Knock:
    lines = (line.partition(":") for line in headers.split("\r\n"))
    return Knock.of((name, value.strip()) for name, _, value in lines)
