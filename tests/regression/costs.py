"""What calls cost the gateway in processor time, and how long outlines are: figures that do not depend on the clock.

A call's cost is told as a ratio to fixed work, so that machines compare. A process of its own does that work, woken for
each piece and in turns with the gateway: on a busy machine waking with cold caches makes both dearer. Of all batches
the cheapest counts: whatever else the machine does can only add.
"""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.crowd import Member, member
from bench.pages import Shop
from bench.processes import cpu_s
from bench.serving import pages
from tests.gateway import GatewayProcess

RECORDED: Final = Path(__file__).with_name("recorded.json")
OUTLINES: Final = {
    "a shop of 60": "/shop",
    "a form": "/form",
    "frames and shadow": "/shadow",
    "1,679 links": "/links",
    "100 paragraphs": "/work",
}
BATCHES, CALLS = 5, 10
WORK: Final = """import json, sys
rows = [{"name": f"row {n}", "at": [n, n / 7], "shown": n % 2 == 0} for n in range(200)]
for _ in sys.stdin.buffer:
    for _ in range(4):
        read = json.loads(json.dumps(rows))
        sorted({each["name"]: " ".join(f"{part}" for part in each["at"]) for each in read}.values())
    sys.stdout.buffer.write(b"done\\n")
    sys.stdout.buffer.flush()
"""
"""Of the kind a gateway does: JSON, words, dictionaries."""


@dataclass(frozen=True)
class Costs:
    """By name: calls as ratios to the fixed work, outlines in bytes."""

    calls: dict[str, float]
    outlines: dict[str, int]


def recorded() -> Costs:
    return Costs(**json.loads(RECORDED.read_text()))


@asynccontextmanager
async def at_work(gateway: GatewayProcess) -> AsyncGenerator[tuple[Member, str]]:
    """A session in a browser, and where the pages are."""
    with pages(Shop().respond) as url:
        async with member(gateway.home, "automation") as session:
            await session.call("navigate", url=f"{url}/work")
            yield session, url


async def outline_bytes(session: Member, url: str) -> dict[str, int]:
    """Without what differs from run to run: the port, the mark around the page's words."""
    found: dict[str, int] = {}
    for name, path in OUTLINES.items():
        await session.call("navigate", url=url + path)
        text = await session.said("read_page")
        found[name] = len(re.sub(r"(\[page|\[end) \w+", r"\1", text.replace(url, "")).encode())
    return found


async def call_costs(session: Member, url: str, pid: int) -> dict[str, float]:
    await session.call("navigate", url=f"{url}/work")
    button = re.search(r'"Count".*?\b(e\d+)', await session.said("read_page"))
    assert button is not None
    deeds: dict[str, Callable[[], Awaitable[object]]] = {
        "evaluate": lambda: session.call("javascript_tool", action="javascript_exec", text="1 + 1"),
        "click": lambda: session.call("computer", action="left_click", ref=button[1]),
        "read_page": lambda: session.call("read_page"),
    }
    least, unit = dict.fromkeys(deeds, float("inf")), float("inf")
    with yardstick() as (worker, work):
        for _ in range(1 + BATCHES):
            for name, deed in deeds.items():
                ours, fixed = cpu_s(pid), cpu_s(worker)
                for _ in range(CALLS):
                    await deed()
                    await asyncio.to_thread(work)
                least[name] = min(least[name], (cpu_s(pid) - ours) / CALLS)
                unit = min(unit, (cpu_s(worker) - fixed) / CALLS)
    return {name: round(cost / unit, 2) for name, cost in least.items()}


@contextmanager
def yardstick() -> Generator[tuple[int, Callable[[], object]]]:
    """A process that does a piece of fixed work whenever it is asked to: its id, and how to ask."""
    command = [sys.executable, "-c", WORK]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        asks, answers = worker.stdin, worker.stdout

        def work() -> bytes:
            asks.write(b"\n")
            return answers.readline()

        yield worker.pid, work
        asks.close()
