"""Looks at what listens at ports of this machine whose pages agents have got to (`policy/listeners.py` judges it).

Only where a page was served already: a server that answers once, as those of logins do, must not be asked before the
browser is. One look is good for a while.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from tabwright.policy.listeners import ASKED, Listener, listener

WITHIN_S: Final = 0.5
MAX_ANSWER: Final = 16 * 1024
GOOD_FOR_S: Final = {Listener.WEB: 600.0, Listener.DEBUGGER: 60.0, Listener.OTHER: 60.0}
MAX_PORTS: Final = 1000
_UNSAFE: Final = (Listener.DEBUGGER, Listener.OTHER)


class PortLooks:
    """What was found, by host and port: at one port of two addresses two servers may listen."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._found: dict[tuple[str, int], tuple[Listener, float]] = {}

    @property
    def unsafe(self) -> frozenset[int]:
        """The ports at which no web server was found, of late."""
        now = self._clock()
        return frozenset(port for (_, port), (found, until) in self._found.items() if found in _UNSAFE and until > now)

    async def look(self, host: str, port: int) -> None:
        """Know what listens there, which takes half a second at most."""
        known = self._found.get((host, port))
        if known is not None and known[1] > self._clock():
            return
        answer = b""
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(WITHIN_S):
                # browsers take every name below localhost for this machine; systems do not
                answer = await _answer("localhost" if host.endswith(".localhost") else host, port)
        found = listener(answer)
        self._found.pop((host, port), None)
        self._found[host, port] = (found, self._clock() + GOOD_FOR_S[found])
        while len(self._found) > MAX_PORTS:
            del self._found[next(iter(self._found))]


async def _answer(host: str, port: int) -> bytes:
    reader, writer = await asyncio.open_connection(host, port, limit=MAX_ANSWER)
    try:
        writer.write(f"GET {ASKED} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n".encode())
        told = b""
        while len(told) < MAX_ANSWER and (more := await _more(reader, told)):
            told += more
        return told
    finally:
        writer.close()


async def _more(reader: asyncio.StreamReader, told: bytes) -> bytes:
    """Until the other end closes, or the length that it named is there."""
    head, ends, body = told.partition(b"\r\n\r\n")
    lengths = [line.partition(b":")[2] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    if ends and lengths and lengths[0].strip().isdigit() and len(body) >= int(lengths[0]):
        return b""
    return await reader.read(MAX_ANSWER)
