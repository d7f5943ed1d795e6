"""A browser that is the person's own: somebody else started it, and it is paired by hand."""

import asyncio
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from tabwright.edges.chrome.chrome import Chrome, LaunchPlan
from tabwright.edges.chrome.extension_files import FOLDER
from tabwright.edges.chrome.profile import copy_extension, prepare_profile
from tests.cdp import Cdp
from tests.gateway import TABWRIGHT, GatewayProcess, browser_with_port, until


@asynccontextmanager
async def browser(folder: Path, extension_port: int, *, headless: bool = True, **config: object) -> AsyncGenerator[Cdp]:
    """A browser somebody else started, with our extension, looking for its gateway on that port."""
    profile, extension = folder / "profile", folder / "extension"
    prepare_profile(profile)
    copy_extension(FOLDER, extension, {"url": f"ws://127.0.0.1:{extension_port}", **config})
    chrome = await Chrome.launch(LaunchPlan(browser_with_port(folder), profile, extension, headless=headless))
    try:
        with Cdp(profile) as cdp:
            yield cdp
    finally:
        await chrome.close()


async def pair(gateway: GatewayProcess, cdp: Cdp) -> str:
    """`tabwright pair`, its page opened in the browser; the number both sides show."""
    command = await asyncio.create_subprocess_exec(
        TABWRIGHT, "pair", "--print-only", env=gateway.env, stdout=asyncio.subprocess.PIPE
    )
    assert command.stdout is not None
    said = ""
    async with asyncio.timeout(10):
        while not (page := re.search(r"chrome-extension://\S+", said)):
            said += (await command.stdout.readline()).decode()
        cdp.send("Target.createTarget", url=page.group())
        said = (await command.stdout.read()).decode()
        assert await command.wait() == 0
    number = re.search(r"(\d{3}) (\d{3})", said)
    assert number, said
    shown = until(lambda: re.search(r"(\d{3})\s*(\d{3})", cdp.in_page("pair.html", "document.body.innerText")))
    assert shown.groups() == number.groups()
    return "".join(number.groups())
