"""Makes the pictures of README.md and docs/: a person's own browser, paired, with two agents at work in a tea shop.

`make pictures` makes them all, `python scripts/pictures.py popup dashboard-dark` those named, `--into DIR` elsewhere.
Everything in them is real: the extension in Chromium, its gateway, MCP clients, and for the animation `gif_creator`.
"""

import argparse
import asyncio
import base64
import html
import io
import re
import shutil
import sys
import tempfile
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from mcp import Client, StdioServerParameters, stdio_client
from mcp_types import CallToolResult, Implementation, TextContent
from PIL import Image

from tests.cdp import Cdp
from tests.gateway import TABWRIGHT, GatewayProcess, running, until
from tests.own_browser import browser, pair

ROOT: Final = Path(__file__).parent.parent
IMAGES: Final = ROOT / "docs" / "images"
GIF_BYTES: Final = 700_000
PNG_BYTES: Final = 150_000
READY_S: Final = 30.0
EXTENSION: Final = "chrome-extension://dpkekkdbbmdkdninljfoipajbjonchlb"
DRAWN: Final = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"


@dataclass
class Agent:
    """An MCP client at work."""

    client: Client

    async def call(self, name: str, /, **arguments: Any) -> CallToolResult:
        result = await self.client.call_tool(name, arguments)
        if result.is_error:
            raise SystemExit(f"{name}: {result}")
        return result

    async def text(self, name: str, /, **arguments: Any) -> str:
        parts = (await self.call(name, **arguments)).content
        return "\n".join(part.text for part in parts if isinstance(part, TextContent))

    async def offered(self, name: str) -> None:
        """Wait until the page's tool is in the list."""
        async with asyncio.timeout(30):
            while name not in [each.name for each in (await self.client.list_tools()).tools]:  # noqa: ASYNC110 - no listener
                await asyncio.sleep(0.1)

    async def ref(self, words: str) -> str:
        """What `find` thinks of first at these words."""
        return (re.search(r"\be\d+\b", await self.text("find", query=words)) or sys.exit(f"no {words}"))[0]


@dataclass
class Scene:
    """What is photographed: the gateway, the browser, two agents in it, and the shop they visit."""

    gateway: GatewayProcess
    cdp: Cdp
    shop: str
    claude: Agent
    cursor: Agent

    def page(self, url: str, size: tuple[int, int], *, dark: bool = False, ready: str = "true") -> bytes:
        """A page of its own, as it looks at this size once `ready` holds."""
        target = self.cdp.send("Target.createTarget", url="about:blank")
        session = self.cdp.attach(target)
        try:
            theme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
            self.cdp.send("Emulation.setEmulatedMedia", session, features=theme)
            self.size(session, *size)
            self.cdp.send("Page.navigate", session, url=url)
            until(lambda: self.cdp.evaluate(session, f"document.readyState === 'complete' && ({ready})"), READY_S)
            return self.shot(session, size)
        finally:
            self.cdp.send("Target.closeTarget", targetId=target["targetId"])

    def size(self, session: str, width: int, height: int) -> None:
        self.cdp.send(
            "Emulation.setDeviceMetricsOverride", session, width=width, height=height, deviceScaleFactor=1, mobile=False
        )

    def shot(self, session: str, size: tuple[int, int]) -> bytes:
        """The page down to its own end, at most as high as asked for."""
        self.cdp.evaluate(session, DRAWN)
        end = "Math.ceil(Math.max(...[...document.body.children].map(e => e.getBoundingClientRect().bottom)) + 12)"
        height = min(size[1], max(80, self.cdp.evaluate(session, end)))
        clip = {"x": 0, "y": 0, "width": size[0], "height": height, "scale": 1}
        taken = self.cdp.send("Page.captureScreenshot", session, format="png", clip=clip, captureBeyondViewport=True)
        return base64.b64decode(taken["data"])


# What the pictures show


async def dashboard(scene: Scene, dark: bool = False) -> bytes:
    link = scene.gateway.run("dashboard", "--print-only").stdout.strip()
    ready = "[...document.querySelectorAll('img.shot')].filter(each => each.naturalWidth > 0).length >= 4"
    ready += " && document.body.innerText.includes('Live')"
    shown = asyncio.create_task(asyncio.to_thread(scene.page, link, (1440, 900), dark=dark, ready=ready))
    # in a person's own browser a tab is pictured when its agent took a picture, while somebody looks
    while not shown.done():
        for agent in (scene.claude, scene.cursor):
            await agent.call("computer", action="screenshot")
            await agent.call("find", query="the cheapest green tea")
            await agent.call("get_page_text")
            await agent.call("read_page")
    return await shown


async def extension_page(scene: Scene, name: str, size: tuple[int, int], ready: str, dark: bool = False) -> bytes:
    return await asyncio.to_thread(scene.page, f"{EXTENSION}/ui/{name}", size, dark=dark, ready=ready)


async def approval(scene: Scene) -> bytes:
    """The window in which the person is asked: a script in a page of their own browser."""
    asked = asyncio.create_task(scene.claude.client.call_tool("javascript_tool", {"text": "document.title"}))
    try:
        answerable = "[...document.querySelectorAll('button')].some(b => b.offsetParent && !b.disabled)"
        window = (await asyncio.to_thread(until, lambda: scene.cdp.targets("page", "ui/approve.html")))[0]
        session = scene.cdp.attach(window)
        await asyncio.to_thread(until, lambda: scene.cdp.evaluate(session, answerable))
        scene.size(session, 460, 560)
        return scene.shot(session, (460, 560))
    finally:
        deny = "void setTimeout(() => document.querySelector('[data-answer=deny]').click(), 100)"
        scene.cdp.in_page("ui/approve.html", deny)
        await asked


async def outline(scene: Scene) -> bytes:
    """The same page as a person sees it and as `read_page` tells it."""
    await scene.cursor.call("navigate", url=scene.shop)
    told = await scene.cursor.text("read_page")
    seen = await asyncio.to_thread(
        scene.page, scene.shop, (620, 520), ready="document.querySelector('#products li') !== null"
    )
    image = base64.b64encode(seen).decode()
    page = f"""<body style="margin:0;display:grid;grid-template-columns:620px 1fr;align-items:start;background:#fff">
<img src="data:image/png;base64,{image}"><pre style="margin:0;padding:14px;font:12px/1.45 'Liberation Mono',monospace;
white-space:pre-wrap;min-height:492px;background:#14181d;color:#e6edf3">{html.escape(told)}</pre>"""
    return await asyncio.to_thread(scene.page, f"data:text/html;charset=utf-8,{quote(page)}", (1200, 520))


async def shopping(scene: Scene) -> bytes:
    """An agent buys tea, recorded by `gif_creator`."""
    agent = scene.cursor
    await agent.call("resize_window", width=1000, height=640)
    await agent.call("navigate", url=scene.shop)
    await agent.call("gif_creator", action="start_recording")
    await agent.call("computer", action="left_click", ref=await agent.ref("search teas box"))
    await agent.call("computer", action="type", text="green")
    await agent.call("computer", action="left_click", ref=await agent.ref("add to cart of jasmine"))
    await agent.call("computer", action="left_click", ref=await agent.ref("add to cart of sencha"))
    await agent.call("form_input", ref=await agent.ref("e-mail field"), value="ada@example.org")
    await agent.call("computer", action="left_click", ref=await agent.ref("subscribe button"))
    await agent.call("gif_creator", action="stop_recording")
    exported = await agent.call("gif_creator", action="export", filename="shopping", options={"showWatermark": False})
    link = next(part for part in exported.content if part.type == "resource_link")
    return await asyncio.to_thread(Path(link.uri.removeprefix("file://")).read_bytes)


Picture = Callable[[Scene], Awaitable[bytes]]
LINKED: Final = "document.body.innerText.includes('claude-code')"
PICTURES: Final[dict[str, Picture]] = {
    "shopping.gif": shopping,
    "side-panel.png": partial(extension_page, name="panel.html", size=(380, 640), ready=LINKED),
    "dashboard.png": dashboard,
    "dashboard-dark.png": partial(dashboard, dark=True),
    "popup.png": partial(extension_page, name="popup.html", size=(348, 600), ready=LINKED),
    "popup-dark.png": partial(extension_page, name="popup.html", size=(348, 600), ready=LINKED, dark=True),
    "options.png": partial(extension_page, name="options.html", size=(760, 640), ready="true"),
    "first-run.png": partial(extension_page, name="welcome.html", size=(900, 640), ready="true"),
    "approval.png": approval,
    "outline.png": outline,
}


# The scene


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@contextmanager
def served(folder: Path) -> Generator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        # a name that the browser of the tests finds here: of 127.0.0.1, as this machine's own, nobody is ever asked
        yield f"http://leaf-and-kettle.test:{server.server_port}/"
        server.shutdown()


@asynccontextmanager
async def agent(gateway: GatewayProcess, name: str, shop: str) -> AsyncGenerator[Agent]:
    source = stdio_client(StdioServerParameters(command=TABWRIGHT, args=["stdio"], env=gateway.env))
    async with Client(source, mode="legacy", client_info=Implementation(name=name, version="1.0")) as client:
        made = Agent(client)
        await client.list_tools()
        await made.call("connect_browser")
        await made.call("open_tab", url=shop)
        yield made


@asynccontextmanager
async def scene(folder: Path) -> AsyncGenerator[Scene]:
    with running(folder / "home") as gateway, served(ROOT / "examples" / "shop") as shop:
        async with browser(folder, gateway.extension_port) as cdp:
            await pair(gateway, cdp)
            for page in cdp.targets("page", "pair.html"):
                cdp.send("Target.closeTarget", targetId=page["targetId"])
            async with agent(gateway, "claude-code", shop) as claude, agent(gateway, "cursor", shop) as cursor:
                await claude.call("find", query="the cheapest green tea")
                await claude.offered("add_to_cart")
                await claude.call("add_to_cart", index=3)  # found in the page: WebMCP is for https and this machine
                await claude.call("get_page_text")
                await cursor.call("read_page")
                yield Scene(gateway, cdp, shop, claude, cursor)


def small(png: bytes) -> bytes:
    """The same picture in at most 256 colours."""
    out = io.BytesIO()
    with Image.open(io.BytesIO(png)) as picture:
        picture.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
    return out.getvalue()


def keep(folder: Path, name: str, data: bytes) -> None:
    data, most = (data, GIF_BYTES) if name.endswith(".gif") else (small(data), PNG_BYTES)
    if len(data) > most:
        raise SystemExit(f"{name} has {len(data):,} bytes, more than {most:,}")
    (folder / name).write_bytes(data)
    sys.stdout.write(f"{folder / name}: {len(data) // 1000} KB\n")


def wanted(names: list[str]) -> list[str]:
    return [name for name in PICTURES if not names or name.rpartition(".")[0] in names]


async def main(names: list[str], into: Path) -> None:
    folder = Path(tempfile.mkdtemp(prefix="tabwright-pictures-"))
    try:
        async with scene(folder) as made:
            for name in wanted(names):
                keep(into, name, await PICTURES[name](made))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Make the pictures of README.md and docs/.")
    parser.add_argument("names", nargs="*", help="; ".join(PICTURES))
    parser.add_argument("--into", type=Path, default=IMAGES)
    given = parser.parse_args()
    given.into.mkdir(exist_ok=True)
    asyncio.run(main([name.partition(".")[0] for name in given.names], given.into))
