"""Work that others may end, in the task of whoever waits for it."""

import asyncio

import pytest

from tabwright.browser.debugger.interruption import Interruptible
from tabwright.errors import CommandFailed


def why() -> CommandFailed:
    return CommandFailed("it is over")


async def endless(begun: asyncio.Future[Interruptible]) -> None:
    with Interruptible() as work:
        begun.set_result(work)
        await asyncio.Event().wait()


async def begin() -> tuple["asyncio.Task[None]", Interruptible]:
    begun: asyncio.Future[Interruptible] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(endless(begun))
    return task, await begun


async def test_who_waits_for_ended_work_gets_the_reason_and_may_go_on() -> None:
    async def waiting() -> str:
        with pytest.raises(CommandFailed, match="it is over"):
            await endless(begun)
        await asyncio.sleep(0)
        return "went on"

    begun: asyncio.Future[Interruptible] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(waiting())
    (await begun).end(why)
    assert await task == "went on"
    assert task.cancelling() == 0


async def test_who_is_cancelled_besides_is_cancelled() -> None:
    task, work = await begin()
    work.end(why)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_what_is_done_in_the_same_turn_is_done() -> None:
    async def working() -> int:
        with Interruptible() as work:
            work.end(why)
            return 42

    assert await working() == 42
    await asyncio.sleep(0)


async def test_of_two_inside_one_another_the_outer_reason_counts() -> None:
    async def outer() -> None:
        with Interruptible() as work:
            outside.set_result(work)
            await endless(begun)

    begun: asyncio.Future[Interruptible] = asyncio.get_running_loop().create_future()
    outside: asyncio.Future[Interruptible] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(outer())
    (await begun).end(lambda: CommandFailed("inside"))
    (await outside).end(lambda: CommandFailed("outside"))
    with pytest.raises(CommandFailed, match="outside"):
        await task


async def test_a_watcher_that_fails_ends_what_it_watches() -> None:
    async def watch() -> None:
        raise why()

    task, work = await begin()
    work.watch_after(0.001, watch)
    with pytest.raises(CommandFailed, match="it is over"):
        await asyncio.wait_for(task, 5)


async def test_watchers_end_with_the_work() -> None:
    seen = asyncio.Event()
    ended = asyncio.Event()

    async def watch() -> None:
        seen.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with asyncio.timeout(5):
        with Interruptible() as work:
            work.watch_after(0, watch)
            work.watch_after(60, watch)
            await seen.wait()
        await ended.wait()
