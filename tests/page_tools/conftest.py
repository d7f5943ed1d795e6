"""Browsers with and without WebMCP of their own."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.gateway import GatewayProcess, browser_with_port, running


@pytest.fixture(scope="module", params=["stock", "native"])
def browser(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    """A stock browser, and one that has WebMCP itself."""
    with _browsing(tmp_path_factory.mktemp(request.param), native=request.param == "native") as gateway:
        yield gateway


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    """A browser that has WebMCP itself."""
    with _browsing(tmp_path_factory.mktemp("native"), native=True) as gateway:
        yield gateway


@contextmanager
def _browsing(folder: Path, *, native: bool) -> Generator[GatewayProcess]:
    script = browser_with_port(folder)
    if native:
        script.write_text(script.read_text().replace('"$@"', '"$@" --enable-features=WebMCP'))
    with running(folder / "home", TABWRIGHT_BROWSER=str(script)) as gateway:
        yield gateway
