"""Serve a gateway with the conformance fixtures on a free port of 127.0.0.1.

Run as `python -m tests.conformance.serve`: prints the endpoint's address on one line and serves until stdin closes.
The suite knocks with `Host: 127.0.0.1:PORT`, without a token, and without `Origin` except in its DNS rebinding
scenario, where `http://127.0.0.1:PORT` must be served and `evil.example.com` refused.
"""

import asyncio
import socket
import sys
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from tabwright.app import Gateway
from tabwright.edges.runtime import Home
from tabwright.settings import Settings
from tests.conformance.fixtures import install


@asynccontextmanager
async def endpoint() -> AsyncGenerator[str]:
    """Serve what is under test; the only place here that knows what that is."""
    with tempfile.TemporaryDirectory(prefix="tabwright-") as folder:
        home, port = Home(Path(folder)), free_port()
        home.prepare()
        own_origin = f"http://127.0.0.1:{port}"
        # The rebinding scenario is about servers without authentication: with it, our own origin would need a token.
        settings = Settings(port=port, extension_port=0, auth="off", cors_origins=(own_origin,))
        gateway, ready = Gateway(settings, home, extend=install), asyncio.Event()
        async with asyncio.TaskGroup() as group:
            group.create_task(gateway.run(lambda _port, _extension_port: ready.set()))
            await ready.wait()
            yield f"{own_origin}/mcp"
            gateway.stop()


def free_port() -> int:
    """A port that is free now; it has to be known beforehand to be configured as an origin."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


async def serve_until_stdin_closes() -> None:
    async with endpoint() as address:
        sys.stdout.write(address + "\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(serve_until_stdin_closes())
