import asyncio
import json
import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

import pytest

from tabwright.edges.chrome.pipe import MAX_UNSENT, CdpPipe, CommandRefused, Frames, PipeClosed


def test_frames_are_cut_at_zero_bytes_wherever_the_stream_breaks() -> None:
    stream = b"one\0two\0\0three\0fo"
    for size in range(1, len(stream) + 1):
        frames = Frames()
        chunks = [stream[start : start + size] for start in range(0, len(stream), size)]
        assert [message for chunk in chunks for message in frames.feed(chunk)] == [b"one", b"two", b"", b"three"]


def test_oversized_frame_is_skipped_and_the_next_one_read() -> None:
    frames = Frames(limit=4)
    assert frames.feed(b"1234\0") == [b"1234"]
    assert frames.feed(b"123") == []
    assert frames.feed(b"45") == []
    assert frames.feed(b"6") == []
    assert frames.feed(b"7\0ok\0") == [b"ok"]
    assert frames.feed(b"12345\0ok\0") == [b"ok"]


class Browser:
    """The other ends of the pipe."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands = os.fdopen(commands, "rb", buffering=0)
        self._answers = os.fdopen(answers, "wb", buffering=0)

    async def command(self) -> Mapping[str, object]:
        return json.loads((await asyncio.to_thread(self._commands.read, 65536)).rstrip(b"\0"))

    async def say(self, *messages: object) -> None:
        frames = b"".join(
            (message if isinstance(message, bytes) else json.dumps(message).encode()) + b"\0" for message in messages
        )
        await asyncio.to_thread(self._answers.write, frames)

    def leave(self) -> None:
        self._commands.close()
        self._answers.close()


@asynccontextmanager
async def connected() -> AsyncGenerator[tuple[CdpPipe, Browser]]:
    their_commands, commands = os.pipe()
    answers, their_answers = os.pipe()
    pipe, browser = await CdpPipe.open(answers, commands), Browser(their_commands, their_answers)
    try:
        async with asyncio.timeout(5):
            yield pipe, browser
    finally:
        pipe.close()
        browser.leave()
        await asyncio.sleep(0)  # transports close their descriptors one turn later


async def test_answers_find_their_requests_among_events_and_rubbish() -> None:
    async with connected() as (pipe, browser), asyncio.TaskGroup() as tasks:
        first = tasks.create_task(pipe.request("A.first", {"n": 1}))
        assert await browser.command() == {"id": 1, "method": "A.first", "params": {"n": 1}}
        second = tasks.create_task(pipe.request("A.second"))
        assert await browser.command() == {"id": 2, "method": "A.second", "params": {}}
        event: dict[str, object] = {"method": "A.happened", "params": {}}
        await browser.say(event, b"{rubbish", [1], {"id": 99, "result": {}}, {"id": 2, "result": {"n": 2}}, event)
        assert await second == {"n": 2}
        await browser.say({"id": 1, "result": {"n": 1}})
        assert await first == {"n": 1}


async def test_refusal_carries_the_browsers_words() -> None:
    async with connected() as (pipe, browser), asyncio.TaskGroup() as tasks:

        async def refused() -> None:
            with pytest.raises(CommandRefused, match=r"A\.first: not today"):
                await pipe.request("A.first")

        tasks.create_task(refused())
        await browser.command()
        await browser.say({"id": 1, "error": {"code": -32601, "message": "not today"}})


async def test_late_answer_is_dropped_and_the_pipe_goes_on() -> None:
    async with connected() as (pipe, browser), asyncio.TaskGroup() as tasks:
        with pytest.raises(TimeoutError):
            await pipe.request("A.slow", timeout=0.01)
        await browser.command()
        second = tasks.create_task(pipe.request("A.second"))
        await browser.command()
        await browser.say({"id": 1, "result": {"late": True}}, {"id": 2, "result": {}})
        assert await second == {}


async def test_events_are_drained_while_nobody_asks() -> None:
    async with connected() as (pipe, browser), asyncio.TaskGroup() as tasks:
        event = {"method": "A.happened", "params": {"text": "x" * 1000}}
        await browser.say(*[event] * 2000)  # far more than a pipe holds
        call = tasks.create_task(pipe.request("A.first"))
        await browser.command()
        await browser.say({"id": 1, "result": {}})
        assert await call == {}


@pytest.mark.parametrize("who", ["browser", "us"])
async def test_requests_fail_when_the_pipe_closes(who: str) -> None:
    async with connected() as (pipe, browser), asyncio.TaskGroup() as tasks:

        async def cut() -> None:
            with pytest.raises(PipeClosed):
                await pipe.request("A.first")

        tasks.create_task(cut())
        await browser.command()
        browser.leave() if who == "browser" else pipe.close()
    with pytest.raises(PipeClosed):
        await pipe.request("A.second")


async def test_browser_that_reads_nothing_is_given_up() -> None:
    async with connected() as (pipe, _):
        text = "x" * (MAX_UNSENT - 1000)  # less the 64 KiB that the pipe itself takes
        with pytest.raises(TimeoutError):
            await pipe.request("A.long", {"text": text}, timeout=0.01)
        with pytest.raises(PipeClosed, match="does not read"):
            await pipe.request("A.long", {"text": text}, timeout=0.01)
