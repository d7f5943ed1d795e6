"""The address told with what a page shows is the one it has now, though its document is still the same."""

import pytest

from tests.clients import Agent
from tests.tools.screen import Screen
from tests.tools.told import told
from tests.tools.web import Web

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("name", ["read_page", "get_page_text"])
async def test_an_address_that_the_page_gave_itself_is_told_at_once(agent: Agent, web: Web, name: str) -> None:
    screen = Screen(agent, web)
    await screen.show("<h1>Inbox</h1><button>Write</button>")
    for script, address in (
        ("history.pushState(null, '', '/mail/7')", "/mail/7"),
        ("location.hash = 'top'", "/mail/7#top"),
        ("history.replaceState(null, '', '/mail?all')", "/mail?all"),
    ):
        await told(agent, "javascript_tool", text=f"{script}; 1")
        assert f"{web.url}{address}" in (await told(agent, name)).splitlines()[0]
