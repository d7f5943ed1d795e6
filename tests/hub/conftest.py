"""One gateway for the tests of a module that bring their own bare browser."""

from collections.abc import Iterator

import pytest

from tests.gateway import GatewayProcess, running


@pytest.fixture(scope="module")
def shared_hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    folder = tmp_path_factory.mktemp("hub")
    with running(folder / "home", TABWRIGHT_CONNECT_WAIT_S="0.5") as made:
        yield made
