"""The short path through the broker: what arrives is handed on within the callback that brings it."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from tabwright.edges.proxy.credentials import Credentials
from tabwright.edges.proxy.nats import Handler, NatsWire
from tabwright.edges.proxy.replica import tokens
from tabwright.proxy_settings import load_proxy
from tests.cluster.broker import NatsProcess, Relay

SUBJECT = "tabwright.all"


class Heard:
    """Each message, and in which task it was handed on: None where a callback of the loop did."""

    def __init__(self) -> None:
        self.messages: asyncio.Queue[tuple[bytes | None, asyncio.Task[object] | None]] = asyncio.Queue()

    def __call__(self, subject: str, reply: str, data: bytes | None) -> None:
        self.messages.put_nowait((data, asyncio.current_task()))


@asynccontextmanager
async def wired(
    broker: NatsProcess, heard: Handler, url: str = "", note: Callable[[str], None] = lambda _: None
) -> AsyncGenerator[tuple[NatsWire, asyncio.Queue[None]]]:
    """A wire that listens, and a word for each time it comes up."""
    settings = load_proxy({"broker": url or broker.url, "broker_credentials": str(broker.credentials["replica"])}, {})
    ups: asyncio.Queue[None] = asyncio.Queue()

    def up() -> None:
        note("up")
        ups.put_nowait(None)

    wire = NatsWire(heard, lambda: None)
    wire.listen(SUBJECT)
    opened = asyncio.create_task(
        wire.open(
            settings.broker,
            name="test",
            up=up,
            down=lambda: note("down"),
            wrong=lambda _: None,
            credentials=Credentials(settings),
        )
    )
    try:
        async with asyncio.timeout(30):
            await ups.get()
            yield wire, ups
    finally:
        await wire.leave()
        opened.cancel()
        with suppress(asyncio.CancelledError):
            await opened


async def test_messages_are_handed_on_without_a_task_also_after_a_reconnect(tmp_path: Path) -> None:
    broker, heard = NatsProcess(tmp_path / "nats"), Heard()
    try:
        async with wired(broker, heard) as (wire, ups):
            for data in (b"before", b"x" * 200_000):
                assert wire.send(SUBJECT, data)
                assert await heard.messages.get() == (data, None)
            broker.kill()
            await asyncio.to_thread(broker.start)
            await ups.get()
            assert wire.send(SUBJECT, b"after")
            assert await heard.messages.get() == (b"after", None)
    finally:
        broker.stop()


async def test_nothing_is_heard_of_a_connection_before_it_is_said_to_be_up(tmp_path: Path) -> None:
    broker = NatsProcess(tmp_path / "nats")
    cable, order = Relay(broker.port), list[str]()

    def listener(_subject: str, _reply: str, _data: bytes | None) -> None:
        order.append("message")

    try:
        async with (
            wired(broker, listener, cable.url, order.append) as (_, ups),
            wired(broker, Heard()) as (
                speaker,
                _,
            ),
        ):
            for _ in range(5):
                order.clear()
                cable.cut()
                cable.mend()
                while ups.empty() or order[-1] != "message":
                    assert speaker.send(SUBJECT, b"all the time")
                    await asyncio.sleep(0)
                await ups.get()
                assert order[order.index("down") + 1] == "up"
    finally:
        cable.close()
        broker.stop()


def test_tokens_are_never_the_same() -> None:
    new_token = tokens()
    made = [new_token() for _ in range(1_000)]
    assert len(set(made)) == 1_000
    assert all(len(token) == 32 and int(token, 16) >= 0 for token in made)
