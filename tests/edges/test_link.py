"""The awaitable link: a call ends when its own time is up, whatever else is under way."""

import asyncio

import anyio
import pytest

from tabwright.edges.links.link import SocketLink
from tabwright.errors import TimedOut
from tabwright.link.local import LocalDialect


class Silent:
    """A browser that never answers."""

    def send(self, text: str) -> None:
        """It hears."""

    def close(self, code: int, reason: str) -> None:
        """It goes."""


async def test_a_call_with_little_time_is_not_late_because_another_has_much() -> None:
    link = SocketLink("x", 5.0)
    link.attach(LocalDialect(), Silent(), grace=True)
    loop, began = asyncio.get_running_loop(), asyncio.get_running_loop().time()
    patient = asyncio.create_task(link.request("getTabs", {}, 0.6))
    hasty = asyncio.create_task(link.request("getTabs", {}, 0.2))
    with anyio.fail_after(10):
        with pytest.raises(TimedOut):
            await hasty
        assert not patient.done()
        with pytest.raises(TimedOut):
            await patient
    assert loop.time() - began >= 0.59


async def test_a_call_ends_in_time_though_one_before_it_was_answered() -> None:
    link, wire = SocketLink("x", 5.0), Silent()
    link.attach(LocalDialect(), wire, grace=True)
    answered = asyncio.create_task(link.request("getTabs", {}, 0.1))
    await asyncio.sleep(0)
    link.received(wire, '{"jsonrpc": "2.0", "id": 1, "result": {}}')
    assert await answered == {}
    loop, began = asyncio.get_running_loop(), asyncio.get_running_loop().time()
    with anyio.fail_after(10), pytest.raises(TimedOut):
        await link.request("getTabs", {}, 0.3)
    assert loop.time() - began >= 0.29


def test_a_call_whose_time_is_up_at_once_does_not_end_the_link() -> None:
    """As on the gateway's own loop, whose handles of such timers know no time."""
    uvloop = pytest.importorskip("uvloop")

    async def main() -> None:
        link = SocketLink("x", 5.0)
        link.attach(LocalDialect(), Silent(), grace=True)
        calls = [asyncio.create_task(link.request("getTabs", {}, seconds)) for seconds in (0.0, 0.1, 0.0)]
        for ended in await asyncio.gather(*calls, return_exceptions=True):
            assert isinstance(ended, TimedOut)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main())
