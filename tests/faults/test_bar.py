"""The person's own browser shows Chrome's debugging bar: it moves pages, and no click may miss for that."""

import re
import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tabwright.edges.chrome.chrome import Chrome, LaunchPlan
from tabwright.edges.chrome.extension_files import FOLDER
from tabwright.edges.chrome.profile import copy_extension, prepare_profile
from tests.cdp import Cdp
from tests.clients import Agent, connect
from tests.conftest import Site
from tests.faults.test_own_browser import pair
from tests.gateway import running, until
from tests.tools.told import told

pytestmark = pytest.mark.browser

PAGE = """<!doctype html><title>mine</title><button style="position:fixed;bottom:4px;left:50px;height:30px;width:90px"
  onclick="document.title = 'hit ' + ++hits">Low</button><script>let hits = 0</script>"""


@asynccontextmanager
async def browser_with_bar(folder: Path, extension_port: int) -> AsyncGenerator[Cdp]:
    """A browser as a person starts it, without the switch that keeps the bar away."""
    found = next(path for name in ("google-chrome", "chromium") if (path := shutil.which(name)))
    script = folder / "chromium"
    script.write_text(
        f'#!/bin/bash\nfor each do shift; [ "$each" = --silent-debugger-extension-api ] || set -- "$@" "$each"; done\n'
        f'exec {found} --remote-debugging-port=0 "$@"\n'
    )
    script.chmod(0o755)
    profile, extension = folder / "profile", folder / "extension"
    prepare_profile(profile)
    copy_extension(FOLDER, extension, {"url": f"ws://127.0.0.1:{extension_port}"})
    chrome = await Chrome.launch(LaunchPlan(script, profile, extension, headless=True))
    try:
        with Cdp(profile) as cdp:
            yield cdp
    finally:
        await chrome.close()


async def ref_of(agent: Agent, name: str) -> str:
    found = re.search(rf'"{name}" (e\d+)', await told(agent, "read_page"))
    assert found is not None
    return found[1]


async def test_the_bar_never_misplaces_a_click(tmp_path: Path, site: Site) -> None:
    site.pages["/mine"] = PAGE
    with running(tmp_path / "home") as gateway:
        async with (
            browser_with_bar(tmp_path, gateway.extension_port) as cdp,
            connect(gateway, toolsets="focus,automation", list="stable") as agent,
        ):
            await pair(gateway, cdp)
            cdp.send("Target.createTarget", url=f"{site.url}/mine")
            until(lambda: cdp.in_page("/mine", "document.visibilityState") == "visible")
            await agent.call("connect_browser")
            tab = next(tab for tab in (await agent.call("list_tabs"))["tabs"] if tab["url"].endswith("/mine"))
            await agent.call("focus_tab", tabId=tab["id"])
            ref = await ref_of(agent, "Low")
            high = cdp.in_page("/mine", "innerHeight")
            await told(agent, "computer", action="left_click", ref=ref)
            low = cdp.in_page("/mine", "innerHeight")
            assert low < high, "the bar is there"
            assert cdp.in_page("/mine", "document.title") == "hit 1"

            await agent.result("computer", action="screenshot")
            await told(agent, "turn_answer_complete")
            until(lambda: cdp.in_page("/mine", "innerHeight") == high, every=0.2)
            await told(agent, "computer", action="left_click", coordinate=[90, low - 20])
            assert cdp.in_page("/mine", "document.title") == "hit 2"
