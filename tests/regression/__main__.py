"""`python -m tests.regression`: record what calls cost and how long outlines are now, to be held to from here on."""

import asyncio
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from tests.gateway import running
from tests.regression.costs import RECORDED, Costs, at_work, call_costs, outline_bytes


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "home") as gateway:
        async with at_work(gateway) as (session, url):
            outlines = await outline_bytes(session, url)
            costs = Costs(await call_costs(session, url, gateway.pid), outlines)
    RECORDED.write_text(json.dumps(asdict(costs), indent=1) + "\n")
    sys.stdout.write(RECORDED.read_text())


asyncio.run(main())
