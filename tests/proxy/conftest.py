"""Proxies for the tests of this folder."""

from collections.abc import Iterator

import pytest

from tests.proxy.server import ProxyProcess, healthy_beside, proxying


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProxyProcess]:
    """One proxy for a module: tests bring users of their own."""
    with proxying(tmp_path_factory.mktemp("proxy") / "home", "--log-level", "debug") as made:
        yield made


@pytest.fixture
def beside(proxy: ProxyProcess) -> Iterator[None]:
    """A healthy pair of another user, which must not feel what the test does."""
    with healthy_beside(proxy):
        yield
