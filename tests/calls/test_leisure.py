"""Work that no answer waits for: done in order, once, and at once where somebody asks."""

import asyncio

import anyio
import pytest

from tabwright.calls.leisure import Leisure


async def test_it_is_done_in_order_when_the_answer_has_left() -> None:
    done, last = list[int](), asyncio.Event()

    def do(piece: int) -> None:
        done.append(piece)
        if piece == 3:
            last.set()

    leisure = Leisure(do)
    for piece in (1, 2, 3):
        leisure.add(piece)
    await asyncio.sleep(0)
    assert done == []
    with anyio.fail_after(10):
        await last.wait()
    assert done == [1, 2, 3]


async def test_whoever_asks_finds_it_done_and_it_is_not_done_again() -> None:
    done = list[int]()
    leisure = Leisure(done.append)
    leisure.add(1)
    leisure.catch_up()
    assert done == [1]
    later = asyncio.Event()
    asyncio.get_running_loop().call_later(0.05, later.set)
    await later.wait()
    assert done == [1]


async def test_one_that_fails_does_not_keep_the_next_from_being_done(caplog: pytest.LogCaptureFixture) -> None:
    done = list[float]()
    leisure = Leisure[int](lambda piece: done.append(1 / piece))
    leisure.add(0)
    leisure.add(2)
    leisure.catch_up()
    assert done == [0.5]
    assert "could not be done" in caplog.text
