"""Fixtures of the tools' tests: a client with the automation tools, and a web server with a will of its own."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from tests.clients import Agent, connect
from tests.gateway import GatewayProcess
from tests.tools.web import Web


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    made = Web()
    yield made
    made.close()


@pytest.fixture
async def agent(shared: GatewayProcess) -> AsyncIterator[Agent]:
    """A client of the module's gateway. It lives in a task of its own: a client ends in the task it began in."""
    ready: asyncio.Future[Agent] = asyncio.get_running_loop().create_future()
    done = asyncio.Event()

    async def work() -> None:
        async with connect(shared, toolsets="automation", list="stable") as made:
            ready.set_result(made)
            await done.wait()

    working = asyncio.create_task(work())
    await asyncio.wait({ready, working}, return_when=asyncio.FIRST_COMPLETED)
    if not ready.done():
        await working
    yield ready.result()
    done.set()
    await working
