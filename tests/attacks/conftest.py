"""A gateway to attack, shared by the tests of a module: an attack that works would be seen by all of them."""

from collections.abc import Iterator
from threading import Thread

import pytest

from tests.gateway import GatewayProcess, running


def keep_reading(gateway: GatewayProcess) -> None:
    """Every refusal is a line on stderr; unread they would fill the pipe."""
    assert gateway.process is not None
    assert gateway.process.stderr is not None
    Thread(target=gateway.process.stderr.read, daemon=True).start()


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    with running(tmp_path_factory.mktemp("target") / "home", TABWRIGHT_CONNECT_WAIT_S="0.2") as made:
        keep_reading(made)
        yield made
