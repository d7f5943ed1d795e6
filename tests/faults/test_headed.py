"""A launched browser with windows: it too outlives its last tab and ends with the gateway."""

from pathlib import Path

import pytest

from tests.clients import connect
from tests.conftest import Site, cdp_of
from tests.gateway import alive, browser_with_port, running, until

pytestmark = pytest.mark.browser


async def test_closing_the_last_tab_keeps_a_window_browser_connected(display: str, tmp_path: Path, site: Site) -> None:
    variables = {"TABWRIGHT_BROWSER": str(browser_with_port(tmp_path)), "TABWRIGHT_HEADLESS": "", "DISPLAY": display}
    with running(tmp_path / "home", **variables) as gateway:
        async with connect(gateway) as agent:
            assert (await agent.call("connect_browser", launch=True))["tabCount"] == 0
            browser = gateway.status()["browserPid"]
            for path in ("/first", "/second"):
                await agent.call("open_tab", url=f"{site.url}{path}")
                with cdp_of(gateway) as cdp:
                    assert cdp.in_page(path, "document.visibilityState") == "visible", (
                        "a launched browser shows its work"
                    )
                await agent.call("close_tab")
                assert await agent.names() == ["list_tabs", "open_tab"]
                assert alive(browser)
    until(lambda: not alive(browser), 5)
