"""`python -m bench.timed_gateway FILE`: a gateway that notes in FILE how long each CDP command took on the link."""

import sys
import time
from pathlib import Path

from tabwright.cli import app
from tabwright.edges.link import SocketLink
from tabwright.model import JsonObject

_request = SocketLink.request


def note_into(path: Path) -> None:
    """From now on a line a command: its method, and seconds from asking to the answer."""
    notes = path.open("a", buffering=1)

    async def request(self: SocketLink, command: str, params: JsonObject, timeout_s: float | None = None) -> JsonObject:
        began = time.perf_counter()
        try:
            return await _request(self, command, params, timeout_s)
        finally:
            if command == "forwardCDPCommand":
                notes.write(f"{params['method']} {time.perf_counter() - began:.6f}\n")

    SocketLink.request = request


if __name__ == "__main__":
    note_into(Path(sys.argv[1]))
    app(["serve"])
