"""navigate in a browser of the person's own: endings that no test can bring about in a launched one."""

import pytest

from tabwright.errors import CommandFailed
from tabwright.model import Face, JsonObject, Text, Toolset
from tests.calls.world import world

HERE: JsonObject = {"url": "https://a.test/", "title": "A"}


@pytest.mark.parametrize(
    ("told", "words", "next_step"),
    [
        (
            {"outcome": "asked"},
            "did not leave https://a.test/: the browser asks the person",
            "Ask the person to answer",
        ),
        ({"outcome": "running"}, "https://b.test/ has not answered yet", "Wait and look again"),
        ({"outcome": "running", "status": 401}, "asks for a user name and password", "Ask the person to log in"),
        (
            {"outcome": "failed", "error": "net::ERR_CERT_DATE_INVALID"},
            "its certificate is not valid",
            "Only the person",
        ),
        ({"outcome": "failed", "error": "net::ERR_NEW_IN_2030"}, "(net::ERR_NEW_IN_2030)", "Check the address"),
    ],
)
async def test_what_went_wrong_is_said_with_the_next_step(told: JsonObject, words: str, next_step: str) -> None:
    async with world() as made:
        chrome = made.chrome()
        chrome.link()
        chrome.answers["travel"] = {**HERE, **told}
        agent = made.client(Toolset.AUTOMATION, face=Face.STABLE)
        result = await agent.session.call("navigate", {"url": "https://b.test/"})
        assert result.structured is not None
        error = result.structured["error"]
        assert isinstance(error, dict)
        assert error["code"] == "navigation_failed"
        assert words in str(error["message"])
        assert str(error["next"]).startswith(next_step)


async def test_a_persons_browser_is_not_attached_to_for_a_navigation() -> None:
    async with world() as made:
        chrome = made.chrome()
        chrome.link()
        chrome.answers["travel"] = {**HERE, "outcome": "committed", "status": 200}
        agent = made.client(Toolset.AUTOMATION, face=Face.STABLE)
        [content] = (await agent.session.call("navigate", {"url": "a.test"})).content
        assert isinstance(content, Text)
        assert content.text == 'Loaded https://a.test/ "A" (HTTP 200) in tab 101.'
        assert chrome.asked("forwardCDPCommand") == []


async def test_a_page_that_stands_still_is_looked_at_for_a_dialog() -> None:
    async with world() as made:
        chrome = made.chrome()
        chrome.link()
        chrome.answers["travel"] = {**HERE, "outcome": "committed", "silent": True, "loading": True}
        chrome.answers["forwardCDPCommand"] = CommandFailed("no")
        agent = made.client(Toolset.AUTOMATION, face=Face.STABLE)
        await agent.session.call("navigate", {"url": "a.test"})
        assert [asked["method"] for asked in chrome.asked("forwardCDPCommand")][:1] == ["Page.enable"]
