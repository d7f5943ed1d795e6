"""Where a redirect led is what the policy is asked about, however it came about and however the site is written."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.approvals.test_everywhere import Ruled, launched
from tests.clients import Agent
from tests.tools.web import Answer, Web, redirect

pytestmark = [pytest.mark.browser, pytest.mark.rule("T64"), pytest.mark.rule("T76")]

SECRET = "<title>secret title</title><p>secret text</p>"


@pytest.fixture(scope="module")
def ruled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ruled]:
    folder: Path = tmp_path_factory.mktemp("ruled")
    with launched(folder) as made:
        yield made


@contextmanager
def serving() -> Generator[Web]:
    web = Web()
    try:
        yield web
    finally:
        web.close()


def at(web: Web, host: str, path: str) -> str:
    return web.url.replace("127.0.0.1", host) + path


async def closed(agent: Agent, tab: int) -> None:
    for name, arguments in (
        ("read_page", {}),
        ("get_page_text", {}),
        ("computer", {"action": "screenshot"}),
        ("javascript_tool", {"text": "document.title"}),
        ("find", {"query": "secret"}),
    ):
        assert (await agent.refused(name, tabId=tab, **arguments))["code"] == "denied", name


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("host", ["deep.closed.test", "CLOSED.test", "closed.test."])
async def test_a_redirect_is_judged_by_where_it_led(ruled: Ruled, status: int, host: str) -> None:
    with serving() as web:
        web.answers["/secret"] = SECRET
        web.answers["/away"] = Answer(status=status, headers={"Location": at(web, host, "/secret")})
        web.answers["/first"] = redirect(at(web, "open.test", "/away"))
        async with ruled.agent() as agent:
            tab = (await agent.call("open_tab", url="about:blank"))["tab"]["id"]
            led = await agent.result("navigate", url=at(web, "open.test", "/first"), tabId=tab)
            assert "secret t" not in str(led)
            await closed(agent, tab)
            opened = await agent.result("open_tab", url=at(web, "open.test", "/first"))
            assert "secret t" not in str(opened)
            await agent.call("close_tab", tabId=tab)


@pytest.mark.parametrize("status", [302, 307])
async def test_so_is_a_form_that_was_posted_elsewhere_and_sent_on(ruled: Ruled, status: int) -> None:
    with serving() as web:
        web.answers["/secret"] = SECRET
        web.answers["/sent"] = Answer(status=status, headers={"Location": at(web, "closed.test", "/secret")})
        web.answers["/form"] = """<title>form</title><form method="post" action="/sent">
            <button style="width: 200px; height: 40px">Send</button></form>"""
        async with ruled.agent() as agent:
            tab = (await agent.call("open_tab", url=at(web, "open.test", "/form")))["tab"]["id"]
            told = await agent.refused("computer", action="left_click", coordinate=[30, 30], tabId=tab)
            assert told["code"] == "denied"
            assert "secret t" not in str(told)
            await closed(agent, tab)
            await agent.call("close_tab", tabId=tab)
