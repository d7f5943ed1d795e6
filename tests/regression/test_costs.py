"""Calls cost the gateway no more processor time than recorded, and outlines no more bytes.

After a change that is meant to be so, `python -m tests.regression` records both anew.
"""

import sys

import pytest

from tests.gateway import GatewayProcess
from tests.regression.costs import at_work, call_costs, outline_bytes, recorded

pytestmark = pytest.mark.browser

DEARER, LONGER = 1.5, 0.02
TRIES = 3
AGAIN = "If that is meant, run `python -m tests.regression`."


async def test_outlines_are_as_long_as_recorded(shared: GatewayProcess) -> None:
    async with at_work(shared) as (session, url):
        found = await outline_bytes(session, url)
    kept = recorded().outlines
    other = {name: (kept.get(name), size) for name, size in found.items() if not _near(size, kept.get(name, 0))}
    assert not other, f"Bytes of outlines (recorded, now): {other}. {AGAIN}"


@pytest.mark.skipif(sys.platform != "linux", reason="no clock of another process")
async def test_calls_cost_as_much_processor_time_as_recorded(shared: GatewayProcess) -> None:
    """Others on the machine can make every batch of a try dearer, but not of all tries; what doubled is so in each."""
    kept, dearer = recorded().calls, dict[str, tuple[float, float]]()
    async with at_work(shared) as (session, url):
        for _ in range(TRIES):
            found = await call_costs(session, url, shared.pid)
            again = {name: (kept[name], cost) for name, cost in found.items() if cost > DEARER * kept[name]}
            dearer = {name: cost for name, cost in again.items() if not dearer or name in dearer}
            if not dearer:
                break
    assert not dearer, f"Costs of calls (recorded, now), in units of fixed work: {dearer}. {AGAIN}"


def _near(size: int, kept: int) -> bool:
    return abs(size - kept) <= LONGER * kept
