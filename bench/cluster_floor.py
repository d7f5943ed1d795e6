"""The least that two Python processes can do between a client and an extension: pass bytes on, with NATS in the middle.

    python -m bench.cluster_floor one|near|far PORT TARGET BROKER CREDENTIALS

`one` passes bytes from PORT to TARGET by itself; `near` takes a connection on PORT and publishes what it says, `far`
says that to TARGET. No frame is read, nothing is checked, and every message is written in the callback that brings it.
"""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import uvloop


class End(asyncio.Protocol):
    """One end of a pipe; what comes before the other end is there is kept."""

    def __init__(self) -> None:
        self.transport: Any = None
        self.pass_on: Callable[[bytes], None] | None = None
        self._early = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        if self.pass_on is None:
            self._early += data
        else:
            self.pass_on(data)

    def join(self, pass_on: Callable[[bytes], None]) -> None:
        self.pass_on = pass_on
        if self._early:
            pass_on(self._early)


class Wire(asyncio.Protocol):
    """A connection to NATS that listens to one subject and publishes on another; messages come whole, one by one."""

    def __init__(self, hears: str, says: str, password: str) -> None:
        self._head = b"PUB %b  " % says.encode()
        connect = f'CONNECT {{"verbose":false,"user":"replica","pass":"{password}"}}\r\nSUB {hears}  1\r\nPING\r\n'
        self._connect = connect.encode()
        self._transport: Any = None
        self._rest = b""
        self.pass_on: Callable[[bytes], None] | None = None
        self.ready = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._transport.write(self._connect)

    def say(self, data: bytes) -> None:
        self._transport.write(b"%b%d\r\n%b\r\n" % (self._head, len(data), data))

    def data_received(self, data: bytes) -> None:
        data = self._rest + data
        while b"\r\n" in data:
            line, _, rest = data.partition(b"\r\n")
            if line.startswith(b"MSG "):
                size = int(line.rpartition(b" ")[2])
                if len(rest) < size + 2:
                    break
                if self.pass_on is not None:
                    self.pass_on(rest[:size])
                rest = rest[size + 2 :]
            elif line == b"PING":
                self._transport.write(b"PONG\r\n")
            elif line == b"PONG" and not self.ready.done():
                self.ready.set_result(None)
            data = rest
        self._rest = data


async def main(part: str, port: int, target: int, broker: int, password: str) -> None:
    loop = asyncio.get_running_loop()
    if part == "one":
        await _serve(port, lambda end: loop.create_task(_dial(end, target)))
        return
    hears, says = ("tabwright.r.a.b", "tabwright.r.b.a") if part == "near" else ("tabwright.r.b.a", "tabwright.r.a.b")
    _, wire = await loop.create_connection(lambda: Wire(hears, says, password), "127.0.0.1", broker)
    await wire.ready
    if part == "near":
        await _serve(port, lambda end: _pipe(end, wire))
    else:
        _, end = await loop.create_connection(End, "127.0.0.1", target)
        _pipe(end, wire)
        await _stay()


def _pipe(end: End, wire: Wire) -> None:
    wire.pass_on = end.transport.write
    end.join(wire.say)


async def _dial(near: End, target: int) -> None:
    _, far = await asyncio.get_running_loop().create_connection(End, "127.0.0.1", target)
    far.join(near.transport.write)
    near.join(far.transport.write)


async def _serve(port: int, accepted: Callable[[End], object]) -> None:
    class Accepted(End):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            super().connection_made(transport)
            accepted(self)

    await asyncio.get_running_loop().create_server(Accepted, "127.0.0.1", port)
    await _stay()


async def _stay() -> None:
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    part, port, target, broker, credentials = sys.argv[1:]
    password = Path(credentials).read_text().partition(":")[2]
    uvloop.run(main(part, int(port), int(target), int(broker), password))
