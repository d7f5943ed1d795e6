"""Memory is handed back once nobody has called for a while, and not before."""

import asyncio

import pytest

from tabwright.calls.audit import Event
from tabwright.edges.spare_memory import SpareMemory

CALLED = Event("call", "s1", "a client")
QUIET_S = 0.1


async def test_it_is_handed_back_once_after_the_last_of_many_calls() -> None:
    times: list[float] = []
    clock = asyncio.get_running_loop().time
    spare, last = SpareMemory(lambda: times.append(clock()), QUIET_S), clock()
    for _ in range(8):
        spare.record(CALLED)
        last = clock()
        await asyncio.sleep(QUIET_S / 4)
    assert not times
    await asyncio.sleep(QUIET_S * 3)
    assert len(times) == 1
    assert times[0] - last >= QUIET_S - 0.01


async def test_every_rest_hands_back_and_a_failure_does_not_end_it(caplog: pytest.LogCaptureFixture) -> None:
    times = 0

    def fail() -> None:
        nonlocal times
        times += 1
        raise OSError("no such library")

    spare = SpareMemory(fail, QUIET_S)
    for _ in range(2):
        spare.record(CALLED)
        await asyncio.sleep(QUIET_S * 3)
    assert times == 2
    assert "spare memory" in caplog.text


async def test_what_nobody_holds_any_more_is_gone_afterwards() -> None:
    class Loop:
        def __init__(self) -> None:
            self.itself = self
            gone.append(False)

        def __del__(self) -> None:
            gone[0] = True

    gone: list[bool] = []
    Loop()
    spare = SpareMemory(quiet_s=0.01)
    spare.record(CALLED)
    for _ in range(100):
        if gone[0]:
            break
        await asyncio.sleep(0.02)
    assert gone[0]
