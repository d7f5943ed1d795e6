"""Files and tabs that a call causes are told by that call."""

import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.clients import Agent, connect
from tests.gateway import GatewayProcess, browser_with_port, running
from tests.tools.told import told
from tests.tools.web import Answer, Web, file

pytestmark = pytest.mark.browser

FIRST = {"action": "left_click", "coordinate": [20, 20]}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    """A gateway whose browser saves files in a folder of the test's own."""
    folder = tmp_path_factory.mktemp("shared")
    with running(folder / "home", TABWRIGHT_BROWSER=str(browser_with_port(folder)), HOME=str(folder)) as made:
        yield made


async def show(agent: Agent, web: Web, control: str, at: str = "") -> None:
    """A page whose one control is in its corner."""
    style = "<style>body { margin: 0 } a, button { display: block; width: 200px; height: 40px }</style>"
    web.answers["/control"] = f"<title>Control</title>{style}{control}"
    await told(agent, "navigate", url=f"{at or web.url}/control")


def saved(said: str) -> Path:
    """The file an answer names."""
    [line] = [line for line in said.splitlines() if line.startswith("Downloaded ")]
    return Path(line.removeprefix("Downloaded ").rpartition(" (")[0])


@pytest.mark.parametrize(
    "control",
    [
        "<a href=/file>File</a>",
        "<a href=/file download>File</a>",
        "<a href=/file target=_blank>File</a>",
        """<button onclick="const link = document.createElement('a');
            link.href = window.URL.createObjectURL(new Blob(['content'])); link.download = 'made.txt'; link.click()">
            Make</button>""",
    ],
    ids=["link", "download link", "new tab", "made by the page"],
)
async def test_a_click_that_saves_a_file_tells_its_place_and_size(agent: Agent, web: Web, control: str) -> None:
    web.answers["/file"] = file("answer.txt")
    await show(agent, web, control)
    said = await told(agent, "computer", **FIRST)
    assert "(7 bytes)" in said
    assert saved(said).read_text() == "content"


async def test_a_large_file_is_told_while_it_comes_and_when_it_is_there(agent: Agent, web: Web) -> None:
    gate = threading.Event()
    web.answers["/large"] = replace(file("large.bin", "x" * 2000), rest_after=gate)
    await show(agent, web, "<a href=/large download=large.bin>Large</a>")
    said = await told(agent, "computer", **FIRST)
    assert "so far. tabs_context tells when it is done." in said
    gate.set()
    while "Downloaded " not in said:
        said = await told(agent, "tabs_context")
    assert saved(said).stat().st_size == 2000


async def test_what_another_tab_saves_is_not_told(agent: Agent, web: Web) -> None:
    web.answers["/file"] = file("other.txt")
    await show(agent, web, "<a href=/file download>File</a>")
    await told(agent, "computer", **FIRST)
    await told(agent, "tabs_create_mcp", url=f"{web.url}/nowhere")
    await show(agent, web, "<button onclick='document.title = 1'>Quiet</button>")
    assert "Download" not in await told(agent, "computer", **FIRST)


async def test_a_tab_that_a_click_opens_is_told_and_joins_the_group(agent: Agent, web: Web) -> None:
    web.answers["/popup"] = Answer("<title>Popup</title>")
    await show(agent, web, "<a href=/popup target=_blank>Open</a>")
    said = await told(agent, "computer", **FIRST)
    line = next(line for line in said.splitlines() if "new tab" in line)
    number = re.search(r"\d+", line)
    assert number is not None
    await told(agent, "navigate", url="reload", tabId=int(number[0]))
    assert f'{number[0]} "Popup"' in await told(agent, "tabs_context_mcp")


def files(folder: Path, pattern: str) -> list[Path]:
    return [found for found in folder.rglob(pattern) if found.is_file()]


DENIED = """
[[site]]
match = "closed.test"
download = "deny"

[[site]]
match = "ask.test"
download = "ask"
"""


@pytest.mark.rule("T71")
async def test_a_file_that_agents_may_not_have_is_not_kept(tmp_path: Path, web: Web) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "policy.toml").write_text(DENIED)
    web.answers["/file"] = file("answer.txt")
    browser = str(browser_with_port(tmp_path))
    with running(home, TABWRIGHT_BROWSER=browser, HOME=str(tmp_path)) as gateway:
        async with connect(gateway) as agent:
            await agent.call("connect_browser", launch=True)
            for host, why in (("closed.test", "policy denies"), ("ask.test", "nobody can be asked")):
                there = web.url.replace("127.0.0.1", host)
                await show(agent, web, "<a href=/file>File</a>", there)
                said = await told(agent, "computer", **FIRST)
                assert "A download was not kept" in said
                assert why in said
                said = await told(agent, "navigate", url=f"{there}/file")
                assert why in said
                assert files(tmp_path, "answer*") == []
            await show(agent, web, "<a href=/file>File</a>")
            assert saved(await told(agent, "computer", **FIRST)).is_file()
            record = gateway.run("audit", "--kind", "download", "--json").stdout
            assert [line.count("denied") for line in record.splitlines()] == [1, 1, 0, 0]
