"""The person's own browser: paired once by hand, it finds every later gateway by itself and outlives them all."""

import re
from pathlib import Path

import pytest

from tabwright.edges.chrome.extension_files import extension_id
from tests.clients import connect
from tests.conftest import Site
from tests.gateway import running, until
from tests.own_browser import browser, pair
from tests.tools.told import told

pytestmark = pytest.mark.browser

FOCUSED = "chrome.windows.getAll().then((all) => all.find(({ focused }) => focused)?.type)"


async def test_a_paired_browser_finds_the_gateway_again_after_a_restart(tmp_path: Path, site: Site) -> None:
    with running(tmp_path / "home") as gateway:
        async with browser(tmp_path, gateway.extension_port) as cdp:
            assert gateway.status()["browsers"] == [], "unpaired, it does not even knock"
            await pair(gateway, cdp)
            cdp.send("Target.createTarget", url=f"{site.url}/mine")
            async with connect(gateway) as agent:
                assert (await agent.call("connect_browser"))["connected"] is True
                tab = next(tab for tab in (await agent.call("list_tabs"))["tabs"] if tab["url"].endswith("/mine"))
                await agent.call("focus_tab", tabId=tab["id"])

            gateway.stop()
            gateway.start()
            until(lambda: gateway.status()["browsers"])
            async with connect(gateway) as agent:
                assert (await agent.call("connect_browser", launch=True))["connected"] is True
                urls = [tab["url"] for tab in (await agent.call("list_tabs"))["tabs"]]
                assert f"{site.url}/mine" in urls, "the person's browser is used, not a new one"


async def test_focusing_a_tab_leaves_the_person_s_front_tab_alone(tmp_path: Path, site: Site) -> None:
    with running(tmp_path / "home") as gateway:
        async with browser(tmp_path, gateway.extension_port) as cdp:
            await pair(gateway, cdp)
            for path in ("/back", "/front"):
                cdp.send("Target.createTarget", url=f"{site.url}{path}")
            visible = "document.visibilityState"
            until(lambda: cdp.in_page("/front", visible) == "visible")
            async with connect(gateway) as agent:
                await agent.call("connect_browser")
                back = next(tab for tab in (await agent.call("list_tabs"))["tabs"] if tab["url"].endswith("/back"))
                await agent.call("focus_tab", tabId=back["id"])
                await agent.call("open_tab", url=f"{site.url}/new")
                assert cdp.in_page("/front", visible) == "visible"
                assert cdp.in_page("/back", visible) == "hidden"
                assert cdp.in_page("/new", visible) == "hidden"


async def test_a_window_that_an_agent_s_page_opens_leaves_the_focus_with_the_person(
    display: str, tmp_path: Path, site: Site
) -> None:
    site.pages["/back"] = "<button onclick=\"open('/small', 'x', 'width=300,height=300')\">Open</button>"
    with running(tmp_path / "home") as gateway:
        async with browser(tmp_path, gateway.extension_port, headless=False) as cdp:
            await pair(gateway, cdp)
            for path in ("/back", "/front"):
                cdp.send("Target.createTarget", url=f"{site.url}{path}")
            focused = "document.hasFocus()"
            until(lambda: cdp.in_page("/front", focused))
            async with connect(gateway, toolsets="focus,automation", list="stable") as agent:
                await agent.call("connect_browser")
                back = next(tab for tab in (await agent.call("list_tabs"))["tabs"] if tab["url"].endswith("/back"))
                await agent.call("focus_tab", tabId=back["id"])
                found = re.search(r"^e\d+", await told(agent, "find", query="Open button"), re.MULTILINE)
                assert found is not None
                assert "/small" in await told(agent, "computer", action="left_click", ref=found[0])
                until(lambda: cdp.in_page("/front", focused))
                assert cdp.in_extension(extension_id(), FOCUSED) == "normal"


async def test_two_browsers_are_a_choice_and_neither_is_guessed(tmp_path: Path, site: Site) -> None:
    with running(tmp_path / "home") as gateway:
        for name in ("one", "two"):
            (tmp_path / name).mkdir()
        async with (
            browser(tmp_path / "one", gateway.extension_port) as one,
            browser(tmp_path / "two", gateway.extension_port) as two,
            connect(gateway) as agent,
        ):
            await pair(gateway, one)
            until(lambda: len(gateway.status()["browsers"]) == 1)
            assert await agent.names() == ["connect_browser"]
            await pair(gateway, two)
            until(lambda: len(gateway.status()["browsers"]) == 2)
            await agent.told_of(1)
            assert await agent.names() == ["connect_browser", "list_connected_browsers", "select_browser"]
            assert (await agent.refused("connect_browser"))["code"] == "choose_browser"
            choices = (await agent.call("list_connected_browsers"))["browsers"]
            assert [choice["selected"] for choice in choices] == [False, False]
            await agent.call("select_browser", browserId=choices[1]["id"])
            await agent.call("open_tab", url=f"{site.url}/chosen")
            assert two.targets("page", "/chosen")
            assert not one.targets("page", "/chosen")


async def test_the_extension_s_id_is_the_one_its_key_gives(tmp_path: Path) -> None:
    with running(tmp_path / "home") as gateway:
        async with browser(tmp_path, gateway.extension_port) as cdp:
            assert until(lambda: cdp.targets("service_worker", extension_id()))
