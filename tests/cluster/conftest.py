"""A broker and proxies that share it, for the tests of this folder."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.cluster.broker import NatsProcess, broking
from tests.proxy.server import ProxyProcess, proxying

Start = Callable[..., ProxyProcess]


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsProcess]:
    with broking(tmp_path_factory.mktemp("nats")) as made:
        yield made


@pytest.fixture(scope="module")
def pair_of_replicas(
    tmp_path_factory: pytest.TempPathFactory, broker: NatsProcess
) -> Iterator[tuple[ProxyProcess, ProxyProcess]]:
    """Two replicas for a module: tests bring users of their own."""
    folder = tmp_path_factory.mktemp("replicas")
    with proxying(folder / "a", *broker.flags()) as one, proxying(folder / "b", *broker.flags()) as two:
        yield one, two


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Replicas of this test alone: `start(*broker.flags())`, and whatever else."""
    with ExitStack() as stack:
        numbers = iter(range(100))

        def make(*flags: str) -> ProxyProcess:
            return stack.enter_context(proxying(tmp_path / f"home{next(numbers)}", *flags))

        yield make
