"""A browser as people have it: none of the switches of one that tabwright launches, and paired by hand."""

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from bench.servers import chromium
from tabwright.edges.chrome.extension_files import FOLDER
from tabwright.edges.chrome.profile import copy_extension
from tests.cdp import Cdp
from tests.gateway import GatewayProcess
from tests.own_browser import pair

# without a screen, a word from its makers, or questions of its own
FLAGS: Final = ("--headless=new", "--window-size=1280,887", "--no-first-run", "--disable-background-networking")
ENDING_S: Final = 10.0


@asynccontextmanager
async def paired(gateway: GatewayProcess, folder: Path) -> AsyncGenerator[Cdp]:
    """A running one, linked to that gateway; what it is looked at by costs it nothing unless it is used."""
    profile, extension = folder / "profile", folder / "extension"
    copy_extension(FOLDER, extension, {"url": f"ws://127.0.0.1:{gateway.extension_port}"})
    places = (f"--user-data-dir={profile}", f"--load-extension={extension}", "--remote-debugging-port=0")
    root = ("--no-sandbox",) if os.geteuid() == 0 else ()
    quiet = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(
        chromium(), *FLAGS, *places, *root, stdout=quiet, stderr=quiet, start_new_session=True
    )
    try:
        with Cdp(profile) as cdp:
            await pair(gateway, cdp)
            yield cdp
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        async with asyncio.timeout(ENDING_S):
            await process.wait()
