"""`python -m bench.timed_gateway FILE`: a gateway that notes in FILE how long each CDP command took on the link."""

import asyncio
import sys
import time
from pathlib import Path
from typing import Final

from tabwright.cli import app
from tabwright.edges.links.link import SocketLink
from tabwright.model import Json, JsonObject

AFTER_S: Final = 0.005
"""When a command is noted: what that takes is no part of the call."""
_request = SocketLink.request


def note_into(path: Path) -> None:
    """From now on a line a command: its method, and seconds from asking to the answer."""
    notes = path.open("a", buffering=1)

    def note(method: Json, seconds: float) -> None:
        notes.write(f"{method} {seconds:.6f}\n")

    async def request(self: SocketLink, command: str, params: JsonObject, timeout_s: float | None = None) -> JsonObject:
        began = time.perf_counter()
        try:
            return await _request(self, command, params, timeout_s)
        finally:
            if command == "forwardCDPCommand":
                took = time.perf_counter() - began
                asyncio.get_running_loop().call_later(AFTER_S, note, params["method"], took)

    SocketLink.request = request


if __name__ == "__main__":
    note_into(Path(sys.argv[1]))
    app(["serve"])
