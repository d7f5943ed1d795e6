"""A gateway to attack, shared by the tests of a module: an attack that works would be seen by all of them."""

from collections.abc import Iterator

import pytest

from tests.gateway import GatewayProcess, running


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    with running(tmp_path_factory.mktemp("target") / "home", TABWRIGHT_CONNECT_WAIT_S="0.2") as made:
        yield made
